// SPDX-License-Identifier: BSD-3-Clause
// Deficit round robin over the tenants of one queue (Shreedhar, Varghese: Efficient Fair Queuing
// using Deficit Round Robin, SIGCOMM 1995). Tenants that have packets waiting stand in a ring; the
// first has its turn until the bytes of its turn do not cover its next packet, then it goes to the
// end, and the next gets a quantum more. A quantum is one largest frame without a tag, so that a
// turn sends a packet (a tagged one may take two). A tenant without packets leaves the ring and
// what is left of its turn; one that comes goes to the end. Packets whose tenant is not known share
// one FIFO.
//
// The packet whose turn it is stands at queue->head, alone, and in no FIFO: the choice is made when
// the packet before it begins to leave. All that looks at a queue's head (the scheduler, ECN) works
// as without tenants; depth and charges count all that wait, wherever.
//
// FIFOs are made and freed when tables are adopted, never on a packet's way.
#include "fair.h"

#include <stdlib.h>

#define FAIR_ETHERNET_BYTES 14

struct rte_mbuf *
fair_next_fifo(const struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	const struct tenant_queues *t = p->queue_cold[tc].tenants;
	uint32_t i = m == p->queues[tc].head ? 0 : fair_index(t, m) + 1;

	for (; i <= t->tenants; i++)
		if (t->fifos[i].head != NULL)
			return t->fifos[i].head;
	return NULL;
}

// Grows, or makes from NULL, the FIFOs of a queue.
static struct tenant_queues *
with_tenants(struct tenant_queues *t, uint32_t tenants)
{
	uint32_t had = t == NULL ? 0 : t->tenants + 1;

	if (t != NULL && t->tenants >= tenants)
		return t;
	t = realloc(t, sizeof(*t) + (tenants + UINT64_C(1)) * sizeof(t->fifos[0]));
	if (t == NULL)
		abort(); // the control side has just built profiles for as many
	if (had == 0)
		t->last = FAIR_NONE;
	for (uint32_t i = had; i <= tenants; i++)
		t->fifos[i] = (struct tenant_fifo){.next = FAIR_NONE};
	t->tenants = tenants;
	return t;
}

// What waits behind the queue's head goes to the FIFOs.
static void
split(struct port *p, unsigned int tc)
{
	struct queue *q = &p->queues[tc];
	struct rte_mbuf *m, *next;

	if (q->head == NULL)
		return;
	m = packet_meta(q->head)->next;
	packet_meta(q->head)->next = NULL;
	q->tail = q->head;
	for (; m != NULL; m = next) {
		next = packet_meta(m)->next;
		fair_append(p->queue_cold[tc].tenants, m);
	}
}

static void
join(struct port *p, unsigned int tc)
{
	struct tenant_queues *t = p->queue_cold[tc].tenants;
	struct rte_mbuf *m;

	while ((m = fair_choose(t)) != NULL)
		queue_push(p, tc, m);
	free(t);
	p->queue_cold[tc].tenants = NULL;
}

void
fair_adopt(const struct node *n, struct port *p)
{
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct queue_cold *cold = &p->queue_cold[tc];
		bool had = cold->tenants != NULL;

		if (!(p->profile->fair & 1u << tc)) {
			if (had)
				join(p, tc);
			continue;
		}
		cold->tenants = with_tenants(cold->tenants, n->buffer.tenant_count);
		cold->tenants->quantum = p->profile->mtu + FAIR_ETHERNET_BYTES;
		if (!had)
			split(p, tc);
	}
}

void
fair_destroy(struct port *p)
{
	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		if (p->queue_cold[tc].tenants != NULL)
			join(p, tc);
}
