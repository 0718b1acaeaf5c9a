// SPDX-License-Identifier: BSD-3-Clause
// A rate is kept as an instant: `until`, at which all bytes sent so far would have left had they
// left at the rate. A packet that begins at t moves it on by its own time, from where it was or
// from t - burst, whichever is later: what was not used may be made up for, but no further back
// than a burst, the time of one largest frame. This is a token bucket that holds one largest frame
// and may go into debt by the packet that it lets pass, without a token ever being added.
//
// A maximum rate (of a queue or, for all its queues, of the port) holds while now < until: a bit of
// port->shaped says so. Bits are set when a packet begins and cleared by the first check after the
// time has come; a port that only its rates hold back has a departure armed at the earliest of
// those times.
//
// A minimum rate is behind while until <= now: then its queue goes before strict classes and DWRR.
// What a queue sends beyond its promise must not count against it for ever, so its debt is at most
// a burst; what goes by the promise takes nothing from the queue's DWRR turn.
//
// Bytes are those that DWRR and the counters count: the frame without FCS. PFC frames are held by
// no rate, and none counts them.
#include "shaper.h"

void
shaper_expire(struct port *p, ps_t now)
{
	uint8_t shaped = 0;

	if (p->shaped_until > now) {
		p->shaped = 0xff;
		return;
	}
	for (unsigned int bits = p->profile->max_rated; bits != 0; bits &= bits - 1) {
		unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (p->queue_cold[tc].shaped_until > now)
			shaped |= (uint8_t)(1u << tc);
	}
	p->shaped = shaped;
}

ps_t
shaper_resume_at(const struct port *p)
{
	ps_t first = PS_NEVER, at;

	for (unsigned int bits = p->nonempty & p->shaped & ~(unsigned int)(p->paused | p->tx_off);
	     bits != 0; bits &= bits - 1)
		first = time_min(first, p->queue_cold[__builtin_ctz(bits)].shaped_until);
	if (first == PS_NEVER)
		return PS_NEVER;
	at = first > p->shaped_until ? first : p->shaped_until;
	return at > p->tx_free ? at : p->tx_free;
}

// An instant that another rate has set, made one that this rate could have.
static ps_t
bounded(ps_t until, const struct rate_profile *rate, ps_t now)
{
	return rate->byte_time == 0 ? 0 : time_min(until, now + rate->burst);
}

void
shaper_adopt(struct node *n, struct port *p, ps_t now)
{
	const struct port_profile *profile = p->profile;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct queue_cold *cold = &p->queue_cold[tc];

		cold->shaped_until = bounded(cold->shaped_until, &profile->tc[tc].max_rate, now);
		cold->promised_at = bounded(cold->promised_at, &profile->tc[tc].min_rate, now);
	}
	p->shaped_until = bounded(p->shaped_until, &profile->max_rate, now);
	p->rated = profile->max_rate.byte_time != 0 ? 0xff
						    : profile->min_rated | profile->max_rated;
	if (p->shaped == 0)
		return;
	shaper_expire(p, now);
	if (p->nonempty != 0)
		node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
}
