// SPDX-License-Identifier: BSD-3-Clause
// A queue that PFC holds waits for its far side's priority group to drain. That group's packets sit
// in queues of the far node; if one of those is held too, the wait goes on there. Following held
// queues from node to node either ends or comes back to a queue already seen: a cyclic buffer
// dependency. Where a wait goes on is read at the node that has the packets, and the first rank
// follows it.
#include "sim.h"

#include "control/base/memory.h"
#include "control/fabric/gather.h"
#include "dataplane/queueing/fair.h"

#include <stdlib.h>
#include <string.h>

struct held_queue {
	uint32_t node;
	uint16_t port;
	uint8_t tc;
};

// A port as waits see it.
struct wait {
	uint16_t port;
	uint8_t held; // queues, by bit
	// The first held queue of its node in which a packet waits that came by this port.
	bool goes_on;
	uint8_t next_tc;
	uint16_t next_port;
};

struct waits {
	const struct topology *topology;
	size_t *first;      // by node: of its ports
	struct wait *ports; // of all nodes
	uint32_t *seen;     // by port and queue: number of the search that came by
};

static uint8_t
held_queues(const struct port *p)
{
	return p->nonempty & p->paused;
}

// ---- reading ------------------------------------------------------------------------------------

static void
read_queue(const struct node *n, uint16_t port, uint8_t tc, struct wait *waits)
{
	for (struct rte_mbuf *m = n->ports[port].queues[tc].head; m != NULL;
	     m = fair_next(&n->ports[port], tc, m)) {
		uint16_t in_port = packet_meta(m)->in_port;
		struct wait *w = &waits[in_port];

		if (in_port >= n->port_count || w->goes_on)
			continue;
		w->goes_on = true;
		w->next_port = port;
		w->next_tc = tc;
	}
}

static void
read_node(const struct node *n, struct wait *waits)
{
	for (uint16_t port = 0; port < n->port_count; port++) {
		waits[port].port = port;
		waits[port].held = held_queues(&n->ports[port]);
		for (uint8_t tc = 0; tc < PRIORITIES; tc++)
			if (waits[port].held >> tc & 1)
				read_queue(n, port, tc, waits);
	}
}

static void
use_wait(void *context, const struct gather_piece *piece)
{
	const struct waits *w = context;
	struct wait one;

	if (piece->count != sizeof(one))
		return;
	memcpy(&one, piece->data, sizeof(one));
	if (one.port < w->topology->nodes[piece->index].port_count)
		w->ports[w->first[piece->index] + one.port] = one;
}

static void
read_waits(const struct fabric *f, struct waits *w)
{
	const struct topology *t = f->topology;
	struct gather *g = gather_create(f->ranks, 0);
	size_t ports = 0;

	*w = (struct waits){.topology = t,
			    .first = memory_array(t->node_count, sizeof(*w->first), "nodes")};
	for (uint32_t i = 0; i < t->node_count; i++) {
		w->first[i] = ports;
		ports += t->nodes[i].port_count;
	}
	w->ports = memory_array(ports, sizeof(*w->ports), "ports that wait");
	w->seen = memory_array(ports * PRIORITIES, sizeof(*w->seen), "queues seen");
	for (uint32_t i = 0; i < t->node_count; i++) {
		struct wait *here = &w->ports[w->first[i]];

		if (f->nodes[i] != NULL)
			read_node(f->nodes[i], here);
		gather_at(g, i);
		for (uint16_t k = 0; gather_sends(g) && k < t->nodes[i].port_count; k++)
			if (here[k].held != 0 || here[k].goes_on)
				gather_put(g, 0, &here[k], sizeof(here[k]));
	}
	gather_finish(g, use_wait, w);
	gather_destroy(g);
}

static void
free_waits(struct waits *w)
{
	free(w->first);
	free(w->ports);
	free(w->seen);
}

// ---- following ----------------------------------------------------------------------------------

// A held queue of the far node in which a packet waits that came over this queue's link.
static bool
next_held(const struct waits *w, struct held_queue *q)
{
	const struct topo_port *place = &w->topology->nodes[q->node].ports[q->port];
	const struct wait *far;

	if (place->peer_node == TOPOLOGY_NONE)
		return false;
	far = &w->ports[w->first[place->peer_node] + place->peer_port];
	if (!far->goes_on)
		return false;
	*q = (struct held_queue){place->peer_node, far->next_port, far->next_tc};
	return true;
}

static void
print_queue(const struct waits *w, const struct held_queue *q, FILE *to)
{
	char name[TOPOLOGY_NAME_MAX];

	fprintf(to, "%s.%u", topology_port_name(w->topology, q->node, q->port, name), q->tc);
}

static size_t
queue_id(const struct waits *w, const struct held_queue *q)
{
	return (w->first[q->node] + q->port) * PRIORITIES + q->tc;
}

static void
print_cycle(const struct waits *w, struct held_queue start, FILE *to)
{
	struct held_queue q = start;

	fputs("roost: paused queues wait for each other: ", to);
	do {
		print_queue(w, &q, to);
		fputs(" -> ", to);
		next_held(w, &q);
	} while (queue_id(w, &q) != queue_id(w, &start));
	print_queue(w, &start, to);
	fputc('\n', to);
}

// Follows held queues from `q`; prints the cycle and returns true if there is one that no earlier
// search came by. search: its number, from 1.
static bool
find_cycle(const struct waits *w, struct held_queue q, uint32_t search, FILE *to)
{
	bool held = true;

	while (held && w->seen[queue_id(w, &q)] == 0) {
		w->seen[queue_id(w, &q)] = search;
		held = next_held(w, &q);
	}
	if (!held || w->seen[queue_id(w, &q)] != search)
		return false;
	print_cycle(w, q, to);
	return true;
}

static void
print_first_cycle(const struct waits *w, FILE *to)
{
	uint32_t search = 0;

	for (uint32_t i = 0; i < w->topology->node_count; i++)
		for (uint16_t port = 0; port < w->topology->nodes[i].port_count; port++)
			for (uint8_t tc = 0; tc < PRIORITIES; tc++)
				if (w->ports[w->first[i] + port].held >> tc & 1 &&
				    find_cycle(w, (struct held_queue){i, port, tc}, ++search, to))
					return;
}

void
stall_print(const struct fabric *f, ps_t now, FILE *to)
{
	uint64_t held = fabric_packets_held(f);
	struct waits w;

	if (ranks_reduce(f->ranks, RANKS_SUM, &held, 1) != 0)
		return;
	read_waits(f, &w);
	if (ranks_first(f->ranks)) {
		fprintf(to, "roost: nothing has moved for a while at %.3f us; %llu packet%s held\n",
			(double)now / (double)PS_PER_US, (unsigned long long)held,
			held == 1 ? " is" : "s are");
		print_first_cycle(&w, to);
	}
	free_waits(&w);
}
