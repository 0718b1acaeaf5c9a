// SPDX-License-Identifier: BSD-3-Clause
// Up-down paths. Switches are ordered, so that every link has an upper and a lower end; a path
// first climbs, then descends, and never climbs again. Forwarding by destination alone keeps to
// that if every switch that has a descending path takes one: its next hop then has one too. So no
// choice of next hops can loop, and PFC cannot deadlock (Autonet, Schroeder et al., 1991).
//
// The order: spines above leaves, by how far from the nearest leaf; among switches of one tier that
// are joined to each other, by how far from the first of them; then by index. In a leaf-spine
// fabric and a Clos these are the shortest paths; where switches of one tier are joined they may be
// longer. In a network that is neither it may leave two leaves without a path, say where one that
// has two spines is all that joins these. Then the order is by how far from the highest switch:
// every other switch has a link that goes up, so all have at least a path by the highest.
#include "routes_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Lists the links between switches that are not down, by switch and in the order of its ports.
static void
list_links(struct updown *u)
{
	const struct topology *t = u->topology;
	uint32_t count = 0;

	for (uint32_t n = 0; n < t->first_host; n++) {
		u->first_link[n] = count;
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];
			struct updown_link *link = &u->links[count];

			if (port->peer_node >= t->first_host ||
			    (u->link_down != NULL && u->link_down[port->link]))
				continue;
			*link = (struct updown_link){.peer = port->peer_node, .port = p};
			memcpy(link->mac, t->nodes[link->peer].ports[port->peer_port].mac,
			       sizeof(link->mac));
			count++;
		}
	}
	u->first_link[t->first_host] = count;
}

static void
create_links(struct updown *u)
{
	const struct topology *t = u->topology;
	size_t most = 0;

	for (uint32_t n = 0; n < t->first_host; n++)
		most += t->nodes[n].port_count;
	u->links = memory_array(most, sizeof(*u->links), "links between switches");
	u->first_link = memory_array(t->first_host + 1, sizeof(*u->first_link), "switches");
	list_links(u);
}

// Breadth first from the `tail` switches in the queue, whose distance is 0. tier: only within one
// tier, unless it is NULL; up: only to switches of a higher rank.
static void
spread(struct updown *u, uint32_t *distance, uint32_t tail, const uint32_t *tier, bool up)
{
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t n = u->queue[head];

		for (uint32_t i = u->first_link[n]; i < u->first_link[n + 1]; i++) {
			uint32_t peer = u->links[i].peer;

			if (distance[peer] != UPDOWN_FAR ||
			    (tier != NULL && tier[peer] != tier[n]) ||
			    (up && u->rank[peer] < u->rank[n]))
				continue;
			distance[peer] = distance[n] + 1;
			u->queue[tail++] = peer;
		}
	}
}

struct height {
	uint32_t tier;
	uint32_t depth; // within the tier's joined switches
	uint32_t node;
};

// Higher ones first.
static int
compare_heights(const void *a, const void *b)
{
	const struct height *one = a, *other = b;

	if (one->tier != other->tier)
		return one->tier > other->tier ? -1 : 1;
	if (one->depth != other->depth)
		return one->depth < other->depth ? -1 : 1;
	return one->node < other->node ? -1 : one->node > other->node;
}

const uint32_t *
updown_aim(struct updown *u, uint32_t leaf, uint32_t *count)
{
	const uint32_t part = u->topology->component[leaf];
	const uint32_t *order = &u->order[u->part_first[part]];

	*count = u->part_end[part] - u->part_first[part];
	for (uint32_t i = 0; i < *count; i++)
		u->down[order[i]] = UPDOWN_FAR;
	// Those that reach the leaf going down only: from the leaf upwards.
	u->down[leaf] = 0;
	u->queue[0] = leaf;
	spread(u, u->down, 1, NULL, true);
	// From the top down, those above a switch are settled before it.
	for (uint32_t i = 0; i < *count; i++) {
		uint32_t n = order[i];

		u->hops[n] = u->down[n];
		if (u->down[n] != UPDOWN_FAR)
			continue;
		for (uint32_t k = u->first_link[n]; k < u->first_link[n + 1]; k++) {
			uint32_t peer = u->links[k].peer;

			if (u->rank[peer] > u->rank[n] && u->hops[peer] < u->hops[n] - 1)
				u->hops[n] = u->hops[peer] + 1;
		}
	}
	return order;
}

// Counts the switches of each part, then puts each behind those of its part.
static void
fill_order(struct updown *u, const struct height *heights)
{
	const struct topology *t = u->topology;
	uint32_t count = t->first_host, first = 0;

	memset(u->part_end, 0, count * sizeof(*u->part_end));
	for (uint32_t n = 0; n < count; n++)
		u->part_end[t->component[n]]++;
	for (uint32_t part = 0; part < count; part++) {
		u->part_first[part] = first;
		first += u->part_end[part];
		u->part_end[part] = u->part_first[part];
	}
	for (uint32_t i = 0; i < count; i++)
		u->order[u->part_end[t->component[heights[i].node]]++] = heights[i].node;
}

