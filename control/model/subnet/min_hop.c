// SPDX-License-Identifier: BSD-3-Clause
// The engine `min-hop`: shortest paths, balanced. LIDs are taken in turn; at each switch a LID goes
// to that port on a shortest way to it which has the fewest LIDs so far, of several the first. LIDs
// of switches do not count, for next to nothing is sent there. OpenSM's engine of that name
// balances by the same rule (opensm(8), "Min Hop Algorithm" and port_profile_switch_nodes).
#include "subnet_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

static void
route_lid(struct subnet *s, const struct topology *t, const bool *link_down, uint32_t lid,
	  uint32_t (*used)[PORTS_MAX])
{
	const bool counts = s->owners[lid].node >= s->switch_count;
	uint16_t ports[PORTS_MAX];

	for (uint32_t n = 0; n < s->switch_count; n++) {
		const uint32_t count = subnet_shortest(s, t, link_down, n, lid, ports);
		uint16_t port;

		if (count == 0)
			continue;
		port = subnet_least_used(ports, count, used[n]);
		used[n][port] += counts;
		*subnet_entry(s, n, lid) = (uint8_t)t->nodes[n].ports[port].number;
	}
}

void
subnet_min_hop(struct subnet *s, const struct topology *t, const bool *link_down)
{
	uint32_t(*used)[PORTS_MAX] = memory_array(s->switch_count, sizeof(*used), "ports");

	for (uint32_t lid = TOPOLOGY_LID_NONE + 1; lid < s->lid_count; lid++)
		route_lid(s, t, link_down, lid, used);
	free(used);
}
