// SPDX-License-Identifier: BSD-3-Clause
// One end of a BFD session, with time set by hand.
#pragma once

#include "control/io/bfd/bfd_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000
#define US 300000u // both intervals of both ends, unless a test says otherwise

struct end {
	struct bfd_session s;
	struct random random;
	int64_t now;
};

static const struct bfd_settings usual = {
	.local_discr = 7, .min_tx_us = US, .min_rx_us = US, .detect_mult = 3};

static inline void
open_end(struct end *e, const struct bfd_settings *settings)
{
	*e = (struct end){.random = random_stream(1, 2), .now = 5000 * MS};
	bfd_session_start(&e->s, settings, &e->random, e->now);
}

static inline struct bfd_packet
said(enum bfd_state state)
{
	return (struct bfd_packet){
		.state = state,
		.detect_mult = 3,
		.my_discr = 9,
		.your_discr = state == BFD_DOWN || state == BFD_ADMIN_DOWN ? 0 : 7,
		.desired_min_tx_us = US,
		.required_min_rx_us = US,
	};
}

static inline void
hear(struct end *e, enum bfd_state state)
{
	const struct bfd_packet packet = said(state);

	bfd_session_receive(&e->s, &packet, e->now);
}

// Sends what is due now; fails if nothing is.
static inline struct bfd_packet
sends(struct end *e)
{
	struct bfd_packet out;

	assert_true(bfd_session_send_at(&e->s) <= e->now);
	bfd_session_send(&e->s, e->now, &out);
	return out;
}

static inline bool
is_silent(const struct end *e)
{
	return bfd_session_send_at(&e->s) > e->now;
}

static inline void
bring_up(struct end *e, const struct bfd_settings *settings)
{
	open_end(e, settings);
	hear(e, BFD_DOWN);
	hear(e, BFD_UP);
	assert_int_equal(e->s.state, BFD_UP);
}

// The same, and the far end has confirmed the intervals.
static inline void
settle(struct end *e, const struct bfd_settings *settings)
{
	struct bfd_packet final = said(BFD_UP);

	bring_up(e, settings);
	assert_true(sends(e).poll);
	final.final = true;
	bfd_session_receive(&e->s, &final, e->now);
	assert_false(e->s.polling);
}
