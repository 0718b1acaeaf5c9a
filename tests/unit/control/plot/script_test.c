// SPDX-License-Identifier: BSD-3-Clause
#include "control/plot/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static char *
log_axis(double min, double max)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	plot_put_log_axis(to, 'x', min, max);
	fclose(to);
	return text;
}

static void
expect_axis(double min, double max, const char *expected)
{
	char *text = log_axis(min, max);

	assert_string_equal(text, expected);
	free(text);
}

static void
test_marks_of_logarithmic_axes(void **state)
{
	(void)state;
	expect_axis(3, 2500,
		    "set logscale x\nset xrange [3:2500]\nset xtics ('5' 5, '10' 10, '20' 20, '50' "
		    "50, '100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000)\n");
	expect_axis(1, 1e6,
		    "set logscale x\nset xrange [1:1000000]\nset xtics ('1' 1, '10' 10, '100' 100, "
		    "'1000' 1000, '10000' 10000, '100000' 100000, '1e+06' 1000000)\n");
	expect_axis(1, 2,
		    "set logscale x\nset xrange [1:2]\nset xtics ('1' 1, '1.2' 1.2, '1.4' 1.4, "
		    "'1.6' 1.6, '1.8' 1.8, '2' 2)\n");
	// One value has room on both sides, and a mark.
	expect_axis(100, 100,
		    "set logscale x\nset xrange [90.9090909:110]\nset xtics ('95' 95, '100' 100, "
		    "'105' 105, '110' 110)\n");
}

// Nothing in a name ends the quotes, starts a line or a command.
static void
test_text_is_quoted(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	(void)state;
	plot_put_text(to, "it's\n`x` \"$y\"\\");
	fclose(to);
	assert_string_equal(text, "'it\u2019s?\u2019x\u2019 \"$y\"\\'");
	free(text);
}

static void
test_units(void **state)
{
	double factor;

	(void)state;
	assert_string_equal(plot_time_unit(900, &factor), "ns");
	assert_string_equal(plot_time_unit(563000, &factor), "us");
	assert_true(factor == 1000);
	assert_string_equal(plot_time_unit(3.1e6, &factor), "ms");
	assert_string_equal(plot_bytes_unit(1500, &factor), "B");
	assert_string_equal(plot_bytes_unit(3e6, &factor), "MB");
	assert_true(factor == 1e6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_of_logarithmic_axes),
		cmocka_unit_test(test_text_is_quoted),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
