// SPDX-License-Identifier: BSD-3-Clause
// The pipeline of a switch, leaf or spine. Each of the two instantiates it, so that the compiler
// sees the stages as one function, in eight variants (enum node_variant): a feature that is off
// costs a packet nothing. New tables choose the variant (node->variant).
#pragma once

#include "infiniband.h"

#include "dataplane/node/loop.h"
#include "dataplane/queueing/port_tx.h"
#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/answer.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/cut_through.h"
#include "dataplane/stages/enqueue.h"
#include "dataplane/stages/stale_tenant.h"
#include "dataplane/stages/notice.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/receive.h"
#include "dataplane/stages/remark.h"
#include "dataplane/stages/rewrite.h"
#include "dataplane/stages/route.h"
#include "dataplane/stages/spray.h"
#include "dataplane/stages/tunnel.h"
#include "dataplane/queueing/switch_timer.h"

// Ingress: the order of the stages. The first verdict that is not STAGE_NEXT is the packet's. This
// is the only place that says so; documents that repeat the order are compared with it
// (tests/lint/test_stages.py). `variant`: a constant, but for the switch's own packets.
//
// Its end: what a packet passes that has its next hop and whose last bit need not be waited for.
static __rte_always_inline int
switch_deliver(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const bool full = variant & NODE_FULL;
	// Not later: what follows may set when it arrived.
	const bool partial = variant & NODE_CUT_THROUGH && receive_ends(in, m, now) != 0;
	int verdict = STAGE_NEXT;

	SWITCH_STAGE(stage_admit(n, in, m, now, variant));
	SWITCH_STAGE(stage_rewrite(n, in, m, now, variant));
	if (full)
		SWITCH_STAGE(stage_remark(n, in, m, now));
	if (variant & (NODE_FULL | NODE_NOTICES))
		SWITCH_STAGE(stage_notice(n, in, m, now));
	if (partial && verdict == STAGE_NEXT)
		cut_through_count(in, m);
	SWITCH_STAGE(stage_enqueue(n, in, m, now, variant));
	return verdict;
}

// Its middle: what every packet passes that leaves by a route.
static __rte_always_inline int
switch_forward(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	int verdict = stage_route(n, in, m, now);

	SWITCH_STAGE(stage_spray(n, in, m, now, variant));
	if (variant & NODE_CUT_THROUGH)
		SWITCH_STAGE(stage_cut_through(n, in, m, now));
	SWITCH_STAGE(switch_deliver(n, in, m, now, variant));
	return verdict;
}

// Where a packet comes from, and whose it is.
static __rte_always_inline int
switch_classify(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const bool tunnels = variant & NODE_TUNNELS;
	int verdict = stage_parse(n, in, m, now);

	SWITCH_STAGE(stage_control_frames(n, in, m, now));
	if (tunnels)
		SWITCH_STAGE(stage_tunnel(n, in, m, now));
	SWITCH_STAGE(stage_classify(n, in, m, now, variant));
	if (tunnels)
		SWITCH_STAGE(stage_stale_tenant(n, in, m, now));
	SWITCH_STAGE(switch_forward(n, in, m, now, variant));
	return verdict;
}

// Its beginning.
static __rte_always_inline int
switch_ingress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	int verdict = stage_receive(n, in, m, now);

	if (variant & NODE_FULL && in->credits != NULL && verdict == STAGE_NEXT)
		credits_arrive(n, in, m);
	SWITCH_STAGE(switch_classify(n, in, m, now, variant));
	return verdict;
}

// A packet that stage_cut_through() had its port keep, at the instant of its last bit. If the
// tables have changed since, those in force choose its way.
static __rte_always_inline int
switch_complete(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const int verdict = cut_through_verdict(n, in, m);

	if (unlikely(verdict != STAGE_NEXT))
		return verdict;
	return likely(!in->partial_stale) ? switch_deliver(n, in, m, now, variant)
					  : switch_classify(n, in, m, now, variant);
}

// Cold: a packet that is not forwarded is dropped, or was for the switch itself; either may have an
// answer, which is never answered itself.
static __attribute__((cold, noinline)) int
switch_refuse(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now)
{
	const unsigned int variant = n->variant;
	struct answer answer = {0};

	receive_note_refused(in, m, verdict);
	verdict = answer_refused(n, in, m, verdict, now, &answer);
	if (verdict >= 0) {
		node_drop(n, m, (enum drop_reason)verdict, now);
	} else {
		in->control_rx++;
		packet_free(n->packets, m);
	}
	if (in->credits != NULL)
		credits_offer_all(n, in, now);
	m = answer.packet;
	if (m == NULL)
		return STAGE_CONSUMED;
	packet_meta(m)->arrived = now; // nothing of it is to come (stage_cut_through())
	if (answer.on_link) {
		verdict = answer_admit(n, in, m, now);
		SWITCH_STAGE(stage_enqueue(n, in, m, now, variant));
	} else {
		verdict = switch_forward(n, in, m, now, variant);
	}
	if (verdict >= 0)
		node_drop(n, m, (enum drop_reason)verdict, now);
	return STAGE_CONSUMED;
}

