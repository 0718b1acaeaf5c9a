// SPDX-License-Identifier: BSD-3-Clause
// The engine `up-down`: the shortest of the ways that climb, then descend (tree.c), balanced as
// min-hop does it. OpenSM's engine `updn` keeps to the same rule (opensm(8), "UPDN Algorithm").
#include "tree.h"

#include "control/base/memory.h"

#include <stdlib.h>

static void
route_lid(struct subnet *s, const struct subnet_tree *tree, uint32_t lid,
	  uint32_t (*used)[PORTS_MAX])
{
	const struct topology *t = tree->topology;
	const bool counts = s->owners[lid].node >= s->switch_count;
	uint16_t ports[PORTS_MAX];

	for (uint32_t n = 0; n < s->switch_count; n++) {
		const uint32_t count = subnet_tree_choices(tree, s, n, lid, ports);
		uint16_t port;

		if (count == 0)
			continue;
		port = subnet_least_used(ports, count, used[n]);
		used[n][port] += counts;
		*subnet_entry(s, n, lid) = (uint8_t)t->nodes[n].ports[port].number;
	}
}

void
subnet_up_down(struct subnet *s, const struct topology *t, const bool *link_down)
{
	uint32_t(*used)[PORTS_MAX] = memory_array(s->switch_count, sizeof(*used), "ports");
	struct subnet_tree tree;
	uint32_t aimed = TOPOLOGY_NONE;

	subnet_tree_create(&tree, s, t, link_down);
	for (uint32_t lid = TOPOLOGY_LID_NONE + 1; lid < s->lid_count; lid++) {
		const uint32_t last = subnet_last_switch(s, t, lid);

		if (last == TOPOLOGY_NONE)
			continue;
		if (last != aimed)
			subnet_tree_aim(&tree, last);
		aimed = last;
		route_lid(s, &tree, lid, used);
	}
	subnet_tree_free(&tree);
	free(used);
}
