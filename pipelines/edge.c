// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines.h"

#include "dataplane/node/loop.h"
#include "dataplane/roce/edge.h"
#include "dataplane/stages/receive.h"

// ingress, in either direction: receive -> edge_control -> edge_classify -> edge_queue
//
// In edge_queue, packets for a host may be put in order.
static __rte_always_inline int
edge_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict = stage_receive(n, in, m, now);

	if (likely(verdict == STAGE_NEXT))
		verdict = stage_edge_control(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_edge_classify(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_edge_queue(n, in, m, now);
	return verdict;
}

// egress: PFC frames -> queues by the scheduler
// timers: pauses that are sent again, packets that wait for their turn
static ps_t
edge_advance(struct node *n, ps_t start, ps_t until)
{
	node_open(n, start, until);
	return node_run(n, edge_ingress, NULL, edge_send, edge_timer);
}

const struct node_ops pipeline_edge = {.advance = edge_advance};
