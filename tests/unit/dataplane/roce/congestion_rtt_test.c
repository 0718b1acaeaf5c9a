// SPDX-License-Identifier: BSD-3-Clause
// Swift's window against values worked out by hand. The line has 100G, the path's round trip is
// 8 us, and 100 packets of 1000 B fill it. a / sqrt(window) + b adds 30 us to the target at a
// quarter of a packet and nothing at 4, so a is 20 us and b -10 us.
#include "dataplane/roce/congestion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define US PS_PER_US

static const struct rtt_parameters usual = {
	.queue_target = 20 * US,
	.scaling_range = 30 * US,
	.scaling_min = 0.25,
	.scaling_max = 4,
	.increase = 1,
	.decrease = 0.8,
	.max_decrease = 0.5,
	.min_packets = 0.125,
};

static void
start(struct congestion *c, const struct rtt_parameters *parameters, const uint32_t *busy)
{
	const struct congestion_path path = {.byte_time = time_byte_time(100000000000),
					     .path_mtu = 1000,
					     .base_rtt = 8 * US,
					     .bdp_bytes = 100000,
					     .busy = busy};

	congestion_start(c, &congestion_rtt, &path, parameters);
}

// So many packets are acknowledged, and one of them after `rtt`.
static void
sample(struct congestion *c, unsigned int packets, ps_t rtt, ps_t now)
{
	congestion_rtt.acknowledged(c, packets * UINT64_C(1000), now);
	congestion_rtt.sampled(c, rtt, now);
}

// The window, by what follows from it: whole packets in flight, and the time between starts.
static void
expect(struct congestion *c, double window, ps_t rtt, ps_t now)
{
	double gap = (double)rtt / window;

	assert_int_equal(c->window_bytes, (uint64_t)ceil(window) * 1000);
	c->next_at = now;
	congestion_rtt.sent(c, 1082, now);
	if (gap <= 1000 * 80)
		assert_int_equal(c->next_at, now);
	else
		assert_in_range(c->next_at, now + (ps_t)gap - 1, now + (ps_t)gap + 1);
}

static void
test_starts_with_what_fills_the_path(void **state)
{
	struct congestion_reading r;
	struct congestion c;

	(void)state;
	start(&c, &usual, NULL);
	assert_int_equal(c.timer_at, PS_NEVER);
	expect(&c, 100, 0, 0);
	congestion_rtt.read(&c, 0, &r);
	assert_true(r.rate_bps == 100e9 && r.target_bps == 100e9 && r.alpha == 0);
	// Alone at 8 us it is not paced, grows by a packet a round trip, and stops at what the
	// line carries in 8 + 20 + 30 us.
	sample(&c, 100, 8 * US, 8 * US);
	expect(&c, 101, 8 * US, 8 * US);
	for (unsigned int i = 0; i < 2000; i++)
		sample(&c, 1000, 8 * US, (9 + i) * US);
	expect(&c, 725, 8 * US, PS_PER_S);
}

// Of 50 queue pairs that share the port each begins with a fiftieth of that; only at first.
static void
test_queue_pairs_share_the_start(void **state)
{
	uint32_t busy = 50;
	struct congestion_reading r;
	struct congestion c;

	(void)state;
	start(&c, &usual, &busy);
	sample(&c, 1, 20 * US, 20 * US); // 2 packets, and half a packet for one of them
	expect(&c, 2.5, 20 * US, 20 * US);
	congestion_rtt.read(&c, 20 * US, &r);
	assert_true(r.rate_bps == 1e9); // 1000 B in 8 us
	busy = 1000;
	sample(&c, 2, 20 * US, 40 * US);
	expect(&c, 2.5 + 2 / 2.5, 20 * US, 40 * US);
}

static void
test_below_and_above_the_target(void **state)
{
	uint32_t busy = 25;
	double window = 4;
	struct congestion c;

	(void)state;
	start(&c, &usual, &busy);
	// From 4 packets on the target is 28 us.
	sample(&c, 4, 28 * US - 1, 30 * US);
	window += 1;
	expect(&c, window, 28 * US - 1, 30 * US);
	sample(&c, 5, 28 * US, 60 * US); // at the target: not above, not below
	expect(&c, window, 28 * US, 60 * US);
	sample(&c, 5, 35 * US, 100 * US); // a fifth above, of which beta is four fifths
	window *= 1 - 0.8 * 7 / 35;
	expect(&c, window, 35 * US, 100 * US);
	sample(&c, 5, 400 * US, 500 * US); // at most a half
	window *= 0.5;
	expect(&c, window, 400 * US, 500 * US);
	// Now 2.1 packets: 20 / sqrt(2.1) - 10 us more.
	assert_true(window > 2.09 && window < 2.11);
	sample(&c, 2, 31 * US, 600 * US);
	window += 2 / window;
	expect(&c, window, 31 * US, 600 * US);
	sample(&c, 2, 31 * US, 700 * US); // 3.05 packets: 1.45 us more
	window *= 1 - 0.8 * (31 - (28 + 20 / sqrt(window) - 10)) / 31;
	expect(&c, window, 31 * US, 700 * US);
}

