// SPDX-License-Identifier: BSD-3-Clause
// The engine `fat-tree`. Destination d, counted over the ports of hosts, climbs from a switch of
// the lowest tier by its port d mod w, where w is the number of such ports; from the next tier by
// port d / w mod w', and so on. So the hosts of a leaf that send to hosts which follow each other
// use different ports, and in a tree that is not oversubscribed no two flows of host i to host i +
// k share a link, for any k (D-mod-K; Zahavi et al., "Optimized InfiniBand fat-tree routing for
// shift all-to-all communication patterns", Concurrency and Computation 22(2), 2010). OpenSM's
// engine `ftree` has the same aim.
//
// A port that is down is left out, and those that remain take turns in the same way. In a network
// that is no tree the ways are those of up-down.
#include "tree.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define TIERS_MAX 16

// How far a switch is from the nearest that has hosts; the last tier takes the rest.
static uint32_t
tier_of(const struct subnet *s, const bool *has_hosts, uint32_t node)
{
	const uint8_t *hops = &s->hops[(size_t)node * s->switch_count];
	uint32_t tier = TIERS_MAX - 1;

	for (uint32_t n = 0; n < s->switch_count; n++)
		if (has_hosts[n] && hops[n] < tier)
			tier = hops[n];
	return tier;
}

struct turns {
	uint32_t *tier;              // by switch
	uint32_t divisor[TIERS_MAX]; // by tier: what d is divided by
	uint32_t *number;            // by LID: d
};

// Ports of hosts are numbered leaf by leaf, and switches by themselves.
static void
number_lids(struct turns *turns, const struct subnet *s, const struct topology *t)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < s->switch_count; n++) {
		turns->number[topology_lid(t, n, 0)] = n;
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (port->peer_node != TOPOLOGY_NONE && port->peer_node >= t->first_host)
				turns->number[topology_lid(t, port->peer_node, port->peer_port)] =
					count++;
		}
	}
}

// Ports of a switch towards a higher tier, up or down.
static uint32_t
count_up(const struct turns *turns, const struct topology *t, uint32_t node)
{
	uint32_t count = 0;

	for (uint16_t p = 0; p < t->nodes[node].port_count; p++) {
		const uint32_t peer = t->nodes[node].ports[p].peer_node;

		count += peer < t->first_host && turns->tier[peer] > turns->tier[node];
	}
	return count;
}

static void
find_turns(struct turns *turns, const struct subnet *s, const struct topology *t)
{
	bool *has_hosts = memory_array(s->switch_count, sizeof(*has_hosts), "switches");
	uint32_t ports[TIERS_MAX] = {0};

	for (uint32_t lid = TOPOLOGY_LID_NONE + 1; lid < s->lid_count; lid++)
		if (s->owners[lid].node >= s->switch_count &&
		    subnet_last_switch(s, t, lid) != TOPOLOGY_NONE)
			has_hosts[subnet_last_switch(s, t, lid)] = true;
	for (uint32_t n = 0; n < s->switch_count; n++)
		turns->tier[n] = tier_of(s, has_hosts, n);
	for (uint32_t n = 0; n < s->switch_count; n++) {
		const uint32_t count = count_up(turns, t, n);

		if (count > ports[turns->tier[n]])
			ports[turns->tier[n]] = count;
	}
	turns->divisor[0] = 1;
	for (unsigned i = 1; i < TIERS_MAX; i++) {
		const uint32_t before = turns->divisor[i - 1];

		// Beyond all LIDs it may stay as it is: the quotient is 0.
		turns->divisor[i] = ports[i - 1] != 0 && before <= TOPOLOGY_LID_MAX
					    ? before * ports[i - 1]
					    : before;
	}
	free(has_hosts);
}

static void
route_lid(struct subnet *s, const struct subnet_tree *tree, const struct turns *turns, uint32_t lid)
{
	const struct topology *t = tree->topology;
	uint16_t ports[PORTS_MAX];

	for (uint32_t n = 0; n < s->switch_count; n++) {
		const uint32_t count = subnet_tree_choices(tree, s, n, lid, ports);
		const uint32_t turn = turns->number[lid] / turns->divisor[turns->tier[n]];

		if (count != 0)
			*subnet_entry(s, n, lid) =
				(uint8_t)t->nodes[n].ports[ports[turn % count]].number;
	}
}

void
subnet_fat_tree(struct subnet *s, const struct topology *t, const bool *link_down)
{
	struct turns turns = {
		.tier = memory_array(s->switch_count, sizeof(*turns.tier), "tiers"),
		.number = memory_array(s->lid_count, sizeof(*turns.number), "LIDs"),
	};
	uint32_t aimed = TOPOLOGY_NONE;
	struct subnet_tree tree;

	find_turns(&turns, s, t);
	number_lids(&turns, s, t);
	subnet_tree_create(&tree, s, t, link_down);
	for (uint32_t lid = TOPOLOGY_LID_NONE + 1; lid < s->lid_count; lid++) {
		const uint32_t last = subnet_last_switch(s, t, lid);

		if (last == TOPOLOGY_NONE)
			continue;
		if (last != aimed)
			subnet_tree_aim(&tree, last);
		aimed = last;
		route_lid(s, &tree, &turns, lid);
	}
	subnet_tree_free(&tree);
	free(turns.tier);
	free(turns.number);
}
