// SPDX-License-Identifier: BSD-3-Clause
// Putting a packet on the wire. A transmitter is busy from a frame's start to the end of the gap
// behind it; the frame's last bit arrives preamble + frame + FCS byte times after the start, plus
// the wire's delay.
#pragma once

#include "dataplane/base/node.h"

// Cold: drops a packet, or pause frame, that has begun to go on the wire.
void port_drop_begun(struct node *n, struct port *p, struct rte_mbuf *m, enum drop_reason reason,
		     ps_t now);

// Cold: what a fault does to a packet that begins to go on the wire. True when it is lost (and
// freed); what is corrupted arrives.
bool port_lose(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);

// Cold: shows the tap a packet that begins to leave at `now` and has left at `left`.
void port_show_sent(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now, ps_t left);

// Begins to send a packet at `now`, when the transmitter is free. The packet is charged nowhere any
// more. What a fault takes counts as dropped and not as sent: then it returns false.
static inline bool
port_transmit(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const struct port_profile *profile = p->profile;
	uint32_t bytes = packet_meta(m)->wire_bytes;
	uint32_t frame = bytes + profile->preamble + profile->fcs;
	ps_t left = now + time_of_bytes(profile->byte_time, frame);
	ps_t arrival = left + p->out->delay;

	__atomic_store_n(&p->tx_free, now + time_of_bytes(profile->byte_time, frame + profile->gap),
			 __ATOMIC_RELAXED); // node_prefetch_queues()
	if (unlikely(p->out->faulty) && port_lose(n, p, m, now))
		return false;
	if (unlikely(wire_put(p->out, m, arrival) != 0)) {
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

// Begins to send a frame of the port itself at `now`: a pause, or one of the control plane.
static inline void
port_transmit_pfc(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const bool multicast = packet_data(m)[0] & 1; // it may be gone afterwards

	if (likely(port_transmit(n, p, m, now))) {
		p->control_tx++;
		p->tx_multicast += multicast;
	} else {
		p->control_lost++;
	}
}
