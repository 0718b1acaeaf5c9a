// SPDX-License-Identifier: BSD-3-Clause
// Which thread runs which node (dataplane/drive/parallel.h). Each thread gets an equal part of the
// ports of the leaves, in the file's order, so that it gets pods and planes as a whole where it
// can; the same part of the spines and of the super-spines; and the hosts of its leaves, whose
// packets then stay with it up to the first spine.
#include "fabric.h"

#include "control/base/memory.h"

#include <stdlib.h>

// Divides the switches of a role.
static void
place_role(const struct topology *t, enum config_role role, uint32_t threads, uint16_t *places)
{
	uint64_t ports = 0, before = 0;

	for (uint32_t i = 0; i < t->first_host; i++)
		ports += t->nodes[i].role == role ? t->nodes[i].port_count : 0;
	for (uint32_t i = 0; i < t->first_host; i++) {
		if (t->nodes[i].role != role)
			continue;
		places[i] = (uint16_t)(before * threads / ports);
		before += t->nodes[i].port_count;
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
fabric_place_nodes(const struct fabric *f, struct node *const *nodes, uint32_t count,
		   uint32_t threads)
{
	const struct topology *t = f->topology;
	uint16_t *by_index = memory_array(t->node_count, sizeof(*by_index), "places of nodes");
	uint16_t *places = memory_array(count, sizeof(*places), "places of nodes");

	for (enum config_role role = CONFIG_ROLE_LEAF; role < CONFIG_ROLE_HOST; role++)
		place_role(t, role, threads, by_index);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		by_index[i] = place_host(t, i, by_index);
	for (uint32_t i = 0; i < count; i++)
		places[i] = by_index[nodes[i]->index];
	free(by_index);
	return places;
}
