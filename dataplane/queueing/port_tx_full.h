// SPDX-License-Identifier: BSD-3-Clause
// The transmit side in the full variant (NODE_FULL): queues with rates, that drop by RED, in which
// tenants take turns, that carry trimmed packets, or whose latency is measured. See port_tx_full.c;
// this header has the part for packets that find their port idle.
#pragma once

#include "port_tx.h"
#include "fair.h"
#include "histogram.h"
#include "shaper.h"

// Adds the latency of a packet that begins to leave to its histograms.
static inline void
port_note_latency(struct node *n, const struct port *p, unsigned int tc, ps_t arrived, ps_t now)
{
	if (p->queue_cold[tc].latency != 0)
		histogram_note_latency(n, p, tc, arrived, now);
}

// Counts what has begun to leave by a queue.
static inline void
port_note_sent(struct port *p, unsigned int tc, uint32_t bytes, uint32_t flags, ps_t now)
{
	if (p->rated & 1u << tc)
		shaper_note_sent(p, tc, bytes, now);
	if (unlikely(flags & PACKET_TRIMMED))
		p->queue_cold[tc].trim_sent++;
}

// Whether no rate holds a queue.
static inline bool
port_unshaped(struct port *p, unsigned int tc, ps_t now)
{
	if (unlikely(p->shaped != 0))
		shaper_expire(p, now);
	return !(p->shaped & 1u << tc);
}

// port_send_at_once()
static inline void
port_send_at_once_full(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint32_t bytes = meta->wire_bytes, flags = meta->flags;
	const uint8_t tc = meta->tc;

	port_note_latency(n, p, tc, now, now);
	port_send_at_once(n, p, m, now);
	port_note_sent(p, tc, bytes, flags, now);
}

// queue_push()
static inline void
port_push_full(struct port *p, struct rte_mbuf *m)
{
	unsigned int tc = packet_meta(m)->tc;

	if (p->queue_cold[tc].tenants != NULL)
		fair_push(p, tc, m);
	else
		queue_push(p, tc, m);
}

// port_send()
void port_send_full(struct node *n, struct port *p, ps_t now);

// Cold: drops all packets of a queue, at `now`; each counts in the queue's `dropped` and is
// released, which may send XON.
void port_drop_queue(struct node *n, struct port *p, unsigned int tc, enum drop_reason reason,
		     ps_t now);

// Drops those that `wanted` is true for; the others keep their order.
void port_drop_some(struct node *n, struct port *p, unsigned int tc,
		    bool (*wanted)(const struct node *n, struct rte_mbuf *m),
		    enum drop_reason reason, ps_t now);
