// SPDX-License-Identifier: BSD-3-Clause
// Which thread (dataplane/drive/parallel.h), which live worker and which rank
// (dataplane/drive/ranks.h) runs which node. Each gets an equal part of the ports of the leaves, as
// far as whole leaves allow, in the file's order, so that it gets pods and planes as a whole where
// it can; the same part of the spines and of the super-spines; and the hosts of its leaves, whose
// packets then stay with it up to the first spine.
//
// Between ranks links to hosts are never cut: windows are longer than what crosses these takes. So
// leaves that share a host, as those of several planes or rails do, are of one rank together.
#include "fabric.h"

#include "control/base/memory.h"

#include <stdlib.h>

// Which nodes are to be placed: those of one owner, or all.
struct placed {
	const uint16_t *owners; // by node; NULL: all
	uint16_t own;
};

static bool
counts(const struct topology *t, const struct placed *placed, uint32_t node, enum config_role role)
{
	return t->nodes[node].role == role &&
	       (placed->owners == NULL || placed->owners[node] == placed->own);
}

// Divides the switches of a role by their ports; one without ports has a weight too. Each goes
// where its middle falls. If there are as many switches as threads, each thread gets at least one.
static void
place_role(const struct topology *t, const struct placed *placed, enum config_role role,
	   uint32_t threads, uint16_t *places)
{
	uint64_t total = 0, before = 0, next = 0; // the first thread that has none
	uint32_t left = 0;
	bool enough;

	for (uint32_t i = 0; i < t->first_host; i++) {
		if (!counts(t, placed, i, role))
			continue;
		total += t->nodes[i].port_count + 1u;
		left++;
	}
	enough = left >= threads;
	for (uint32_t i = 0; i < t->first_host; i++) {
		const uint64_t weight = t->nodes[i].port_count + 1u;
		uint64_t place;

		if (!counts(t, placed, i, role))
			continue;
		place = (2 * before + weight) * threads / (2 * total);
		if (enough && place > next)
			place = next;
		if (enough && place + left < threads)
			place = threads - left;
		places[i] = (uint16_t)place;
		next = place + 1;
		before += weight;
		left--;
	}
}

// A host with ports at leaves of several threads goes with the first.
static uint16_t
place_host(const struct topology *t, uint32_t node, const uint16_t *places)
{
	const struct topo_node *host = &t->nodes[node];

	for (uint16_t p = 0; p < host->port_count; p++)
		if (host->ports[p].peer_node < t->first_host)
			return places[host->ports[p].peer_node];
	return 0;
}

uint16_t *
fabric_place(const struct topology *t, const uint16_t *owners, uint16_t own, uint32_t threads)
{
	const struct placed placed = {owners, own};
	uint16_t *by_index = memory_array(t->node_count, sizeof(*by_index), "places of nodes");

	for (enum config_role role = CONFIG_ROLE_LEAF; role < CONFIG_ROLE_HOST; role++)
		place_role(t, &placed, role, threads, by_index);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		by_index[i] = place_host(t, i, by_index);
	return by_index;
}

uint16_t *
fabric_place_nodes(const struct fabric *f, struct node *const *nodes, uint32_t count,
		   uint32_t threads)
{
	uint16_t *by_index = fabric_place(f->topology, f->owners, f->own, threads);
	uint16_t *places = memory_array(count, sizeof(*places), "places of nodes");

	for (uint32_t i = 0; i < count; i++)
		places[i] = by_index[nodes[i]->index];
	free(by_index);
	return places;
}

// ---- ranks --------------------------------------------------------------------------------------

// The first leaf of the group: this leaf, and all with which it shares hosts, directly or through
// others.
static uint32_t
find_group(uint32_t *groups, uint32_t leaf)
{
	while (groups[leaf] != leaf)
		leaf = groups[leaf] = groups[groups[leaf]];
	return leaf;
}

// By leaf: the first one of its group.
static uint32_t *
group_leaves(const struct topology *t)
{
	uint32_t *groups = memory_array(t->first_host, sizeof(*groups), "groups of leaves");

	for (uint32_t i = 0; i < t->first_host; i++)
		groups[i] = i;
	for (uint32_t i = t->first_host; i < t->node_count; i++) {
		const struct topo_node *host = &t->nodes[i];

		for (uint16_t p = 1; p < host->port_count; p++) {
			uint32_t a = host->ports[0].peer_node, b = host->ports[p].peer_node;

			if (a >= t->first_host || b >= t->first_host)
				continue;
			a = find_group(groups, a);
			b = find_group(groups, b);
			groups[a > b ? a : b] = a > b ? b : a;
		}
	}
	for (uint32_t i = 0; i < t->first_host; i++)
		groups[i] = find_group(groups, i);
	return groups;
}

// Divides the groups of leaves by their ports; leaves without hosts are groups of their own.
static void
place_leaves(const struct topology *t, uint32_t ranks, uint16_t *places)
{
	uint32_t *groups = group_leaves(t);
	uint64_t *weights = memory_array(t->first_host, sizeof(*weights), "groups of leaves");
	uint64_t ports = 0, before = 0;

	for (uint32_t i = 0; i < t->first_host; i++) {
		if (t->nodes[i].role != CONFIG_ROLE_LEAF)
			continue;
		weights[groups[i]] += t->nodes[i].port_count;
		ports += t->nodes[i].port_count;
	}
	for (uint32_t i = 0; i < t->first_host; i++) {
		if (t->nodes[i].role != CONFIG_ROLE_LEAF)
			continue;
		if (groups[i] == i) {
			// By its middle, so that of two groups of uneven size each rank gets one.
			places[i] = ports == 0 ? 0
					       : (uint16_t)((2 * before + weights[i]) * ranks /
							    (2 * ports));
			before += weights[i];
		}
		places[i] = places[groups[i]];
	}
	free(weights);
	free(groups);
}

uint16_t *
fabric_place_ranks(const struct topology *t, uint32_t ranks)
{
	const struct placed all = {NULL, 0};
	uint16_t *places = memory_array(t->node_count, sizeof(*places), "ranks of nodes");

	place_leaves(t, ranks, places);
	place_role(t, &all, CONFIG_ROLE_SPINE, ranks, places);
	place_role(t, &all, CONFIG_ROLE_SUPER_SPINE, ranks, places);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		places[i] = place_host(t, i, places);
	return places;
}
