// SPDX-License-Identifier: BSD-3-Clause
#include "pause.h"

// The queue's pause is the longest of its priorities'.
static void
pause_update_queue(struct port *p, const struct tables *t, unsigned int tc, ps_t now)
{
	ps_t until = 0;

	for (unsigned int bits = t->tc_priorities[tc]; bits != 0; bits &= bits - 1) {
		ps_t at = p->pause_until[__builtin_ctz(bits)];

		until = at > until ? at : until;
	}
	p->queue_paused_until[tc] = until;
	if (until > now)
		p->paused |= (uint8_t)(1u << tc);
	else
		p->paused &= (uint8_t)~(1u << tc);
}

void
pause_expire(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int priority = 0; priority < PRIORITIES; priority++)
		if (p->pause_until[priority] <= now)
			pause_clock_close(&p->rx_pause[priority], p->pause_until[priority]);
	for (unsigned int bits = p->paused; bits != 0; bits &= bits - 1) {
		unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (p->queue_paused_until[tc] <= now)
			p->paused &= (uint8_t)~(1u << tc);
	}
	pause_update_held(n, p);
}

// What was resumed, or paused for another time, is looked at among this instant's departures.
static void
pause_rearm(struct node *n, struct port *p, ps_t now)
{
	if (p->nonempty != 0)
		node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
	else if (p->pfc_head == NULL)
		node_arm_send(n, p, pause_resume_at(p));
}

void
pause_receive(struct node *n, struct port *p, uint8_t priorities, const uint16_t quanta[PRIORITIES],
	      ps_t now)
{
	const struct tables *t = n->current;
	uint8_t queues = 0;

	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1)
		p->pfc_rx[__builtin_ctz(bits)]++;
	pause_expire(n, p, now);
	for (unsigned int bits = priorities & p->profile->obeyed; bits != 0; bits &= bits - 1) {
		unsigned int priority = (unsigned int)__builtin_ctz(bits);
		ps_t length = time_of_bytes(p->profile->quantum_time, quanta[priority]);

		p->pause_until[priority] = now + length;
		if (length != 0)
			pause_clock_open(&p->rx_pause[priority], now);
		else
			pause_clock_close(&p->rx_pause[priority], now);
		queues |= (uint8_t)(1u << t->priority_to_tc[priority]);
	}
	for (unsigned int bits = queues; bits != 0; bits &= bits - 1)
		pause_update_queue(p, t, (unsigned int)__builtin_ctz(bits), now);
	pause_update_held(n, p);
	if (queues != 0)
		pause_rearm(n, p, now);
}

void
pause_clear(struct node *n, struct port *p, ps_t now)
{
	pause_expire(n, p, now);
	for (unsigned int priority = 0; priority < PRIORITIES; priority++) {
		p->pause_until[priority] = 0;
		pause_clock_close(&p->rx_pause[priority], now);
	}
	p->paused = 0;
	pause_update_held(n, p);
	pause_rearm(n, p, now);
}

void
pause_adopt(struct node *n, struct port *p, ps_t now)
{
	if (p->paused == 0)
		return;
	pause_expire(n, p, now);
	for (unsigned int priority = 0; priority < PRIORITIES; priority++) {
		if (p->profile->obeyed & 1u << priority)
			continue;
		p->pause_until[priority] = 0;
		pause_clock_close(&p->rx_pause[priority], now);
	}
	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		pause_update_queue(p, n->current, tc, now);
	pause_update_held(n, p);
	pause_rearm(n, p, now);
}
