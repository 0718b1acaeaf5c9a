// SPDX-License-Identifier: BSD-3-Clause
// Rates in time: the most that a queue or a port may send, and the least that a queue is promised.
// See shaper.c.
#pragma once

#include "dataplane/base/node.h"

// Until when a rate holds what follows a packet of `bytes` (the frame without FCS) that begins at
// `now`; `until`: what it was before.
static inline ps_t
shaper_after(ps_t until, const struct rate_profile *rate, uint32_t bytes, ps_t now)
{
	ps_t earliest = now > rate->burst ? now - rate->burst : 0;

	return (until > earliest ? until : earliest) + time_of_bytes(rate->byte_time, bytes);
}

// A packet of `bytes` began to leave at `now` by a queue that some rate counts (port->rated). Sets
// the bits of port->shaped that follow.
static inline void
shaper_note_sent(struct port *p, unsigned int tc, uint32_t bytes, ps_t now)
{
	const struct port_profile *profile = p->profile;
	const struct rate_profile *rate = &profile->tc[tc].max_rate;
	struct queue_cold *cold = &p->queue_cold[tc];

	if (rate->byte_time != 0) {
		cold->shaped_until = shaper_after(cold->shaped_until, rate, bytes, now);
		if (cold->shaped_until > now)
			p->shaped |= (uint8_t)(1u << tc);
	}
	rate = &profile->tc[tc].min_rate;
	if (rate->byte_time != 0)
		cold->promised_at = time_min(shaper_after(cold->promised_at, rate, bytes, now),
					     now + rate->burst);
	rate = &profile->max_rate;
	if (rate->byte_time != 0) {
		p->shaped_until = shaper_after(p->shaped_until, rate, bytes, now);
		if (p->shaped_until > now)
			p->shaped = 0xff;
	}
}

// Recomputes port->shaped: the queues that a rate holds at `now`.
void shaper_expire(struct port *p, ps_t now);

// When the first queue in which something waits, and which nothing but a rate holds, may send:
// never before the transmitter is free. PS_NEVER: there is none.
ps_t shaper_resume_at(const struct port *p);

// The queues of `eligible` that are promised a rate and are behind it at `now`.
static inline unsigned int
shaper_behind(const struct port *p, unsigned int eligible, ps_t now)
{
	unsigned int behind = 0;

	for (unsigned int bits = eligible & p->profile->min_rated; bits != 0; bits &= bits - 1) {
		unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (p->queue_cold[tc].promised_at <= now)
			behind |= 1u << tc;
	}
	return behind;
}

// New tables are in force from `now` on: what rates hold follows the new ones, and a port with
// something to send looks again.
void shaper_adopt(struct node *n, struct port *p, ps_t now);
