// SPDX-License-Identifier: BSD-3-Clause
// DCQCN's reaction point against sequences worked out by hand, on a 40 Gb/s line (200 ps a byte)
// with the paper's parameters. Rates are in Gb/s and exact: sums of powers of two times 40 Mb/s.
#include "dataplane/roce/congestion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define US PS_PER_US
#define G (1.0 / 256)

static const struct dcqcn_parameters paper = {
	.gain = G,
	.alpha_timer = 55 * US,
	.rate_timer = 55 * US,
	.byte_counter = 10000000,
	.fast_recovery = 5,
	.rate_ai_bps = 40000000,
	.rate_hai_bps = 200000000,
	.rate_min_bps = 10000000,
};

static void
start(struct congestion *c, const struct dcqcn_parameters *parameters)
{
	const struct congestion_path path = {.byte_time = time_byte_time(40000000000),
					     .path_mtu = 1000};

	congestion_start(c, &congestion_dcqcn, &path, parameters);
}

static void
expect(const struct congestion *c, ps_t now, double rate_gbps, double target_gbps, double alpha)
{
	struct congestion_reading r;

	congestion_dcqcn.read(c, now, &r);
	assert_true(r.rate_bps == rate_gbps * 1e9);
	assert_true(r.target_bps == target_gbps * 1e9);
	assert_true(r.alpha > alpha - 1e-12 && r.alpha < alpha + 1e-12);
	if (rate_gbps == 40)
		assert_int_equal(c->byte_time, 0);
	else
		assert_int_equal(c->byte_time, congestion_byte_time_of(rate_gbps * 1e9));
}

// Runs the timers due by `until`; returns how many calls that took.
static unsigned int
run(struct congestion *c, ps_t until)
{
	unsigned int calls = 0;

	for (; c->timer_at <= until; calls++) {
		ps_t at = c->timer_at;

		congestion_dcqcn.timer(c, at);
		assert_true(c->timer_at > at);
	}
	return calls;
}

static double
power(double base, unsigned int n)
{
	double result = 1;

	while (n-- > 0)
		result *= base;
	return result;
}

static void
send_packets(struct congestion *c, unsigned int count, ps_t now)
{
	for (unsigned int i = 0; i < count; i++)
		congestion_dcqcn.sent(c, 1000, now);
}

static void
test_line_rate_and_no_timer_until_the_first_cnp(void **state)
{
	struct congestion c;

	(void)state;
	start(&c, &paper);
	expect(&c, 0, 40, 40, 1);
	assert_int_equal(c.timer_at, PS_NEVER);
	assert_int_equal(c.window_bytes, UINT64_MAX);
	send_packets(&c, 20000, 0);
	assert_int_equal(c.next_at, 0);
	expect(&c, 10 * PS_PER_S, 40, 40, 1);
}

// The first CNP halves the rate, as alpha is 1; (1 - g) 1 + g is 1 again. Then each 55 us half of
// the way to the target.
static void
test_a_cut_and_five_steps_of_fast_recovery(void **state)
{
	static const double rates[] = {30, 35, 37.5, 38.75, 39.375};
	struct congestion c;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 100 * US);
	expect(&c, 100 * US, 20, 40, 1);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(c.timer_at, (100 + 55 * (i + 1)) * US);
		congestion_dcqcn.timer(&c, c.timer_at);
		expect(&c, c.timer_at - 1, rates[i], 40, power(1 - G, i + 1));
	}
}

// Two CNPs 50 us apart: 40 -> 20 -> 10, target 20. Fast recovery 15, 17.5, 18.75, 19.375, 19.6875;
// the sixth increase is additive: target 20.04, rate 19.86375; the seventh: 20.08, 19.971875.
static void
test_additive_increase_from_the_sixth(void **state)
{
	struct congestion c;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 0);
	run(&c, 49 * US);
	congestion_dcqcn.notified(&c, 50 * US);
	expect(&c, 50 * US, 10, 20, 1);
	assert_int_equal(run(&c, (50 + 5 * 55) * US), 5);
	expect(&c, c.timer_at - 1, 19.6875, 20, power(1 - G, 5));
	assert_int_equal(run(&c, (50 + 6 * 55) * US), 1);
	expect(&c, c.timer_at - 1, 19.86375, 20.04, power(1 - G, 6));
	assert_int_equal(run(&c, (50 + 7 * 55) * US), 1);
	expect(&c, c.timer_at - 1, 19.971875, 20.08, power(1 - G, 7));
}

// A CNP in the midst resets the stages and both clocks: alpha is (1 - g)^2 after two falls.
static void
test_a_cnp_resets_stages_and_clocks(void **state)
{
	double alpha = power(1 - G, 2), rate = 35e9 * (1 - alpha / 2);
	struct congestion_reading r;
	struct congestion c;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 0);
	run(&c, 120 * US);
	send_packets(&c, 9999, 120 * US); // one short of an increase
	congestion_dcqcn.notified(&c, 120 * US);
	congestion_dcqcn.read(&c, 120 * US, &r);
	assert_true(r.target_bps == 35e9 && r.rate_bps == rate);
	assert_true(r.alpha == (1 - G) * alpha + G);
	assert_int_equal(c.timer_at, 175 * US);
	send_packets(&c, 9999, 120 * US);
	congestion_dcqcn.read(&c, 120 * US, &r);
	assert_true(r.rate_bps == rate);
	send_packets(&c, 1, 120 * US);
	congestion_dcqcn.read(&c, 120 * US, &r);
	assert_true(r.rate_bps == (35e9 + rate) / 2);
}

