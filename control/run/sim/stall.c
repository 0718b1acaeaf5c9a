// SPDX-License-Identifier: BSD-3-Clause
// A queue that PFC holds waits for its far side's priority group to drain. That group's packets sit
// in queues of the far node; if one of those is held too, the wait goes on there. Following held
// queues from node to node either ends or comes back to a queue already seen: a cyclic buffer
// dependency.
#include "sim.h"

#include "control/base/memory.h"
#include "dataplane/queueing/fair.h"

#include <stdlib.h>
#include <string.h>

struct held_queue {
	uint32_t node;
	uint16_t port;
	uint8_t tc;
};

static bool
is_held(const struct fabric *f, const struct held_queue *q)
{
	const struct node *n = f->nodes[q->node];
	const struct port *p;

	if (n == NULL)
		return false;
	p = &n->ports[q->port];
	return (p->nonempty & p->paused) >> q->tc & 1;
}

// A held queue of the far node in which a packet waits that came over this queue's link.
static bool
next_held(const struct fabric *f, const struct held_queue *q, struct held_queue *next)
{
	const struct topo_port *place = &f->topology->nodes[q->node].ports[q->port];
	const struct node *far = place->peer_node == TOPOLOGY_NONE ? NULL
								   : f->nodes[place->peer_node];

	if (far == NULL)
		return false;
	for (uint16_t port = 0; port < far->port_count; port++) {
		for (uint8_t tc = 0; tc < PRIORITIES; tc++) {
			*next = (struct held_queue){place->peer_node, port, tc};
			if (!is_held(f, next))
				continue;
			for (struct rte_mbuf *m = far->ports[port].queues[tc].head; m != NULL;
			     m = fair_next(&far->ports[port], tc, m))
				if (packet_meta(m)->in_port == place->peer_port)
					return true;
		}
	}
	return false;
}

static void
print_queue(const struct fabric *f, const struct held_queue *q, FILE *to)
{
	char name[TOPOLOGY_NAME_MAX];

	fprintf(to, "%s.%u", topology_port_name(f->topology, q->node, q->port, name), q->tc);
}

static uint32_t
queue_id(const struct held_queue *q)
{
	return (q->node * PORTS_MAX + q->port) * PRIORITIES + q->tc;
}

static void
print_cycle(const struct fabric *f, struct held_queue start, FILE *to)
{
	struct held_queue q = start;

	fputs("roost: paused queues wait for each other: ", to);
	do {
		print_queue(f, &q, to);
		fputs(" -> ", to);
		next_held(f, &(struct held_queue){q.node, q.port, q.tc}, &q);
	} while (queue_id(&q) != queue_id(&start));
	print_queue(f, &start, to);
	fputc('\n', to);
}

// Follows held queues from `q`; prints the cycle and returns true if there is one.
static bool
find_cycle(const struct fabric *f, struct held_queue q, FILE *to)
{
	size_t size = (size_t)f->topology->node_count * PORTS_MAX * PRIORITIES;
	uint8_t *seen = memory_array(size, 1, "queues seen");
	struct held_queue next;
	bool held = true;

	while (held && !seen[queue_id(&q)]) {
		seen[queue_id(&q)] = 1;
		held = next_held(f, &q, &next);
		if (held)
			q = next;
	}
	free(seen);
	if (held)
		print_cycle(f, q, to);
	return held;
}

void
stall_print(const struct fabric *f, ps_t now, FILE *to)
{
	fprintf(to, "roost: nothing has moved for a while at %.3f us; %llu packets are held\n",
		(double)now / (double)PS_PER_US, (unsigned long long)fabric_packets_held(f));
	for (uint32_t i = 0; i < f->topology->node_count; i++) {
		for (uint16_t port = 0; f->nodes[i] != NULL && port < f->nodes[i]->port_count;
		     port++) {
			for (uint8_t tc = 0; tc < PRIORITIES; tc++) {
				struct held_queue q = {i, port, tc};

				if (is_held(f, &q) && find_cycle(f, q, to))
					return;
			}
		}
	}
}
