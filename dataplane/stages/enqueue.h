// SPDX-License-Identifier: BSD-3-Clause
// enqueue: puts an admitted packet in its queue; one that was admitted to an idle port, and holds
// nothing, begins to leave.
#pragma once

#include "dataplane/queueing/port_tx_full.h"
#include "stage.h"

// In the full variant queues may be divided among tenants, and ports may have rates.
static __rte_always_inline int
stage_enqueue(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const struct packet_meta *meta = packet_meta(m);
	struct port *out = &n->ports[meta->out_port];
	const bool full = variant & NODE_FULL;

	(void)in;
	if (!(meta->flags & PACKET_CHARGED)) {
		if (full)
			port_send_at_once_full(n, out, m, now);
		else
			port_send_at_once(n, out, m, now);
		return STAGE_CONSUMED;
	}
	port_note_depth(n, out, m);
	if (full)
		port_push_full(out, m);
	else
		queue_push(out, meta->tc, m);
	if (!port_should_send(n, out, now))
		return STAGE_CONSUMED;
	if (full)
		port_send_full(n, out, now);
	else if (variant & NODE_TENANTS)
		port_send_tenants(n, out, now);
	else
		port_send(n, out, now);
	return STAGE_CONSUMED;
}
