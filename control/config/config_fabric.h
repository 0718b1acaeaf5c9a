// SPDX-License-Identifier: BSD-3-Clause
// What stands in a fabric: its topology and links, or the ports of one switch; who uses it, and how
// it runs live.
#pragma once

#include "config_values.h"

enum config_topology {
	CONFIG_TOPOLOGY_LEAF_SPINE,
	CONFIG_TOPOLOGY_RAIL,
	CONFIG_TOPOLOGY_FAT_TREE,
	CONFIG_TOPOLOGY_CLOS3,
	CONFIG_TOPOLOGY_EXPLICIT,
	CONFIG_TOPOLOGY_FILE,   // nodes and links below, as a file lists them
	CONFIG_TOPOLOGY_SINGLE, // one switch: `ports` and `routes` below
};

enum config_topology_format { CONFIG_TOPOLOGY_FORMAT_HPCC };

struct config_node {
	struct config_name name;
	enum config_role role;
};

// One end of an explicit link: "leaf1.swp1", "h1.eth1"; port 0: "h1", the host's only one.
struct config_endpoint {
	struct config_name name; // as written
	char *node;
	unsigned port;
};

// What stands in the file of a link; the rest is inherited.
struct config_link_written {
	bool rate_set, delay_set, mtu_set;
	struct config_link link;
};

struct config_explicit_link {
	struct config_endpoint a, b;
	struct config_link_written written; // over links.host, .super-spine or .fabric of its kind
};

struct config_named_link {
	struct config_name name; // "leaf1-spine2"
	struct config_link_written written;
};

// What links carry.
enum config_link_layer { CONFIG_LINK_ETHERNET, CONFIG_LINK_INFINIBAND };

// AUTO is resolved by the link layer.
struct config_framing {
	uint16_t preamble_bytes;
	uint16_t fcs_bytes;
	uint16_t gap_bytes;
	bool preamble_auto, fcs_auto, gap_auto;
};

// How an InfiniBand subnet computes its forwarding tables.
enum config_subnet_engine { CONFIG_SUBNET_MIN_HOP, CONFIG_SUBNET_UP_DOWN, CONFIG_SUBNET_FAT_TREE };

// The forwarding table of a switch as a subnet manager wrote it to a file (lft_file.h).
struct config_lft {
	const char *name; // of the switch
	uint8_t *ports;   // by the file's LIDs; 255: none
	uint32_t line;    // of the file
};

// Whose a LID of such a file is.
struct config_lft_owner {
	const char *name; // NULL: the file does not say
	uint8_t port;     // of a host; 0: of a switch
};

struct config_lfts {
	struct config_name path; // as written; text NULL: there is no file
	struct config_lft *tables;
	uint32_t table_count;
	struct config_lft_owner *owners; // by LID
	uint32_t lid_count;
};

struct config_subnet {
	enum config_subnet_engine engine;
	bool alternate; // a switch avoids a port that is down before it gets new tables
	struct config_lfts lfts;
};

// What one process runs where several run a fabric together: some of its switches, and the hosts of
// its leaves. Links between parts are UDP datagrams.
struct config_part {
	struct config_name name;
	struct config_address address; // of its machine
	uint16_t port;                 // the first of its UDP ports
	struct config_names switches;
};

#define CONFIG_RUN_NAME_MAX (2 * CONFIG_NAME_MAX + 2) // with its NUL

