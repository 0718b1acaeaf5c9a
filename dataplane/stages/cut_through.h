// SPDX-License-Identifier: BSD-3-Clause
// cut_through: of a packet whose last bit has yet to arrive. If it leaves at the rate at which it
// comes in, it goes on: it cannot overtake itself (doc/switching.md). Else the port keeps it, and
// it goes on at the instant of its last bit (node/loop.h).
#pragma once

#include "receive.h"
#include "stage.h"

// What becomes of a packet that its port has kept, as its last bit arrives. If the tables have
// changed since (in->partial_stale), it passes the stages from the second on again, and counts
// there again.
static inline int
cut_through_verdict(struct node *n, const struct port *in, struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);

	if (unlikely(!in->up))
		return DROP_LINK_DOWN;
	if (unlikely(meta->flags & PACKET_BAD_FCS))
		return DROP_BAD_FCS;
	if (unlikely(in->partial_stale) && meta->tenant != TENANT_NONE) {
		n->buffer.tenants[meta->tenant].packets--;
		n->buffer.tenants[meta->tenant].bytes -= meta->wire_bytes;
		meta->tenant = TENANT_NONE;
	}
	return STAGE_NEXT;
}

static inline int
stage_cut_through(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct port_profile *out = n->ports[meta->out_port].profile;
	const ps_t ends = receive_ends(in, m, now);
	bool stored;

	if (ends == 0)
		return STAGE_NEXT;
	// What loses its outer headers begins with bytes that come late, and so does what was sent
	// before the link became faster.
	stored = in->profile->byte_time != out->byte_time || meta->flags & PACKET_DECAPPED ||
		 ends > now + time_of_bytes(out->byte_time,
					    meta->wire_bytes + out->preamble + out->fcs);
	if (stored) {
		in->partial = m;
		in->partial_until = ends;
		in->partial_stale = false;
		return STAGE_CONSUMED;
	}
	return STAGE_NEXT;
}

// Counts a packet of which the last bit has yet to arrive and that is about to be enqueued: nothing
// drops it here any more.
static inline void
cut_through_count(struct port *in, struct rte_mbuf *m)
{
	in->cut_through++;
	in->bad_fcs_forwarded += !!(packet_meta(m)->flags & PACKET_BAD_FCS);
}
