// SPDX-License-Identifier: BSD-3-Clause
// Of what contradicts itself, the part that was set last is blamed.
#include "expect.h"

static void
the_last_written_is_blamed(void **state)
{
	const struct config_mark marks[] = {
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config_cause cause = {0};
		char wanted[16];

		for (unsigned j = 0; j < 4; j++)
			config_blame(&cause, marks, cases[i].order[j], "key %zu",
				     cases[i].order[j]);
		snprintf(wanted, sizeof(wanted), "key %zu", cases[i].blamed);
		assert_string_equal(cause.key, wanted);
		assert_int_equal(cause.mark.pos.line, marks[cases[i].blamed].pos.line);
	}
}

static void
without_marks_the_first_is_blamed(void **state)
{
	struct config_cause cause = {0};

	(void)state;
	config_blame(&cause, NULL, 5, "first");
	config_blame(&cause, NULL, 7, "second");
	assert_string_equal(cause.key, "first");
	assert_int_equal(cause.mark.pos.line, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_written_is_blamed),
		cmocka_unit_test(without_marks_the_first_is_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
