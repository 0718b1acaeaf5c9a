// SPDX-License-Identifier: BSD-3-Clause
// The fabric as nodes, ports and links, with everything that follows from where they are: names,
// addresses, MACs, MTUs, VRFs and tenants. topology.c says how it is made.
//
// A struct topology is read only once made (but for topology_apply_attach()) and belongs to the
// control thread; it refers to the struct config, which must live as long.
#pragma once

#include "dataplane/base/tables.h"
#include "control/config/config.h"

#include <string.h>

#define TOPOLOGY_NONE UINT32_MAX
#define TOPOLOGY_HOST_PORTS_MAX 8
#define TOPOLOGY_PORT_NAME_MAX 8
#define TOPOLOGY_NAME_MAX 96 // "leaf1.swp256-spine1.swp256", with its NUL

// Local identifiers of InfiniBand: unicast ones (InfiniBand Architecture Specification volume 1,
// section 4.1.3). Nodes of a larger fabric have none.
#define TOPOLOGY_LID_NONE 0
#define TOPOLOGY_LID_MAX 0xbfff

// Always the first VRF; a port's where nothing else says.
#define TOPOLOGY_VRF_DEFAULT 0
#define TOPOLOGY_VRFS_MAX INT16_MAX // and as many tenants

struct place; // addresses.h

struct topo_port {
	char name[TOPOLOGY_PORT_NAME_MAX]; // "swp1" of a switch, "eth1" of a host
	uint16_t number;                   // the N of swpN; ports are sorted by number
	uint16_t peer_port;                // index among the peer's ports
	uint32_t peer_node;                // TOPOLOGY_NONE: nothing in the file is behind it
	uint32_t link;                     // the same
	uint64_t rate_bps;                 // 0: as fast as the device takes
	uint64_t delay_ps;
	uint64_t cable_mm;
	uint32_t mtu;    // bytes of the largest IP packet
	uint16_t vrf;    // in topology.vrfs; of a host's port: of the leaf's port behind it
	uint16_t tenant; // in topology.tenants, or TENANT_NONE; the same
	uint16_t lid;    // of InfiniBand; a switch's ports have that of the switch
	uint8_t mac[6];
	uint8_t ip4[4];  // a host's, of its tenant or of the plan; network byte order
	uint8_t ip6[16]; // the same
};

struct topo_node {
	char name[CONFIG_NAME_MAX + 1];
	enum config_role role;
	uint16_t plane;  // from 0; of a host 0
	uint32_t number; // from 1 among the nodes of its role in its plane: leaf1 has 1, h5 has 5
	uint16_t pod, pod_number; // a switch's place in the plan of addresses (addresses.h)
	uint8_t loopback4[4];     // a switch's: the end of its tunnels
	uint8_t loopback6[16];
	uint8_t router_mac[6]; // a switch's, as the inner destination of what comes in tunnels
	uint16_t port_count;
	struct topo_port *ports;
};

struct topo_end {
	uint32_t node;
	uint16_t number; // swpN
	uint16_t port;   // index
};

// a: the host, or the leaf towards a spine, or as written.
struct topo_link {
	struct topo_end a, b;
	uint64_t rate_bps, delay_ps, cable_mm;
	uint32_t mtu;
	bool mtu_auto; // between switches: room for the hosts' MTU and the tenants' encapsulation
	uint32_t loss_ppm;   // of the packets, either way
	struct diag_pos pos; // where the file says what it is like; line 0: nowhere
	bool host;           // one end is a host
};

// A tenant's VRF has the tenant's name. `default` is the underlay: ports between switches are in
// it, and hosts where there are no tenants.
struct topo_vrf {
	char name[CONFIG_NAME_MAX + 1]; // "": unused
	uint16_t tenant;                // in topology.tenants, or TENANT_NONE
	enum config_encap encap;        // between switches; never AUTO
	bool pipe;                      // VXLAN: the DSCP inside is not seen outside
	uint32_t vni;                   // VXLAN
	uint16_t vid;                   // VLAN
	uint16_t *leaks;                // VRFs that it exchanges routes with, ascending
	uint16_t leak_count;
	// Unused, but packets in flight refer to it: topology_retenant() keeps it as it is.
	bool held;
	// Held, and takes what comes from other switches instead of the VRF with the same VNI
	// or VLAN, or of `default` if it is plain.
	bool leaving;
};