// Egress: the scheduler picks, ECN marks or RED drops, the wire takes, the buffer releases
// (`send`). Timers: samples of histograms, PFC watchdog, PFC refresh (switch_timer).
//
// Each variant is a function of its own: in one function they would compete for registers and be
// laid out by guesses of which is likely, which costs each some 10 cycles a packet.
#define SWITCH_VARIANT(name, variant, send)                                                       \
	static __rte_always_inline int switch_ingress_##name(struct node *n, struct port *in,     \
							     struct rte_mbuf *m, ps_t now)        \
	{                                                                                         \
		int verdict = switch_ingress(n, in, m, now, variant);                             \
                                                                                                  \
		return likely(verdict < 0) ? verdict : switch_refuse(n, in, m, verdict, now);     \
	}                                                                                         \
                                                                                                  \
	static __rte_always_inline int switch_complete_##name(struct node *n, struct port *in,    \
							      struct rte_mbuf *m, ps_t now)       \
	{                                                                                         \
		int verdict = switch_complete(n, in, m, now, variant);                            \
                                                                                                  \
		return likely(verdict < 0) ? verdict : switch_refuse(n, in, m, verdict, now);     \
	}                                                                                         \
                                                                                                  \
	static __attribute__((noinline)) ps_t switch_run_##name(struct node *n)                   \
	{                                                                                         \
		return node_run(n, switch_ingress_##name,                                         \
				(variant)&NODE_CUT_THROUGH ? switch_complete_##name : NULL, send, \
				switch_timer);                                                    \
	}

#define INFINIBAND_VARIANT(name, variant, send)                                                    \
	static __rte_always_inline int infiniband_ingress_##name(struct node *n, struct port *in,  \
								 struct rte_mbuf *m, ps_t now)     \
	{                                                                                          \
		return infiniband_ingress(n, in, m, now, variant);                                 \
	}                                                                                          \
                                                                                                   \
	static __rte_always_inline int infiniband_complete_##name(struct node *n, struct port *in, \
								  struct rte_mbuf *m, ps_t now)    \
	{                                                                                          \
		return infiniband_complete(n, in, m, now, variant);                                \
	}                                                                                          \
                                                                                                   \
	static __attribute__((noinline)) ps_t infiniband_run_##name(struct node *n)                \
	{                                                                                          \
		return node_run(n, infiniband_ingress_##name,                                      \
				(variant)&NODE_CUT_THROUGH ? infiniband_complete_##name : NULL,    \
				send, switch_timer);                                               \
	}

SWITCH_VARIANT(plain, 0, port_send)
SWITCH_VARIANT(tenants, NODE_TENANTS, port_send_tenants)
SWITCH_VARIANT(notices, NODE_TENANTS | NODE_NOTICES, port_send_tenants)
SWITCH_VARIANT(tunnels, NODE_TENANTS | NODE_TUNNELS, port_send_tenants)
SWITCH_VARIANT(full, NODE_TENANTS | NODE_FULL, port_send_full)
SWITCH_VARIANT(full_tunnels, NODE_TENANTS | NODE_FULL | NODE_TUNNELS, port_send_full)
INFINIBAND_VARIANT(tenants, NODE_INFINIBAND | NODE_TENANTS, port_send_tenants)
INFINIBAND_VARIANT(full, NODE_INFINIBAND | NODE_TENANTS | NODE_FULL, port_send_full)
INFINIBAND_VARIANT(cut_through, NODE_INFINIBAND | NODE_TENANTS | NODE_CUT_THROUGH,
		   port_send_tenants)
INFINIBAND_VARIANT(cut_through_full, NODE_INFINIBAND | NODE_TENANTS | NODE_FULL | NODE_CUT_THROUGH,
		   port_send_full)
SWITCH_VARIANT(cut_through, NODE_TENANTS | NODE_CUT_THROUGH, port_send_tenants)
SWITCH_VARIANT(cut_through_full, NODE_TENANTS | NODE_FULL | NODE_TUNNELS | NODE_CUT_THROUGH,
	       port_send_full)

static __rte_always_inline ps_t
switch_advance(struct node *n, ps_t start, ps_t until)
{
	node_open(n, start, until);
	if (unlikely(n->variant & NODE_INFINIBAND)) {
		if (n->variant & NODE_CUT_THROUGH)
			return n->variant & NODE_FULL ? infiniband_run_cut_through_full(n)
						      : infiniband_run_cut_through(n);
		return n->variant & NODE_FULL ? infiniband_run_full(n) : infiniband_run_tenants(n);
	}
	if (n->variant & NODE_CUT_THROUGH)
		return n->variant & NODE_FULL ? switch_run_cut_through_full(n)
					      : switch_run_cut_through(n);
	if (n->variant & NODE_FULL)
		return n->variant & NODE_TUNNELS ? switch_run_full_tunnels(n) : switch_run_full(n);
	if (n->variant & NODE_TUNNELS)
		return switch_run_tunnels(n);
	if (n->variant & NODE_NOTICES)
		return switch_run_notices(n);
	return n->variant & NODE_TENANTS ? switch_run_tenants(n) : switch_run_plain(n);
}
