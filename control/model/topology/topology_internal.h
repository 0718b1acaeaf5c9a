// SPDX-License-Identifier: BSD-3-Clause
// How a kind of topology adds its nodes and links; private to control/model/topology/.
#pragma once

#include "topology.h"

// Adds a node and returns its index. Nodes must come as leaves, spines, supers, hosts. Its place in
// the plan of addresses follows from its number; a kind with pods sets another.
uint32_t builder_add_node(struct topology *t, const char *name, enum config_role role,
			  uint16_t plane, uint32_t number);

// Adds port `number` (from 1) to a node. Returns it, valid until the next one is added there. The
// node has no port of that number and fewer than PORTS_MAX.
struct topo_port *builder_add_port(struct topology *t, uint32_t node, unsigned number);

// What `links:` says of a link between these two nodes: host, super or fabric.
struct config_link builder_link(const struct topology *t, uint32_t a, uint32_t b);
// Gives one end of a link its rate, delay and MTU.
void builder_set_link(struct topology *t, struct topo_port *port, const struct config_link *link);
// Joins two nodes by a link between new ports of these numbers. link: NULL: as `links:` says.
void builder_add_link(struct topology *t, struct topo_end a, struct topo_end b,
		      const struct config_link *link);

// Adds `count` switches of a role to each plane, called as their role: leaf1, or p2-leaf1 where
// there are several planes; and hosts h1 ..
void builder_add_switches(struct topology *t, uint32_t planes, enum config_role role,
			  uint32_t count);
void builder_add_hosts(struct topology *t, uint32_t count);

// The kinds. Return 0, or -EINVAL with the errors in diag. The configuration has checked the
// numbers of those that make their nodes themselves.
void builder_clos(struct topology *t); // leaf-spine, fat-tree, clos3
void builder_rail(struct topology *t);
int builder_explicit(struct topology *t, struct diag *diag); // explicit, file
int builder_single(struct topology *t, struct diag *diag);

// What `fabric.links` says of links by their names. Returns 0, or -EINVAL with the errors in diag.
int builder_apply_named_links(struct topology *t, struct diag *diag);

// Fills topology.by_name.
void builder_index_names(struct topology *t);

// Fills topology.loopbacks4 and loopbacks6, of a fabric. Returns 0, or -EINVAL with an error in
// diag where two switches have the same.
int builder_index_loopbacks(struct topology *t, struct diag *diag);

// Fills topology.parts. Returns 0, or -EINVAL with the errors in diag where the parts are not those
// of one fabric.
int builder_place_parts(struct topology *t, struct diag *diag);

// Fills topology.component and component_mtu.
void builder_find_components(struct topology *t);
// Gives links between switches without an MTU of their own room for the hosts' packets and what
// tenants' encapsulation, unless they have it, and fills component_mtu anew. Warns of links with
// less.
void builder_make_room(struct topology *t, struct diag *diag);

// Gives attached hosts the MACs that the file gives them. Returns 0, or -EINVAL with the errors in
// diag.
int attached_give_macs(struct topology *t, struct diag *diag);

// ---- tenants: worked out beside a topology, then put into it (tenants.c) ------------------------

// What a host's port gets, or a port of a lone switch.
struct sliced_port {
	struct tenant_port put;
	struct diag_pos pos4, pos6;                    // where the file gives the address
	bool own4, own6;                               // it does
	const struct config_attach *attach4, *attach6; // where under `attach:`; NULL: elsewhere
};

struct slicing {
	struct topology next; // the topology with VRFs, tenants and borders of its own
	bool *vrf_used;       // by VRF and tenant: they stay or are new
	bool *tenant_used;
	struct sliced_port *ports; // TOPOLOGY_HOST_PORTS_MAX a host; of a lone switch by port
	struct diag *diag;
};

static inline struct sliced_port *
sliced_port(const struct slicing *s, uint32_t host, uint8_t port)
{
	return &s->ports[host * TOPOLOGY_HOST_PORTS_MAX + port];
}

// Gives hosts the addresses of the plan, and over them those that the file gives its tenants'; and
// takes the tenants' borders. VRFs, leaks and the hosts' tenants are known. Errors are in the diag.
void tenants_give_addresses(struct slicing *s);
// Gives attached hosts the addresses that the file sets, which override both.
void attached_give_addresses(struct slicing *s);
void tenants_find_borders(struct slicing *s);
// Whether any VRF would know two of one address, or of one prefix behind hosts. Errors are in the
// diag.
void tenants_check_addresses(const struct slicing *s);
