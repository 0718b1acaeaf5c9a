// SPDX-License-Identifier: BSD-3-Clause
// A sender that may not send yet leaves its ring, and the timer brings it back at next_at; one
// whose next_at comes no later than its transmitter is free stays, because it cannot have a turn
// before. While nothing of a sender is to be sent or acknowledged its timer rests; when it starts
// again the algorithm's timers that were missed run first, each at its time, so that it finds the
// state that it would have had.
#include "pacing.h"

void
pacing_run(struct pacing *p, ps_t now)
{
	while (p->c.timer_at <= now)
		p->c.algorithm->timer(&p->c, p->c.timer_at);
}

static bool
fits_window(const struct sender *s, const struct pacing *p)
{
	uint64_t in_flight = (int32_t)(s->next - p->heard) > 0
				     ? (uint64_t)(s->next - p->heard) * s->path_mtu
				     : 0;

	return in_flight == 0 || in_flight + s->path_mtu <= p->c.window_bytes;
}

// Where the window has shrunk below what is in flight and nothing of that requested an
// acknowledgement, one packet more has to.
static bool
admits_next(const struct sender *s, const struct pacing *p)
{
	if (s->special & SENDER_RESPONDER)
		return true; // it never learns what has arrived
	return fits_window(s, p) ||
	       (p->c.algorithm->sampled != NULL && (int32_t)(p->asked - p->heard) <= 0);
}

bool
pacing_admits(struct nic *nic, struct sender *s, bool wants, ps_t now, ps_t horizon)
{
	struct pacing *p = s->cold->pacing;
	bool early;
	ps_t due;

	if (!wants && s->next == s->acked) {
		timer_stop(&p->timer);
		p->port->busy -= !p->rests;
		p->rests = true;
		return false;
	}
	if (p->rests) {
		p->rests = false;
		p->port->busy++;
		pacing_run(p, now);
	}
	// A single packet that goes again is in flight already.
	wants = wants && (s->special & SENDER_RESENDS || admits_next(s, p));
	early = wants && p->c.next_at > horizon;
	due = early ? time_min(p->c.next_at, p->c.timer_at) : p->c.timer_at;
	if (due == PS_NEVER)
		timer_stop(&p->timer);
	else
		nic_set_timer(nic, &p->timer, due);
	return wants && !early;
}

bool
pacing_times(struct sender *s, uint32_t index, bool again, ps_t now)
{
	struct pacing *p = s->cold->pacing;

	// Nothing acknowledges a response.
	if (p->c.algorithm->sampled == NULL || s->special & SENDER_RESPONDER)
		return false;
	if (!again && p->timed_at == PS_NEVER) {
		p->timed_at = now;
		p->timed = index;
	} else if (!again && fits_window(s, p)) {
		return false;
	}
	if ((int32_t)(index - p->asked) >= 0)
		p->asked = index + 1;
	return true;
}

void
pacing_resends(struct sender *s, uint32_t index)
{
	struct pacing *p = s->cold->pacing;

	if ((int32_t)(index - p->timed) <= 0)
		p->timed_at = PS_NEVER;
}

void
pacing_sent(struct sender *s, uint32_t occupancy_bytes, ps_t now)
{
	struct congestion *c = &s->cold->pacing->c;

	if (c->algorithm->sent != NULL)
		c->algorithm->sent(c, occupancy_bytes, now);
}

void
pacing_acknowledged(struct sender *s, uint32_t index, ps_t now)
{
	struct pacing *p = s->cold->pacing;
	uint32_t packets = index - p->heard;

	if ((int32_t)packets <= 0)
		return;
	p->heard = index;
	if (p->c.algorithm->acknowledged != NULL)
		p->c.algorithm->acknowledged(&p->c, (uint64_t)packets * s->path_mtu, now);
	if (p->timed_at != PS_NEVER && (int32_t)(index - p->timed) > 0) {
		ps_t rtt = now - p->timed_at;

		p->timed_at = PS_NEVER;
		p->c.algorithm->sampled(&p->c, rtt, now);
	}
}

void
pacing_notified(struct sender *s, ps_t now)
{
	struct pacing *p = s->cold->pacing;

	// One that rests hears of it too, in its time.
	pacing_run(p, now);
	if (p->c.algorithm->notified != NULL)
		p->c.algorithm->notified(&p->c, now);
}

void
pacing_lost(struct sender *s, ps_t now)
{
	struct congestion *c = &s->cold->pacing->c;

	if (c->algorithm->lost != NULL)
		c->algorithm->lost(c, now);
}
