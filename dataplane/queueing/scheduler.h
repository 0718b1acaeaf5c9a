// SPDX-License-Identifier: BSD-3-Clause
// Which queue of a port sends next: strict classes first, the highest number first, then deficit
// round robin by bytes among the rest (Shreedhar, Varghese: Efficient Fair Queuing using Deficit
// Round Robin, SIGCOMM 1995). A queue that empties loses what is left of its turn. One that may not
// send for a while (it is paused, frozen, or a rate holds it) keeps it, and while that is worth a
// quantum and covers its packet, its next turn gives it no more. So a deficit is never saved up: it
// is less than two quanta, or than a packet and a quantum.
//
// Queues that are behind a rate they are promised (shaper.h) come before all of this, the highest
// number first.
#pragma once

#include "dataplane/base/port.h"

static inline unsigned int
scheduler_highest(unsigned int queues)
{
	return 31 - (unsigned int)__builtin_clz(queues);
}

// What is left of a turn that was not cut short is less than the packet that ended it, and less
// than a quantum even when that packet has since left by other ways than a turn.
static inline void
scheduler_begin_turn(struct queue *q, uint32_t quantum)
{
	if (q->deficit < quantum || q->deficit < packet_meta(q->head)->wire_bytes)
		q->deficit += quantum;
}

// `eligible`: bit per queue that is not empty and may send; not 0. Returns the queue to take from.
// *by_turn: what its packet has in bytes is to be taken from its deficit, should it be sent.
static inline unsigned int
scheduler_choose(struct port *p, unsigned int eligible, bool *by_turn)
{
	const struct port_profile *profile = p->profile;
	unsigned int strict = eligible & profile->strict;

	*by_turn = false;
	if (strict != 0)
		return scheduler_highest(strict);
	if ((eligible & (eligible - 1)) == 0)
		return (unsigned int)__builtin_ctz(eligible);
	*by_turn = true;
	for (;;) {
		unsigned int tc = p->dwrr_tc;
		unsigned int after;
		const struct queue *q = &p->queues[tc];

		if (eligible & 1u << tc && q->deficit >= packet_meta(q->head)->wire_bytes)
			return tc;
		after = eligible & ~((2u << tc) - 1);
		tc = (unsigned int)__builtin_ctz(after != 0 ? after : eligible);
		p->dwrr_tc = (uint8_t)tc;
		scheduler_begin_turn(&p->queues[tc], profile->tc[tc].quantum);
	}
}

// scheduler_choose() of a packet that will be sent whatever it is.
static inline unsigned int
scheduler_pick(struct port *p, unsigned int eligible)
{
	bool by_turn;
	unsigned int tc = scheduler_choose(p, eligible, &by_turn);

	if (by_turn)
		p->queues[tc].deficit -= packet_meta(p->queues[tc].head)->wire_bytes;
	return tc;
}

// Called when a queue has just become empty.
static inline void
scheduler_emptied(struct queue *q)
{
	q->deficit = 0;
}
