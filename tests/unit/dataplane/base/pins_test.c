// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/pins.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT 3000u

static void
address(uint64_t number, uint8_t out[16])
{
	uint64_t words[2] = {random_mix(number), random_mix(~number)};

	memcpy(out, words, 16);
}

// Every pin is found, and nothing that was not added.
static void
test_all_are_found(void **state)
{
	uint8_t from[16], to[16];
	struct pins *pins;

	(void)state;
	assert_int_equal(pins_create(&pins, COUNT), 0);
	assert_in_range(pins->mask + 1, 2 * COUNT, 4 * COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		address(i, from);
		address(i + COUNT, to);
		assert_true(pins_add(pins, i % 2 ? 4 : 6, from, to, (uint16_t)(i % 256)));
		assert_false(pins_add(pins, i % 2 ? 4 : 6, from, to, 7));
	}
	assert_int_equal(pins->count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		address(i, from);
		address(i + COUNT, to);
		assert_int_equal(pins_find(pins, i % 2 ? 4 : 6, from, to), i % 256);
		assert_int_equal(pins_find(pins, i % 2 ? 6 : 4, from, to), PINS_NONE);
		assert_int_equal(pins_find(pins, i % 2 ? 4 : 6, to, from), PINS_NONE);
		from[3]++;
		assert_int_equal(pins_find(pins, i % 2 ? 4 : 6, from, to), PINS_NONE);
	}
	pins_destroy(pins);
}

static void
test_bounds(void **state)
{
	struct pins *pins;

	(void)state;
	assert_int_equal(pins_create(&pins, PINS_MAX + 1), -E2BIG);
	assert_int_equal(pins_create(&pins, 0), 0);
	assert_int_equal(pins_find(pins, 4, (uint8_t[]){1, 2, 3, 4}, (uint8_t[]){1, 2, 3, 4}),
			 PINS_NONE);
	pins_destroy(pins);
	pins_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_found),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
