// SPDX-License-Identifier: BSD-3-Clause
// What a switch's pipeline does, leaf or spine. Each of them makes it its own function, so that the
// compiler sees the stages as one, in four variants: without what most switches never ask for, or
// the whole of it, and each without tunnels or with, so that nobody pays for what is off. New
// tables choose (node->whole, node->tunnels).
#pragma once

#include "dataplane/node/loop.h"
#include "dataplane/queueing/port_tx.h"
#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/control_frames.h"
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

// ingress, in this order; the first verdict that is not STAGE_NEXT is the packet's.
#define SWITCH_INGRESS(stage)                                                          \
	stage(receive) stage(parse) stage(control_frames) stage(classify) stage(route) \
		stage(spray) stage(admit) stage(rewrite) stage(enqueue)

#define SWITCH_INGRESS_TUNNELS(stage)                                                           \
	stage(receive) stage(parse) stage(control_frames) stage(tunnel) stage(classify_tunnels) \
		stage(moved) stage(route) stage(spray_tunnels) stage(admit_tunnels)             \
			stage(rewrite_tunnels) stage(enqueue)

#define SWITCH_INGRESS_WHOLE(stage)                                                              \
	stage(receive) stage(parse) stage(control_frames) stage(classify) stage(route)           \
		stage(spray_whole) stage(admit_whole) stage(rewrite) stage(remark) stage(notice) \
			stage(enqueue_whole)

#define SWITCH_INGRESS_WHOLE_TUNNELS(stage)                                                     \
	stage(receive) stage(parse) stage(control_frames) stage(tunnel) stage(classify_tunnels) \
		stage(moved) stage(route) stage(spray_whole_tunnels) stage(admit_whole_tunnels) \
			stage(rewrite_tunnels) stage(remark) stage(notice) stage(enqueue_whole)

#define SWITCH_RUN_STAGE(name)             \
	if (likely(verdict == STAGE_NEXT)) \
		verdict = stage_##name(n, in, m, now);

// egress: scheduler picks -> ECN marks, or RED drops -> wire takes -> buffer releases (`send`)
// timers: samples of histograms, PFC watchdog, PFC refresh (switch_timer)
//
// Functions of their own: in one, the variants would compete for registers and be laid out by
// guesses of which is likely, which costs either some 10 cycles a packet.
#define SWITCH_VARIANT(name, INGRESS, send)                                                   \
	static __rte_always_inline int switch_ingress_##name(struct node *n, struct port *in, \
							     struct rte_mbuf *m, ps_t now)    \
	{                                                                                     \
		int verdict = STAGE_NEXT;                                                     \
                                                                                              \
		INGRESS(SWITCH_RUN_STAGE)                                                     \
		return verdict;                                                               \
	}                                                                                     \
                                                                                              \
	static __attribute__((noinline)) ps_t switch_run_##name(struct node *n)               \
	{                                                                                     \
		return node_run(n, switch_ingress_##name, send, switch_timer);                \
	}

SWITCH_VARIANT(plain, SWITCH_INGRESS, port_send)
SWITCH_VARIANT(tunnels, SWITCH_INGRESS_TUNNELS, port_send)
SWITCH_VARIANT(whole, SWITCH_INGRESS_WHOLE, port_send_whole)
SWITCH_VARIANT(whole_tunnels, SWITCH_INGRESS_WHOLE_TUNNELS, port_send_whole)

static __rte_always_inline ps_t
switch_advance(struct node *n, ps_t start, ps_t until)
{
	node_open(n, start, until);
	if (n->whole)
		return n->tunnels ? switch_run_whole_tunnels(n) : switch_run_whole(n);
	return n->tunnels ? switch_run_tunnels(n) : switch_run_plain(n);
}