struct topo_tenant {
	const char *name;                     // NULL: unused
	const struct config_tenant *settings; // NULL: only a port names it, or it is `rest`
	bool held;                            // as of a VRF
};

// Prefixes behind a host, outside the fabric.
struct topo_border {
	uint16_t vrf;
	uint32_t host; // index from 0 among the hosts
	uint8_t port;  // index among its ports
	struct config_prefix prefix;
	struct diag_pos pos;
};

// What the tenants decide about a host's port.
struct tenant_port {
	uint16_t vrf;
	uint16_t tenant;
	uint8_t ip4[4];
	uint8_t ip6[16];
};

// Loopbacks of one IP version.
struct topo_loopbacks {
	uint32_t *order;  // switches by the addresses of their loopbacks
	struct lpm *trie; // from an address to its place in `order`; NULL: a lone switch
};

// Nodes have a defined order: all leaves (plane by plane), all spines, all supers, all hosts.
struct topology {
	const struct config *config;
	struct topo_node *nodes;
	uint32_t node_count;
	struct topo_link *links;
	uint32_t link_count;
	uint32_t leaf_count;
	uint32_t spine_count;
	uint32_t super_count;
	uint32_t first_host; // index of the first host's node; host h is node first_host + h
	uint32_t host_count;
	struct topo_vrf *vrfs; // [TOPOLOGY_VRF_DEFAULT] is "default"
	uint16_t vrf_count;
	struct topo_tenant *tenants; // of the file in its order, of a switch's ports, `rest`
	uint16_t tenant_count;
	struct topo_border *borders;
	uint32_t border_count;
	uint32_t attached_mtu; // the largest of an attached host; 0: none, or not live
	uint32_t *by_name;     // node indices sorted by name
	struct topo_loopbacks loopbacks4, loopbacks6;
	// Forwarding tables that a subnet manager outside has set: by switch, then by LID; as long
	// as those of struct subnet. NULL: its engine computes them.
	uint8_t *lfts;
	uint16_t *parts; // by node: its index in `fabric.parts`; NULL: there are none
	// Switches that are connected without passing a host form a component: a plane, as a rule.
	uint32_t *component;     // by switch: the first switch of its component
	uint32_t *component_mtu; // by that first switch: the least MTU of the links between them
};

// Makes the topology of a configuration. Returns 0, or -EINVAL with the errors in
// diag.
int topology_create(struct topology **out, const struct config *config, struct diag *diag);
// NULL is fine.
void topology_destroy(struct topology *topology);

// Computes VRFs, tenants, the hosts' VRFs, tenants and addresses, borders and the MTUs of links
// between switches anew from config->tenants, which has changed since. VRFs and tenants that stay
// (by name) keep their indices; new ones take places that were free before, or are appended; those
// that go leave a place without a name, since counters and queued packets refer to indices. A
// link's MTU does not shrink. Pointers to names of VRFs become invalid. Returns 0, or -EINVAL
// with the errors in diag; on an error nothing has changed.
int topology_retenant(struct topology *topology, struct diag *diag);

// Sets it for a port and for the leaf's port behind it.
void topology_set_tenant_port(struct topology *topology, uint32_t host, uint8_t port,
			      const struct tenant_port *to);
// Frees VRFs and what they hold.
void topology_free_vrfs(struct topo_vrf *vrfs, uint16_t count);

// The MTU of interfaces that Roost makes, unless `attach:` or a smaller one of the fabric says so.
#define TOPOLOGY_VETH_MTU 1500

// For the live pace: gives the links of attached hosts the MTU that `attach:` says, or that where
// Roost makes the interface, on both sides; and links between switches without an MTU of their own
// room for it.
void topology_apply_attach(struct topology *topology);

// The NICs that an entry of `attach:` names: all of a host's, if it names the host alone and Roost
// makes the interfaces; else one. Returns false if it names no NIC of a host.
struct topo_attached {
	uint32_t host;
	uint8_t first, count; // of its ports
};
bool topology_find_attached(const struct topology *topology, const struct config_attach *attach,
			    struct topo_attached *out);

// Gives the NIC that an entry names the MAC that the entry says, if it says one. Returns 0, or
// -EINVAL with an error in diag: it is another one's, or the entry names several NICs.
int topology_give_mac(struct topology *topology, const struct config_attach *attach,
		      struct diag *diag);

// ---- names --------------------------------------------------------------------------------------

