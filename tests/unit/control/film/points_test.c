// SPDX-License-Identifier: BSD-3-Clause
#include "control/film/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>

#include <cmocka.h>

enum { SENT, MOST, DEPTH }; // columns: a sum, a peak and a level

static void
init(struct points *p, uint64_t values_most, uint64_t work)
{
	points_init(p, values_most, work);
	p->kinds[SENT] = FILM_SUM;
	p->kinds[MOST] = FILM_PEAK;
	p->kinds[DEPTH] = FILM_LEVEL;
}

static void
add(struct points *p, uint32_t number, uint32_t from, uint32_t to, uint64_t value)
{
	points_add(p, number, 0, &(struct film_run){.from = from, .to = to, .value = value});
}

static const uint64_t *
values(const struct points *p, uint32_t number)
{
	return p->series[number].values;
}

// A series that comes in the middle of a chunk takes points from those that have been read.
static void
test_a_series_costs_points(void **state)
{
	struct points p;
	uint32_t sent, depth, most, again;

	(void)state;
	init(&p, 2 * POINTS_MOST, 1 << 20);
	assert_int_equal(points_begin(&p, 501), 0);
	assert_int_equal(points_find(&p, SENT, 3, &sent), 0);
	add(&p, sent, 0, 501, 2);
	assert_int_equal(points_find(&p, DEPTH, 3, &depth), 0);
	add(&p, depth, 0, 251, 7);
	add(&p, depth, 251, 501, 5);
	assert_int_equal(p.every, 1);
	assert_int_equal(points_find(&p, MOST, 3, &most), 0);
	assert_int_equal(p.every, 2);
	assert_int_equal(p.room, POINTS_MOST / 2);
	assert_int_equal(points_begun(&p), 251);
	add(&p, most, 498, 499, 9);
	add(&p, most, 499, 500, 4);
	assert_int_equal(points_find(&p, SENT, 3, &again), 0);
	assert_int_equal(again, sent);
	assert_int_equal(values(&p, sent)[0], 4);
	assert_int_equal(values(&p, sent)[249], 4);
	assert_int_equal(values(&p, sent)[250], 2);
	assert_int_equal(values(&p, depth)[124], 7);
	assert_int_equal(values(&p, depth)[125], 5); // of intervals 250 and 251
	assert_int_equal(values(&p, depth)[250], 5);
	assert_int_equal(values(&p, most)[249], 9);
	points_free(&p);
}

// Levels are those at the end of a point: 0 in a chunk that says nothing of them.
static void
test_levels_end(void **state)
{
	struct points p;
	uint32_t depth;

	(void)state;
	init(&p, POINTS_MOST, 1 << 20);
	assert_int_equal(points_begin(&p, 3), 0);
	assert_int_equal(points_find(&p, DEPTH, 0, &depth), 0);
	add(&p, depth, 0, 3, 6);
	points_halve(&p);
	assert_int_equal(values(&p, depth)[1], 6); // a point of one interval
	assert_int_equal(points_begin(&p, 1), 0);
	assert_int_equal(values(&p, depth)[0], 6);
	assert_int_equal(values(&p, depth)[1], 0);
	assert_int_equal(points_begun(&p), 2);
	points_free(&p);
}

static void
test_limits(void **state)
{
	const struct film_run large = {.to = 2, .value = POINT_VALUE_MOST};
	struct points p;
	uint32_t number;

	(void)state;
	init(&p, 2 * POINTS_LEAST, 1 << 20);
	assert_int_equal(points_begin(&p, 2), 0);
	assert_int_equal(points_find(&p, SENT, 0, &number), 0);
	assert_int_equal(points_find(&p, SENT, 1, &number), 0);
	assert_int_equal(points_find(&p, SENT, 2, &number), -EFBIG);
	points_halve(&p);
	points_add(&p, 0, 0, &large);
	assert_int_equal(values(&p, 0)[0], POINT_VALUE_MOST);
	points_add_lengths(&p, 0, &large);
	assert_int_equal(p.lengths.values[0], POINT_VALUE_MOST);
	assert_int_equal(points_spend(&p, p.work), 0);
	assert_int_equal(points_spend(&p, 1), -EFBIG);
	assert_int_equal(points_begin(&p, 1), -EFBIG);
	points_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_series_costs_points),
		cmocka_unit_test(test_levels_end),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