struct config_fabric {
	struct config_name name;
	enum config_topology topology;
	struct diag_pos topology_pos;
	uint32_t leaves, spines, supers; // of a plane; in clos3 leaves and spines of a pod
	uint32_t hosts_per_leaf;
	uint32_t planes;         // leaf-spine, clos3
	uint32_t pods;           // clos3
	uint32_t rails;          // rail; 0: as many as leaves
	uint32_t k;              // fat-tree
	struct config_name path; // file
	enum config_topology_format format;
	struct config_node *nodes; // explicit, file
	unsigned node_count;
	const char **range_names; // of nodes, that read like a range of hosts: h1-h8; sorted
	unsigned range_name_count;
	struct config_explicit_link *links; // explicit, file
	unsigned link_count;
	struct config_link host_link;
	struct config_link fabric_link;
	struct config_link_written super_link; // over fabric_link
	struct config_named_link *named_links; // over what they were
	unsigned named_link_count;
	struct config_part *parts; // none: one process runs the fabric
	unsigned part_count;
	enum config_link_layer link_layer;
	struct config_framing framing;
	uint32_t mtu;      // the hosts' IP MTU
	uint32_t underlay; // IP version of the headers around tunnels: 4 or 6
	uint64_t seed;
	uint32_t dilation;
};

// What the process that runs a part is called: FABRIC-PART. part: NULL: all of the fabric, which is
// called as itself. Returns text.
const char *config_run_name(const struct config_fabric *fabric, const char *part,
			    char text[static CONFIG_RUN_NAME_MAX]);

// How many nodes a kind has that makes them itself; all 0 for the others.
struct config_counts {
	uint32_t leaves, spines, supers; // of each plane
	uint32_t planes;
	uint32_t hosts;
};
void config_count_nodes(const struct config_fabric *fabric, struct config_counts *out);

// A link with what is written over it.
struct config_link config_link_over(const struct config_link *link,
				    const struct config_link_written *written);

enum config_idle { CONFIG_IDLE_SLEEP, CONFIG_IDLE_POLL };
enum config_hugepages { CONFIG_HUGEPAGES_AUTO, CONFIG_HUGEPAGES_ON, CONFIG_HUGEPAGES_OFF };

struct config_live {
	uint32_t workers;
	unsigned cpu_count; // 0: auto
	uint16_t cpus[CONFIG_CPUS_MAX];
	enum config_idle idle;
	enum config_hugepages hugepages;
	uint64_t max_lag_ps; // wall time
	uint64_t packet_memory_bytes;
	bool packet_memory_auto;
	uint64_t capture_memory_bytes; // of each worker
	struct config_name readers;    // the group that may read the API; text NULL: none
	bool wait_for_interfaces;      // of `dev:` and `netdev:`, rather than refuse to come up
};

// AUTO: VXLAN where a VNI is written, VLAN where a VLAN is, else plain.
enum config_encap {
	CONFIG_ENCAP_PLAIN,
	CONFIG_ENCAP_VXLAN,
	CONFIG_ENCAP_VLAN,
	CONFIG_ENCAP_AUTO,
};

// How a packet's DSCP relates to that of the tunnel around it (RFC 2983).
enum config_tunnel_dscp { CONFIG_TUNNEL_UNIFORM, CONFIG_TUNNEL_PIPE };

// Which of a cluster's networks a tenant is. Tenants of the first kind are slices of the fabric
// that joins the accelerators; the others are joined to them by leaks, but for OUT_OF_BAND.
enum config_network {
	CONFIG_NETWORK_EAST_WEST,
	CONFIG_NETWORK_STORAGE,
	CONFIG_NETWORK_NORTH_SOUTH,
	CONFIG_NETWORK_OUT_OF_BAND,
};

// An address of a host in its tenant, instead of the one that follows from its place.
struct config_tenant_address {
	struct config_name host; // "h1", or "h1.eth2"
	uint8_t version;
	uint8_t address[16]; // an IPv4 address in the first 4
	struct diag_pos pos;
};

// Where a VRF meets the outside: prefixes behind a host's port.
struct config_border {
	struct config_name host; // "h8", or "h8.eth1"
	struct config_prefix *prefixes;
	unsigned prefix_count;
};

struct config_tenant {
	struct config_name name; // also its VRF
	struct config_names hosts;
	enum config_network network;
	uint32_t vni;  // 0: none
	uint16_t vlan; // 0: none
	struct diag_pos vni_pos, vlan_pos;
	enum config_encap encap;
	enum config_tunnel_dscp dscp;
	struct config_names leak; // tenants whose VRFs exchange routes with this one's
	struct config_tenant_address *addresses;
	unsigned address_count;
	struct config_border *borders;
	unsigned border_count;
	bool buffer_set;
	uint64_t guaranteed_bytes;
	struct config_amount share; // PERCENT, ALPHA, or NONE
	struct diag_pos buffer_pos;
};

