// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/roce/entropy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct entropy
start(enum entropy_mode mode, uint16_t values)
{
	struct entropy e;
	void *memory = malloc(entropy_bytes(values));

	assert_non_null(memory);
	entropy_init(&e, mode, values, random_stream(1, 2), memory);
	return e;
}

// A round has each value once; the next one has another order.
static void
test_rounds(void **state)
{
	struct entropy e = start(ENTROPY_ROUND, 64);
	uint16_t first[64];
	unsigned int alike = 0;

	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		uint64_t seen = 0;

		for (unsigned int i = 0; i < 64; i++) {
			uint16_t value = entropy_next(&e);

			assert_true(value < 64);
			seen |= UINT64_C(1) << value;
			if (round == 0)
				first[i] = value;
			alike += round == 1 && value == first[i];
			entropy_learn(&e, value, ENTROPY_LOST); // changes nothing
		}
		assert_true(seen == UINT64_MAX);
	}
	assert_int_equal(alike, 0);
	free(e.good);
}

// What came back well goes first, in the order in which it came, once.
static void
test_recycled(void **state)
{
	for (unsigned int mode = ENTROPY_MIXED; mode <= ENTROPY_REPS; mode++) {
		struct entropy e = start(mode, 8);

		(void)state;
		entropy_learn(&e, 5, ENTROPY_GOOD);
		entropy_learn(&e, 3, ENTROPY_MARKED);
		entropy_learn(&e, 6, ENTROPY_GOOD);
		entropy_learn(&e, 5, ENTROPY_GOOD);
		assert_int_equal(entropy_next(&e), 5);
		assert_int_equal(entropy_next(&e), 6);
		assert_int_equal(entropy_next(&e), 5);
		assert_int_equal(e.count, 0);
		// No more than there are values.
		for (uint16_t i = 0; i < 20; i++)
			entropy_learn(&e, i % 8, ENTROPY_GOOD);
		assert_int_equal(e.count, 8);
		for (uint16_t i = 0; i < 8; i++)
			assert_int_equal(entropy_next(&e), i);
		assert_int_equal(e.count, 0);
		free(e.good);
	}
}

// The round passes over a value once for a mark, four times for a trimmed packet, fifteen for a
// lost one, which is the most.
static void
test_penalties(void **state)
{
	static const struct {
		enum entropy_news news;
		unsigned int times, penalty;
	} cases[] = {{ENTROPY_MARKED, 1, 1}, {ENTROPY_MARKED, 3, 3}, {ENTROPY_TRIMMED, 1, 4},
		     {ENTROPY_LOST, 1, 15},  {ENTROPY_LOST, 2, 15},  {ENTROPY_TRIMMED, 4, 15}};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct entropy e = start(ENTROPY_MIXED, 4);
		unsigned int rounds = 0;

		for (unsigned int k = 0; k < cases[i].times; k++)
			entropy_learn(&e, 2, cases[i].news);
		assert_int_equal(e.penalties[2], cases[i].penalty);
		// Four rounds of three values at the most for each time that it is passed over.
		while (e.penalties[2] != 0 && rounds < 1000) {
			assert_true(entropy_next(&e) != 2 || e.penalties[2] == 0);
			rounds++;
		}
		// A new round may put it first or last.
		assert_in_range(rounds, cases[i].penalty, 6 * cases[i].penalty);
		free(e.good);
	}
}

// All values have penalties: it goes on.
static void
test_all_bad(void **state)
{
	struct entropy e = start(ENTROPY_MIXED, 4);

	(void)state;
	for (uint16_t i = 0; i < 4; i++)
		entropy_learn(&e, i, ENTROPY_LOST);
	for (unsigned int i = 0; i < 100; i++)
		assert_true(entropy_next(&e) < 4);
	for (uint16_t i = 0; i < 4; i++)
		assert_int_equal(e.penalties[i], 0); // each packet took one away
	free(e.good);
}

static void
test_one_value(void **state)
{
	(void)state;
	for (unsigned int mode = 0; mode < ENTROPY_KINDS; mode++) {
		struct entropy e = start(mode, 1);

		for (unsigned int i = 0; i < 3; i++) {
			assert_int_equal(entropy_next(&e), 0);
			entropy_learn(&e, 0, ENTROPY_TRIMMED);
		}
		free(e.good);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),    cmocka_unit_test(test_recycled),
		cmocka_unit_test(test_penalties), cmocka_unit_test(test_all_bad),
		cmocka_unit_test(test_one_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
