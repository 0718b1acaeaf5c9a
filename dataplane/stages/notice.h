// SPDX-License-Identifier: BSD-3-Clause
// notice: a switch above the leaves notifies those that send through it of congestion. Before an
// eligible packet is queued, its egress is checked. If the queue is deeper than the threshold or
// held, or the link is degraded, or there is no next hop at all, a notice goes back by the port
// that the packet came in by. For a while, the receiver ranks that next hop worse towards the
// packet's destination. The frames are Roost's own; notice.c has their format.
#pragma once

#include "dataplane/queueing/pause.h"
#include "spray_hash.h"
#include "stage.h"

#define NOTICE_ETHERTYPE 0x88b5  // IEEE 802, local experimental EtherType 1
#define NOTICE_ADDRESS_LAST 0x0e // to 01:80:c2:00:00:0e, which no bridge passes on

// An eligible packet is about to be queued: sends a notice if its egress is congested.
void notice_check_egress(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// A packet has no next hop here.
void notice_refused(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// A notice has arrived. Returns the verdict: STAGE_CONSUMED, or why it is dropped; the frame stays
// the caller's.
int notice_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// In the variants that send notices; leaves send none.
static __rte_always_inline bool
notice_wanted(const struct node *n, const struct port *in)
{
	return unlikely(n->current->notices.on) && n->role != NODE_LEAF &&
	       n->current->ports[in->index].inner;
}

static __rte_always_inline int
stage_notice(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	if (notice_wanted(n, in) && spray_eligible(n->current, m, true))
		notice_check_egress(n, in, m, now);
	return STAGE_NEXT;
}
