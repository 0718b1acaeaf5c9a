// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static int64_t
system_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
it_is_the_monotonic_clock_rounded_down(void **state)
{
	(void)state;
	for (int i = 0; i < 10000; i++) {
		int64_t before = system_ns() / 1000000, ms = clock_ms();

		assert_true(before <= ms && ms <= system_ns() / 1000000);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_monotonic_clock_rounded_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