struct topo_ref { // a port, or one of its queues
	uint32_t node;
	uint16_t port; // index
	uint8_t queue;
};

// A NIC port of a host.
struct topo_endpoint {
	uint32_t host; // index from 0 among the hosts
	uint8_t port;  // index among its ports
	bool whole;    // the name was the host's alone
};

// The node of that name, or TOPOLOGY_NONE.
uint32_t topology_find_node(const struct topology *topology, const char *name);
// "leaf1.swp3", or "swp3" where there is one switch. Returns 0 or -ENOENT.
int topology_find_port(const struct topology *topology, const char *name, struct topo_ref *out);
// "leaf1.swp3.5". Returns 0 or -ENOENT.
int topology_find_queue(const struct topology *topology, const char *name, struct topo_ref *out);
// "leaf1-spine1" in either order, or "leaf1.swp5-spine1.swp1" where several links join the two.
// Returns 0, -ENOENT, or -EEXIST when several links fit.
int topology_find_link(const struct topology *topology, const char *name, uint32_t *out);
// VRF or tenant of that name; -1 when there is none.
int topology_find_vrf(const struct topology *topology, const char *name);
int topology_find_tenant(const struct topology *topology, const char *name);

// The same, with an error at the name's position and a suggestion when there is no such thing.
// key: the name's place in the file, for the message. Return 0 or -EINVAL.
int topology_resolve_node(const struct topology *topology, const struct config_name *name,
			  const char *key, uint32_t *out, struct diag *diag);
// A host: *out is its index from 0 among the hosts.
int topology_resolve_host(const struct topology *topology, const struct config_name *name,
			  const char *key, uint32_t *out, struct diag *diag);
// An endpoint: "h1" (its first port) or "h1.eth2". file: which has the name; NULL: the
// configuration.
int topology_resolve_endpoint(const struct topology *topology, const char *file,
			      const struct config_name *name, const char *key,
			      struct topo_endpoint *out, struct diag *diag);
int topology_resolve_port(const struct topology *topology, const struct config_name *name,
			  const char *key, struct topo_ref *out, struct diag *diag);
int topology_resolve_queue(const struct topology *topology, const struct config_name *name,
			   const char *key, struct topo_ref *out, struct diag *diag);
int topology_resolve_link(const struct topology *topology, const struct config_name *name,
			  const char *key, uint32_t *out, struct diag *diag);
int topology_resolve_vrf(const struct topology *topology, const struct config_name *name,
			 const char *key, uint16_t *out, struct diag *diag);
int topology_resolve_tenant(const struct topology *topology, const struct config_name *name,
			    const char *key, uint16_t *out, struct diag *diag);

// Every name that attach, events, record and learn use is that of something. Routes and workload
// check their own. Returns 0 or -EINVAL with the errors in diag.
int topology_check_names(const struct topology *topology, struct diag *diag);

// The name of a link ("leaf1-spine1"; with ports where several join the two) or of a port
// ("leaf1.swp3", "swp3" on a lone switch), written to text. Returns text.
const char *topology_link_name(const struct topology *topology, uint32_t link,
			       char text[static TOPOLOGY_NAME_MAX]);
const char *topology_port_name(const struct topology *topology, uint32_t node, uint16_t port,
			       char text[static TOPOLOGY_NAME_MAX]);

// ---- parts --------------------------------------------------------------------------------------

// The part of that name, or NULL with an error in diag.
const struct config_part *topology_resolve_part(const struct topology *topology, const char *name,
						struct diag *diag);
// The part that runs a node; NULL: there are none.
static inline const struct config_part *
topology_part_of(const struct topology *topology, uint32_t node)
{
	return topology->parts != NULL ? &topology->config->fabric.parts[topology->parts[node]]
				       : NULL;
}
// Whether a link leads from one part to another.
static inline bool
topology_crosses(const struct topology *topology, const struct topo_link *link)
{
	return topology->parts != NULL &&
	       topology->parts[link->a.node] != topology->parts[link->b.node];
}

// ---- places -------------------------------------------------------------------------------------

// The switch at a place, or TOPOLOGY_NONE.
uint32_t topology_find_switch(const struct topology *topology, const struct place *place);
// The place of a switch.
struct place topology_switch_place(const struct topology *topology, uint32_t node);

// The leaf's port at a place; its peer is the host there. Returns 0, or -ENOENT.
int topology_find_place(const struct topology *topology, const struct place *place,
			struct topo_ref *out);