// Below one packet the window is what is sent in a round trip, and grows by `increase` a packet.
static void
test_less_than_a_packet(void **state)
{
	struct rtt_parameters p = usual;
	uint32_t busy = 200;
	struct congestion c;

	(void)state;
	p.increase = 0.25;
	start(&c, &p, &busy);
	sample(&c, 1, 20 * US, 20 * US);
	expect(&c, 0.75, 20 * US, 20 * US);
	// 20 / sqrt(0.75) - 10 = 13.1 us more than 28.
	sample(&c, 1, 41 * US, 70 * US);
	expect(&c, 1, 41 * US, 70 * US);
	sample(&c, 1, 200 * US, 300 * US);
	expect(&c, 0.5, 200 * US, 300 * US);
	// However small, the range is all that is added, and there is a smallest window.
	for (unsigned int i = 1; i < 10; i++)
		sample(&c, 1, 200 * US, (300 + 400 * i) * US);
	expect(&c, 0.125, 200 * US, 4000 * US);
	sample(&c, 1, 58 * US, 5000 * US);
	expect(&c, 0.125, 58 * US, 5000 * US);
	sample(&c, 1, 58 * US - 1, 6000 * US);
	expect(&c, 0.375, 58 * US - 1, 6000 * US);
}

static void
test_losses_once_a_round_trip(void **state)
{
	struct congestion c;

	(void)state;
	start(&c, &usual, NULL);
	congestion_rtt.lost(&c, 5 * US);
	expect(&c, 50, 0, 5 * US);
	sample(&c, 50, 20 * US, 20 * US);
	congestion_rtt.lost(&c, 24 * US);
	expect(&c, 51, 20 * US, 24 * US);
	congestion_rtt.lost(&c, 25 * US);
	expect(&c, 25.5, 20 * US, 25 * US);
}

// What is left of a gap goes on at the new rate; a packet that came late has lost no more than one
// gap.
static void
test_gaps(void **state)
{
	uint32_t busy = 100;
	struct congestion c;

	(void)state;
	start(&c, &usual, &busy);
	sample(&c, 1, 20 * US, 20 * US); // 2 packets: 10 us
	congestion_rtt.sent(&c, 1082, 20 * US);
	assert_int_equal(c.next_at, 30 * US);
	sample(&c, 0, 40 * US, 24 * US); // target 32.14 us; 6 us were left
	assert_in_range(c.next_at, 24 * US + 6 * 2 * US, 24 * US + 6 * 3 * US);
	c.next_at = 30 * US;
	sample(&c, 0, 20 * US, 30 * US);
	congestion_rtt.sent(&c, 1082, 33 * US);
	assert_in_range(c.next_at, 40 * US, 42 * US);
	congestion_rtt.sent(&c, 1082, 90 * US);
	assert_in_range(c.next_at, 100 * US, 102 * US);
}

// Of an unknown path the least round trip counts.
static void
test_an_unknown_path(void **state)
{
	const struct congestion_path path = {.byte_time = time_byte_time(100000000000),
					     .path_mtu = 1000};
	struct congestion c;

	(void)state;
	congestion_start(&c, &congestion_rtt, &path, &usual);
	expect(&c, 1, 0, 0);
	sample(&c, 1, 10 * US, 10 * US);
	expect(&c, 2, 10 * US, 10 * US);
	// 10 + 20 + 20 / sqrt(2) - 10 = 34.1 us.
	sample(&c, 2, 34 * US, 50 * US);
	expect(&c, 3, 34 * US, 50 * US);
	sample(&c, 3, 34 * US, 90 * US);
	expect(&c, 3 * (1 - 0.8 * (34 - (20 + 20 / sqrt(3))) / 34), 34 * US, 90 * US);
}

static void
test_a_largest_window(void **state)
{
	struct rtt_parameters p = usual;
	struct congestion c;

	(void)state;
	p.max_window_bytes = 2500;
	start(&c, &p, NULL);
	expect(&c, 2.5, 0, 0);
	sample(&c, 3, 9 * US, 9 * US);
	expect(&c, 2.5, 9 * US, 9 * US);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_with_what_fills_the_path),
		cmocka_unit_test(test_queue_pairs_share_the_start),
		cmocka_unit_test(test_below_and_above_the_target),
		cmocka_unit_test(test_less_than_a_packet),
		cmocka_unit_test(test_losses_once_a_round_trip),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_an_unknown_path),
		cmocka_unit_test(test_a_largest_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
