// SPDX-License-Identifier: BSD-3-Clause
// A session, with time set by hand: states, timers and detection of RFC 5880.
#include "bfd_end.h"

// ---- states ------------------------------------------------------------------------------------

// Section 6.8.6, and the diagram of 6.2.
static void
test_states(void **state)
{
	static const struct {
		enum bfd_state before, received, after;
		uint8_t diag; // of a change
	} rows[] = {
		{BFD_ADMIN_DOWN, BFD_ADMIN_DOWN, BFD_ADMIN_DOWN, 0},
		{BFD_ADMIN_DOWN, BFD_DOWN, BFD_ADMIN_DOWN, 0},
		{BFD_ADMIN_DOWN, BFD_INIT, BFD_ADMIN_DOWN, 0},
		{BFD_ADMIN_DOWN, BFD_UP, BFD_ADMIN_DOWN, 0},
		{BFD_DOWN, BFD_ADMIN_DOWN, BFD_DOWN, 0},
		{BFD_DOWN, BFD_DOWN, BFD_INIT, 0},
		{BFD_DOWN, BFD_INIT, BFD_UP, 0},
		{BFD_DOWN, BFD_UP, BFD_DOWN, 0},
		{BFD_INIT, BFD_ADMIN_DOWN, BFD_DOWN, BFD_DIAG_NEIGHBOUR_DOWN},
		{BFD_INIT, BFD_DOWN, BFD_INIT, 0},
		{BFD_INIT, BFD_INIT, BFD_UP, 0},
		{BFD_INIT, BFD_UP, BFD_UP, 0},
		{BFD_UP, BFD_ADMIN_DOWN, BFD_DOWN, BFD_DIAG_NEIGHBOUR_DOWN},
		{BFD_UP, BFD_DOWN, BFD_DOWN, BFD_DIAG_NEIGHBOUR_DOWN},
		{BFD_UP, BFD_INIT, BFD_UP, 0},
		{BFD_UP, BFD_UP, BFD_UP, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bfd_settings settings = usual;
		struct end e;

		settings.shutdown = rows[i].before == BFD_ADMIN_DOWN;
		open_end(&e, &settings);
		if (rows[i].before >= BFD_INIT && !settings.shutdown)
			hear(&e, BFD_DOWN);
		if (rows[i].before == BFD_UP)
			hear(&e, BFD_INIT);
		assert_int_equal(e.s.state, rows[i].before);
		hear(&e, rows[i].received);
		assert_int_equal(e.s.state, rows[i].after);
		if (rows[i].after != rows[i].before)
			assert_int_equal(e.s.diag, rows[i].diag);
	}
}

// Two sessions that hear each other, and a packet that is due at once after each change.
static void
test_handshake(void **state)
{
	struct bfd_settings other = usual;
	struct bfd_packet packet;
	struct end a, b;

	(void)state;
	other.local_discr = 9;
	open_end(&a, &usual);
	open_end(&b, &other);
	packet = sends(&a);
	assert_int_equal(packet.state, BFD_DOWN);
	assert_int_equal(packet.my_discr, 7);
	assert_int_equal(packet.your_discr, 0);
	assert_int_equal(packet.desired_min_tx_us, BFD_SLOW_US);
	assert_int_equal(packet.required_min_rx_us, US);
	bfd_session_receive(&b.s, &packet, b.now);
	packet = sends(&b);
	assert_int_equal(packet.state, BFD_INIT);
	assert_int_equal(packet.your_discr, 7);
	bfd_session_receive(&a.s, &packet, a.now);
	packet = sends(&a);
	assert_int_equal(packet.state, BFD_UP);
	assert_true(packet.poll); // from 1 s to 300 ms
	assert_int_equal(packet.desired_min_tx_us, US);
	bfd_session_receive(&b.s, &packet, b.now);
	packet = sends(&b);
	assert_int_equal(packet.state, BFD_UP);
	assert_true(packet.final);
	assert_false(packet.poll);
	bfd_session_receive(&a.s, &packet, a.now);
	assert_false(a.s.polling);
	assert_true(is_silent(&a));
	assert_true(b.s.polling);
}

static void
test_shutdown(void **state)
{
	struct bfd_settings settings = usual;
	struct bfd_packet packet;
	struct end e;

	(void)state;
	settle(&e, &usual);
	settings.shutdown = true;
	bfd_session_change(&e.s, &settings);
	packet = sends(&e);
	assert_int_equal(packet.state, BFD_ADMIN_DOWN);
	assert_int_equal(packet.diag, BFD_DIAG_ADMIN_DOWN);
	assert_int_equal(packet.desired_min_tx_us, BFD_SLOW_US);
	// Nothing is detected, nor answered.
	assert_int_equal(bfd_session_detect_at(&e.s), BFD_NEVER);
	packet = said(BFD_UP);
	packet.poll = true;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_true(is_silent(&e));
	assert_int_equal(bfd_session_detect_at(&e.s), BFD_NEVER);
	settings.shutdown = false;
	bfd_session_change(&e.s, &settings);
	packet = sends(&e);
	assert_int_equal(packet.state, BFD_DOWN);
	assert_int_equal(packet.diag, BFD_DIAG_NONE);
	assert_int_equal(packet.your_discr, 0);
}

static void
test_passive(void **state)
{
	struct bfd_settings settings = usual;
	struct end e;

	(void)state;
	settings.passive = true;
	open_end(&e, &settings);
	assert_int_equal(bfd_session_send_at(&e.s), BFD_NEVER);
	hear(&e, BFD_DOWN);
	assert_int_equal(sends(&e).state, BFD_INIT);
}

// ---- detection ---------------------------------------------------------------------------------

static void
test_detection(void **state)
{
	struct end e;
	int64_t heard;

	(void)state;
	settle(&e, &usual);
	heard = e.now;
	assert_int_equal(bfd_session_detect_us(&e.s), 3 * US);
	assert_int_equal(bfd_session_detect_at(&e.s), heard + 3 * US);
	bfd_session_expire(&e.s, heard + 3 * US - 1);
	assert_int_equal(e.s.state, BFD_UP);
	bfd_session_expire(&e.s, heard + 3 * US);
	assert_int_equal(e.s.state, BFD_DOWN);
	assert_int_equal(e.s.diag, BFD_DIAG_EXPIRED);
	assert_int_equal(e.s.remote.discr, 0);
	assert_int_equal(bfd_session_detect_at(&e.s), BFD_NEVER);
	e.now = heard + 3 * US;
	assert_int_equal(sends(&e).diag, BFD_DIAG_EXPIRED);
	assert_int_equal(bfd_session_interval_us(&e.s), BFD_SLOW_US);
}

// The far end's multiplier, and the slower of its transmit and this end's receive interval.
static void
test_detection_time(void **state)
{
	static const struct {
		uint32_t rx_us, theirs_us;
		uint8_t mult;
		uint64_t detect_us;
	} rows[] = {
		{300000, 300000, 3, 900000},
		{300000, 500000, 3, 1500000},
		{400000, 100000, 5, 2000000},
		{10000, 10000, 1, 10000},
		{UINT32_MAX, 1, 255, 255 * (uint64_t)UINT32_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bfd_settings settings = usual;
		struct bfd_packet packet = said(BFD_DOWN);
		struct end e;

		settings.min_rx_us = rows[i].rx_us;
		settings.detect_mult = 10; // of this end: the far end's business
		open_end(&e, &settings);
		packet.detect_mult = rows[i].mult;
		packet.desired_min_tx_us = rows[i].theirs_us;
		bfd_session_receive(&e.s, &packet, e.now);
		assert_int_equal(bfd_session_detect_us(&e.s), rows[i].detect_us);
		assert_int_equal(bfd_session_detect_at(&e.s), e.now + (int64_t)rows[i].detect_us);
	}
}

// Who is down forgets the discriminator of a far end that is silent.
static void
test_forgetting(void **state)
{
	struct end e;

	(void)state;
	open_end(&e, &usual);
	hear(&e, BFD_UP);
	assert_int_equal(e.s.state, BFD_DOWN);
	assert_int_equal(e.s.remote.discr, 9);
	bfd_session_expire(&e.s, e.now + 3 * US);
	assert_int_equal(e.s.state, BFD_DOWN);
	assert_int_equal(e.s.remote.discr, 0);
	assert_int_equal(e.s.diag, BFD_DIAG_NONE);
}

// ---- sending -----------------------------------------------------------------------------------

// 75 to 100 % of the interval, all of it; up to 90 % where one lost packet ends the session.
static void
test_jitter(void **state)
{
	static const struct {
		uint8_t mult;
		int64_t least, most;
	} rows[] = {{3, 225000, 300000}, {1, 225000, 270000}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bfd_settings settings = usual;
		int64_t least = INT64_MAX, most = 0;
		struct end e;

		settings.detect_mult = rows[i].mult;
		settle(&e, &settings);
		e.now = bfd_session_send_at(&e.s);
		for (int n = 0; n < 10000; n++) {
			int64_t wait;

			(void)sends(&e);
			wait = bfd_session_send_at(&e.s) - e.now;
			assert_in_range(wait, rows[i].least, rows[i].most);
			least = wait < least ? wait : least;
			most = wait > most ? wait : most;
			e.now += wait;
		}
		assert_true(least < rows[i].least + 1000 && most > rows[i].most - 1000);
	}
}

static void
test_slow_while_down(void **state)
{
	struct end e;

	(void)state;
	open_end(&e, &usual);
	(void)sends(&e);
	assert_in_range(bfd_session_send_at(&e.s) - e.now, 750000, 1000000);
	hear(&e, BFD_DOWN); // who accepts packets every 300 ms
	(void)sends(&e);
	assert_in_range(bfd_session_send_at(&e.s) - e.now, 750000, 1000000);
}

// The interval is the slower of this end's transmit and the far end's receive interval.
static void
test_interval(void **state)
{
	struct bfd_packet packet = said(BFD_UP);
	struct end e;

	(void)state;
	settle(&e, &usual);
	packet.required_min_rx_us = 2000000;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_int_equal(bfd_session_interval_us(&e.s), 2000000);
	e.now = bfd_session_send_at(&e.s);
	(void)sends(&e);
	assert_in_range(bfd_session_send_at(&e.s) - e.now, 1500000, 2000000);
	// A shorter one counts from the last packet.
	e.now += 400 * MS;
	packet.required_min_rx_us = 100000;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_false(is_silent(&e));
	assert_int_equal(bfd_session_interval_us(&e.s), US);
	// The far end wants none.
	packet.required_min_rx_us = 0;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_int_equal(bfd_session_send_at(&e.s), BFD_NEVER);
}

// A far end in demand mode gets no periodic packets while both are up, but answers to its polls.
static void
test_remote_demand(void **state)
{
	struct bfd_packet packet = said(BFD_UP);
	struct end e;

	(void)state;
	settle(&e, &usual);
	packet.demand = true;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_int_equal(bfd_session_send_at(&e.s), BFD_NEVER);
	packet.poll = true;
	bfd_session_receive(&e.s, &packet, e.now);
	assert_true(sends(&e).final);
	assert_int_equal(bfd_session_send_at(&e.s), BFD_NEVER);
	bfd_session_expire(&e.s, bfd_session_detect_at(&e.s));
	assert_int_equal(sends(&e).state, BFD_DOWN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),          cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_shutdown),        cmocka_unit_test(test_passive),
		cmocka_unit_test(test_detection),       cmocka_unit_test(test_detection_time),
		cmocka_unit_test(test_forgetting),      cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_slow_while_down), cmocka_unit_test(test_interval),
		cmocka_unit_test(test_remote_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
