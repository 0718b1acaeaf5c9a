// SPDX-License-Identifier: BSD-3-Clause
// Which queue of a port sends next: strict classes first, the highest number first, then deficit round
// robin by bytes among the rest (Shreedhar, Varghese: Efficient Fair Queuing using Deficit Round Robin,
// SIGCOMM 1995). A queue that empties loses what is left of its turn, so a deficit is never saved up.
#pragma once

#include "../port.h"

// `eligible`: bit per queue that is not empty and may send; not 0. Returns the queue to take from.
static inline unsigned int
scheduler_pick(struct port *p, unsigned int eligible)
{
	const struct port_profile *profile = p->profile;
	unsigned int strict = eligible & profile->strict;

	if (strict != 0)
		return 31 - (unsigned int)__builtin_clz(strict);
	if ((eligible & (eligible - 1)) == 0)
		return (unsigned int)__builtin_ctz(eligible);
	for (;;) {
		unsigned int tc = p->dwrr_tc;
		unsigned int after;
		struct queue *q = &p->queues[tc];

		if (eligible & 1u << tc) {
			uint32_t bytes = packet_meta(q->head)->wire_bytes;

			if (q->deficit >= bytes) {
				q->deficit -= bytes;
				return tc;
			}
		}
		after = eligible & ~((2u << tc) - 1);
		tc = (unsigned int)__builtin_ctz(after != 0 ? after : eligible);
		p->dwrr_tc = (uint8_t)tc;
		p->queues[tc].deficit += profile->tc[tc].quantum;
	}
}

// Called when a queue has just become empty.
static inline void
scheduler_emptied(struct queue *q)
{
	q->deficit = 0;
}
