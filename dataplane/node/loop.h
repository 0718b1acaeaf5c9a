// SPDX-License-Identifier: BSD-3-Clause
// The event loop: node_run(), an always-inline template. Each pipeline instantiates it with its own
// ingress, departure and timer functions and fills the node's ops, through which a driver of time
// calls it. What the file orders for an instant is applied by the driver before it.
#pragma once

#include "adopt.h"

#include <stdbool.h>
#include <stdint.h>

// What a driver may do for nodes that it is about to run, in this order and some time apart. Of a
// switch, another thread may be running it meanwhile: what that writes is read by relaxed loads. It
// may be old; then the prefetch is in vain.
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
	for (uint32_t i = 0; i < n->key_count + n->key_count / 4; i += NODE_KEY_BLOCK)
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

static inline void
node_prefetch_lines(const void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes && i < 4096; i += 64)
		rte_prefetch0((const char *)at + i);
}

// What packets look up in the tables in force, of a switch: groups, next hops and ports; a page of
// each at most.
static inline void
node_prefetch_tables(const struct node *n)
{
	const struct tables *t = __atomic_load_n(&n->current, __ATOMIC_RELAXED);

	if (n->role == NODE_NIC || t == NULL)
		return;
	node_prefetch_lines(t->groups, t->group_count * sizeof(*t->groups));
	node_prefetch_lines(t->next_hops, t->next_hop_count * sizeof(*t->next_hops));
	node_prefetch_lines(t->ports, t->port_count * sizeof(*t->ports));
}

// Of a switch: the lines that the first packet at a port meets there, and at the port where it
// goes.
static inline void
node_prefetch_queues(const struct node *n)
{
	const unsigned int groups = __atomic_load_n(&n->groups_met, __ATOMIC_RELAXED);
	const unsigned int queues = __atomic_load_n(&n->queues_met, __ATOMIC_RELAXED);
	const ps_t start = __atomic_load_n(&n->start, __ATOMIC_RELAXED);

	if (n->role == NODE_NIC)
		return;
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		if (p->in != NULL && wire_count(p->in) != 0)
			for (unsigned int bits = groups; bits != 0; bits &= bits - 1)
				rte_prefetch0(&p->groups[__builtin_ctz(bits)]);
		// It has sent recently.
		if (__atomic_load_n(&p->tx_free, __ATOMIC_RELAXED) > start)
			for (unsigned int bits = queues; bits != 0; bits &= bits - 1)
				rte_prefetch0(&p->queues[__builtin_ctz(bits)]);
	}
}

// And the packets that leave first.
static inline void
node_prefetch_heads(const struct node *n)
{
	const unsigned int queues = __atomic_load_n(&n->queues_met, __ATOMIC_RELAXED);

	if (n->role == NODE_NIC)
		return;
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];
		unsigned int bits = queues & __atomic_load_n(&p->nonempty, __ATOMIC_RELAXED);

		for (; bits != 0; bits &= bits - 1)
			packet_prefetch(__atomic_load_n(&p->queues[__builtin_ctz(bits)].head,
							__ATOMIC_RELAXED));
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

// When the next packet arrives at a port; fetches it. `partial`: the port may have one of which the
// last bit comes before.
static __rte_always_inline ps_t
node_next_arrival(const struct port *p, bool partial)
{
	ps_t at = p->in == NULL ? PS_NEVER : wire_next(p->in);

	if (partial && p->partial != NULL)
		return p->partial_until;
	if (at != PS_NEVER)
		packet_prefetch(p->in->slots[p->in->head & p->in->mask].packet);
	return at;
}

// Opens a turn: takes over new tables.
static inline void
node_open(struct node *n, ps_t start, ps_t until)
{
	__atomic_store_n(&n->start, start, __ATOMIC_RELAXED);
	n->until = until;
	n->later = PS_NEVER;
	if (unlikely(__atomic_load_n(n->generation, __ATOMIC_ACQUIRE) != n->seen))
		node_take_tables(n, start);
}

// Reads each port's next events into keys.
static __rte_always_inline void
node_read_keys(struct node *n, bool partial)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		node_write_key(n->keys, 1u + i,
			       node_key_if_due(n, node_next_arrival(p, partial), NODE_ARRIVAL, i));
		node_write_key(n->keys, n->departures + i,
			       node_key_if_due(n, p->next_send, NODE_DEPARTURE, i));
	}
	node_write_key(n->keys, 0, node_key_if_due(n, n->timer_at, NODE_TIMER, 0));
	for (unsigned int block = 0; node_has_minima(n) && block < n->key_count / NODE_KEY_BLOCK;
	     block++)
		node_note_minima(n, block);
}

