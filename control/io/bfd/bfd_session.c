// SPDX-License-Identifier: BSD-3-Clause
// The caller passes on received packets, calls bfd_session_expire() when the detection time has
// ended and bfd_session_send() when a packet is due. It compares `state` and `remote` before and
// after to see what has changed. All section numbers are of RFC 5880.
//
// Packets announce two intervals, and both ends compute from them how often packets are sent and
// how long none may be missing. The end that changes one polls: it sets the Poll bit until the far
// end has answered with Final. Until then a slower transmit interval and a shorter detection time
// are not in force, because the far end does not know of them. While a session is not up, nothing
// is detected, so everything is in force at once.
#include "bfd_session.h"

#define BFD_JITTER 4 // up to 1/4 of the interval is taken off

uint64_t
bfd_session_interval_us(const struct bfd_session *s)
{
	return s->tx_us > s->remote.required_min_rx_us ? s->tx_us : s->remote.required_min_rx_us;
}

uint64_t
bfd_session_detect_us(const struct bfd_session *s)
{
	const uint32_t theirs = s->remote.desired_min_tx_us;

	return (uint64_t)s->remote.detect_mult * (s->rx_us > theirs ? s->rx_us : theirs);
}

// The interval with jitter (6.8.7): 75 to 100 % of it; up to 90 % where one lost packet is enough.
static int64_t
draw_interval_us(struct bfd_session *s)
{
	const uint32_t interval = (uint32_t)bfd_session_interval_us(s);
	const uint32_t min = interval - interval / BFD_JITTER;
	const uint32_t max = s->settings.detect_mult == 1 ? interval - (interval + 9) / 10
							  : interval;

	return max > min ? (int64_t)min + random_below(s->random, max - min + 1) : min;
}

// A shorter interval counts from the last packet (6.8.3); a longer one from the next.
static void
shorten_wait(struct bfd_session *s, uint64_t before_us)
{
	int64_t next;

	if (bfd_session_interval_us(s) >= before_us)
		return;
	next = s->sent_us + draw_interval_us(s);
	if (next < s->next_us)
		s->next_us = next;
}

// ---- announced intervals -----------------------------------------------------------------------

static void
put_in_force(struct bfd_session *s, bool confirmed)
{
	const uint64_t before = bfd_session_interval_us(s);

	if (confirmed || s->state != BFD_UP || s->desired_min_tx_us < s->tx_us)
		s->tx_us = s->desired_min_tx_us;
	if (confirmed || s->state != BFD_UP || s->required_min_rx_us > s->rx_us)
		s->rx_us = s->required_min_rx_us;
	shorten_wait(s, before);
}

static void
announce(struct bfd_session *s)
{
	uint32_t tx = s->settings.min_tx_us;

	if (s->state != BFD_UP && tx < BFD_SLOW_US)
		tx = BFD_SLOW_US;
	if (tx == s->desired_min_tx_us && s->settings.min_rx_us == s->required_min_rx_us)
		return;
	s->desired_min_tx_us = tx;
	s->required_min_rx_us = s->settings.min_rx_us;
	s->send_now = true;
	// Nobody answers as long as the far end is unknown.
	if (s->polling && s->polled)
		s->poll_again = true;
	s->polling = s->remote.discr != 0;
	put_in_force(s, false);
}

static void
end_poll(struct bfd_session *s)
{
	s->polled = false;
	if (s->poll_again) {
		s->poll_again = false;
		return;
	}
	s->polling = false;
	put_in_force(s, true);
}

// ---- states ------------------------------------------------------------------------------------

static void
set_state(struct bfd_session *s, enum bfd_state state, uint8_t diag)
{
	s->state = state;
	s->diag = diag;
	s->send_now = true;
	announce(s);
	put_in_force(s, false);
}

void
bfd_session_start(struct bfd_session *s, const struct bfd_settings *settings, struct random *random,
		  int64_t now)
{
	*s = (struct bfd_session){
		.settings = *settings,
		.random = random,
		.remote = {.state = BFD_DOWN, .required_min_rx_us = 1},
		.sent_us = now,
		.next_us = now,
	};
	set_state(s, settings->shutdown ? BFD_ADMIN_DOWN : BFD_DOWN,
		  settings->shutdown ? BFD_DIAG_ADMIN_DOWN : BFD_DIAG_NONE);
	s->send_now = false;
}

