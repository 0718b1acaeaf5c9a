// SPDX-License-Identifier: BSD-3-Clause
// How a kind of topology adds its nodes and links; private to control/topology/.
#pragma once

#include "topology.h"

// Adds a node and returns its index, or TOPOLOGY_NONE when memory has run out. Nodes must come as
// leaves, spines, hosts.
uint32_t builder_add_node(struct topology *t, const char *name, enum config_role role,
			  uint16_t plane, uint32_t number);

// True when the node has a port of that number.
bool builder_has_port(const struct topo_node *node, unsigned number);

// Adds port `number` (from 1) to a node. Returns it (valid until the next one is added there), or
// NULL when memory has run out. The node has no port of that number and fewer than PORTS_MAX.
struct topo_port *builder_add_port(struct topology *t, uint32_t node, unsigned number);

// Joins two nodes by a link between new ports. Returns 0 or -ENOMEM.
int builder_add_link(struct topology *t, uint32_t a, unsigned a_number, uint32_t b,
		     unsigned b_number, const struct config_link *link, uint32_t mtu);

// The kinds. Each returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int builder_leaf_spine(struct topology *t, struct config_diag *diag);
int builder_explicit(struct topology *t, struct config_diag *diag);
int builder_single(struct topology *t, struct config_diag *diag);

// Fills topology.by_name. Returns 0, or -ENOMEM.
int builder_index_names(struct topology *t);

// Tenants and VRFs, and which ports are theirs.
int builder_assign_tenants(struct topology *t, struct config_diag *diag);
