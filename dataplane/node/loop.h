// SPDX-License-Identifier: BSD-3-Clause
// The event loop: node_run(), an always-inline template. Each pipeline instantiates it with its own
// ingress, departure and timer functions and fills the node's ops, through which a driver of time
// calls it. What the file orders for an instant is applied by the driver before it.
#pragma once

#include "adopt.h"

#include <stdbool.h>
#include <stdint.h>

// What a driver may do for nodes that it is about to run, in this order and some time apart.
static inline void
node_prefetch(const struct node *n)
{
	rte_prefetch0(n);
	rte_prefetch0((const char *)n + 64);
	rte_prefetch0((const char *)n + 128);
}

static inline void
node_prefetch_ports(const struct node *n)
{
	for (uint32_t i = 0; i < n->key_count; i += 16)
		rte_prefetch0(&n->keys[i]);
	for (unsigned int i = 0; i < n->port_count; i++) {
		rte_prefetch0(&n->ports[i]);
		rte_prefetch0((const char *)&n->ports[i] + 64);
	}
	if (n->role == NODE_NIC)
		for (unsigned int line = 0; line < NODE_NIC_HOT_LINES; line++)
			rte_prefetch0((const char *)n->nic + 64 * line);
}

static inline void
node_prefetch_wires(const struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		rte_prefetch0(p->in);
		rte_prefetch0((const char *)p->in + 64);
		rte_prefetch0(p->out);
		rte_prefetch0((const char *)p->out + 64);
	}
}

static inline void
node_prefetch_slots(const struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct wire *w = n->ports[i].in;

		if (w != NULL)
			rte_prefetch0(
				&w->slots[__atomic_load_n(&w->head, __ATOMIC_RELAXED) & w->mask]);
	}
}

// Of a NIC: its first packets meet queue pairs that nothing else would fetch.
static inline void
node_prefetch_packets(const struct node *n)
{
	if (n->role != NODE_NIC)
		return;
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct wire *w = n->ports[i].in;

		for (uint32_t k = 0; w != NULL && k < wire_ahead(w); k++)
			packet_prefetch(w->slots[(w->head + k) & w->mask].packet);
	}
}

static inline void
node_prefetch_nic(const struct node *n)
{
	if (n->ops->fetch != NULL)
		n->ops->fetch(n);
}

// When the next packet arrives at a port; fetches it.
static inline ps_t
node_next_arrival(const struct port *p)
{
	ps_t at = p->in == NULL ? PS_NEVER : wire_next(p->in);

	if (at != PS_NEVER)
		packet_prefetch(p->in->slots[p->in->head & p->in->mask].packet);
	return at;
}

// Opens a turn: takes over new tables.
static inline void
node_open(struct node *n, ps_t start, ps_t until)
{
	n->start = start;
	n->until = until;
	n->later = PS_NEVER;
	if (unlikely(__atomic_load_n(n->generation, __ATOMIC_ACQUIRE) != n->seen))
		node_take_tables(n, start);
}

// Reads each port's next events into keys.
static inline void
node_read_keys(struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		node_arm_arrival(n, p, node_next_arrival(p));
		node_arm_send(n, p, p->next_send);
	}
	node_set_key(n->keys, 0, node_key_if_due(n, n->timer_at, NODE_TIMER, 0));
}

// Worker: hands the tap what it has not seen yet of this turn.
void node_flush_tap(struct node *n);

// The pipeline's three functions.
//
// Ingress takes one packet through its stages and returns the verdict of the last one that saw it:
// a drop reason, or below 0 when the packet has gone on or was consumed (stages/stage.h).
typedef int node_ingress_fn(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);
// A departure: the port's transmitter may be free.
typedef void node_port_fn(struct node *n, struct port *p, ps_t now);
// Handles all timers due at `now` and returns when the next is due.
typedef ps_t node_timer_fn(struct node *n, ps_t now);

// Takes what arrives at a port at `now`, packet by packet: their keys are equal, so they follow one
// another in any case, and a burst from a device costs one look for the next event.
static __rte_always_inline void
node_arrive(struct node *n, struct port *p, ps_t now, node_ingress_fn *ingress)
{
	ps_t next;

	// Until a timer has become due: that goes first.
	do {
		struct rte_mbuf *m = wire_take(p->in);
		int verdict;

		next = wire_next(p->in);
		if (next != PS_NEVER)
			packet_prefetch(p->in->slots[p->in->head & p->in->mask].packet);
		verdict = ingress(n, p, m, now);
		if (unlikely(verdict >= 0))
			node_drop(n, m, (enum drop_reason)verdict, now);
	} while (unlikely(next == now) && n->timer_at > now);
	node_arm_arrival(n, p, next);
}

static __rte_always_inline uint32_t
node_least_key(const struct node *n)
{
	const uint32_t *keys = __builtin_assume_aligned(n->keys, 64);
	uint32_t least = keys[0];

	if (n->port_count == 1) { // a NIC: its timer, arrival and departure
		least = keys[1] < least ? keys[1] : least;
		return keys[2] < least ? keys[2] : least;
	}
	for (uint32_t i = 0; i < n->key_count; i++)
		least = keys[i] < least ? keys[i] : least;
	return least;
}

// The loop of node_ops.advance, in a turn that node_open() has opened.
static __rte_always_inline ps_t
node_run(struct node *n, node_ingress_fn *ingress, node_port_fn *send, node_timer_fn *timer)
{
	const ps_t start = n->start;
	uint32_t key;

	node_read_keys(n);
	while ((key = node_least_key(n)) != NODE_KEY_NONE) {
		ps_t now = start + (key >> 10);
		struct port *p = &n->ports[key & 0xff];

		switch (key >> 8 & 3) {
		case NODE_ARRIVAL:
			node_arrive(n, p, now, ingress);
			break;
		case NODE_DEPARTURE:
			send(n, p, now);
			break;
		default:
			node_set_key(n->keys, 0, NODE_KEY_NONE);
			n->timer_at = PS_NEVER;
			node_arm_timer(n, timer(n, now));
			break;
		}
	}
	if (unlikely(n->tap != NULL))
		node_flush_tap(n);
	return n->later;
}
