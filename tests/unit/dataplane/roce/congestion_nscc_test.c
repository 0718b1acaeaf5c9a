// SPDX-License-Identifier: BSD-3-Clause
//
// NSCC step by step. The path: 400 Gb/s, 8 us, so that its product is 400,000 bytes and its scale
// 8/3; packets of 4,000 bytes; the target is 6 us, the window begins at 600,000.

#include "dataplane/roce/congestion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define RTT (8 * PS_PER_US)
#define SCALE (400000.0 / 150000.0)

static struct nscc_parameters parameters;
static struct congestion c;

static void
begin(ps_t base_rtt)
{
	const struct congestion_path path = {
		.byte_time = time_byte_time(400000000000),
		.path_mtu = 4000,
		.base_rtt = base_rtt,
		.bdp_bytes = base_rtt / 20,
	};

	parameters = (struct nscc_parameters){
		.decrease = 0.8,
		.delay_gain = 1.0 / 80,
		.fair_packets = 5,
		.proportional_packets = 4,
		.fast_gain = 0.25,
		.periodic_gain = 0.15,
		.adjust_packets = 8,
		.quick_adapt = true,
		.quick_gate = 3,
	};
	congestion_start(&c, &congestion_nscc, &path, &parameters);
}

static void
feed(uint64_t bytes, ps_t delay, bool marked, ps_t now)
{
	const struct congestion_feedback f = {
		.bytes = bytes, .in_flight = 100000, .round_trip = RTT + delay, .marked = marked};

	congestion_nscc.fed_back(&c, &f, now);
}

// Brings the window down to `bytes`, by packets that are trimmed, without quick adapt.
static void
shrink(uint64_t bytes)
{
	parameters.quick_adapt = false;
	congestion_nscc.trimmed(&c, c.window_bytes - bytes, 0, 1);
	assert_int_equal(c.window_bytes, bytes);
}

static void
test_start(void **state)
{
	(void)state;
	begin(RTT);
	assert_int_equal(c.window_bytes, 600000);
	assert_int_equal(c.timer_at, PS_NEVER);
	assert_int_equal(c.byte_time, 0);
	begin(RTT);
	parameters.max_window_bytes = 100000;
	congestion_start(&c, &congestion_nscc,
			 &(struct congestion_path){.byte_time = time_byte_time(400000000000),
						   .path_mtu = 4000,
						   .base_rtt = RTT,
						   .bdp_bytes = 400000},
			 &parameters);
	assert_int_equal(c.window_bytes, 100000);
}

// The way is not known: no window until the first round trip has shown it.
static void
test_unknown_path(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(c.window_bytes, UINT64_MAX);
	feed(4000, 0, false, RTT);
	assert_in_range(c.window_bytes, 600000 - 1, 600000);
}

// Above the target without marks: 5 packets times the scale for each window acknowledged.
static void
test_fair_increase(void **state)
{
	const double step = 5 * 4000 * SCALE; // a window
	double window = 200000;

	(void)state;
	begin(RTT);
	shrink(200000);
	feed(32000, 7 * PS_PER_US, false, 2); // 8 packets: not more than that, nothing is applied
	assert_int_equal(c.window_bytes, 200000);
	feed(4000, 7 * PS_PER_US, false, 3);
	window += step * 36000 / window;
	assert_int_equal(c.window_bytes, (uint64_t)window);
	// A round trip has passed since the beginning: the periodic increase as well.
	feed(4000, 7 * PS_PER_US, false, RTT + 1);
	window += step * 4000 / window + 0.15 * 4000 * SCALE;
	assert_int_equal(c.window_bytes, (uint64_t)window);
}

// Below the target: 4 packets times the scale, by how far below in parts of 12 us.
static void
test_proportional_increase(void **state)
{
	double window = 200000;

	(void)state;
	begin(RTT);
	shrink(200000);
	feed(36000, 3 * PS_PER_US, false, 2);
	window += 4 * 4000 * SCALE * 36000 * 3 / 12 / window;
	assert_int_equal(c.window_bytes, (uint64_t)window);
	// Nothing at the target, but the fair increase from there on.
	feed(36000, 6 * PS_PER_US, false, 3);
	window += 5 * 4000 * SCALE * 36000 / window;
	assert_int_equal(c.window_bytes, (uint64_t)window);
}

// A window without delay: from then on a quarter of what is acknowledged times the scale, until
// there is delay.
static void
test_fast_increase(void **state)
{
	double window = 40000;

	(void)state;
	begin(RTT);
	shrink(40000);
	feed(40000, 999 * PS_PER_NS, false, 2); // not more than the window
	window += 4 * 4000 * SCALE * 40000 * 5.001 / 12 / window;
	assert_int_equal(c.window_bytes, (uint64_t)window);
	begin(RTT);
	shrink(40000);
	feed(44000, 0, false, 2);
	assert_int_equal(c.window_bytes, (uint64_t)(40000 + 0.25 * SCALE * 44000));
	window = 40000 + 0.25 * SCALE * 44000;
	feed(4000, 0, false, 3);
	window += 0.25 * SCALE * 4000;
	assert_int_equal(c.window_bytes, (uint64_t)window);
	// A delay ends it.
	feed(40000, PS_PER_US, false, 4);
	window += 4 * 4000 * SCALE * 40000 * 5 / 12 / window;
	assert_int_equal(c.window_bytes, (uint64_t)window);
}

