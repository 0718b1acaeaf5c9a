// SPDX-License-Identifier: BSD-3-Clause
// The transmit side of a port whose queues have rates, drop by RED, let tenants take turns, may
// carry trimmed packets, or whose latency is measured. It does what port_tx.h does, with these
// additions at the same places:
//
// - Only queues that no rate holds are eligible; those that are behind a promised rate come first.
// - RED decides where ECN decides, after a packet has been picked and taken from its queue. A
//   packet that RED drops is released at once. It takes no transmit time, nothing of its queue's
//   turn and nothing of a rate, but it does use its tenant's turn. The port then picks the next
//   packet at the same instant. If the release causes an XON, that is a separate frame; if it is
//   this port's, it is sent before the next packet.
// - Rates count a packet when it has begun to leave, so that the next departure is armed by them.
// - On a link with credits, only queues are eligible whose first packet has credit, and lanes may
//   take turns by tables of their own (lane_arbiter.h).
// - On a link with retry, frames that are sent again go before the queues (llr.h).
#include "port_tx_full.h"

#include "credits.h"
#include "lane_arbiter.h"
#include "llr.h"

// The next packet of a queue, out of it and of its depth; it stays charged.
static struct rte_mbuf *
take(struct node *n, struct port *p, unsigned int tc)
{
	struct rte_mbuf *m = p->queue_cold[tc].tenants != NULL ? fair_pop(p, tc) : queue_pop(p, tc);

	*node_depth(n, p, tc) -= packet_meta(m)->cells;
	packet_memory_return(n, m);
	if (p->queues[tc].head == NULL)
		scheduler_emptied(&p->queues[tc]);
	return m;
}

static void
drop(struct node *n, struct port *p, struct rte_mbuf *m, enum drop_reason reason, ps_t now)
{
	const struct charge charge = charge_of(m);

	p->queues[charge.tc].dropped++;
	p->queue_cold[charge.tc].dropped_bytes += charge.bytes;
	charge_release(n, &charge, now);
	node_drop(n, m, reason, now);
}

static unsigned int
eligible_queues(struct node *n, struct port *p, ps_t now)
{
	unsigned int eligible;

	if (p->shaped != 0)
		shaper_expire(p, now);
	eligible = pause_eligible(n, p, now) & ~(unsigned int)p->shaped;
	return p->credits == NULL ? eligible : credits_eligible(n, p, eligible, now);
}

static void
arm_next(struct node *n, struct port *p)
{
	const unsigned int starved = p->credits != NULL ? p->credits->starved : 0;
	const unsigned int held = p->paused | p->tx_off | p->shaped | starved;

	if (p->pfc_head != NULL || (p->nonempty & ~held) != 0)
		node_arm_send(n, p, p->tx_free);
	else
		node_arm_send(n, p, time_min(pause_resume_at(p), shaper_resume_at(p)));
}

// Whose turn a packet uses when it is sent.
enum turn { TURN_NONE, TURN_QUEUE, TURN_LANE };

static unsigned int
choose(struct node *n, struct port *p, unsigned int eligible, enum turn *turn, ps_t now)
{
	const unsigned int behind = shaper_behind(p, eligible, now);
	unsigned int tc;
	bool by_turn;

	*turn = TURN_NONE;
	if (behind != 0)
		return scheduler_highest(behind);
	if (p->credits != NULL && n->current->credits->arbitration.on) {
		*turn = TURN_LANE;
		return lane_arbiter_pick(&n->current->credits->arbitration, p->credits, eligible);
	}
	tc = scheduler_choose(p, eligible, &by_turn);
	*turn = by_turn ? TURN_QUEUE : TURN_NONE;
	return tc;
}

// Puts a packet of a queue on the wire, for credit where the link has them.
static void
transmit(struct node *n, struct port *p, unsigned int tc, struct rte_mbuf *m, ps_t now)
{
	struct credit_lane *lane;
	uint32_t blocks;

	if (p->credits == NULL) {
		port_transmit(n, p, m, now);
		return;
	}
	lane = credits_lane_of_queue(n, p, tc);
	blocks = credits_take(n, p, tc, m);
	if (!port_transmit(n, p, m, now))
		lane->lost += blocks;
}

