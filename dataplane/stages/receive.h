// SPDX-License-Identifier: BSD-3-Clause
// receive: counts what arrived at the port and shows it to the tap. What was on its way when the
// link went down is lost, and a frame whose FCS is wrong goes no further, and to no capture but a
// live one. A cut-through switch does not know a frame's FCS when it has the header.
#pragma once

#include "dataplane/base/punt.h"
#include "dataplane/queueing/credit_frame.h"
#include "dataplane/queueing/llr.h"
#include "stage.h"

// When the last bit of a packet arrives that is being received at `now`; 0: it has arrived.
static inline ps_t
receive_ends(const struct port *in, struct rte_mbuf *m, ps_t now)
{
	const ps_t at = packet_meta(m)->arrived;

	return in->in != NULL && in->in->header_bytes != 0 && at > now ? at : 0;
}

static __rte_always_inline int
stage_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct packet_meta *meta = packet_meta(m);

	in->rx_packets++;
	in->rx_bytes += meta->wire_bytes;
	meta->in_port = in->index;
	meta->tenant = TENANT_NONE;
	meta->priority = 0;
	if (unlikely(in->rx_faults != 0)) {
		int fault = STAGE_NEXT;

		if (in->rx_faults & PORT_RX_LLR) {
			const enum llr_arrival arrival = llr_receive(n, in, m, now);

			if (arrival == LLR_TAKEN)
				return STAGE_CONSUMED;
			if (arrival == LLR_LATE)
				fault = DROP_LINK_DOWN;
		}
		if (!in->up)
			fault = DROP_LINK_DOWN;
		else if (meta->flags & PACKET_BAD_FCS && receive_ends(in, m, now) == 0)
			fault = DROP_BAD_FCS;

		if (fault != STAGE_NEXT) {
			if (meta->lane == PACKET_LANE_UPDATE) // as credit_link_receive()
				in->rx_bytes -= meta->wire_bytes - CREDIT_FRAME_ORDERED_SET_BYTES;
			if (in->tapped && n->tap->refused != NULL)
				n->tap->refused(n->tap->context, n, in, m, now);
			return fault;
		}
	}
	if (unlikely(in->tapped) && n->tap->received != NULL)
		n->tap->received(n->tap->context, n, in, m, now);
	return STAGE_NEXT;
}

// Cold: counts a frame that goes no further by its destination. No frame to a group address does;
// control_frames counts those that it takes. A frame with errors counts as such alone, and BFD for
// which there is no room was unicast on the wire.
static inline void
receive_note_refused(struct port *in, struct rte_mbuf *m, int verdict)
{
	const uint8_t *data = packet_data(m);
	const bool bfd = verdict == DROP_CONTROL_PLANE && data[5] == PUNT_BFD_ADDRESS_LAST;

	in->rx_multicast += verdict != DROP_BAD_FCS && verdict != DROP_RUNT &&
			    verdict != DROP_TRUNCATED && !bfd && data[0] & 1;
}
