// SPDX-License-Identifier: BSD-3-Clause
// What engines fill; private to control/model/subnet/.
#pragma once

#include "subnet.h"

// One fills the LFTs, in which every entry but a switch's own is SUBNET_PORT_NONE.
typedef void subnet_engine_fn(struct subnet *s, const struct topology *topology,
			      const bool *link_down);

// Shortest paths (min_hop.c).
subnet_engine_fn subnet_min_hop;
// Paths that climb, then descend (up_down.c, fat_tree.c).
subnet_engine_fn subnet_up_down;
subnet_engine_fn subnet_fat_tree;

// The port with the fewest LIDs so far, of several the first; by its index.
static inline uint16_t
subnet_least_used(const uint16_t *ports, uint32_t count, const uint32_t *used)
{
	uint16_t best = ports[0];

	for (uint32_t i = 1; i < count; i++)
		if (used[ports[i]] < used[best])
			best = ports[i];
	return best;
}

// The switch that has a LID or is behind the host's port that has it; TOPOLOGY_NONE: there is none.
static inline uint32_t
subnet_last_switch(const struct subnet *s, const struct topology *t, uint32_t lid)
{
	const struct subnet_owner owner = s->owners[lid];

	if (owner.node == TOPOLOGY_NONE || owner.node < s->switch_count)
		return owner.node;
	return t->nodes[owner.node].ports[owner.port].peer_node;
}

// Whether a port leads to another switch by a link that is up.
static inline bool
subnet_leads_on(const struct topology *t, const bool *link_down, const struct topo_port *port)
{
	return port->peer_node < t->first_host && (link_down == NULL || !link_down[port->link]);
}
