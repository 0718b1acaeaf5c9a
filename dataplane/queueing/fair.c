// SPDX-License-Identifier: BSD-3-Clause
// Deficit round robin over the tenants of one queue (Shreedhar, Varghese: Efficient Fair Queuing
// using Deficit Round Robin, SIGCOMM 1995). Tenants with waiting packets form a ring. The first
// sends until its deficit does not cover its next packet. Then it moves to the end, and the next
// tenant's deficit grows by a quantum. A quantum is one largest frame without a tag, so that a turn
// sends a packet (a tagged one may take two). A tenant without packets leaves the ring and loses
// its deficit; a tenant that comes back joins at the end. Packets of no known tenant share one
// FIFO.
//
// The next packet to send is at queue->head, alone, and in no FIFO: it is chosen when the packet
// before it begins to leave. Code that reads a queue's head (the scheduler, ECN) therefore works as
// without tenants. Depth and charges count all packets, wherever they wait.
//
// FIFOs come and go when tables are adopted (base/spare.h), never in a packet's path.
#include "fair.h"

#include <string.h>

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

size_t
fair_bytes(uint32_t tenants)
{
	const struct tenant_queues *t = NULL;

	return sizeof(*t) + (tenants + UINT64_C(1)) * sizeof(t->fifos[0]);
}

// Grows, or makes from NULL, the FIFOs of a queue.
static struct tenant_queues *
with_tenants(struct node *n, struct tenant_queues *had, uint32_t tenants)
{
	uint32_t count = had == NULL ? 0 : had->tenants + 1;
	struct tenant_queues *t = had;

	if (had != NULL && had->tenants >= tenants)
		return had;
	t = spare_take(&n->spares, fair_bytes(tenants));
	if (had == NULL)
		t->last = FAIR_NONE;
	else
		memcpy(t, had, fair_bytes(had->tenants));
	spare_return(&n->spares, had);
	for (uint32_t i = count; i <= tenants; i++)
		t->fifos[i] = (struct tenant_fifo){.next = FAIR_NONE};
	t->tenants = tenants;
	return t;
}

// Moves the packets behind the queue's head to the FIFOs.
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

// Returns the FIFOs, which are empty.
static struct tenant_queues *
join(struct port *p, unsigned int tc)
{
	struct tenant_queues *t = p->queue_cold[tc].tenants;
	struct rte_mbuf *m;

	while ((m = fair_choose(t)) != NULL)
		queue_push(p, tc, m);
	p->queue_cold[tc].tenants = NULL;
	return t;
}

void
fair_adopt(struct node *n, struct port *p)
{
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct queue_cold *cold = &p->queue_cold[tc];
		bool had = cold->tenants != NULL;

		if (!(p->profile->fair & 1u << tc)) {
			if (had)
				spare_return(&n->spares, join(p, tc));
			continue;
		}
		cold->tenants = with_tenants(n, cold->tenants, n->buffer.tenant_count);
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
			spare_free(join(p, tc));
}
