// SPDX-License-Identifier: BSD-3-Clause
// The random streams: the published sequence, and that streams repeat and are apart.
#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define STREAMS 100
#define DRAWS 1000

// The reference implementation's first outputs from the states 0 and 1234567.
static void
test_published_sequence(void **state)
{
	static const uint64_t zero[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f,
					0xf88bb8a8724c81ec, 0x1b39896a51a8749b};
	static const uint64_t other[] = {6457827717110365317u, 3203168211198807973u,
					 9817491932198370423u, 4593380528125082431u,
					 16408922859458223821u};
	struct random a = {.state = 0}, b = {.state = 1234567}, c = {.state = 0};

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(random_next(&a), zero[i]);
		assert_int_equal(random_next(&b), other[i]);
		assert_int_equal(random_u32(&c), zero[i] >> 32);
	}
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// Streams of two seeds: the same again when drawn again; no two have a state in common among the
// first draws, so none is another one shifted.
static void
test_streams(void **state)
{
	static uint64_t draws[2 * STREAMS * DRAWS];
	uint64_t *at = draws;

	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		for (uint64_t stream = 0; stream < STREAMS; stream++) {
			struct random r = random_stream(seed, stream),
				      again = random_stream(seed, stream);

			for (unsigned int i = 0; i < DRAWS; i++) {
				*at = random_next(&r);
				assert_int_equal(*at++, random_next(&again));
			}
		}
	}
	qsort(draws, 2 * STREAMS * DRAWS, sizeof(*draws), compare);
	for (unsigned int i = 1; i < 2 * STREAMS * DRAWS; i++)
		assert_int_not_equal(draws[i], draws[i - 1]);
}

// 100,000 draws from n: none outside, each n-th to 4 sigma = 4 sqrt(100,000 (1/n) (1 - 1/n)).
static void
test_below(void **state)
{
	static const struct {
		uint32_t n, sigma4;
	} cases[] = {{1, 0}, {2, 633}, {3, 597}, {10, 380}, {255, 80}};
	struct random r = random_stream(1, 0);

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		uint32_t n = cases[i].n, counts[256] = {0};

		for (unsigned int k = 0; k < 100000; k++) {
			uint32_t draw = random_below(&r, n);

			assert_true(draw < n);
			counts[draw]++;
		}
		for (uint32_t k = 0; k < n; k++)
			assert_in_range(counts[k], 100000 / n - cases[i].sigma4,
					100000 / n + cases[i].sigma4);
	}
	for (unsigned int k = 0; k < 1000; k++)
		assert_true(random_below(&r, UINT32_MAX) < UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_sequence),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
