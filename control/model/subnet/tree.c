// SPDX-License-Identifier: BSD-3-Clause
// Switches in an order, so that every link has an upper and a lower end, and the ways that first
// climb, then descend, and never climb again. A switch that has a descending way takes one, and its
// next hop then has one too. So tables by destination alone keep to such ways, and no links can
// wait for each other in a cycle (Autonet, Schroeder et al., 1991).
//
// The order: by how far from the nearest switch that has hosts, the farthest on top; then by index.
// In a network that is no tree it may leave two switches with hosts without such a way. Then the
// order is by how far from the topmost: every other switch has a link that goes up, so all have a
// way by it.
//
// Two spines have no such way to each other. What a switch itself sends there, which is management
// alone and waits for no data, takes a shortest path. It ends: no way that the next hop has can
// lead back, for its rest would be a way of the switch.
#include "tree.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// Distances of all switches from those whose distance is 0.
static void
measure(const struct subnet_tree *tree, uint16_t *far, uint32_t *queue)
{
	const struct topology *t = tree->topology;
	uint32_t head = 0, tail = 0;

	for (uint32_t n = 0; n < t->first_host; n++)
		if (far[n] == 0)
			queue[tail++] = n;
	while (head < tail) {
		const uint32_t n = queue[head++];

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (!subnet_leads_on(t, tree->link_down, port) ||
			    far[port->peer_node] != SUBNET_TREE_FAR)
				continue;
			far[port->peer_node] = (uint16_t)(far[n] + 1);
			queue[tail++] = port->peer_node;
		}
	}
}

static bool
has_hosts(const struct topology *t, uint32_t n)
{
	for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
		if (t->nodes[n].ports[p].peer_node != TOPOLOGY_NONE &&
		    t->nodes[n].ports[p].peer_node >= t->first_host)
			return true;
	return false;
}

// Sorts switches by distance, the farthest or the nearest first. A counting sort: stable by index.
static void
sort(struct subnet_tree *tree, const uint16_t *far, bool farthest_first)
{
	const uint32_t count = tree->topology->first_host;
	uint32_t *starts = memory_array((size_t)SUBNET_TREE_FAR + 2, sizeof(*starts), "distances");

	for (uint32_t n = 0; n < count; n++)
		starts[(farthest_first ? SUBNET_TREE_FAR - far[n] : far[n]) + 1]++;
	for (uint32_t d = 0; d <= SUBNET_TREE_FAR; d++)
		starts[d + 1] += starts[d];
	for (uint32_t n = 0; n < count; n++) {
		uint32_t *start = &starts[farthest_first ? SUBNET_TREE_FAR - far[n] : far[n]];

		tree->place[n] = *start;
		tree->order[(*start)++] = n;
	}
	free(starts);
}

static void
order_from_hosts(struct subnet_tree *tree, uint16_t *far, uint32_t *queue)
{
	const struct topology *t = tree->topology;

	for (uint32_t n = 0; n < t->first_host; n++)
		far[n] = has_hosts(t, n) ? 0 : SUBNET_TREE_FAR;
	measure(tree, far, queue);
	// Without hosts, or a way to them, a switch is lowest: nothing passes it.
	for (uint32_t n = 0; n < t->first_host; n++)
		if (far[n] == SUBNET_TREE_FAR)
			far[n] = 0;
	sort(tree, far, true);
}

// Of several networks each has a topmost switch.
static void
order_from_top(struct subnet_tree *tree, uint16_t *far, uint32_t *queue)
{
	const uint32_t count = tree->topology->first_host;

	for (uint32_t n = 0; n < count; n++)
		far[n] = SUBNET_TREE_FAR;
	for (uint32_t i = 0; i < count; i++) {
		if (far[tree->order[i]] != SUBNET_TREE_FAR)
			continue;
		far[tree->order[i]] = 0;
		measure(tree, far, queue);
	}
	sort(tree, far, false);
}

// Whether all switches that have hosts have ways to each other, as far as they are connected.
static bool
joins_all(struct subnet_tree *tree, const struct subnet *s)
{
	const struct topology *t = tree->topology;

	for (uint32_t last = 0; last < s->switch_count; last++) {
		const uint8_t *hops = &s->hops[(size_t)last * s->switch_count];

		if (!has_hosts(t, last))
			continue;
		subnet_tree_aim(tree, last);
		for (uint32_t n = 0; n < s->switch_count; n++)
			if (has_hosts(t, n) && hops[n] != SUBNET_FAR &&
			    tree->distance[n] == SUBNET_TREE_FAR)
				return false;
	}
	return true;
}

