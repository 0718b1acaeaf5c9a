// SPDX-License-Identifier: BSD-3-Clause
#include "control/film/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT 300

struct
try {
	struct film_series series;
	struct film_totals totals;
	uint64_t values[COUNT];
};

static int
setup(void **state)
{
	struct try *t = calloc(1, sizeof(*t));

	t->totals.values = t->values;
	*state = t;
	return t != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	struct try *t = *state;

	free(t->series.bytes.data);
	free(t);
	return 0;
}

static void
assert_bytes(const struct film_bytes *b, const uint8_t *wanted, size_t count)
{
	assert_int_equal(b->count, count);
	assert_memory_equal(b->data, wanted, count);
}

static void
test_varints(void **state)
{
	static const uint8_t wanted[] = {0x00, 0x7f, 0x80, 0x01, 0xac, 0x02, 0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	struct film_bytes b = {.count = 0};

	(void)state;
	film_put_varint(&b, 0);
	film_put_varint(&b, 127);
	film_put_varint(&b, 128);
	film_put_varint(&b, 300);
	film_put_varint(&b, UINT64_MAX);
	assert_bytes(&b, wanted, sizeof(wanted));
	free(b.data);
}

// +5, -2, three times the same, -3, and two zeros.
static void
test_changes_and_runs(void **state)
{
	static const uint8_t wanted[] = {10, 3, 0, 3, 5, 0, 2};
	struct try *t = *state;

	film_series_put(&t->series, &t->totals, 0, 5);
	film_series_put(&t->series, &t->totals, 1, 3);
	film_series_put(&t->series, &t->totals, 2, 3); // no change is no byte
	film_series_put(&t->series, &t->totals, 5, 0);
	assert_true(film_series_end(&t->series, &t->totals, 8));
	assert_bytes(&t->series.bytes, wanted, sizeof(wanted));
	assert_int_equal(t->values[0] + t->values[1] + t->values[4], 5 + 3 + 3);
	assert_int_equal(t->values[5], 0);
	assert_int_equal(t->totals.peak, 5);
}

static void
test_zeros_are_no_series(void **state)
{
	struct try *t = *state;

	assert_false(film_series_end(&t->series, &t->totals, COUNT));
	film_series_put(&t->series, &t->totals, 7, 0);
	assert_false(film_series_end(&t->series, &t->totals, COUNT));
	assert_int_equal(t->series.bytes.count, 0);
}

static void
test_the_next_chunk_begins_from_zero(void **state)
{
	static const uint8_t wanted[] = {8, 0, 9};
	struct try *t = *state;

	film_series_put(&t->series, &t->totals, 3, 4);
	assert_true(film_series_end(&t->series, &t->totals, 10));
	film_series_clear(&t->series);
	film_series_put(&t->series, &t->totals, 0, 4);
	assert_true(film_series_end(&t->series, &t->totals, 10));
	assert_bytes(&t->series.bytes, wanted, sizeof(wanted));
}

static void
test_totals(void **state)
{
	struct try *t = *state;
	struct film_series other = {.next = 0};

	film_series_put(&t->series, &t->totals, 0, 4);
	film_series_put(&other, &t->totals, 1, 6);
	film_series_end(&t->series, &t->totals, 3);
	film_series_end(&other, &t->totals, 3);
	assert_int_equal(t->values[0], 4);
	assert_int_equal(t->values[1], 10);
	assert_int_equal(t->values[2], 10);
	t->totals.most = true;
	memset(t->values, 0, sizeof(t->values));
	film_series_clear(&t->series);
	film_series_clear(&other);
	film_series_put(&t->series, &t->totals, 0, 4);
	film_series_put(&other, &t->totals, 1, 6);
	film_series_put(&other, &t->totals, 2, 1);
	film_series_end(&t->series, &t->totals, 3);
	film_series_end(&other, &t->totals, 3);
	assert_int_equal(t->values[0], 4);
	assert_int_equal(t->values[1], 6);
	assert_int_equal(t->values[2], 4);
	assert_int_equal(t->totals.peak, 6);
	free(other.bytes.data);
}

// Whatever the values, a reader of doc/film.md gets them back.
static void
test_random_values_come_back(void **state)
{
	struct try *t = *state;
	uint64_t wanted[COUNT], last = 0, value;
	uint32_t random = 1, at = 0;
	size_t byte = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		random = random * 1664525 + 1013904223;
		wanted[i] = random >> 24 < 100 ? (i ? wanted[i - 1] : 0)
					       : random >> (random >> 27) % 32;
		film_series_put(&t->series, &t->totals, i, wanted[i]);
	}
	assert_true(film_series_end(&t->series, &t->totals, COUNT));
	while (at < COUNT) {
		uint64_t parts[2] = {0};

		for (unsigned int i = 0; i < 2; i++) {
			unsigned int shift = 0;

			do
				parts[i] |= (uint64_t)(t->series.bytes.data[byte] & 0x7f)
					    << shift++ * 7;
			while (t->series.bytes.data[byte++] & 0x80);
			if (parts[0] != 0)
				break;
		}
		value = parts[0] % 2 == 0 ? last + parts[0] / 2 : last - (parts[0] + 1) / 2;
		for (uint64_t n = parts[0] == 0 ? parts[1] : 1; n > 0; n--)
			assert_int_equal(wanted[at++], value);
		last = value;
	}
	assert_int_equal(byte, t->series.bytes.count);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_varints),
		cmocka_unit_test_setup_teardown(test_changes_and_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_zeros_are_no_series, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_next_chunk_begins_from_zero, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_totals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_values_come_back, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
