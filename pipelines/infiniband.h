// SPDX-License-Identifier: BSD-3-Clause
// The pipeline of an InfiniBand switch, in two variants; switch.h has that of an Ethernet switch,
// and makes functions of both.
#pragma once

#include "dataplane/node/loop.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/enqueue.h"
#include "dataplane/stages/lane.h"
#include "dataplane/stages/lid.h"
#include "dataplane/stages/lrh.h"
#include "dataplane/stages/receive.h"

// Calls the next stage unless the packet has its verdict already. (trace.c has its own.)
#ifndef SWITCH_STAGE
#define SWITCH_STAGE(call)                         \
	do {                                       \
		if (likely(verdict == STAGE_NEXT)) \
			verdict = (call);          \
	} while (0)
#endif

// Ingress: the order of the stages, as in switch.h. `variant`: a constant.
static __rte_always_inline int
infiniband_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now,
		   unsigned int variant)
{
	int verdict = stage_receive(n, in, m, now);

	SWITCH_STAGE(stage_lrh(n, in, m, now));
	SWITCH_STAGE(stage_lane(n, in, m, now));
	SWITCH_STAGE(stage_lid(n, in, m, now));
	SWITCH_STAGE(stage_admit(n, in, m, now, variant));
	SWITCH_STAGE(stage_enqueue(n, in, m, now, variant));
	return verdict;
}
