// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/roce/path_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define VALUES 16

static uint8_t memory[VALUES];

static struct path_states
start(bool denied)
{
	struct path_states p;

	path_states_init(&p, VALUES, denied, random_stream(1, 2), memory);
	return p;
}

// How often each value comes in so many packets.
static void
take(struct path_states *p, unsigned int packets, unsigned int counts[VALUES])
{
	for (unsigned int i = 0; i < VALUES; i++)
		counts[i] = 0;
	for (unsigned int i = 0; i < packets; i++) {
		uint16_t value = path_states_next(p);

		assert_true(value < VALUES);
		counts[value]++;
	}
}

// A round has each value once; the next one has another order.
static void
test_rounds(void **state)
{
	struct path_states p = start(false);
	unsigned int counts[VALUES], alike = 0;
	uint16_t first[VALUES];

	(void)state;
	for (unsigned int i = 0; i < VALUES; i++)
		first[i] = path_states_next(&p);
	for (unsigned int i = 0; i < VALUES; i++)
		alike += path_states_next(&p) == first[i];
	assert_int_equal(alike, 0);
	take(&p, VALUES, counts);
	for (unsigned int i = 0; i < VALUES; i++)
		assert_int_equal(counts[i], 1);
}

// What each piece of news makes of each state.
static void
test_transitions(void **state)
{
	static const struct {
		enum path_state from;
		enum entropy_news news;
		enum path_state to;
	} rows[] = {
		{PATH_GOOD, ENTROPY_GOOD, PATH_GOOD},
		{PATH_GOOD, ENTROPY_MARKED, PATH_SKIP},
		{PATH_GOOD, ENTROPY_TRIMMED, PATH_SKIP},
		{PATH_GOOD, ENTROPY_LOST, PATH_ASSUMED_BAD},
		{PATH_SKIP, ENTROPY_GOOD, PATH_SKIP},
		{PATH_SKIP, ENTROPY_MARKED, PATH_SKIP},
		{PATH_SKIP, ENTROPY_TRIMMED, PATH_SKIP},
		{PATH_SKIP, ENTROPY_LOST, PATH_ASSUMED_BAD},
		{PATH_ASSUMED_BAD, ENTROPY_GOOD, PATH_ASSUMED_BAD},
		{PATH_ASSUMED_BAD, ENTROPY_MARKED, PATH_ASSUMED_BAD},
		{PATH_ASSUMED_BAD, ENTROPY_TRIMMED, PATH_ASSUMED_BAD},
		{PATH_ASSUMED_BAD, ENTROPY_LOST, PATH_ASSUMED_BAD},
		{PATH_DENIED, ENTROPY_GOOD, PATH_DENIED},
		{PATH_DENIED, ENTROPY_MARKED, PATH_DENIED},
		{PATH_DENIED, ENTROPY_TRIMMED, PATH_DENIED},
		{PATH_DENIED, ENTROPY_LOST, PATH_DENIED},
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct path_states p = start(rows[i].from == PATH_DENIED);

		if (rows[i].from == PATH_SKIP)
			path_states_learn(&p, 3, ENTROPY_MARKED);
		if (rows[i].from == PATH_ASSUMED_BAD)
			path_states_learn(&p, 3, ENTROPY_LOST);
		assert_int_equal(p.states[3], rows[i].from);
		path_states_learn(&p, 3, rows[i].news);
		assert_int_equal(p.states[3], rows[i].to);
		assert_int_equal(p.bad, rows[i].to == PATH_ASSUMED_BAD);
		assert_int_equal(p.usable,
				 rows[i].from == PATH_DENIED ? 0 : (unsigned int)VALUES - p.bad);
	}
}

// A skipped value misses one round and is there in the next.
static void
test_skip(void **state)
{
	struct path_states p = start(false);
	unsigned int counts[VALUES];

	(void)state;
	path_states_learn(&p, 5, ENTROPY_MARKED);
	path_states_learn(&p, 9, ENTROPY_TRIMMED);
	take(&p, VALUES - 2, counts);
	for (unsigned int i = 0; i < VALUES; i++)
		assert_int_equal(counts[i], i != 5 && i != 9);
	take(&p, VALUES, counts);
	for (unsigned int i = 0; i < VALUES; i++)
		assert_int_equal(counts[i], 1);
}

// All are to be skipped: they go nevertheless, because each was passed over once.
static void
test_all_skipped(void **state)
{
	struct path_states p = start(false);
	unsigned int counts[VALUES];

	(void)state;
	for (uint16_t i = 0; i < VALUES; i++)
		path_states_learn(&p, i, ENTROPY_MARKED);
	take(&p, VALUES, counts);
	for (unsigned int i = 0; i < VALUES; i++)
		assert_int_equal(counts[i], 1);
}

// A bad value is not used until a probe is answered; if that was marked, one round later.
static void
test_probed(void **state)
{
	struct path_states p = start(false);
	unsigned int counts[VALUES];

	(void)state;
	path_states_learn(&p, 2, ENTROPY_LOST);
	path_states_learn(&p, 7, ENTROPY_LOST);
	take(&p, 10 * (VALUES - 2), counts);
	assert_int_equal(counts[2] + counts[7], 0);
	assert_int_equal(path_states_next_bad(&p, 0), 2);
	assert_int_equal(path_states_next_bad(&p, 3), 7);
	assert_int_equal(path_states_next_bad(&p, 8), 2);
	assert_int_equal(path_states_next_bad(&p, VALUES), 2);
	path_states_probed(&p, 2, false);
	path_states_probed(&p, 7, true);
	path_states_probed(&p, 4, true); // which is not bad: nothing changes
	assert_int_equal(p.states[2], PATH_GOOD);
	assert_int_equal(p.states[7], PATH_SKIP);
	assert_int_equal(p.states[4], PATH_GOOD);
	assert_int_equal(p.usable, VALUES);
	assert_int_equal(p.bad, 0);
	take(&p, 4 * VALUES, counts);
	assert_int_equal(p.states[7], PATH_GOOD);
	assert_true(counts[7] >= 2);
	assert_true(counts[2] > counts[7]);
}

// Without a usable value, values go in turn; none becomes usable by that.
static void
test_none_usable(void **state)
{
	struct path_states p = start(false);
	unsigned int counts[VALUES];

	(void)state;
	for (uint16_t i = 0; i < VALUES; i++)
		path_states_learn(&p, i, ENTROPY_LOST);
	assert_int_equal(p.usable, 0);
	take(&p, 2 * VALUES, counts);
	for (unsigned int i = 0; i < VALUES; i++)
		assert_int_equal(counts[i], 2);
	assert_int_equal(p.bad, VALUES);
	path_states_probed(&p, 11, false);
	take(&p, VALUES, counts);
	assert_int_equal(counts[11], VALUES);
}

// Nothing but configuration ends DENIED.
static void
test_denied(void **state)
{
	struct path_states p = start(true);

	(void)state;
	assert_int_equal(p.usable, 0);
	for (uint16_t i = 0; i < VALUES; i++)
		path_states_probed(&p, i, false);
	assert_int_equal(p.usable, 0);
	assert_int_equal(p.bad, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds), cmocka_unit_test(test_transitions),
		cmocka_unit_test(test_skip),   cmocka_unit_test(test_all_skipped),
		cmocka_unit_test(test_probed), cmocka_unit_test(test_none_usable),
		cmocka_unit_test(test_denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