// Bytes alone: every 10,000 packets of 1000 B an increase. Six of them, then six by time: the last
// is the first that both clocks have made more than F of, and so the first hyper increase.
static void
test_bytes_count_and_both_clocks_make_it_hyper(void **state)
{
	struct congestion_reading before, after;
	struct congestion c;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 0);
	congestion_dcqcn.notified(&c, 0);
	expect(&c, 0, 10, 20, 1);
	send_packets(&c, 9999, 0);
	expect(&c, 0, 10, 20, 1);
	send_packets(&c, 1, 0);
	expect(&c, 0, 15, 20, 1);
	send_packets(&c, 40000, 0);
	expect(&c, 0, 19.6875, 20, 1);
	send_packets(&c, 10000, 0);
	expect(&c, 0, 19.86375, 20.04, 1);
	run(&c, 5 * 55 * US);
	congestion_dcqcn.read(&c, 5 * 55 * US, &before);
	assert_true(before.target_bps == 20.24e9); // five additive ones more, by time
	run(&c, 6 * 55 * US);
	congestion_dcqcn.read(&c, 6 * 55 * US, &after);
	assert_true(after.target_bps == 20.44e9);
	assert_true(after.rate_bps == (20.44e9 + before.rate_bps) / 2);
}

// 20 Gb/s short of the line, halved by each increase: after 28 the byte time is the line's to its
// last bit (2^28 parts of 40 Gb/s are less than half of 2^-20 ps a byte). From then on no timer
// runs, and alpha goes on falling all the same.
static void
test_it_rests_at_line_rate_and_alpha_still_falls(void **state)
{
	struct congestion_reading r;
	struct congestion c;
	double alpha, rate;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 0);
	assert_int_equal(run(&c, 27 * 55 * US), 27);
	assert_int_not_equal(c.byte_time, 0);
	assert_int_equal(run(&c, PS_NEVER - 1), 1);
	assert_int_equal(c.timer_at, PS_NEVER);
	expect(&c, 28 * 55 * US, 40, 40, power(1 - G, 28));
	expect(&c, 29 * 55 * US - 1, 40, 40, power(1 - G, 28));
	expect(&c, 29 * 55 * US, 40, 40, power(1 - G, 29));
	expect(&c, 528 * 55 * US, 40, 40, power(1 - G, 528));
	// The next CNP cuts by what alpha is then.
	alpha = power(1 - G, 100);
	congestion_dcqcn.notified(&c, 100 * 55 * US);
	congestion_dcqcn.read(&c, 100 * 55 * US, &r);
	rate = 40e9 * (1 - alpha / 2);
	assert_true(r.rate_bps > rate - 1 && r.rate_bps < rate + 1);
	assert_true(r.target_bps == 40e9);
	assert_int_equal(c.timer_at, 101 * 55 * US);
}

static void
test_never_below_the_minimum(void **state)
{
	struct dcqcn_parameters p = paper;
	struct congestion c;

	(void)state;
	p.rate_min_bps = 7000000000;
	start(&c, &p);
	congestion_dcqcn.notified(&c, 0);
	congestion_dcqcn.notified(&c, 0);
	congestion_dcqcn.notified(&c, 0);
	expect(&c, 0, 7, 10, 1);
	congestion_dcqcn.notified(&c, 0);
	expect(&c, 0, 7, 7, 1);
}

// alpha and rate clocks of their own lengths: 30 and 70 us, so at 30, 60, 70, 90, 120, 140.
static void
test_the_two_clocks_are_apart(void **state)
{
	static const ps_t at[] = {30, 60, 70, 90, 120, 140};
	struct dcqcn_parameters p = paper;
	struct congestion c;

	(void)state;
	p.alpha_timer = 30 * US;
	p.rate_timer = 70 * US;
	start(&c, &p);
	congestion_dcqcn.notified(&c, 0);
	for (unsigned int i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		assert_int_equal(c.timer_at, at[i] * US);
		congestion_dcqcn.timer(&c, c.timer_at);
	}
	expect(&c, 140 * US, 35, 40, power(1 - G, 4));
}

// 20 Gb/s: 400 ps a byte, 400 ns a packet.
static void
test_packets_are_paced_at_the_rate(void **state)
{
	struct congestion c;
	ps_t now = 0;

	(void)state;
	start(&c, &paper);
	congestion_dcqcn.notified(&c, 0);
	for (unsigned int i = 1; i <= 100; i++) {
		congestion_dcqcn.sent(&c, 1000, now);
		assert_int_equal(c.next_at, 400000 * i);
		now = c.next_at;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_rate_and_no_timer_until_the_first_cnp),
		cmocka_unit_test(test_a_cut_and_five_steps_of_fast_recovery),
		cmocka_unit_test(test_additive_increase_from_the_sixth),
		cmocka_unit_test(test_a_cnp_resets_stages_and_clocks),
		cmocka_unit_test(test_bytes_count_and_both_clocks_make_it_hyper),
		cmocka_unit_test(test_it_rests_at_line_rate_and_alpha_still_falls),
		cmocka_unit_test(test_never_below_the_minimum),
		cmocka_unit_test(test_the_two_clocks_are_apart),
		cmocka_unit_test(test_packets_are_paced_at_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
