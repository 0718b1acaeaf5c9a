// SPDX-License-Identifier: BSD-3-Clause
// The NICs' DCQCN against sequences worked out by hand, and its alpha, which is worked out only
// when needed, against one that is updated at every interval's end.
#include "dataplane/roce/congestion.h"

#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define US PS_PER_US
#define G (1.0 / 256)

static const struct dcqcn_mlx_parameters usual = {
	.gain = G,
	.alpha_interval = 1 * US,
	.decrease_interval = 4 * US,
	.increase_timer = 300 * US,
	.fast_recovery = 1,
	.rate_ai_bps = 40000000,
	.rate_hai_bps = 100000000,
	.rate_min_bps = 100000000,
};

static void
start(struct congestion *c, const struct dcqcn_mlx_parameters *parameters)
{
	const struct congestion_path path = {.byte_time = time_byte_time(40000000000),
					     .path_mtu = 1000};

	congestion_start(c, &congestion_dcqcn_mlx, &path, parameters);
}

static void
expect(const struct congestion *c, ps_t now, double rate_bps, double target_bps, double alpha)
{
	struct congestion_reading r;

	congestion_dcqcn_mlx.read(c, now, &r);
	assert_true(r.rate_bps > rate_bps - 1e-3 && r.rate_bps < rate_bps + 1e-3);
	assert_true(r.target_bps > target_bps - 1e-3 && r.target_bps < target_bps + 1e-3);
	assert_true(r.alpha > alpha - 1e-12 && r.alpha < alpha + 1e-12);
}

static void
fire(struct congestion *c, ps_t at)
{
	assert_int_equal(c->timer_at, at);
	congestion_dcqcn_mlx.timer(c, at);
	assert_true(c->timer_at > at);
}

// The first CNP at 10 us: alpha is 1 and falls at 11, 12, 13, 14; the cut is at 14. CNPs at 15 (an
// interval's end, which comes before it) and 16.5 mark the intervals that end at 16 and 17: alpha
// falls at 15, rises at 16 and 17, falls at 18, and both make one cut there.
static double
two_cuts(struct congestion *c, bool clamped, double *first_rate)
{
	double alpha, rate;

	assert_int_equal(c->timer_at, PS_NEVER);
	congestion_dcqcn_mlx.notified(c, 10 * US);
	expect(c, 10 * US, 40e9, 40e9, 1);
	fire(c, 14 * US);
	alpha = (1 - G) * (1 - G) * (1 - G) * (1 - G);
	*first_rate = 40e9 * (1 - alpha / 2);
	expect(c, 14 * US, *first_rate, 40e9, alpha);
	assert_int_equal(c->timer_at, 314 * US);
	congestion_dcqcn_mlx.notified(c, 15 * US);
	congestion_dcqcn_mlx.notified(c, 16 * US + US / 2);
	fire(c, 18 * US);
	alpha = (1 - G) * alpha;
	alpha = (1 - G) * alpha + G;
	alpha = (1 - G) * alpha + G;
	alpha = (1 - G) * alpha;
	rate = *first_rate * (1 - alpha / 2);
	assert_int_equal(c->timer_at, 318 * US);
	expect(c, 18 * US, rate, clamped ? *first_rate : 40e9, alpha);
	return rate;
}

static void
test_cuts_in_a_row_keep_the_target(void **state)
{
	struct congestion c;
	double first;

	(void)state;
	start(&c, &usual);
	two_cuts(&c, false, &first);
}

static void
test_a_clamped_target_follows_every_cut(void **state)
{
	struct dcqcn_mlx_parameters p = usual;
	struct congestion_reading r;
	struct congestion c;
	double first, rate, target;

	(void)state;
	p.clamp_target = true;
	start(&c, &p);
	rate = two_cuts(&c, true, &first);
	// 318: half the way; 618: R_AI; 918 and on: R_HAI.
	target = first;
	fire(&c, 318 * US);
	congestion_dcqcn_mlx.read(&c, 318 * US, &r);
	rate = (rate + target) / 2;
	assert_true(r.rate_bps == rate && r.target_bps == target);
	fire(&c, 618 * US);
	congestion_dcqcn_mlx.read(&c, 618 * US, &r);
	target += 40e6;
	rate = (rate + target) / 2;
	assert_true(r.rate_bps == rate && r.target_bps == target);
	for (unsigned int i = 3; i < 6; i++) {
		fire(&c, (18 + 300 * i) * US);
		congestion_dcqcn_mlx.read(&c, (18 + 300 * i) * US, &r);
		target += 100e6;
		rate = (rate + target) / 2;
		assert_true(r.rate_bps == rate && r.target_bps == target);
	}
}

