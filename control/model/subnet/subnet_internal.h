// SPDX-License-Identifier: BSD-3-Clause
// What engines fill; private to control/model/subnet/.
#pragma once

#include "subnet.h"

// One fills the LFTs, in which every entry but a switch's own is SUBNET_PORT_NONE.
typedef void subnet_engine_fn(struct subnet *s, const struct topology *topology,
			      const bool *link_down);

// Shortest paths (min_hop.c).
subnet_engine_fn subnet_min_hop;

// Whether a port leads to another switch by a link that is up.
static inline bool
subnet_leads_on(const struct topology *t, const bool *link_down, const struct topo_port *port)
{
	return port->peer_node < t->first_host && (link_down == NULL || !link_down[port->link]);
}
