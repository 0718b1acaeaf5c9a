// SPDX-License-Identifier: BSD-3-Clause
// enqueue: puts an admitted packet in its queue; a port that was idle begins with it at once.
#pragma once

#include "../port_tx.h"
#include "stage.h"

static __rte_always_inline int
stage_enqueue(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	struct port *out = &n->ports[meta->out_port];
	uint32_t *depth = node_depth(n, out, meta->tc);
	struct queue *q = &out->queues[meta->tc];

	(void)in;
	if (port_idle(n, out, meta->tc, now)) {
		port_send_at_once(n, out, m, now);
		return STAGE_CONSUMED;
	}
	*depth += meta->cells;
	if (*depth > q->depth_max)
		q->depth_max = *depth;
	queue_push(out, meta->tc, m);
	port_kick(n, out, now);
	return STAGE_CONSUMED;
}