void
subnet_tree_create(struct subnet_tree *tree, const struct subnet *s, const struct topology *t,
		   const bool *link_down)
{
	const uint32_t count = t->first_host;
	uint16_t *far = memory_array(count, sizeof(*far), "distances of switches");

	*tree = (struct subnet_tree){.topology = t, .link_down = link_down};
	tree->order = memory_array(count, sizeof(*tree->order), "switches");
	tree->place = memory_array(count, sizeof(*tree->place), "switches");
	tree->queue = memory_array(count, sizeof(*tree->queue), "switches");
	tree->distance = memory_array(count, sizeof(*tree->distance), "distances of switches");
	tree->descends = memory_array(count, sizeof(*tree->descends), "switches");
	order_from_hosts(tree, far, tree->queue);
	if (!joins_all(tree, s))
		order_from_top(tree, far, tree->queue);
	free(far);
}

void
subnet_tree_free(struct subnet_tree *tree)
{
	free(tree->order);
	free(tree->place);
	free(tree->queue);
	free(tree->distance);
	free(tree->descends);
}

// Whether the switch behind a port of n is above it.
static bool
goes_up(const struct subnet_tree *tree, uint32_t n, const struct topo_port *port)
{
	return tree->place[port->peer_node] < tree->place[n];
}

// Finds the switches that descend to the last one, and by how many links: breadth first, up.
static void
find_descending(struct subnet_tree *tree, uint32_t last)
{
	const struct topology *t = tree->topology;
	uint32_t head = 0, tail = 0;

	memset(tree->descends, 0, t->first_host * sizeof(*tree->descends));
	tree->distance[last] = 0;
	tree->descends[last] = true;
	tree->queue[tail++] = last;
	while (head < tail) {
		const uint32_t n = tree->queue[head++];

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (!subnet_leads_on(t, tree->link_down, port) || !goes_up(tree, n, port) ||
			    tree->descends[port->peer_node])
				continue;
			tree->distance[port->peer_node] = (uint16_t)(tree->distance[n] + 1);
			tree->descends[port->peer_node] = true;
			tree->queue[tail++] = port->peer_node;
		}
	}
}

void
subnet_tree_aim(struct subnet_tree *tree, uint32_t last)
{
	const struct topology *t = tree->topology;

	for (uint32_t n = 0; n < t->first_host; n++)
		tree->distance[n] = SUBNET_TREE_FAR;
	find_descending(tree, last);
	// The others climb; what is above them is done before.
	for (uint32_t i = 0; i < t->first_host; i++) {
		const uint32_t n = tree->order[i];

		for (uint16_t p = 0; !tree->descends[n] && p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (subnet_leads_on(t, tree->link_down, port) && goes_up(tree, n, port) &&
			    tree->distance[port->peer_node] != SUBNET_TREE_FAR &&
			    tree->distance[port->peer_node] + 1 < tree->distance[n])
				tree->distance[n] = (uint16_t)(tree->distance[port->peer_node] + 1);
		}
	}
}

// The indices of a switch's ports that are on the ways that were found, in the order of ports.
static uint32_t
list_ports(const struct subnet_tree *tree, uint32_t n, uint16_t ports[static PORTS_MAX])
{
	const struct topology *t = tree->topology;
	uint32_t count = 0;

	if (tree->distance[n] == SUBNET_TREE_FAR || tree->distance[n] == 0)
		return 0;
	for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
		const struct topo_port *port = &t->nodes[n].ports[p];

		if (subnet_leads_on(t, tree->link_down, port) &&
		    goes_up(tree, n, port) != tree->descends[n] &&
		    (!tree->descends[n] || tree->descends[port->peer_node]) &&
		    tree->distance[port->peer_node] + 1 == tree->distance[n])
			ports[count++] = p;
	}
	return count;
}

uint32_t
subnet_tree_choices(const struct subnet_tree *tree, const struct subnet *s, uint32_t node,
		    uint32_t lid, uint16_t ports[static PORTS_MAX])
{
	const uint32_t count = list_ports(tree, node, ports);

	return count != 0 ? count
			  : subnet_shortest(s, tree->topology, tree->link_down, node, lid, ports);
}
