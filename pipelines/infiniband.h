// SPDX-License-Identifier: BSD-3-Clause
// The pipeline of an InfiniBand switch, in two variants; switch.h has that of an Ethernet switch,
// and makes functions of both.
#pragma once

#include "dataplane/node/loop.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/cut_through.h"
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

// With credits the receive buffer of its VL holds a packet.
static inline void
infiniband_hold(struct node *n, struct port *in, struct rte_mbuf *m)
{
	const struct ib_lrh *lrh = (const struct ib_lrh *)packet_data(m);
	struct packet_meta *meta = packet_meta(m);

	meta->pg = credits_classify(n, in, m, ib_lrh_vl(lrh));
	node_meet(n, meta->pg, meta->tc);
}

// Ingress: the order of the stages, as in switch.h. `variant`: a constant. `from`: the first of
// them.
enum infiniband_stage { INFINIBAND_RECEIVE, INFINIBAND_LRH, INFINIBAND_ADMIT };

static __rte_always_inline int
infiniband_pass(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant,
		enum infiniband_stage from)
{
	const bool credits = variant & NODE_FULL && in->credits != NULL;
	int verdict = STAGE_NEXT;
	bool partial;

	if (from == INFINIBAND_RECEIVE) {
		SWITCH_STAGE(stage_receive(n, in, m, now));
		if (credits && verdict == STAGE_NEXT)
			credits_arrive(n, in, m);
	}
	if (from != INFINIBAND_ADMIT) {
		SWITCH_STAGE(stage_lrh(n, in, m, now));
		SWITCH_STAGE(stage_lane(n, in, m, now));
		if (credits && verdict == STAGE_NEXT)
			infiniband_hold(n, in, m);
		SWITCH_STAGE(stage_lid(n, in, m, now));
		if (variant & NODE_CUT_THROUGH)
			SWITCH_STAGE(stage_cut_through(n, in, m, now));
	}
	// The VL is of the link. Not before: of a packet that was kept, it still says how it came.
	if (verdict == STAGE_NEXT)
		ib_lrh_set_vl((struct ib_lrh *)packet_data(m), packet_meta(m)->tc);
	partial = variant & NODE_CUT_THROUGH && receive_ends(in, m, now) != 0;
	SWITCH_STAGE(stage_admit(n, in, m, now, variant));
	if (partial && verdict == STAGE_NEXT)
		cut_through_count(in, m);
	SWITCH_STAGE(stage_enqueue(n, in, m, now, variant));
	if (credits && verdict >= 0)
		credits_offer_all(n, in, now); // a packet that is dropped holds nothing
	return verdict;
}

static __rte_always_inline int
infiniband_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now,
		   unsigned int variant)
{
	return infiniband_pass(n, in, m, now, variant, INFINIBAND_RECEIVE);
}

// switch_complete() in switch.h
static __rte_always_inline int
infiniband_complete(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now,
		    unsigned int variant)
{
	const int verdict = cut_through_verdict(n, in, m);

	if (unlikely(verdict != STAGE_NEXT)) {
		if (in->credits != NULL)
			credits_offer_all(n, in, now);
		return verdict;
	}
	return likely(!in->partial_stale)
		       ? infiniband_pass(n, in, m, now, variant, INFINIBAND_ADMIT)
		       : infiniband_pass(n, in, m, now, variant, INFINIBAND_LRH);
}
