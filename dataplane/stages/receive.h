// SPDX-License-Identifier: BSD-3-Clause
// receive: counts what arrived at the port and shows it to the tap.
#pragma once

#include "stage.h"

static __rte_always_inline int
stage_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	in->rx_packets++;
	in->rx_bytes += packet_meta(m)->wire_bytes;
	if (unlikely(in->tapped) && n->tap->received != NULL)
		n->tap->received(n->tap->context, n, in, m, now);
	return STAGE_NEXT;
}
