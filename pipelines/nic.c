// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines.h"

#include "../dataplane/roce/transport.h"
#include "../dataplane/stages/control_frames.h"
#include "../dataplane/stages/parse.h"
#include "../dataplane/stages/receive.h"

// ingress: receive -> parse -> control_frames -> transport
static __rte_always_inline void
nic_ingress(struct node *n, struct port *in, struct rte_mbuf **packets, unsigned int count,
	    ps_t now)
{
	count = stage_run(n, in, packets, count, now, stage_receive);
	count = stage_run(n, in, packets, count, now, stage_parse);
	count = stage_run(n, in, packets, count, now, stage_control_frames);
	stage_run(n, in, packets, count, now, stage_transport);
}

// egress: PFC frames -> acknowledgements and CNPs -> data of queue pairs and streams in turn
// timers: starts, retransmission, reorder timeout, arrivals of streams
static ps_t
nic_advance(struct node *n, ps_t start, ps_t until)
{
	transport_prefetch(n);
	return node_run(n, start, until, nic_ingress, transport_send, transport_timer);
}

const struct node_ops pipeline_nic = {.advance = nic_advance};