// Whether it is one switch, of which the file knows nothing behind its ports.
static inline bool
topology_is_single(const struct topology *topology)
{
	return topology->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
}

// Bytes of an address of an IP version.
static inline uint8_t
address_bytes(uint8_t version)
{
	return version == 6 ? 16 : 4;
}

// The first bits of an address, whole bytes.
static inline struct config_prefix
address_prefix(uint8_t version, const uint8_t *address, uint8_t length)
{
	struct config_prefix prefix = {.version = version, .length = length};

	memcpy(prefix.address, address, length / 8);
	return prefix;
}

// All bits of an address.
static inline struct config_prefix
address_host_prefix(uint8_t version, const uint8_t *address)
{
	return address_prefix(version, address, 8 * address_bytes(version));
}

// The LID of a node's port.
static inline uint16_t
topology_lid(const struct topology *topology, uint32_t node, uint16_t port)
{
	return topology->nodes[node].ports[port].lid;
}

// The partition of a host's port, in an InfiniBand fabric: tenants have 1, 2, ... in the order of
// the file, hosts without tenants the default one.
#define TOPOLOGY_PKEY_DEFAULT 0x7fff
#define TOPOLOGY_PKEY_MEMBER 0x8000 // full membership, which all hosts have
static inline uint16_t
topology_pkey(const struct topo_port *port)
{
	return port->tenant == TENANT_NONE ? TOPOLOGY_PKEY_DEFAULT : (uint16_t)(port->tenant + 1);
}

static inline bool
topology_is_infiniband(const struct topology *topology)
{
	return topology->config->fabric.link_layer == CONFIG_LINK_INFINIBAND;
}

// The index of a node's port of that number, or -1.
static inline int
topology_port_index(const struct topo_node *node, unsigned number)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (node->ports[p].number == number)
			return p;
	return -1;
}

// By the first `length` characters of a name: "swp3".
int topology_port_named(const struct topo_node *node, const char *name, size_t length);

// A switch's loopback of an IP version.
static inline const uint8_t *
topology_loopback(const struct topo_node *node, uint8_t version)
{
	return version == 6 ? node->loopback6 : node->loopback4;
}

// The prefix of the addresses that the plan gives to a leaf's hosts.
struct config_prefix topology_leaf_prefix(const struct topo_node *leaf, uint8_t version);

// The host's index for a host's node.
static inline uint32_t
topology_host_of(const struct topology *topology, uint32_t node)
{
	return node - topology->first_host;
}

// The host's node.
static inline struct topo_node *
topology_host(const struct topology *topology, uint32_t host)
{
	return &topology->nodes[topology->first_host + host];
}

// The host's tenant, or TENANT_NONE.
static inline uint16_t
topology_host_tenant(const struct topology *topology, uint32_t host)
{
	return topology_host(topology, host)->ports[0].tenant;
}

// Whether a host is in the tenant of that name.
static inline bool
topology_host_is_in(const struct topology *topology, uint32_t host, const char *name)
{
	uint16_t tenant = topology_host_tenant(topology, host);

	return tenant != TENANT_NONE && strcmp(topology->tenants[tenant].name, name) == 0;
}

// A host's port.
static inline struct topo_port *
topology_host_port(const struct topology *topology, uint32_t host, uint8_t port)
{
	return &topology_host(topology, host)->ports[port];
}

// Whether packets of one VRF may reach the other: it is the same, or they exchange routes.
bool topology_vrfs_joined(const struct topology *topology, uint16_t one, uint16_t other);

// Whether every host of a fabric is in a tenant's VRF, `rest` included.
static inline bool
topology_sliced(const struct topology *topology)
{
	return topology->config->tenants != NULL && !topology_is_single(topology);
}

// Whether the switches and links join two hosts' ports, whatever routes say. Ports of different
// planes are not joined; a flow between those crosses inside a host first.
bool topology_joined(const struct topology *topology, uint32_t from_host, uint8_t from_port,
		     uint32_t to_host, uint8_t to_port);

// The largest IP packet that passes from one host's port to the other's by any path: their own MTUs
// and, if they are connected to different leaves, the smallest MTU of the links between the
// switches there less what a tunnel of the destination's VRF adds.
uint32_t topology_path_mtu(const struct topology *topology, uint32_t from_host, uint8_t from_port,
			   uint32_t to_host, uint8_t to_port);
