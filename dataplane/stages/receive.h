// SPDX-License-Identifier: BSD-3-Clause
// receive: counts what arrived at the port and shows it to the tap. What was on its way when the
// link went down is lost, and a frame whose FCS is wrong goes no further, and to no capture but a
// live one.
#pragma once

#include "dataplane/base/punt.h"
#include "stage.h"

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
		int fault = !in->up                        ? DROP_LINK_DOWN
			    : meta->flags & PACKET_BAD_FCS ? DROP_BAD_FCS
							   : STAGE_NEXT;

		if (fault != STAGE_NEXT) {
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
