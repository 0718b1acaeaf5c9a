// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/sim/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
test_how_long_is_left(void **state)
{
	char text[PROGRESS_LEFT_MAX];

	(void)state;
	assert_string_equal(progress_left(0.2, text), "0 s");
	assert_string_equal(progress_left(99, text), "99 s");
	assert_string_equal(progress_left(120, text), "2 min");
	assert_string_equal(progress_left(7200, text), "2.0 h");
}

static void
test_share_of_a_time(void **state)
{
	struct run run = {.until = 200};
	struct workload workload = {.flow_count = 0};
	struct experiment e = {.run = &run, .workload = &workload};

	(void)state;
	assert_true(progress_share(&e, 50) == 0.25);
	assert_true(progress_share(&e, 300) == 1);
	run.until = PS_NEVER;
	run.streams_until = 400;
	assert_true(progress_share(&e, 100) == 0.25);
	run.streams_until = 0;
	assert_true(progress_share(&e, 100) == 0); // nothing tells
}

static void
test_line(void **state)
{
	struct progress p = {.begun_s = 100,
			     .last = {.wall_s = 103, .at = 5 * PS_PER_US, .hops = 1000000}};
	struct progress_point now = {.wall_s = 105, .at = 20 * PS_PER_US, .hops = 1500000};
	char text[PROGRESS_LINE_MAX];

	(void)state;
	assert_string_equal(progress_line(&p, &now, 0, text),
			    "20.0 us simulated, 7.5 us/s, 0.25 M packet-hops/s");
	assert_string_equal(
		progress_line(&p, &now, 0.25, text), // 5 s so far are a quarter
		"20.0 us simulated, 7.5 us/s, 0.25 M packet-hops/s, 25 %, about 15 s left");
	now.hops = p.last.hops; // nothing was sent
	assert_string_equal(
		progress_line(&p, &now, 1, text),
		"20.0 us simulated, 7.5 us/s, 0.00 M packet-hops/s, 100 %, about 0 s left");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_how_long_is_left),
		cmocka_unit_test(test_share_of_a_time),
		cmocka_unit_test(test_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
