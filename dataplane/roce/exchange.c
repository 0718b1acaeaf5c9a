// SPDX-License-Identifier: BSD-3-Clause
// An all-to-all of n ranks has n * (n - 1) queue pairs, too many to keep. But which exist follows
// from the plan: in turn k, from 1 on, rank i sends to rank i + k. So a rank keeps no more than how
// far it has come, by port; a generator, which stands in the ring of ready senders for all that
// have not begun, makes the next queue pair when its turn comes. Beside established senders it
// behaves as they would have: it stays at the head of the ring until each of them has sent its
// first packet.
//
// A queue pair is closed when its message is complete, and its memory goes to the next one. At the
// receiver remains one bit, that the message has come: what a late packet needs to be answered is
// made again from that. The first PSN of a message follows from its time, so that duplicates of an
// earlier one are known as such.
//
// A rank begins a time when it has all messages of the time before, and sends after that. So no
// message is more than one time ahead of the receiver's: two bits for each rank are enough.
//
// Bytes for another NIC of the host, or that leave by another, are handed over first. All messages
// of a time are handed over side by side, in turns one behind the other.
#include "exchange_internal.h"

#include "sender.h"
#include "sender_review.h"

#include <rte_common.h>

#define RETRY_PS PS_PER_US // when memory has run out

uint8_t
exchange_way(const struct nic_exchange_end *from, const struct nic_exchange_end *to)
{
	const struct nic_exchange_end *host = from - from->port;
	bool own = from->component == to->component;
	bool twin = to->port < from->ports && host[to->port].component == to->component;

	if (own && !(twin && from->crosses_inside))
		return from->port;
	if (twin)
		return to->port;
	for (uint8_t p = 0; p < from->ports; p++)
		if (host[p].component == to->component)
			return p;
	return from->port; // set-up does not allow it
}

// Whether the cursor's port leads to the rank of its turn.
static bool
leads_there(const struct exchange_cursor *c)
{
	const struct nic_exchange_plan *plan = c->exchange->plan;
	const struct nic_exchange_end *from = exchange_end(plan, c->exchange->rank);
	const struct nic_exchange_end *to =
		exchange_end(plan, exchange_rank_in_turn(c->exchange, c->turn));

	if (exchange_inside(from, to))
		return c->port == CURSOR_INSIDE;
	return c->port == exchange_way(from, to);
}

static void
next_message(struct exchange_cursor *c)
{
	c->turn++;
	if (c->exchange->plan->in_turns)
		c->handed = false;
}

// Moves a cursor to the next message of its port. False if there is none in times that have begun.
static bool
find_message(struct exchange_cursor *c)
{
	const struct exchange *x = c->exchange;

	while (c->time < x->part->begun) {
		for (; c->turn < x->plan->ranks; c->turn++)
			if (leads_there(c))
				return true;
		c->time++;
		c->turn = 1;
		c->handed = false;
	}
	return false;
}

static bool
gate_open(const struct exchange_cursor *c)
{
	const struct exchange *x = c->exchange;

	return !x->plan->in_turns || c->time < x->inbox->complete || c->turn <= x->in_turn + 1;
}

// Whether the cursor's next message may begin; else something calls cursor_review() when it may.
static bool
cursor_ready(struct nic *nic, struct exchange_cursor *c, ps_t now)
{
	const struct exchange *x = c->exchange;
	bool inside = c->port == CURSOR_INSIDE;

	if (c->handing || !find_message(c) || !gate_open(c))
		return false;
	if ((inside || c->port != exchange_end(x->plan, x->rank)->port) && !c->handed) {
		c->handing = true;
		nic_set_timer(nic, &c->timer, now + (inside ? x->handover : x->forward));
		return false;
	}
	// A message of the time before may still be under way to the rank.
	return inside ||
	       (x->live < x->peers &&
		(c->time == 0 ||
		 exchange_find(nic, x->first_qpn + exchange_rank_in_turn(x, c->turn)) == NULL));
}

static struct generator *
generator_of(struct nic *nic, const struct exchange_cursor *c)
{
	struct generator *g = nic->cold->exchanges->generators;

	while (g->port != c->port || g->tc != c->exchange->data.tc)
		g = g->following;
	return g;
}

// Puts a cursor behind those of its generator.
static void
generator_enter(struct nic *nic, struct generator *g, struct exchange_cursor *c)
{
	if (g->last == NULL) {
		c->next = c;
	} else {
		c->next = g->last->next;
		g->last->next = c;
	}
	g->last = c;
	source_ready(&nic->ports[g->port], &g->source, g->tc);
}

static void
generator_leave(struct nic *nic, struct generator *g, struct exchange_cursor *c)
{
	struct exchange_cursor *before = g->last;

	while (before->next != c)
		before = before->next;
	before->next = c->next;
	if (before == c)
		g->last = NULL;
	else if (g->last == c)
		g->last = before;
	c->next = NULL;
	if (g->last == NULL)
		source_idle(&nic->ports[g->port], &g->source, g->tc);
}

