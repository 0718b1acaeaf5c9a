// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines.h"

#include "dataplane/node/loop.h"
#include "dataplane/roce/edge.h"
#include "dataplane/stages/receive.h"

// ingress, in either direction: receive -> edge_control -> edge_classify -> edge_queue
//
// What puts packets back in order for a host stands between edge_classify, which has parsed them,
// and edge_queue, to which it passes them on: for packets with !edge_is_host_side(n, in), by
// n->edge->link[in->index]. Packets that it releases later go to stage_edge_queue() from
// edge_timer(), with the link's port as `in`; a verdict of 0 or more is then for node_drop().
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
// timers: pauses that are sent again
static ps_t
edge_advance(struct node *n, ps_t start, ps_t until)
{
	node_open(n, start, until);
	return node_run(n, edge_ingress, edge_send, edge_timer);
}

const struct node_ops pipeline_edge = {.advance = edge_advance};
