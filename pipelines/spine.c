// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines.h"

#include "../dataplane/port_tx.h"
#include "../dataplane/stages/admit.h"
#include "../dataplane/stages/classify.h"
#include "../dataplane/stages/control_frames.h"
#include "../dataplane/stages/enqueue.h"
#include "../dataplane/stages/parse.h"
#include "../dataplane/stages/receive.h"
#include "../dataplane/stages/rewrite.h"
#include "../dataplane/stages/route.h"
#include "../dataplane/stages/spray.h"
#include "../dataplane/switch_timer.h"

// ingress: receive -> parse -> control_frames -> classify -> route -> spray -> admit -> rewrite -> enqueue
static __rte_always_inline int
spine_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict = stage_receive(n, in, m, now);

	if (likely(verdict == STAGE_NEXT))
		verdict = stage_parse(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_control_frames(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_classify(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_route(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_spray(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_admit(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_rewrite(n, in, m, now);
	if (likely(verdict == STAGE_NEXT))
		verdict = stage_enqueue(n, in, m, now);
	return verdict;
}

// egress: scheduler picks -> ecn marks -> wire takes -> buffer releases (port_send)
// timers: samples of histograms, PFC refresh
static ps_t
spine_advance(struct node *n, ps_t start, ps_t until)
{
	return node_run(n, start, until, spine_ingress, port_send, switch_timer);
}

const struct node_ops pipeline_spine = {.advance = spine_advance};