static void
cursor_review(struct nic *nic, struct exchange_cursor *c, ps_t now)
{
	bool ready = cursor_ready(nic, c, now);

	if (c->port == CURSOR_INSIDE || ready == (c->next != NULL))
		return;
	if (ready)
		generator_enter(nic, generator_of(nic, c), c);
	else
		generator_leave(nic, generator_of(nic, c), c);
}

void
exchange_review(struct nic *nic, struct exchange *x, ps_t now)
{
	for (uint8_t i = 0; i < x->cursor_count; i++)
		cursor_review(nic, &x->cursors[i], now);
}

struct rte_mbuf *
exchange_make(struct nic *nic, struct source *generator, ps_t now)
{
	struct generator *g = container_of(generator, struct generator, source);
	struct nic_port *np = &nic->ports[g->port];
	struct exchange_cursor *c = g->last->next;
	struct exchange *x = c->exchange;
	struct sender *s;

	np->rings[g->tc] = g->source.previous; // it keeps its turn, and new senders go before it
	g->last = c;
	s = exchange_make_sender(nic, c, now);
	if (s == NULL) { // tries again
		packet_memory_note_lack();
		c->handing = true;
		nic_set_timer(nic, &c->timer, now + RETRY_PS);
		cursor_review(nic, c, now);
		return NULL;
	}
	next_message(c);
	if (x->live == x->peers)
		exchange_review(nic, x, now);
	else
		cursor_review(nic, c, now);
	return sender_make(nic, s, now);
}

// ---- messages that arrive -----------------------------------------------------------------------

static void
count_turns(struct exchange *x)
{
	const uint32_t ranks = x->plan->ranks;

	while (x->in_turn + 1 < ranks) {
		uint32_t turn = x->in_turn + 1;
		uint32_t from = x->rank >= turn ? x->rank - turn : x->rank + ranks - turn;

		if (!exchange_has(x, x->inbox->complete, from))
			return;
		x->in_turn = turn;
	}
}

static uint32_t
next_time(struct exchange_part *part)
{
	struct exchange *x = container_of(part, struct exchange, base);
	uint64_t now = x->inbox->complete;

	memset(x->arrived[~now & 1], 0, (x->plan->ranks + 63) / 64 * sizeof(uint64_t));
	x->missing[~now & 1] = x->plan->ranks - 1;
	x->in_turn = 0;
	count_turns(x);
	return x->missing[now & 1];
}

static void
arrived(struct nic *nic, struct exchange_part *part, uint32_t from, uint64_t count, ps_t now)
{
	struct exchange *x = container_of(part, struct exchange, base);
	uint32_t before = x->in_turn;

	if (count > x->inbox->complete + 1)
		return; // no rank sends it: forged
	x->arrived[count & 1][from / 64] |= UINT64_C(1) << from % 64;
	x->missing[count & 1]--;
	if (count != x->inbox->complete)
		return;
	if (x->plan->in_turns)
		count_turns(x);
	if (--x->inbox->pending == 0)
		program_inbox_advance(nic, x->inbox, now);
	else if (x->in_turn != before)
		exchange_review(nic, x, now);
}

static void
review(struct nic *nic, struct exchange_part *part, ps_t now)
{
	exchange_review(nic, container_of(part, struct exchange, base), now);
}

const struct exchange_part_ops exchange_ops = {
	.review = review,
	.arrived = arrived,
	.next_time = next_time,
};

// The part of another rank of this host in the same exchange.
static struct exchange *
find_rank(const struct nic *nic, const struct nic_exchange_plan *plan, uint32_t rank)
{
	struct exchange *x = nic->cold->exchanges->first;

	while (x->plan != plan || x->rank != rank)
		x = x->following;
	return x;
}

static void
bring_inside(struct nic *nic, struct exchange_cursor *c, ps_t now)
{
	struct exchange *x = c->exchange,
			*to = find_rank(nic, x->plan, exchange_rank_in_turn(x, c->turn));

	next_message(c);
	x->part->acked++;
	x->part->program->sends_left--;
	arrived(nic, &to->base, x->rank, exchange_count(to, x->rank), now);
}

void
exchange_handed_over(struct nic *nic, struct timer *timer, ps_t now)
{
	struct exchange_cursor *c = container_of(timer, struct exchange_cursor, timer);

	c->handing = false;
	c->handed = true;
	if (c->port != CURSOR_INSIDE) {
		cursor_review(nic, c, now);
		return;
	}
	while (cursor_ready(nic, c, now))
		bring_inside(nic, c, now);
	program_proceed(nic, c->exchange->part, now);
}
