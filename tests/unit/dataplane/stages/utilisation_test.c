// SPDX-License-Identifier: BSD-3-Clause
// How much of its link a port has used of late.
#include "../harness.h"

#include "dataplane/stages/utilisation.h"

#define FULL UINT64_C(13107) // bytes a window at 100 Gb/s

// Bytes a window for any time from one window on, to 1/64.
static void
test_mean(void **state)
{
	struct random random = random_stream(1, 0);

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		ps_t time = UTILISATION_WINDOW +
			    random_next(&random) % (UTILISATION_WINDOW << i % 30);
		uint64_t bytes = (time >> UTILISATION_SHIFT) *
				 (1000 + random_below(&random, 50000));
		double exact = (double)bytes * (double)UTILISATION_WINDOW / (double)time;
		double mean = (double)utilisation_mean(bytes, time);

		assert_true(mean >= exact * (1 - 1.0 / 4096) - 2);
		assert_true(mean <= exact * (1 + 1.0 / 64) + 2);
	}
}

// A steady load is its own level; a change is there by half after a window, by all but 1/1024 after
// ten.
static void
test_level(void **state)
{
	struct utilisation u = {0};
	uint64_t bytes = 0;

	(void)state;
	for (unsigned int i = 1; i <= 20; i++) {
		ps_t now = i * UTILISATION_WINDOW;

		bytes += FULL;
		u.level = utilisation_level(&u, bytes, now);
		u.since = now;
		u.bytes = bytes;
		if (i == 1)
			assert_in_range(u.level, FULL / 2 - 2, FULL / 2 + 2);
	}
	assert_in_range(u.level, FULL - 30, FULL);
	assert_int_equal(utilisation_level(&u, bytes + 500, u.since + UTILISATION_WINDOW - 1),
			 u.level);
	assert_in_range(utilisation_level(&u, bytes, u.since + UTILISATION_WINDOW), FULL / 2 - 20,
			FULL / 2);
	assert_in_range(utilisation_level(&u, bytes, u.since + 10 * UTILISATION_WINDOW), 0,
			FULL / 1024 + 1);
	assert_int_equal(utilisation_level(&u, bytes, u.since + 1000 * UTILISATION_WINDOW), 0);
	assert_int_equal(utilisation_level(&u, bytes, PS_PER_S * 100), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
