// SPDX-License-Identifier: BSD-3-Clause
#include "control/film/film.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define META                                                                                       \
	"{\"columns\":[{\"name\":\"sent\",\"kind\":\"sum\"},{\"name\":\"most\",\"kind\":\"peak\"}" \
	"]}"

// Begins at 0; three intervals of 5 ns. "sent" has 2, 2, 0 at place 0 and 0, 3, 3 at place 4;
// "most" has 7, 1, 9 at place 1 and 8, 8, 8 at place 2.
static const uint8_t good[] = {0, 10, 0, 2, 0, 2, 0,  4,  0,  1, 3,  4, 0, 1,
			       6, 0,  1, 1, 2, 1, 14, 11, 16, 1, 16, 0, 2};

static void
take(struct film_summary *s, const char *type, uint32_t first, const void *data, size_t size)
{
	struct film_block b = {.first = first, .count = 3};

	memcpy(b.type, type, 5);
	film_make_block(&b, data, size);
	film_summary_take(s, &b);
	free((void *)b.bytes);
}

static void
assert_keys(const struct film_summary *s, const char *wanted)
{
	json_t *keys = film_summary_keys(s);
	char *text = json_dumps(keys, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(text, wanted);
	free(text);
	json_decref(keys);
}

static void
test_sums_and_peaks(void **state)
{
	struct film_summary *s = film_summary_create();

	(void)state;
	assert_keys(s, "{}");
	take(s, "FILM", 1, NULL, 0);
	take(s, "META", 0, META, strlen(META));
	take(s, "CHNK", 0, good, sizeof(good));
	assert_keys(s, "{\"overview\":{\"every\":1,\"most\":[8,8,9],\"sent\":[2,5,3]},"
		       "\"peaks\":{\"most\":9,\"sent\":3}}");
	take(s, "META", 0, "{\"flows\":[]}", 12);
	take(s, "CHNK", 4, good, sizeof(good)); // interval 3 was lost
	assert_keys(s, "{\"overview\":{\"every\":1,\"most\":[8,8,9,0,8,8,9],"
		       "\"sent\":[2,5,3,0,2,5,3]},\"peaks\":{\"most\":9,\"sent\":3}}");
	film_summary_destroy(s);
	film_summary_destroy(NULL);
}

// As many points as there may be, and one more interval.
static void
test_two_points_become_one(void **state)
{
	struct film_summary *s = film_summary_create();
	json_t *keys, *overview;

	(void)state;
	take(s, "META", 0, META, strlen(META));
	for (uint32_t i = 0; i < 342; i++)
		take(s, "CHNK", 3 * i, good, sizeof(good));
	keys = film_summary_keys(s);
	overview = json_object_get(keys, "overview");
	assert_int_equal(json_integer_value(json_object_get(overview, "every")), 2);
	assert_int_equal(json_array_size(json_object_get(overview, "sent")), 513);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(overview, "sent"), 1)),
			 5);
	json_decref(keys);
	film_summary_destroy(s);
}

static void
test_what_cannot_be_read(void **state)
{
	static const uint8_t run_too_long[] = {0, 10, 0, 3};
	static const uint8_t empty_run[] = {0, 10, 0, 0};
	static const uint8_t no_such_column[] = {0, 10, 0, 2, 2, 1, 0, 2, 0, 2};
	static const uint8_t no_series[] = {0, 10, 0, 2, 0, 1, 4};
	static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    0xff, 0xff, 0xff, 0xff, 0xff, 1};
	static const struct {
		const char *type;
		uint32_t first;
		const void *data;
		size_t size;
	} rows[] = {
		{"CHNK", 3, run_too_long, sizeof(run_too_long)},
		{"CHNK", 3, empty_run, sizeof(empty_run)},
		{"CHNK", 3, no_such_column, sizeof(no_such_column)},
		{"CHNK", 3, no_series, sizeof(no_series)},
		{"CHNK", 3, too_large, sizeof(too_large)},
		{"CHNK", 3, good, 1},
		{"CHNK", 2, good, sizeof(good)},          // has been there
		{"CHNK", UINT32_MAX, good, sizeof(good)}, // too much is missing
		{"CHNK", 3, NULL, 0},
		{"META", 0, NULL, 0},
		{"META", 0, "{", 1},
		{"META", 0, "{\"columns\":[]}", 14},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct film_summary *s = film_summary_create();

		take(s, "META", 0, META, strlen(META));
		take(s, "CHNK", 0, good, sizeof(good));
		take(s, rows[i].type, rows[i].first, rows[i].data, rows[i].size);
		assert_keys(s, "{}");
		film_summary_destroy(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_and_peaks),
		cmocka_unit_test(test_two_points_become_one),
		cmocka_unit_test(test_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
