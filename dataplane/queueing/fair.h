// SPDX-License-Identifier: BSD-3-Clause
// Fairness between tenants within a queue: each has a FIFO of its own, and they take turns by
// deficit round robin. See fair.c for the model; this header is in every packet's path.
#pragma once

#include "dataplane/base/node.h"

// One tenant's packets that wait behind the one that stands at the queue's head.
struct tenant_fifo {
	struct rte_mbuf *head;
	struct rte_mbuf *tail;
	uint32_t deficit; // bytes left in this turn
	uint32_t next;    // in the ring of those that are not empty
};

#define FAIR_NONE UINT32_MAX

struct tenant_queues {
	uint32_t tenants;
	uint32_t quantum; // bytes a turn
	uint32_t last;    // of the ring, whose first has its turn; FAIR_NONE: all are empty
	struct tenant_fifo fifos[]; // that of unknown tenants, then one for each
};

// The FIFO of a packet. Its tenant is below `tenants` or not known: the control side numbers them
// so, and numbers stay.
static inline uint32_t
fair_index(const struct tenant_queues *t, struct rte_mbuf *m)
{
	uint16_t tenant = packet_meta(m)->tenant;

	return tenant < t->tenants ? tenant + 1u : 0;
}

// Appends a FIFO that is no longer empty to the ring. If it is alone, its turn begins at once.
static inline void
fair_ring_append(struct tenant_queues *t, uint32_t i)
{
	struct tenant_fifo *f = &t->fifos[i];

	if (t->last == FAIR_NONE) {
		f->next = i;
		f->deficit = t->quantum;
	} else {
		f->next = t->fifos[t->last].next;
		f->deficit = 0;
		t->fifos[t->last].next = i;
	}
	t->last = i;
}

// Takes the first of the ring, which has become empty, out of it.
static inline void
fair_ring_remove(struct tenant_queues *t)
{
	struct tenant_fifo *last = &t->fifos[t->last];
	uint32_t first = last->next;

	if (first == t->last) {
		t->last = FAIR_NONE;
		return;
	}
	last->next = t->fifos[first].next;
	t->fifos[last->next].deficit += t->quantum;
}

// Appends a packet to its tenant's FIFO.
static inline void
fair_append(struct tenant_queues *t, struct rte_mbuf *m)
{
	uint32_t i = fair_index(t, m);
	struct tenant_fifo *f = &t->fifos[i];

	packet_meta(m)->next = NULL;
	if (f->head == NULL) {
		f->head = m;
		fair_ring_append(t, i);
	} else {
		packet_meta(f->tail)->next = m;
	}
	f->tail = m;
}

// Takes the packet whose turn it is, or NULL.
static inline struct rte_mbuf *
fair_choose(struct tenant_queues *t)
{
	struct tenant_fifo *f;
	struct rte_mbuf *m;
	uint32_t bytes;

	if (t->last == FAIR_NONE)
		return NULL;
	for (;;) {
		f = &t->fifos[t->fifos[t->last].next];
		bytes = packet_meta(f->head)->wire_bytes;
		if (bytes <= f->deficit)
			break;
		t->last = t->fifos[t->last].next;
		t->fifos[t->fifos[t->last].next].deficit += t->quantum;
	}
	m = f->head;
	f->deficit -= bytes;
	f->head = packet_meta(m)->next;
	packet_meta(m)->next = NULL;
	if (f->head == NULL)
		fair_ring_remove(t);
	else
		rte_prefetch0(f->head + 1);
	return m;
}

// Appends a packet to a queue whose tenants take turns. The caller accounts for it.
static inline void
fair_push(struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	if (p->queues[tc].head == NULL)
		queue_push(p, tc, m);
	else
		fair_append(p->queue_cold[tc].tenants, m);
}

// Takes the head of such a queue, not empty, and puts the packet there whose turn is next.
static inline struct rte_mbuf *
fair_pop(struct port *p, unsigned int tc)
{
	struct queue *q = &p->queues[tc];
	struct rte_mbuf *m = q->head;

	q->tail = fair_choose(p->queue_cold[tc].tenants);
	queue_set_head(q, q->tail);
	if (q->tail == NULL)
		port_set_nonempty(p, p->nonempty & ~(1u << tc));
	return m;
}

// Of fair_next(): the first packet of the FIFO that comes after m's.
struct rte_mbuf *fair_next_fifo(const struct port *p, unsigned int tc, struct rte_mbuf *m);

// Steps through the packets of any queue, from queue->head on: the packet behind m, or NULL. A
// tenant's packets follow one another in their order.
static inline struct rte_mbuf *
fair_next(const struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	struct rte_mbuf *next = packet_meta(m)->next;

	return next != NULL || p->queue_cold[tc].tenants == NULL ? next : fair_next_fifo(p, tc, m);
}

// New tables are in force: queues whose tenants take turns from now on are split, and those whose
// tenants no longer do are joined, in the order in which the packets would have left. Memory is
// that of base/spare.h. Worker, between turns.
void fair_adopt(struct node *n, struct port *p);
// The bytes that a queue needs for so many tenants.
size_t fair_bytes(uint32_t tenants);

// Joins all queues of a port and frees what fair_adopt() allocated.
void fair_destroy(struct port *p);
