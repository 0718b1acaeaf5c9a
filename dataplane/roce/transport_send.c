// SPDX-License-Identifier: BSD-3-Clause
// What leaves a NIC at a departure (transport.c says in which order).
#include "transport.h"

#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/llr.h"
#include "dataplane/queueing/port_tx.h"
#include "exchange.h"
#include "sender.h"
#include "stream.h"

#include <rte_common.h>

static unsigned int
pick_class(struct nic_port *np, unsigned int ready)
{
	unsigned int strict = ready & np->port->profile->strict;
	unsigned int beyond = ready & ~((2u << np->turn) - 1);

	if (strict != 0)
		return 31 - (unsigned int)__builtin_clz(strict);
	np->turn = (uint8_t)__builtin_ctz(beyond != 0 ? beyond : ready);
	return np->turn;
}

static __attribute__((noinline)) struct rte_mbuf *
make_other(struct nic *nic, struct source *source, ps_t now)
{
	if (source->kind == SOURCE_GENERATOR)
		return exchange_make(nic, source, now);
	return stream_make(nic, container_of(source, struct stream, source), now);
}

// The next data packet of one of the `ready` classes; *tc: its class.
static struct rte_mbuf *
make_data(struct nic *nic, struct nic_port *np, unsigned int ready, unsigned int *tc, ps_t now)
{
	struct source *source;

	*tc = pick_class(np, ready);
	source = np->rings[*tc]->next;
	np->rings[*tc] = source;     // it had its turn
	rte_prefetch0(source->next); // who is next: its state, and its address behind it
	rte_prefetch0((const char *)source->next + 64);
	if (unlikely(source->kind != SOURCE_SENDER))
		return make_other(nic, source, now);
	return sender_make(nic, container_of(source, struct sender, source), now);
}

static struct rte_mbuf *
take_response(struct nic_port *np, unsigned int waiting, unsigned int *tc)
{
	struct port *p = np->port;
	struct rte_mbuf *m;

	*tc = scheduler_pick(p, waiting);
	m = queue_pop(p, *tc);
	if (p->queues[*tc].head == NULL) {
		scheduler_emptied(&p->queues[*tc]);
		np->responses &= (uint8_t) ~(1u << *tc);
		nic_note_nonempty(np);
	}
	return m;
}

// The next packet of the eligible queues; NULL if there is no memory for it.
static inline struct rte_mbuf *
next_packet(struct nic *nic, struct nic_port *np, unsigned int eligible, unsigned int *tc, ps_t now)
{
	if (eligible & np->responses)
		return take_response(np, eligible & np->responses, tc);
	return make_data(nic, np, eligible, tc, now);
}

// The same on a link with credits. A data packet has a length only when it has been made: if it
// lacks credit, it waits as the first of its queue. Returns false when nothing may be sent.
static bool
next_packet_for_credit(struct nic *nic, struct nic_port *np, struct rte_mbuf **m, unsigned int *tc,
		       ps_t now)
{
	struct node *n = nic->node;
	struct port *p = np->port;
	unsigned int eligible;

	while ((eligible = credits_eligible(n, p, pause_eligible(n, p, now), now)) != 0) {
		*m = next_packet(nic, np, eligible, tc, now);
		if (*m == NULL || credits_cover(n, p, *tc, *m, now))
			return true;
		queue_push(p, *tc, *m);
		np->responses |= (uint8_t)(1u << *tc);
		nic_note_nonempty(np);
	}
	return false;
}

static inline void
count_sent(struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	p->queues[tc].packets++;
	p->queues[tc].bytes += packet_meta(m)->wire_bytes;
}

static void
send_for_credit(struct node *n, struct port *p, ps_t now)
{
	struct nic *nic = n->nic;
	struct credit_lane *lane;
	struct rte_mbuf *m;
	uint32_t blocks;
	unsigned int tc;

	if (!next_packet_for_credit(nic, &nic->ports[p->index], &m, &tc, now)) {
		node_arm_send(n, p, pause_resume_at(p));
		return;
	}
	if (m != NULL) {
		lane = credits_lane_of_queue(n, p, tc);
		blocks = credits_take(n, p, tc, m);
		count_sent(p, tc, m);
		n->last_sent = now;
		if (!port_transmit(n, p, m, now))
			lane->lost += blocks;
	} else {
		port_count_drop(p, DROP_NO_MBUF);
	}
	node_arm_send(n, p, p->nonempty != 0 || p->pfc_head != NULL ? p->tx_free : PS_NEVER);
}

// True when nothing else is to be sent now.
static __attribute__((noinline)) bool
send_gated(struct node *n, struct port *p, ps_t now)
{
	if (p->llr != NULL && llr_preempts(n, p, now))
		return true;
	if (p->credits == NULL)
		return false;
	send_for_credit(n, p, now);
	return true;
}

void
transport_send(struct node *n, struct port *p, ps_t now)
{
	struct nic *nic = n->nic;
	struct nic_port *np = &nic->ports[p->index];
	unsigned int eligible, tc;
	struct rte_mbuf *m;

	if (port_preempted(n, p, now)) {
		if (unlikely(p->gated))
			llr_rearm(n, p);
		return;
	}
	if (unlikely(p->gated) && send_gated(n, p, now))
		return;
	eligible = pause_eligible(n, p, now);
	if (eligible == 0) {
		node_arm_send(n, p, pause_resume_at(p));
		return;
	}
	m = next_packet(nic, np, eligible, &tc, now);
	if (likely(m != NULL)) {
		count_sent(p, tc, m);
		n->last_sent = now;
		port_transmit(n, p, m, now);
	} else {
		port_count_drop(p, DROP_NO_MBUF);
	}
	node_arm_send(n, p, p->nonempty != 0 || p->pfc_head != NULL ? p->tx_free : PS_NEVER);
}
