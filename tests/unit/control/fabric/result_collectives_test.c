// SPDX-License-Identifier: BSD-3-Clause
#include "control/fabric/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// Two executions of an all-reduce of 8 ranks, one of an all-gather that is open, between them.
static const struct report_collective runs[] = {
	{.name = "ar", .kind = REPORT_ALL_REDUCE, .ranks = 8, .bytes = 1000000, .step = 10000000},
	{.name = "ag", .kind = REPORT_ALL_GATHER, .ranks = 8, .bytes = 10, .step = PS_NEVER},
	{.name = "ar",
	 .kind = REPORT_ALL_REDUCE,
	 .iteration = 1,
	 .ranks = 8,
	 .bytes = 1000000,
	 .step = 30000000},
};

static void
test_executions_of_one_name_are_one_line(void **state)
{
	struct collective_statistics *s;
	uint32_t groups;

	(void)state;
	s = collective_statistics_compute(runs, 3, &groups);
	assert_int_equal(groups, 2);
	assert_string_equal(s[0].name, "ar");
	assert_int_equal(s[0].executions, 2);
	assert_int_equal(s[0].completed, 2);
	assert_int_equal(s[0].mean, 20000000);
	assert_int_equal(s[0].min, 10000000);
	assert_int_equal(s[0].max, 30000000);
	assert_true(s[0].algbw_gbps == 400.0); // 1 MB in 20 us
	assert_true(s[0].busbw_gbps == 700.0); // 2 x 7/8 of it
	assert_int_equal(s[1].executions, 1);
	assert_int_equal(s[1].completed, 0);
	assert_int_equal(s[1].mean, 0);
	assert_true(s[1].busbw_gbps == 0);
	free(s);
}

// By name, kind, ranks and size.
static void
test_what_differs_is_kept_apart(void **state)
{
	struct report_collective several[4] = {runs[0], runs[0], runs[0], runs[0]};
	struct collective_statistics *s;
	uint32_t groups;

	(void)state;
	several[1].kind = REPORT_ALL_GATHER;
	several[2].ranks = 4;
	several[3].bytes = 5;
	s = collective_statistics_compute(several, 4, &groups);
	assert_int_equal(groups, 4);
	free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_executions_of_one_name_are_one_line),
		cmocka_unit_test(test_what_differs_is_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