// The tenant of the hosts that no other has: in every fabric with `tenants:`, written there or not.
#define CONFIG_REST "rest"
#define CONFIG_REST_VNI 16777214 // where the file gives it none
#define CONFIG_REST_VLAN 4094

// The encapsulation of a tenant's packets between switches.
struct config_tenant_encap {
	enum config_encap encap; // never AUTO
	uint32_t vni;            // VXLAN
	uint16_t vlan;           // VLAN
	bool pipe;               // VXLAN
};

struct arena;

// What is attached as a host: one of netns, pid, container, tap and dev, or dev in netns.
struct config_attach {
	struct config_name host;      // "h1", or one of its NICs: "h1.eth2"
	struct config_name netns;     // a named network namespace; text NULL: none
	uint32_t pid;                 // of a process: its network namespace; 0: none
	struct config_name container; // its network namespace; text NULL: none
	struct config_name tap;       // an interface for a VM; text NULL: none
	struct config_name dev;       // a DPDK device string; text NULL: none
	struct config_mac mac;        // not set: the plan's
	struct config_address ip[2];  // instead of the address plan's, one of each version
	unsigned ip_count;
	uint32_t mtu;            // 0: 1500, or the fabric's where the device carries it
	bool nic;                // one at the edge, between the host and its leaf
	uint64_t buffer_bytes;   // of each priority of that NIC, each way; 0: auto
	bool reorder_written;    // the file sets reorder, on or off
	bool reorder;            // that NIC puts packets in order for the host
	uint32_t reorder_window; // packets that may wait for missing ones
	uint64_t reorder_timeout_ps;
	uint64_t reorder_first_ps; // how long a queue pair's first packet waits for others
};

// Whether the host is a network namespace, in which Roost creates an interface.
bool config_attach_makes_interface(const struct config_attach *attach);

struct yaml_node;

// Decodes one entry of `attach:`. The host's name is copied into the arena; other texts are the
// tree's. Returns 0, or -EINVAL with errors in diag.
int config_decode_attach(struct config_attach *out, struct arena *arena, const char *host,
			 const struct yaml_node *entry, struct diag *diag);
// An entry from words such as "netns=lab-h3", as the value of an edit, for free(). Returns 0, or
// -EINVAL with errors in diag.
int config_read_attach(const char *const *words, unsigned count, char **out, struct diag *diag);

// ---- one switch ---------------------------------------------------------------------------------

struct config_port {
	struct config_name name;
	unsigned number; // swpN
	struct config_link link;
	bool link_written; // cable or delay stands in the file
	bool mtu_written;
	struct config_name vrf;    // "default" where not written
	struct config_name tenant; // text NULL: none
	struct config_name dev;    // text NULL: none
	struct config_name netdev; // a Linux interface that the kernel keeps using; text NULL: none
	struct config_mac mac;
	bool uplink; // a switch of the same fabric is behind it
};

// FRR's bfdd, whose sessions the switch runs; live only.
struct config_bfd {
	struct config_name socket; // at which it listens; text NULL: none
	struct config_name user;   // whose it may be: a user's name or number, or "any"
};

// An entry of the forwarding table of one InfiniBand switch.
struct config_lft_entry {
	uint16_t lid;
	struct config_name port;
};

struct config_single {
	enum config_role role;
	struct config_mac mac;                      // every port's where it has none of its own
	struct config_address vtep;                 // this end of its tunnels
	struct config_address loopback4, loopback6; // its own addresses; version 0: the plan's
	struct config_port *ports;
	unsigned port_count;
	struct config_route *routes;
	unsigned route_count;
	struct config_lft_entry *lft; // InfiniBand
	unsigned lft_count;
	struct config_bfd bfd;
};