// Worker: hands the tap what it has not seen yet of this turn.
void node_flush_tap(struct node *n);

// The pipeline's functions.
//
// Ingress takes one packet through its stages and returns the verdict of the last one that saw it:
// a drop reason, or below 0 when the packet has gone on or was consumed (stages/stage.h).
typedef int node_ingress_fn(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);
// A departure: the port's transmitter may be free.
typedef void node_port_fn(struct node *n, struct port *p, ps_t now);
// Handles all timers due at `now` and returns when the next is due.
typedef ps_t node_timer_fn(struct node *n, ps_t now);

// The last bit of the packet that the port has kept for it arrives; nothing on its wire does
// before. Returns when the next packet arrives.
static __rte_always_inline ps_t
node_complete(struct node *n, struct port *p, ps_t now, node_ingress_fn *complete)
{
	struct rte_mbuf *m = p->partial;
	int verdict;

	p->partial = NULL;
	verdict = complete(n, p, m, now);
	if (unlikely(verdict >= 0))
		node_drop(n, m, (enum drop_reason)verdict, now);
	return wire_next(p->in);
}

// Takes what arrives at a port at `now`, packet by packet: their keys are equal, so they follow one
// another in any case, and a burst from a device costs one look for the next event.
static __rte_always_inline void
node_arrive(struct node *n, struct port *p, ps_t now, node_ingress_fn *ingress,
	    node_ingress_fn *complete)
{
	struct wire *w = p->in;
	ps_t next;

	if (complete != NULL && p->partial != NULL) {
		next = node_complete(n, p, now, complete);
		if (next != now || n->timer_at <= now) {
			node_arm_arrival(n, p, next);
			return;
		}
	}
	// Until a timer has become due: that goes first.
	do {
		struct rte_mbuf *m = wire_take(w);
		int verdict;

		next = wire_next(w);
		wire_prefetch(w);
		if (next != PS_NEVER)
			packet_prefetch(w->slots[w->head & w->mask].packet);
		verdict = ingress(n, p, m, now);
		if (unlikely(verdict >= 0))
			node_drop(n, m, (enum drop_reason)verdict, now);
		if (complete != NULL && p->partial != NULL)
			next = p->partial_until;
	} while (unlikely(next == now) && n->timer_at > now);
	node_arm_arrival(n, p, next);
}

static __rte_always_inline uint32_t
node_least_key(const struct node *n)
{
	const uint32_t *keys = __builtin_assume_aligned(n->keys, 64);
	uint32_t count = n->key_count;
	uint32_t least = keys[0];

	if (n->port_count == 1) { // a NIC: its timer, arrival and departure
		least = keys[1] < least ? keys[1] : least;
		return keys[2] < least ? keys[2] : least;
	}
	if (likely(node_has_minima(n))) {
		keys = __builtin_assume_aligned(node_minima(n), 64);
		count = n->key_count / 4;
	}
	for (uint32_t i = 0; i < count; i++)
		least = keys[i] < least ? keys[i] : least;
	return least;
}

// The loop of node_ops.advance, in a turn that node_open() has opened. `complete`: ingress of the
// packet that a port has kept as partial, when its last bit arrives; NULL: ports keep none.
static __rte_always_inline ps_t
node_run(struct node *n, node_ingress_fn *ingress, node_ingress_fn *complete, node_port_fn *send,
	 node_timer_fn *timer)
{
	const ps_t start = n->start;
	ps_t sent;
	uint32_t key;

	node_read_keys(n, complete != NULL);
	while ((key = node_least_key(n)) != NODE_KEY_NONE) {
		ps_t now = start + (key >> 10);
		struct port *p = &n->ports[key & 0xff];

		switch (key >> 8 & 3) {
		case NODE_ARRIVAL:
			node_arrive(n, p, now, ingress, complete);
			break;
		case NODE_DEPARTURE:
			send(n, p, now);
			break;
		default:
			node_set_key(n, 0, NODE_KEY_NONE);
			n->timer_at = PS_NEVER;
			node_arm_timer(n, timer(n, now));
			break;
		}
	}
	if (unlikely(n->tap != NULL))
		node_flush_tap(n);
	sent = n->sent;
	n->sent = PS_NEVER; // from here on also what events send between two turns
	return time_min(n->later, sent);
}