static void
put_in_order(struct updown *u, struct height *heights)
{
	uint32_t count = u->topology->first_host;

	qsort(heights, count, sizeof(*heights), compare_heights);
	for (uint32_t i = 0; i < count; i++)
		u->rank[heights[i].node] = count - i;
	fill_order(u, heights);
}

static void
rank_by_tiers(struct updown *u, struct height *heights)
{
	const struct topology *t = u->topology;
	uint32_t count = t->first_host;

	for (uint32_t n = 0; n < count; n++) {
		u->down[n] = n < t->leaf_count ? 0 : UPDOWN_FAR; // tiers
		u->hops[n] = UPDOWN_FAR;                         // depths
		if (n < t->leaf_count)
			u->queue[n] = n;
	}
	spread(u, u->down, t->leaf_count, NULL, false);
	for (uint32_t n = 0; n < count; n++) {
		if (u->hops[n] != UPDOWN_FAR)
			continue;
		u->hops[n] = 0;
		u->queue[0] = n;
		spread(u, u->hops, 1, u->down, false);
	}
	for (uint32_t n = 0; n < count; n++)
		heights[n] = (struct height){.tier = u->down[n], .depth = u->hops[n], .node = n};
	put_in_order(u, heights);
}

// A leaf of a part some of whose leaves have no path to it, or UPDOWN_FAR.
static uint32_t
find_unreached(struct updown *u)
{
	const struct topology *t = u->topology;

	for (uint32_t to = 0; to < t->leaf_count; to++) {
		uint32_t count;
		const uint32_t *from = updown_aim(u, to, &count);

		for (uint32_t i = 0; i < count; i++)
			if (from[i] < t->leaf_count && u->hops[from[i]] == UPDOWN_FAR)
				return to;
	}
	return UPDOWN_FAR;
}

// Ranks one part anew, from its highest switch.
static void
rank_by_top(struct updown *u, struct height *heights, uint32_t part)
{
	const struct topology *t = u->topology;
	uint32_t count = t->first_host, top = u->order[u->part_first[part]];

	for (uint32_t n = 0; n < count; n++)
		u->hops[n] = UPDOWN_FAR;
	u->hops[top] = 0;
	u->queue[0] = top;
	spread(u, u->hops, 1, NULL, false);
	for (uint32_t i = 0; i < count; i++)
		if (t->component[heights[i].node] == part) {
			heights[i].tier = 0;
			heights[i].depth = u->hops[heights[i].node];
		}
	put_in_order(u, heights);
}

// Ranks ignore link_down: a link that fails must not turn others upside down.
static void
rank_switches(struct updown *u)
{
	const struct topology *t = u->topology;
	enum config_topology kind = t->config->fabric.topology;
	struct height *heights = memory_array(t->first_host, sizeof(*heights), "switches");
	uint32_t leaf;

	rank_by_tiers(u, heights);
	if (kind == CONFIG_TOPOLOGY_EXPLICIT || kind == CONFIG_TOPOLOGY_FILE)
		while ((leaf = find_unreached(u)) != UPDOWN_FAR)
			rank_by_top(u, heights, t->component[leaf]);
	free(heights);
}

void
updown_create(struct updown *u, const struct topology *t, const bool *link_down)
{
	size_t count = t->first_host;

	*u = (struct updown){.topology = t};
	u->rank = memory_array(count, sizeof(*u->rank), "switches");
	u->order = memory_array(count, sizeof(*u->order), "switches");
	u->down = memory_array(count, sizeof(*u->down), "switches");
	u->hops = memory_array(count, sizeof(*u->hops), "switches");
	u->queue = memory_array(count, sizeof(*u->queue), "switches");
	u->part_first = memory_array(count, sizeof(*u->part_first), "switches");
	u->part_end = memory_array(count, sizeof(*u->part_end), "switches");
	create_links(u);
	rank_switches(u);
	u->link_down = link_down;
	if (link_down != NULL)
		list_links(u);
}

void
updown_destroy(struct updown *u)
{
	free(u->links);
	free(u->first_link);
	free(u->rank);
	free(u->order);
	free(u->down);
	free(u->hops);
	free(u->queue);
	free(u->part_first);
	free(u->part_end);
	*u = (struct updown){0};
}

uint32_t
updown_next(const struct updown *u, uint32_t node, const struct updown_link *next[PORTS_MAX])
{
	const bool descends = u->down[node] != UPDOWN_FAR;
	const uint32_t *distance = descends ? u->down : u->hops;
	const uint32_t rank = u->rank[node], nearer = distance[node] - 1;
	uint32_t count = 0;

	if (u->hops[node] == UPDOWN_FAR || u->hops[node] == 0)
		return 0;
	for (uint32_t i = u->first_link[node]; i < u->first_link[node + 1]; i++) {
		const struct updown_link *link = &u->links[i];

		if (distance[link->peer] == nearer && (u->rank[link->peer] < rank) == descends)
			next[count++] = link;
	}
	return count;
}
