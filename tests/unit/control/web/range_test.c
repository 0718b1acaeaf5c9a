// SPDX-License-Identifier: BSD-3-Clause
#include "control/web/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
ranges_are_parts_of_the_file(void **state)
{
	static const struct {
		const char *text;
		uint64_t size;
		struct range range;
	} cases[] = {
		{NULL, 10, {RANGE_ALL, 0, 10}},
		{"bytes=0-0", 10, {RANGE_PART, 0, 1}},
		{"bytes=2-5", 10, {RANGE_PART, 2, 4}},
		{"bytes=2-", 10, {RANGE_PART, 2, 8}},
		{"bytes=-3", 10, {RANGE_PART, 7, 3}},
		{"bytes=-30", 10, {RANGE_PART, 0, 10}},
		{"bytes=9-100", 10, {RANGE_PART, 9, 1}},
		{"bytes=9-99999999999999999999999", 10, {RANGE_PART, 9, 1}},
		{"bytes=10-", 10, {RANGE_NONE, 0, 0}},
		{"bytes=99999999999999999999999-", 10, {RANGE_NONE, 0, 0}},
		{"bytes=-0", 10, {RANGE_NONE, 0, 0}},
		{"bytes=-5", 0, {RANGE_NONE, 0, 0}},
		{"bytes=0-", 0, {RANGE_NONE, 0, 0}},
		// What may be ignored: other units, several ranges, and what is no range.
		{"lines=1-2", 10, {RANGE_ALL, 0, 10}},
		{"bytes=0-1,3-4", 10, {RANGE_ALL, 0, 10}},
		{"bytes=5-2", 10, {RANGE_ALL, 0, 10}},
		{"bytes=-", 10, {RANGE_ALL, 0, 10}},
		{"bytes=", 10, {RANGE_ALL, 0, 10}},
		{"bytes=1", 10, {RANGE_ALL, 0, 10}},
		{"bytes= 1-2", 10, {RANGE_ALL, 0, 10}},
		{"", 10, {RANGE_ALL, 0, 10}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct range range = range_parse(cases[i].text, cases[i].size);

		if (range.kind != cases[i].range.kind || range.first != cases[i].range.first ||
		    range.length != cases[i].range.length)
			fail_msg("%s of %u", cases[i].text != NULL ? cases[i].text : "none",
				 (unsigned)cases[i].size);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_parts_of_the_file)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
