// SPDX-License-Identifier: BSD-3-Clause
//
// The exponential distribution: its moments and its tail. Seeds are fixed, so nothing here is left
// to chance; bounds are four standard errors.

#include "dataplane/roce/arrivals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DRAWS 1000000

static void
test_moments(void **state)
{
	struct random r = random_stream(3, 1);
	double sum = 0, squares = 0;

	(void)state;
	for (unsigned int i = 0; i < DRAWS; i++) {
		double x = (double)exponential_draw(&r) / (1ull << EXPONENTIAL_ONE_BITS);

		sum += x;
		squares += x * x;
	}
	// Mean 1 with standard deviation 1; mean square 2 with standard deviation sqrt(24 - 4).
	assert_true(fabs(sum / DRAWS - 1) < 4 * 1 / 1000.0);
	assert_true(fabs(squares / DRAWS - 2) < 4 * sqrt(20) / 1000.0);
}

static void
test_distribution(void **state)
{
	struct random r = random_stream(3, 2);
	unsigned int beyond[40] = {0};

	(void)state;
	for (unsigned int i = 0; i < DRAWS; i++) {
		uint64_t quarter = exponential_draw(&r) >> (EXPONENTIAL_ONE_BITS - 2);

		for (unsigned int k = 0; k < 40 && k <= quarter; k++)
			beyond[k]++;
	}
	// P(x >= k/4) = e^(-k/4).
	for (unsigned int k = 0; k < 40; k++) {
		double p = exp(-(double)k / 4);

		assert_true(fabs((double)beyond[k] / DRAWS - p) <= 4 * sqrt(p * (1 - p)) / 1000.0);
	}
}

static void
test_gap_scales(void **state)
{
	struct random a = random_stream(3, 3), b = a;
	uint64_t mean = UINT64_C(1) << 57;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t draw = exponential_draw(&a);

		// (2^57 x draw) / 2^32
		assert_true(exponential_gap(&b, mean) == draw << 25);
	}
}

static void
test_uniform(void **state)
{
	struct random r = random_stream(3, 4);
	uint64_t n = UINT64_C(3) << 62, above = 0;

	(void)state;
	assert_int_equal(uniform_below(&r, 0), 0);
	assert_int_equal(uniform_below(&r, 1), 0);
	for (unsigned int i = 0; i < DRAWS; i++) {
		uint64_t u = uniform_below(&r, n);

		assert_true(u < n);
		above += u >= n / 3 * 2;
	}
	assert_true(fabs((double)above / DRAWS - 1 / 3.0) < 4 * sqrt(2 / 9.0) / 1000.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_distribution),
		cmocka_unit_test(test_gap_scales),
		cmocka_unit_test(test_uniform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