void
bfd_session_change(struct bfd_session *s, const struct bfd_settings *settings)
{
	const uint32_t discr = s->settings.local_discr;
	const bool shutdown = settings->shutdown;

	if (s->settings.detect_mult != settings->detect_mult || s->settings.cpi != settings->cpi)
		s->send_now = true;
	s->settings = *settings;
	s->settings.local_discr = discr;
	if (shutdown && s->state != BFD_ADMIN_DOWN) {
		s->heard = false; // what arrives is discarded
		set_state(s, BFD_ADMIN_DOWN, BFD_DIAG_ADMIN_DOWN);
	} else if (!shutdown && s->state == BFD_ADMIN_DOWN) {
		s->remote.discr = 0; // it may have changed unnoticed
		set_state(s, BFD_DOWN, BFD_DIAG_NONE);
	} else {
		announce(s);
	}
}

// 6.8.6: what a state of the far end does to that of this one.
static void
follow(struct bfd_session *s, enum bfd_state theirs)
{
	if (theirs == BFD_ADMIN_DOWN) {
		if (s->state != BFD_DOWN)
			set_state(s, BFD_DOWN, BFD_DIAG_NEIGHBOUR_DOWN);
	} else if (s->state == BFD_DOWN) {
		if (theirs == BFD_DOWN)
			set_state(s, BFD_INIT, s->diag);
		else if (theirs == BFD_INIT)
			set_state(s, BFD_UP, BFD_DIAG_NONE);
	} else if (s->state == BFD_INIT) {
		if (theirs == BFD_INIT || theirs == BFD_UP)
			set_state(s, BFD_UP, BFD_DIAG_NONE);
	} else if (theirs == BFD_DOWN) {
		set_state(s, BFD_DOWN, BFD_DIAG_NEIGHBOUR_DOWN);
	}
}

void
bfd_session_receive(struct bfd_session *s, const struct bfd_packet *p, int64_t now)
{
	const uint64_t before = bfd_session_interval_us(s);

	s->remote = (struct bfd_remote){
		.discr = p->my_discr,
		.state = p->state,
		.diag = p->diag,
		.detect_mult = p->detect_mult,
		.demand = p->demand,
		.cpi = p->cpi,
		.desired_min_tx_us = p->desired_min_tx_us,
		.required_min_rx_us = p->required_min_rx_us,
		.required_min_echo_rx_us = p->required_min_echo_rx_us,
	};
	if (s->polling && s->polled && p->final)
		end_poll(s);
	shorten_wait(s, before);
	if (s->state == BFD_ADMIN_DOWN)
		return;
	follow(s, p->state);
	s->final_due |= p->poll;
	s->heard = true;
	s->heard_us = now;
}

int64_t
bfd_session_detect_at(const struct bfd_session *s)
{
	return s->heard ? s->heard_us + (int64_t)bfd_session_detect_us(s) : BFD_NEVER;
}

// 6.8.1, bfd.RemoteDiscr; 6.8.4.
void
bfd_session_expire(struct bfd_session *s, int64_t now)
{
	if (now < bfd_session_detect_at(s))
		return;
	s->heard = false;
	s->final_due = false;
	s->polling = s->polled = s->poll_again = false;
	s->remote.discr = 0;
	s->remote.demand = false;
	s->remote.required_min_rx_us = 1;
	if (s->state == BFD_INIT || s->state == BFD_UP)
		set_state(s, BFD_DOWN, BFD_DIAG_EXPIRED);
}

// ---- sending -----------------------------------------------------------------------------------

// 6.8.7.
static bool
sends_periodically(const struct bfd_session *s)
{
	if (s->settings.passive && s->remote.discr == 0)
		return false;
	if (s->remote.demand && s->state == BFD_UP && s->remote.state == BFD_UP && !s->polling)
		return false;
	return s->remote.required_min_rx_us != 0;
}

int64_t
bfd_session_send_at(const struct bfd_session *s)
{
	if (s->final_due)
		return s->sent_us;
	if (!sends_periodically(s))
		return BFD_NEVER;
	return s->send_now ? s->sent_us : s->next_us;
}

void
bfd_session_send(struct bfd_session *s, int64_t now, struct bfd_packet *out)
{
	*out = (struct bfd_packet){
		.state = s->state,
		.diag = s->diag,
		.poll = s->polling && !s->final_due,
		.final = s->final_due,
		.cpi = s->settings.cpi,
		.detect_mult = s->settings.detect_mult,
		.my_discr = s->settings.local_discr,
		.your_discr = s->remote.discr,
		.desired_min_tx_us = s->desired_min_tx_us,
		.required_min_rx_us = s->required_min_rx_us,
	};
	s->polled |= out->poll;
	s->send_now = false;
	if (s->final_due) {
		s->final_due = false; // between two periodic packets, or instead of none
		return;
	}
	s->sent_us = now;
	s->next_us = now + draw_interval_us(s);
}
