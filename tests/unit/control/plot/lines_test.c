// SPDX-License-Identifier: BSD-3-Clause
#include "control/plot/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
add(struct plot_lines *l, const char *name, double x, double y)
{
	struct plot_line *line = plot_lines_get(l, name);

	assert_non_null(line);
	assert_int_equal(plot_line_add(line, x, y), 0);
}

static void
test_points_find_their_line(void **state)
{
	struct plot_lines l = {.count = 0};
	char name[16];

	(void)state;
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "line%d", (i * 7) % 100);
			add(&l, name, round, (i * 7) % 100);
		}
	assert_int_equal(l.count, 100);
	assert_string_equal(l.lines[1].name, "line7");
	for (size_t i = 0; i < l.count; i++) {
		assert_int_equal(l.lines[i].count, 3);
		assert_true(l.lines[i].points[2].x == 2);
		assert_true(l.lines[i].points[0].y == l.lines[i].points[2].y);
	}
	plot_lines_free(&l);
	assert_int_equal(l.count, 0);
}

static void
test_lines_of_nothing_go(void **state)
{
	struct plot_lines l = {.count = 0};

	(void)state;
	add(&l, "a", 0, 0);
	add(&l, "b", 0, 0);
	add(&l, "b", 1, 2);
	plot_lines_drop_zero(&l);
	assert_int_equal(l.count, 1);
	assert_string_equal(l.lines[0].name, "b");
	assert_true(plot_line_max(&l.lines[0]) == 2);
	plot_lines_free(&l);
}

// Those with the most stay, in their order; of equal ones the first.
static void
test_the_largest_stay(void **state)
{
	struct plot_lines l = {.count = 0};

	(void)state;
	add(&l, "a", 0, 1);
	add(&l, "b", 0, 5);
	add(&l, "c", 0, 3);
	add(&l, "d", 0, 3);
	assert_int_equal(plot_lines_keep(&l, 9), 0);
	assert_int_equal(l.count, 4);
	assert_int_equal(plot_lines_keep(&l, 2), 0);
	assert_int_equal(l.count, 2);
	assert_string_equal(l.lines[0].name, "b");
	assert_string_equal(l.lines[1].name, "c");
	plot_lines_free(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points_find_their_line),
		cmocka_unit_test(test_lines_of_nothing_go),
		cmocka_unit_test(test_the_largest_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