// A mark below the target changes nothing; above it, the average counts, once a round trip.
static void
test_multiplicative_decrease(void **state)
{
	double average = 8e6 / 80, window = 200000; // from what shrink() did
	ps_t now = 20 * PS_PER_US;

	(void)state;
	begin(RTT);
	shrink(200000);
	feed(0, 5 * PS_PER_US, true, 2);
	average += (5e6 - average) / 80;
	assert_int_equal(c.window_bytes, 200000);
	// The average is below the target for a while.
	for (unsigned int i = 0; average <= 6e6; i++) {
		average += (14e6 - average) / 80;
		if (average > 6e6)
			break;
		feed(0, 14 * PS_PER_US, true, 3);
		assert_int_equal(c.window_bytes, 200000);
	}
	feed(0, 14 * PS_PER_US, true, now);
	window *= 1 - 0.8 * (average - 6e6) / average;
	window += 0.15 * 4000 * SCALE; // a round trip since the last adjustment
	assert_int_equal(c.window_bytes, (uint64_t)window);
	feed(0, 14 * PS_PER_US, true, now + RTT); // not more than a round trip later
	assert_int_equal(c.window_bytes, (uint64_t)window);
}

// No less than half at once.
static void
test_largest_decrease(void **state)
{
	(void)state;
	begin(RTT);
	parameters.decrease = 1;
	parameters.delay_gain = 1;
	parameters.periodic_gain = 0;
	feed(0, 100 * PS_PER_US, true, 20 * PS_PER_US);
	assert_int_equal(c.window_bytes, 300000);
}

// Incast: of a round trip with trimmed packets little has arrived.
static void
test_quick_adapt(void **state)
{
	ps_t now = 1, end;

	(void)state;
	begin(RTT);
	parameters.periodic_gain = 0;
	// The first answer begins the round trip, and a trimmed packet takes its size.
	congestion_nscc.trimmed(&c, 4000, 500000, now);
	assert_int_equal(c.window_bytes, 596000);
	end = now + RTT + 6 * PS_PER_US;
	feed(40000, 2 * PS_PER_US, true, now + 2);
	congestion_nscc.trimmed(&c, 4000, 500000, end);
	assert_int_equal(c.window_bytes, 592000);
	// It is over: the window becomes what it has brought.
	congestion_nscc.trimmed(&c, 4000, 500000, end + 1);
	assert_int_equal(c.window_bytes, 40000);
	// What was in flight then comes back: neither marks nor trimmed packets count.
	congestion_nscc.trimmed(&c, 4000, 480000, end + 2);
	feed(4000, 30 * PS_PER_US, true, end + 3);
	assert_int_equal(c.window_bytes, 40000);
}

// A round trip that brought an eighth of the largest window or more is none of incast.
static void
test_quick_adapt_gate(void **state)
{
	ps_t end = 1 + RTT + 6 * PS_PER_US;

	(void)state;
	for (unsigned int enough = 0; enough < 2; enough++) {
		begin(RTT);
		parameters.periodic_gain = 0;
		congestion_nscc.trimmed(&c, 4000, 500000, 1);
		feed(enough ? 75000 : 74999, 2 * PS_PER_US, true, 2);
		congestion_nscc.trimmed(&c, 4000, 500000, end + 1);
		assert_int_equal(c.window_bytes, enough ? 592000 : 74999);
	}
}

static void
test_lost(void **state)
{
	(void)state;
	begin(RTT);
	congestion_nscc.lost(&c, 1);
	assert_int_equal(c.window_bytes, 596000);
	for (unsigned int i = 0; i < 1000; i++)
		congestion_nscc.lost(&c, 1);
	assert_int_equal(c.window_bytes, 4000); // a packet at least
}

// A shorter round trip than was known: target and largest window follow.
static void
test_shorter_round_trip(void **state)
{
	const struct congestion_feedback f = {.bytes = 4000, .round_trip = RTT / 2};

	(void)state;
	begin(RTT);
	congestion_nscc.fed_back(&c, &f, 1);
	assert_in_range(c.window_bytes, 299999, 300000);
}

// The same on a path whose lowest rate is a quarter of the NIC's: its product shrinks as the round
// trip does. What may be an error of the measurement changes nothing.
static void
test_shorter_slow_path(void **state)
{
	struct congestion_feedback f = {.bytes = 4000, .round_trip = RTT - 1000};

	(void)state;
	begin(RTT);
	congestion_start(&c, &congestion_nscc,
			 &(struct congestion_path){.byte_time = time_byte_time(400000000000),
						   .path_mtu = 4000,
						   .base_rtt = RTT,
						   .bdp_bytes = 100000},
			 &parameters);
	congestion_nscc.fed_back(&c, &f, 1);
	assert_int_equal(c.window_bytes, 150000);
	f.round_trip = RTT / 2;
	congestion_nscc.fed_back(&c, &f, 2);
	assert_int_equal(c.window_bytes, 75000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_unknown_path),
		cmocka_unit_test(test_fair_increase),
		cmocka_unit_test(test_proportional_increase),
		cmocka_unit_test(test_fast_increase),
		cmocka_unit_test(test_multiplicative_decrease),
		cmocka_unit_test(test_largest_decrease),
		cmocka_unit_test(test_quick_adapt),
		cmocka_unit_test(test_quick_adapt_gate),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_shorter_round_trip),
		cmocka_unit_test(test_shorter_slow_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
