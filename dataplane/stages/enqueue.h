// SPDX-License-Identifier: BSD-3-Clause
// enqueue: puts an admitted packet in its queue; one that was admitted to an idle port, and holds
// nothing, begins to leave.
#pragma once

#include "dataplane/queueing/port_tx_full.h"
#include "stage.h"

static __rte_always_inline int
stage_enqueue(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	struct port *out = &n->ports[meta->out_port];

	(void)in;
	if (!(meta->flags & PACKET_CHARGED)) {
		port_send_at_once(n, out, m, now);
		return STAGE_CONSUMED;
	}
	port_note_depth(n, out, m);
	queue_push(out, meta->tc, m);
	if (port_kicks(n, out, now))
		port_send(n, out, now);
	return STAGE_CONSUMED;
}

// Into queues that may be the tenants', of ports that may have rates.
static __rte_always_inline int
stage_enqueue_whole(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct port *out = &n->ports[packet_meta(m)->out_port];

	(void)in;
	if (!(packet_meta(m)->flags & PACKET_CHARGED)) {
		port_send_at_once_whole(n, out, m, now);
		return STAGE_CONSUMED;
	}
	port_note_depth(n, out, m);
	port_push_whole(out, m);
	if (port_kicks(n, out, now))
		port_send_whole(n, out, now);
	return STAGE_CONSUMED;
}