// A cut behind an increase takes the target along. The increase of 314 us and the look of that
// instant, 10 + 76 x 4, come together: the increase first.
static void
test_a_cut_behind_an_increase_sets_the_target(void **state)
{
	struct congestion_reading before, after;
	struct congestion c;

	(void)state;
	start(&c, &usual);
	congestion_dcqcn_mlx.notified(&c, 10 * US);
	fire(&c, 14 * US);
	congestion_dcqcn_mlx.notified(&c, 313 * US);
	congestion_dcqcn_mlx.read(&c, 313 * US, &before);
	fire(&c, 314 * US);
	congestion_dcqcn_mlx.read(&c, 314 * US, &after);
	assert_true(after.target_bps == (before.rate_bps + 40e9) / 2);
	assert_true(after.rate_bps == after.target_bps * (1 - after.alpha / 2));
	assert_int_equal(c.timer_at, 614 * US);
}

// The looks stay on the first CNP's grid: 10 + 4 k. One at an end counts for the next interval.
static void
test_looks_are_on_a_grid(void **state)
{
	struct congestion c;

	(void)state;
	start(&c, &usual);
	congestion_dcqcn_mlx.notified(&c, 10 * US);
	fire(&c, 14 * US);
	congestion_dcqcn_mlx.notified(&c, 102 * US);
	fire(&c, 106 * US);
	congestion_dcqcn_mlx.notified(&c, 200 * US + US / 2);
	fire(&c, 202 * US);
	assert_int_equal(c.timer_at, 502 * US);
}

static void
test_never_below_the_minimum_and_back_at_the_line_it_rests(void **state)
{
	struct dcqcn_mlx_parameters p = usual;
	struct congestion_reading r;
	struct congestion c;
	unsigned int increases = 0;
	double alpha = 1;

	(void)state;
	p.rate_min_bps = 15000000000;
	start(&c, &p);
	for (unsigned int i = 0; i < 10; i++) {
		congestion_dcqcn_mlx.notified(&c, (10 + 4 * i) * US);
		fire(&c, (14 + 4 * i) * US);
		// Of every four intervals the first had the CNP, but for the very first one's.
		alpha = ((1 - G) * alpha + (i == 0 ? 0 : G)) * (1 - G) * (1 - G) * (1 - G);
	}
	expect(&c, 50 * US, 15e9, 40e9, alpha);
	assert_int_equal(c.byte_time, time_byte_time(15000000000));
	for (; c.timer_at != PS_NEVER; increases++)
		congestion_dcqcn_mlx.timer(&c, c.timer_at);
	// 25 Gb/s halved until 40 Gb/s less it has the line's byte time: 25 2^-n / 40 x 200 x 2^20
	// below a half, n = 28.
	assert_int_equal(increases, 28);
	congestion_dcqcn_mlx.read(&c, PS_PER_S, &r);
	assert_true(r.rate_bps == 40e9 && c.byte_time == 0);
}

// alpha against an update at every end, with CNPs at random instants.
static void
test_alpha_is_that_of_every_interval(void **state)
{
	struct random random = random_stream(7, 0);
	struct congestion c;
	double alpha = 1;
	bool cnp = false;
	ps_t now = 10 * US, end = 11 * US;

	(void)state;
	start(&c, &usual);
	congestion_dcqcn_mlx.notified(&c, now);
	for (unsigned int i = 0; i < 5000; i++) {
		struct congestion_reading r;

		now += random_below(&random, i % 7 == 0 ? 20 * US : US / 2);
		for (; end <= now; end += US) {
			alpha = (1 - G) * alpha + (cnp ? G : 0);
			cnp = false;
		}
		while (c.timer_at <= now)
			congestion_dcqcn_mlx.timer(&c, c.timer_at);
		congestion_dcqcn_mlx.read(&c, now, &r);
		assert_true(r.alpha > alpha - 1e-9 && r.alpha < alpha + 1e-9);
		congestion_dcqcn_mlx.notified(&c, now);
		cnp = true;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts_in_a_row_keep_the_target),
		cmocka_unit_test(test_a_clamped_target_follows_every_cut),
		cmocka_unit_test(test_a_cut_behind_an_increase_sets_the_target),
		cmocka_unit_test(test_looks_are_on_a_grid),
		cmocka_unit_test(test_never_below_the_minimum_and_back_at_the_line_it_rests),
		cmocka_unit_test(test_alpha_is_that_of_every_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
