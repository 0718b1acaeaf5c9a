// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// A comparison of `count` files a, b, ... with the rows of whole runs, without samples.
static struct comparison
comparison_of(unsigned int count)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct comparison c = {.seeds = 1, .count = count};

	compare_add_rows(&c);
	for (unsigned int i = 0; i < count; i++)
		c.runs[i] = (struct compare_run){.file = names[i], .name = names[i]};
	return c;
}

static void
put(struct comparison *c, unsigned int run, enum compare_figure figure, double value)
{
	struct compare_cell *cell = &c->rows[figure].cells[run];

	cell->samples = realloc(cell->samples, (cell->count + 1) * sizeof(*cell->samples));
	assert_non_null(cell->samples);
	cell->samples[cell->count++] = value;
}

static int
best(const struct comparison *c, enum compare_figure figure)
{
	return compare_rank(c, &c->rows[figure]).best;
}

static void
test_the_best_of_a_row(void **state)
{
	struct comparison c = comparison_of(3);
	const struct compare_row *rows = c.rows;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		put(&c, i, COMPARE_STEP, (const double[]){30, 20, 40}[i]);
	put(&c, 0, COMPARE_GOODPUT, 90);
	put(&c, 1, COMPARE_GOODPUT, 60);
	put(&c, 2, COMPARE_GOODPUT, 0);
	put(&c, 0, COMPARE_DROPS, 0);
	put(&c, 1, COMPARE_DROPS, 7);
	assert_int_equal(best(&c, COMPARE_STEP), 1);
	assert_int_equal(best(&c, COMPARE_GOODPUT), 0);
	assert_true(compare_gain(&rows[COMPARE_STEP], 1, 2) == 50);
	assert_true(compare_gain(&rows[COMPARE_GOODPUT], 0, 1) == 50);
	assert_true(compare_gain(&rows[COMPARE_GOODPUT], 0, 2) < 0);
	assert_true(compare_gain(&rows[COMPARE_DROPS], 0, 1) == 100);
	c.runs[1].state = COMPARE_STALLED; // whatever it had done until then
	assert_int_equal(best(&c, COMPARE_STEP), 0);
	c.rows[COMPARE_STEP].cells[0].count = 0;
	assert_int_equal(best(&c, COMPARE_STEP), -1); // one alone is no best
	put(&c, 0, COMPARE_STEP, 40);
	assert_int_equal(best(&c, COMPARE_STEP), -1); // all are equal
	compare_free_rows(&c);
}

// 1 % of the larger value is the limit, but for what is exact.
static void
test_the_threshold(void **state)
{
	struct comparison c = comparison_of(2);

	(void)state;
	put(&c, 0, COMPARE_STEP, 1000);
	put(&c, 1, COMPARE_STEP, 990);
	put(&c, 0, COMPARE_FCT_P50, 1000);
	put(&c, 1, COMPARE_FCT_P50, 989);
	put(&c, 0, COMPARE_COMPLETED, 1000);
	put(&c, 1, COMPARE_COMPLETED, 999);
	assert_int_equal(best(&c, COMPARE_STEP), -1);
	assert_int_equal(best(&c, COMPARE_FCT_P50), 1);
	assert_int_equal(best(&c, COMPARE_COMPLETED), 0);
	assert_int_equal(compare_rank(&c, &c.rows[COMPARE_COMPLETED]).places[1], COMPARE_WORSE);
	compare_free_rows(&c);
}

static void
test_ranges_that_overlap(void **state)
{
	static const double a[] = {100, 120, 130}, b[] = {130, 200, 220}, d[] = {131, 140, 150};
	struct comparison c = comparison_of(2);

	(void)state;
	c.seeds = 3;
	for (unsigned int i = 0; i < 3; i++) {
		put(&c, 0, COMPARE_STEP, a[i]);
		put(&c, 1, COMPARE_STEP, b[i]);
		put(&c, 0, COMPARE_FCT_P50, a[i]);
		put(&c, 1, COMPARE_FCT_P50, d[i]);
	}
	assert_int_equal(best(&c, COMPARE_STEP), -1);
	assert_int_equal(best(&c, COMPARE_FCT_P50), 0);
	assert_true(compare_median(&c.rows[COMPARE_FCT_P50].cells[1]) == 140);
	put(&c, 1, COMPARE_FCT_P50, 160); // of an even number the middle of the two
	assert_true(compare_median(&c.rows[COMPARE_FCT_P50].cells[1]) == 145);
	assert_false(compare_counts(&c, &c.rows[COMPARE_DROPS], 0));
	compare_free_rows(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_best_of_a_row),
		cmocka_unit_test(test_the_threshold),
		cmocka_unit_test(test_ranges_that_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
