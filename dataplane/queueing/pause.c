// SPDX-License-Identifier: BSD-3-Clause
#include "pause.h"

// The queue's pause is the longest of its priorities' and the link's.
static void
pause_update_queue(struct port *p, const struct tables *t, unsigned int tc, ps_t now)
{
	ps_t until = p->pause_until[PAUSE_LINK];
	uint8_t bit = (uint8_t)(1u << tc);

	for (unsigned int bits = t->tc_priorities[tc]; bits != 0; bits &= bits - 1) {
		ps_t at = p->pause_until[__builtin_ctz(bits)];

		until = at > until ? at : until;
	}
	p->queue_paused_until[tc] = until;
	if (until > now && !(p->stormed & bit)) {
		p->paused |= bit;
		pause_clock_open(&p->queue_cold[tc].held, now);
	} else {
		p->paused &= (uint8_t)~bit;
		pause_clock_close(&p->queue_cold[tc].held, now);
	}
}

void
pause_expire(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int i = 0; i < PAUSES; i++)
		if (p->pause_until[i] <= now)
			pause_clock_close(&p->rx_pause[i], p->pause_until[i]);
	for (unsigned int bits = p->paused; bits != 0; bits &= bits - 1) {
		unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (p->queue_paused_until[tc] > now)
			continue;
		p->paused &= (uint8_t) ~(1u << tc);
		pause_clock_close(&p->queue_cold[tc].held, p->queue_paused_until[tc]);
	}
	pause_update_held(n, p);
}

// Queues that were resumed, or paused for another time, are handled among this instant's
// departures.
static void
pause_rearm(struct node *n, struct port *p, ps_t now)
{
	if (p->nonempty != 0)
		node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
	else if (p->pfc_head == NULL && !llr_replays(p))
		node_arm_send(n, p, pause_resume_at(p));
}

static void
pause_update_queues(struct node *n, struct port *p, uint8_t queues, ps_t now)
{
	for (unsigned int bits = queues; bits != 0; bits &= bits - 1)
		pause_update_queue(p, n->current, (unsigned int)__builtin_ctz(bits), now);
	pause_update_held(n, p);
	if (queues != 0)
		pause_rearm(n, p, now);
}

// A frame's word for a priority, or for the link.
static void
pause_set(struct port *p, unsigned int which, uint16_t quanta, uint8_t queues, ps_t now)
{
	ps_t length = time_of_bytes(p->profile->quantum_time, quanta);

	p->pause_until[which] = now + length;
	p->pauses_met |= (uint16_t)(1u << which);
	if (length != 0)
		pause_clock_open(&p->rx_pause[which], now);
	else
		pause_clock_close(&p->rx_pause[which], now);
	for (unsigned int bits = quanta != 0 ? queues : 0; bits != 0; bits &= bits - 1)
		p->queue_cold[__builtin_ctz(bits)].last_xoff = now;
}

void
pause_receive(struct node *n, struct port *p, uint8_t priorities, const uint16_t quanta[PRIORITIES],
	      ps_t now)
{
	uint8_t queues = 0;

	if (!p->up)
		return;
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1)
		p->pfc_rx[__builtin_ctz(bits)]++;
	pause_expire(n, p, now);
	for (unsigned int bits = priorities & pause_obeyed(p); bits != 0; bits &= bits - 1) {
		unsigned int priority = (unsigned int)__builtin_ctz(bits);
		uint8_t queue = (uint8_t)(1u << n->current->priority_to_tc[priority]);

		pause_set(p, priority, quanta[priority], queue, now);
		queues |= queue;
	}
	pause_update_queues(n, p, queues, now);
}

void
pause_receive_link(struct node *n, struct port *p, uint16_t quanta, ps_t now)
{
	if (!p->up)
		return;
	p->pause_rx++;
	if (!p->profile->link_pause)
		return;
	pause_expire(n, p, now);
	pause_set(p, PAUSE_LINK, quanta, 0xff, now);
	pause_update_queues(n, p, 0xff, now);
}

void
pause_reconsider(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	pause_expire(n, p, now);
	pause_update_queues(n, p, (uint8_t)(1u << tc), now);
}

static void
pause_end(struct port *p, unsigned int which, ps_t now)
{
	p->pause_until[which] = 0;
	pause_clock_close(&p->rx_pause[which], now);
}

void
pause_clear(struct node *n, struct port *p, ps_t now)
{
	pause_expire(n, p, now);
	for (unsigned int i = 0; i < PAUSES; i++)
		pause_end(p, i, now);
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		p->queue_paused_until[tc] = 0;
		pause_clock_close(&p->queue_cold[tc].held, now);
	}
	p->paused = 0;
	pause_update_held(n, p);
	pause_rearm(n, p, now);
}

// A pause of one kind goes on as one of the other.
static void
pause_continue(struct port *p, unsigned int from, unsigned int to, ps_t now)
{
	if (p->pause_until[from] <= now || p->pause_until[from] <= p->pause_until[to])
		return;
	p->pause_until[to] = p->pause_until[from];
	p->pauses_met |= (uint16_t)(1u << to);
	pause_clock_open(&p->rx_pause[to], now);
}

void
pause_adopt(struct node *n, struct port *p, ps_t now)
{
	uint8_t obeyed = pause_obeyed(p);

	if ((p->paused | p->stormed) == 0)
		return;
	pause_expire(n, p, now);
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		if (p->profile->link_pause)
			pause_continue(p, i, PAUSE_LINK, now);
		else if (obeyed & 1u << i)
			pause_continue(p, PAUSE_LINK, i, now);
	}
	for (unsigned int i = 0; i < PRIORITIES; i++)
		if (!(obeyed & 1u << i))
			pause_end(p, i, now);
	if (!p->profile->link_pause)
		pause_end(p, PAUSE_LINK, now);
	pause_update_queues(n, p, 0xff, now);
}
