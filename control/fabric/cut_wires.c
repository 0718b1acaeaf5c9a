// SPDX-License-Identifier: BSD-3-Clause
// The wires of a fabric that lead from one rank's nodes to another's (dataplane/drive/cut.h).
#include "fabric.h"

#include "control/base/memory.h"
#include "dataplane/drive/cut.h"

// Wires are numbered as in f->wires.
static int
add_port(const struct fabric *f, struct cut *c, uint32_t node, uint16_t port)
{
	const struct topo_port *place = &f->topology->nodes[node].ports[port];
	const struct topo_link *link;
	uint32_t out;

	if (place->peer_node == TOPOLOGY_NONE || fabric_is_here(f, place->peer_node))
		return 0;
	link = &f->topology->links[place->link];
	out = 2 * place->link + !(link->a.node == node && link->a.port == port);
	if (f->wires[out] == NULL || f->wires[out ^ 1] == NULL)
		return 0;
	cut_add_in(c, out ^ 1, f->wires[out ^ 1]);
	return cut_add_out(c, node,
			   &(struct cut_wire){.wire = f->wires[out],
					      .number = out,
					      .peer = f->owners[place->peer_node]});
}

struct cut *
fabric_create_cut(const struct fabric *f, struct packet_pool *packets)
{
	uint32_t wires = 2 * f->topology->link_count;
	struct cut *c = NULL;
	int rc;

	if (!ranks_many(f->ranks))
		return NULL;
	rc = cut_create(&c, f->ranks, f->topology->node_count, wires, packets);
	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		for (uint16_t p = 0; rc == 0 && f->nodes[i] != NULL && p < f->nodes[i]->port_count;
		     p++)
			rc = add_port(f, c, i, p);
	if (rc != 0)
		memory_exhausted(wires, sizeof(struct cut_wire), "wires to other ranks");
	return c;
}