// Picks a packet of the eligible queues. True when it was sent, false when RED dropped it.
static bool
send_one(struct node *n, struct port *p, unsigned int eligible, ps_t now)
{
	enum turn turn;
	const unsigned int tc = choose(n, p, eligible, &turn, now);
	const struct tc_profile *profile = &p->profile->tc[tc];
	struct queue *q = &p->queues[tc];
	struct rte_mbuf *m = take(n, p, tc);
	const struct charge charge = charge_of(m);
	const uint32_t depth = *node_depth(n, p, tc);

	if (ecn_red_drops(m, profile, depth, &n->random)) {
		p->queue_cold[tc].red_dropped++;
		drop(n, p, m, DROP_RED, now);
		return false;
	}
	if (turn == TURN_QUEUE && q->head != NULL)
		q->deficit -= charge.bytes;
	else if (turn == TURN_LANE)
		lane_arbiter_sent(&n->current->credits->arbitration, p->credits, charge.bytes);
	if (ecn_mark(m, &profile->ecn, depth, &n->random))
		port_note_marked(n, p, tc, &charge, NODE_TENANTS);
	q->packets++;
	q->bytes += charge.bytes;
	n->last_sent = now;
	port_note_latency(n, p, tc, packet_meta(m)->arrived, now);
	transmit(n, p, tc, m, now);
	charge_return(n, &charge, now, NODE_FULL | NODE_TENANTS);
	port_note_sent(p, tc, charge.bytes, charge.flags, now);
	return true;
}

void
port_send_full(struct node *n, struct port *p, ps_t now)
{
	unsigned int eligible;

	do {
		if (port_preempted(n, p, now)) {
			if (p->llr != NULL)
				llr_rearm(n, p);
			return;
		}
		if (p->llr != NULL && llr_preempts(n, p, now))
			return;
		eligible = eligible_queues(n, p, now);
	} while (eligible != 0 && !send_one(n, p, eligible, now) && p->tx_free <= now);
	arm_next(n, p);
}

void
port_drop_queue(struct node *n, struct port *p, unsigned int tc, enum drop_reason reason, ps_t now)
{
	while (p->queues[tc].head != NULL)
		drop(n, p, take(n, p, tc), reason, now);
	if (p->credits != NULL)
		credits_reconsider(n, p, now);
}

static void
append(struct rte_mbuf ***end, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	**end = m;
	*end = &packet_meta(m)->next;
}

// Packets that stay are back before the first is released, so that an XON finds the queue complete.
void
port_drop_some(struct node *n, struct port *p, unsigned int tc,
	       bool (*wanted)(const struct node *n, struct rte_mbuf *m), enum drop_reason reason,
	       ps_t now)
{
	struct rte_mbuf *kept = NULL, *dropped = NULL, *m, *next;
	struct rte_mbuf **kept_end = &kept, **dropped_end = &dropped;

	while (p->queues[tc].head != NULL) {
		m = p->queue_cold[tc].tenants != NULL ? fair_pop(p, tc) : queue_pop(p, tc);
		if (wanted(n, m)) {
			*node_depth(n, p, tc) -= packet_meta(m)->cells;
			packet_memory_return(n, m);
			append(&dropped_end, m);
		} else {
			append(&kept_end, m);
		}
	}
	for (m = kept; m != NULL; m = next) {
		next = packet_meta(m)->next;
		port_push_full(p, m);
	}
	if (p->queues[tc].head == NULL)
		scheduler_emptied(&p->queues[tc]);
	for (m = dropped; m != NULL; m = next) {
		next = packet_meta(m)->next;
		drop(n, p, m, reason, now);
	}
	if (p->credits != NULL)
		credits_reconsider(n, p, now);
}
