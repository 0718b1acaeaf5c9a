// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/glean.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
put(struct glean *g, uint8_t last)
{
	const struct glean_entry entry = {.vrf = 3, .version = 4, .address = {10, 0, 0, last}};

	glean_put(g, &entry);
}

// First in, first out, over and over; a destination that waits is not put twice in a row.
static void
test_order(void **state)
{
	struct glean_entry e;
	struct glean *g;

	(void)state;
	assert_int_equal(glean_create(&g), 0);
	for (unsigned int round = 0; round < 100; round++) {
		assert_false(glean_take(g, &e));
		for (uint8_t i = 0; i < 5; i++) {
			put(g, i);
			put(g, i);
		}
		for (uint8_t i = 0; i < 5; i++) {
			assert_true(glean_take(g, &e));
			assert_int_equal(e.vrf, 3);
			assert_int_equal(e.version, 4);
			assert_int_equal(e.address[3], i);
		}
	}
	glean_destroy(g);
}

// The same destination asks again once it has been taken.
static void
test_again(void **state)
{
	struct glean_entry e;
	struct glean *g;

	(void)state;
	assert_int_equal(glean_create(&g), 0);
	put(g, 1);
	assert_true(glean_take(g, &e));
	put(g, 1);
	assert_true(glean_take(g, &e));
	assert_false(glean_take(g, &e));
	glean_destroy(g);
}

// A full ring keeps what it has.
static void
test_full(void **state)
{
	struct glean_entry e;
	struct glean *g;

	(void)state;
	assert_int_equal(glean_create(&g), 0);
	for (unsigned int i = 0; i < 2 * GLEAN_ENTRIES; i++)
		put(g, (uint8_t)i);
	for (unsigned int i = 0; i < GLEAN_ENTRIES; i++) {
		assert_true(glean_take(g, &e));
		assert_int_equal(e.address[3], i);
	}
	assert_false(glean_take(g, &e));
	glean_destroy(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
