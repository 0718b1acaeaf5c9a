// SPDX-License-Identifier: BSD-3-Clause
#include "control/io/learn/netlink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NOW_MS 100000

static struct learn_address
neighbour(uint32_t number)
{
	struct learn_address address = {.version = 4};

	memcpy(address.bytes, &number, sizeof(number));
	return address;
}

static void
the_same_is_asked_for_once_in_a_while(void **state)
{
	const struct learn_address one = neighbour(1);
	struct probe_limiter asks = {0};

	(void)state;
	assert_true(probe_limiter_allow(&asks, 1, &one, NOW_MS));
	assert_false(probe_limiter_allow(&asks, 1, &one, NOW_MS));
	assert_false(probe_limiter_allow(&asks, 1, &one, NOW_MS + PROBE_INTERVAL_MS - 1));
	assert_true(probe_limiter_allow(&asks, 1, &one, NOW_MS + PROBE_INTERVAL_MS));
}

static void
another_device_is_another_neighbour(void **state)
{
	const struct learn_address one = neighbour(1);
	struct probe_limiter asks = {0};

	(void)state;
	assert_true(probe_limiter_allow(&asks, 1, &one, NOW_MS));
	assert_true(probe_limiter_allow(&asks, 2, &one, NOW_MS));
}

static void
many_have_a_common_limit(void **state)
{
	struct probe_limiter asks = {0};
	struct learn_address address;
	unsigned asked = 0;

	(void)state;
	for (uint32_t n = 0; n < 2 * PROBE_MAX; n++) {
		address = neighbour(n);
		asked += probe_limiter_allow(&asks, 1, &address, NOW_MS);
	}
	assert_int_equal(asked, PROBE_MAX);
	address = neighbour(2 * PROBE_MAX);
	assert_false(probe_limiter_allow(&asks, 1, &address, NOW_MS + PROBE_INTERVAL_MS - 1));
	assert_true(probe_limiter_allow(&asks, 1, &address, NOW_MS + PROBE_INTERVAL_MS));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_asked_for_once_in_a_while),
		cmocka_unit_test(another_device_is_another_neighbour),
		cmocka_unit_test(many_have_a_common_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
