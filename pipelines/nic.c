// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines.h"

#include "dataplane/node/loop.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/roce/nic_answer.h"
#include "dataplane/roce/transport.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/lrh.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/receive.h"

// ingress: receive -> parse -> control_frames -> transport
static __rte_always_inline int
nic_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict = stage_receive(n, in, m, now);

	if (unlikely(in->credits != NULL) && verdict == STAGE_NEXT)
		credits_arrive(n, in, m);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_parse(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_control_frames(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_transport(n, in, m, now);
	if (unlikely(verdict >= 0))
		verdict = nic_answer(n, in, m, verdict, now);
	if (unlikely(in->credits != NULL))
		credits_end_arrival(n, in, now);
	return verdict;
}

// egress: PFC frames -> acknowledgements and CNPs -> data of queue pairs and streams in turn
// timers: starts, retransmission, reorder timeout, arrivals of streams
static ps_t
nic_advance(struct node *n, ps_t start, ps_t until)
{
	transport_prefetch(n);
	node_open(n, start, until);
	return node_run(n, nic_ingress, NULL, transport_send, transport_timer);
}

// A channel adapter's. ingress: receive -> lrh -> transport
static __rte_always_inline int
adapter_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict = stage_receive(n, in, m, now);

	if (unlikely(in->credits != NULL) && verdict == STAGE_NEXT)
		credits_arrive(n, in, m);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_lrh(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_transport(n, in, m, now);
	if (unlikely(in->credits != NULL))
		credits_end_arrival(n, in, now);
	return verdict;
}

static ps_t
adapter_advance(struct node *n, ps_t start, ps_t until)
{
	transport_prefetch(n);
	node_open(n, start, until);
	return node_run(n, adapter_ingress, NULL, transport_send, transport_timer);
}

const struct node_ops pipeline_adapter = {.advance = adapter_advance, .fetch = transport_fetch};
const struct node_ops pipeline_nic = {.advance = nic_advance, .fetch = transport_fetch};
