// SPDX-License-Identifier: BSD-3-Clause
// Putting a packet on the wire. A transmitter is busy from a frame's start to the end of the gap
// behind it; the frame's last bit arrives preamble + frame + FCS byte times after the start, plus
// the wire's delay. A cut-through switch sees a frame preamble + header byte times after the start,
// plus that delay.
#pragma once

#include "dataplane/base/node.h"

// Cold: drops a packet, or pause frame, that has begun to go on the wire.
void port_drop_begun(struct node *n, struct port *p, struct rte_mbuf *m, enum drop_reason reason,
		     ps_t now);

// Cold: what a fault does to a packet that begins to go on the wire. True when it is lost (and
// freed); what is corrupted arrives.
bool port_lose(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);
// The same of a packet that takes so many bits on the wire.
bool port_lose_bits(struct node *n, struct port *p, struct rte_mbuf *m, uint32_t bits, ps_t now);

// What a faulty wire does to a packet.
enum port_fate { PORT_FATE_GOOD, PORT_FATE_CORRUPTED, PORT_FATE_LOST };

// Cold: draws what a fault does to so many bits that begin to go on the wire; m: the packet, or
// NULL. Corruption of the payload is apart, and changes the packet.
enum port_fate port_draw_fate(struct node *n, struct port *p, struct rte_mbuf *m, uint32_t bits);
void port_corrupt_payload(struct node *n, struct port *p, struct rte_mbuf *m);

// Cold: shows the tap a packet that begins to leave at `now` and has left at `left`.
void port_show_sent(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now, ps_t left);

// When a cut-through switch at the port's far end has the header of a frame whose transmission
// begins at `now`; `arrival` if that is its last bit.
static inline ps_t
port_header_arrival(const struct port *p, uint32_t frame, ps_t now, ps_t arrival)
{
	const uint32_t header = p->profile->preamble + p->out->header_bytes;

	return header >= frame ? arrival
			       : now + time_of_bytes(p->profile->byte_time, header) + p->out->delay;
}

// Cold: on a link with retry, a new frame begins to leave (llr_link.c). False: it is lost for good.
bool port_transmit_retry(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);
// Cold: an ordered set of link-level retry begins to leave (llr_link.c).
void port_transmit_set(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);

// port_transmit(). `own`: a frame of the port itself, which the far end takes as a whole.
static __rte_always_inline bool
port_transmit_frame(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now, bool own)
{
	const struct port_profile *profile = p->profile;
	uint32_t bytes = packet_meta(m)->wire_bytes;
	uint32_t frame = bytes + profile->preamble + profile->fcs;
	ps_t left = now + time_of_bytes(profile->byte_time, frame);
	const ps_t tail = left + p->out->delay;
	ps_t arrival = tail;
	int rc;

	__atomic_store_n(&p->tx_free, now + time_of_bytes(profile->byte_time, frame + profile->gap),
			 __ATOMIC_RELAXED); // node_prefetch_queues()
	if (unlikely(p->out->special)) {
		if (p->out->retry && !own)
			return port_transmit_retry(n, p, m, now);
		if (p->out->faulty && port_lose(n, p, m, now))
			return false;
		if (p->out->header_bytes != 0 && !own)
			arrival = port_header_arrival(p, frame, now, tail);
		rc = wire_put_head(p->out, m, arrival, tail);
	} else {
		rc = wire_put(p->out, m, arrival);
	}
	if (unlikely(rc != 0)) {
		port_drop_begun(n, p, m, DROP_NO_MBUF, now);
		return false;
	}
	p->tx_packets++;
	p->tx_bytes += bytes;
	if (unlikely(p->tapped))
		port_show_sent(n, p, m, now, left);
	n->sent = time_min(n->sent, arrival);
	return true;
}

// Begins to send a packet at `now`, when the transmitter is free. The packet is charged nowhere any
// more. What a fault takes counts as dropped and not as sent: then it returns false.
static inline bool
port_transmit(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	return port_transmit_frame(n, p, m, now, false);
}

// Cold: begins to send a frame that carries credits (credit_link.c).
void port_transmit_credits(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);

// Begins to send a frame of the port itself at `now`: a pause, credits, or one of the control
// plane.
static inline void
port_transmit_pfc(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const bool multicast = packet_data(m)[0] & 1; // it may be gone afterwards

	if (unlikely(packet_meta(m)->lane >= PACKET_LANE_LLR)) {
		if (packet_meta(m)->lane == PACKET_LANE_LLR)
			port_transmit_set(n, p, m, now);
		else
			port_transmit_credits(n, p, m, now);
		return;
	}
	if (likely(port_transmit_frame(n, p, m, now, true))) {
		p->control_tx++;
		p->tx_multicast += multicast;
	} else {
		p->control_lost++;
	}
}
