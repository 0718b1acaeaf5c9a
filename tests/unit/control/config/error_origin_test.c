// SPDX-License-Identifier: BSD-3-Clause
// Of what contradicts itself, the part that was set last is blamed.
#include "expect.h"

static void
the_last_written_is_blamed(void **state)
{
	static const struct config_mark written[] = {
		{.origin = CONFIG_ORIGIN_DEFAULT},
		{.origin = CONFIG_ORIGIN_PRESET},
		{.origin = CONFIG_ORIGIN_FILE, .pos = {3, 9}},
		{.origin = CONFIG_ORIGIN_FILE, .pos = {3, 20}},
		{.origin = CONFIG_ORIGIN_FILE, .pos = {2, 30}},
		{.origin = CONFIG_ORIGIN_FILE}, // since the file was read
	};
	static const struct {
		size_t order[4];
		size_t blamed;
	} cases[] = {
		{{0, 1, 0, 1}, 0}, {{1, 2, 0, 1}, 2}, {{2, 3, 4, 0}, 3}, {{3, 4, 2, 1}, 3},
		{{4, 2, 2, 2}, 2}, {{3, 5, 2, 4}, 5}, {{5, 3, 2, 0}, 5}, {{0, 5, 1, 2}, 5},
	};

	struct config_marks marks = {0};
	char key[32];

	(void)state;
	for (size_t i = sizeof(written) / sizeof(written[0]); i-- > 0;) {
		snprintf(key, sizeof(key), "key %zu", i);
		config_marks_set(&marks, key, written[i]);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config_error_origin cause = {0};
		char wanted[32];

		for (unsigned j = 0; j < 4; j++)
			config_blame(&cause, &marks, "key %zu", cases[i].order[j]);
		snprintf(wanted, sizeof(wanted), "key %zu", cases[i].blamed);
		assert_string_equal(cause.key, wanted);
		assert_int_equal(cause.mark.pos.line, written[cases[i].blamed].pos.line);
	}
	config_marks_free(&marks);
}

static void
without_marks_the_first_is_blamed(void **state)
{
	struct config_error_origin cause = {0};

	(void)state;
	config_blame(&cause, NULL, "first");
	config_blame(&cause, NULL, "second");
	assert_string_equal(cause.key, "first");
	assert_int_equal(cause.mark.pos.line, 0);
}

// A mark is found by its key alone, and the last of several for one key counts.
static void
marks_are_kept_by_key(void **state)
{
	struct config_marks marks = {0};
	char key[32];

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		snprintf(key, sizeof(key), "key %u", i * 37 % 251);
		config_marks_set(&marks, key,
				 (struct config_mark){CONFIG_ORIGIN_FILE, .pos = {i + 1, 1}});
	}
	assert_int_equal(marks.count, 251);
	for (uint32_t i = 249; i < 500; i++) {
		snprintf(key, sizeof(key), "key %u", i * 37 % 251);
		assert_int_equal(config_marks_find(&marks, key).pos.line, i + 1);
	}
	assert_int_equal(config_marks_find(&marks, "key").origin, CONFIG_ORIGIN_DEFAULT);
	config_marks_free(&marks);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_kept_by_key),
		cmocka_unit_test(the_last_written_is_blamed),
		cmocka_unit_test(without_marks_the_first_is_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
