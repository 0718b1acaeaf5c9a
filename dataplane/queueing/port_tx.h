// SPDX-License-Identifier: BSD-3-Clause
// The transmit side of a switch port: the scheduler picks, ECN marks, the buffer releases, the wire
// takes (transmit.h).
//
// Rates, RED, tenants that take turns, trimming and latency histograms are in port_tx_full.h.
#pragma once

#include "charge.h"
#include "ecn.h"
#include "pause.h"
#include "pause_frame.h"
#include "pfc.h"
#include "scheduler.h"
#include "transmit.h"

// Arms the next departure behind a packet that has just begun: when the transmitter is free if
// something may go then, else when a pause runs out. An idle port has none, so that what arrives
// starts at once.
static inline void
port_arm_next(struct node *n, struct port *p)
{
	bool waits = p->pfc_head != NULL ||
		     (p->nonempty & ~(unsigned int)(p->paused | p->tx_off)) != 0;

	node_arm_send(n, p, likely(waits) ? p->tx_free : pause_resume_at(p));
}

// Checks at `now` whether something prevents the queues from sending: the transmitter is busy, a
// PFC frame goes first, or the wire is full. If so, arms the next departure and returns true.
static inline bool
port_preempted(struct node *n, struct port *p, ps_t now)
{
	if (unlikely(p->tx_free > now)) {
		node_arm_send(n, p, p->tx_free);
		return true;
	}
	if (unlikely(wire_full(p->out))) {
		node_arm_send(n, p, n->until);
		return true;
	}
	if (unlikely(p->pfc_head != NULL)) {
		port_transmit_pfc(n, p, pause_frame_take(p), now);
		port_arm_next(n, p);
		return true;
	}
	return false;
}

// The queue that is to send at `now`; -1 if none may: then the next departure is armed.
static __rte_always_inline int
port_choose(struct node *n, struct port *p, ps_t now)
{
	unsigned int eligible;

	if (port_preempted(n, p, now))
		return -1;
	eligible = pause_eligible(n, p, now);
	if (eligible == 0) {
		node_arm_send(n, p, pause_resume_at(p));
		return -1;
	}
	return (int)scheduler_pick(p, eligible);
}

static __rte_always_inline void
port_note_marked(struct node *n, struct port *p, unsigned int tc, const struct charge *c,
		 unsigned int variant)
{
	p->queues[tc].ecn_marked++;
	p->queue_cold[tc].ecn_marked_bytes += c->bytes;
	if (charge_has_tenant(c, variant))
		n->buffer.tenants[c->tenant].ecn_marked++;
}

// A departure: sends the next packet of a switch port that has something to send. `variant`: a
// constant, without NODE_FULL.
static __rte_always_inline void
port_send_variant(struct node *n, struct port *p, ps_t now, unsigned int variant)
{
	const int chosen = port_choose(n, p, now);
	const unsigned int tc = (unsigned int)chosen;
	struct charge charge;
	struct rte_mbuf *m;
	struct queue *q;
	uint32_t *depth;

	if (chosen < 0)
		return;
	q = &p->queues[tc];
	m = queue_pop(p, tc);
	charge = charge_of(m);
	depth = node_depth(n, p, tc);
	*depth -= charge.cells;
	packet_memory_return(n, m);
	if (q->head == NULL)
		scheduler_emptied(q);
	if (ecn_mark(m, &p->profile->tc[tc].ecn, *depth, &n->random))
		port_note_marked(n, p, tc, &charge, variant);
	q->packets++;
	q->bytes += charge.bytes;
	n->last_sent = now;
	// The wire first: an XON that this release causes at this very port follows the packet.
	port_transmit(n, p, m, now);
	charge_return(n, &charge, now, variant);
	port_arm_next(n, p);
}

static inline void
port_send(struct node *n, struct port *p, ps_t now)
{
	port_send_variant(n, p, now, 0);
}

static inline void
port_send_tenants(struct node *n, struct port *p, ps_t now)
{
	port_send_variant(n, p, now, NODE_TENANTS);
}

// Whether a packet of a class that came now would start now, with nothing before it.
static inline bool
port_idle(const struct node *n, const struct port *p, unsigned int tc, ps_t now)
{
	return p->tx_free <= now && (p->nonempty | (n->held[p->index] >> tc & 1)) == 0 &&
	       p->pfc_head == NULL && !wire_full(p->out);
}

// Sends a packet that was admitted to an idle port and is not charged. It starts at once and
// bypasses its queue, but counts in the queue's peak. No packet is behind it, and an empty queue is
// never congested.
static inline void
port_send_at_once(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	struct queue *q = &p->queues[meta->tc];

	if (unlikely(meta->cells > q->depth_max))
		q->depth_max = meta->cells;
	q->packets++;
	q->bytes += meta->wire_bytes;
	n->last_sent = now;
	port_transmit(n, p, m, now);
}

// Counts a packet that joins its queue.
static inline void
port_note_depth(struct node *n, struct port *p, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	uint32_t *depth = node_depth(n, p, meta->tc);

	*depth += meta->cells;
	packet_memory_take(n, m);
	if (*depth > p->queues[meta->tc].depth_max)
		p->queues[meta->tc].depth_max = *depth;
}

// Arms the departure of a packet that was just queued. True when the port should send now.
static inline bool
port_should_send(struct node *n, struct port *p, ps_t now)
{
	if (p->next_send == now)
		return false; // among this instant's departures
	if (p->tx_free <= now)
		return true;
	if (p->next_send > p->tx_free)
		node_arm_send(n, p, p->tx_free);
	return false;
}
