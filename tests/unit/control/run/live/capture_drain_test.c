// SPDX-License-Identifier: BSD-3-Clause
// Rings filled by hand, and what comes out of them: in order of time, and a turn's worth at a time.
#include "control/run/live/capture_drain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RINGS 2
#define RING_BYTES (32u << 20)
#define DATA 1000u
#define BYTES ((uint32_t)(offsetof(struct capture_slot, data) + DATA + 7) & ~7u)
#define COST (CAPTURE_RECORD_COST + 2 * BYTES) // of a record that one takes
#define SHARE (64u << 10)
#define DELIVERED_MAX 100000u

struct place {
	struct capture_ring *rings[RINGS];
	ps_t published[RINGS];
	uint32_t takers; // of all records
	uint32_t cost;   // of each
	ps_t times[DELIVERED_MAX];
	uint32_t to[DELIVERED_MAX];
	uint32_t count;
	struct capture_drain *drain;
};

static uint32_t
takers_of(void *context, const struct capture_slot *slot, uint32_t ring, uint64_t position,
	  uint32_t *cost)
{
	const struct place *p = context;

	assert_int_equal(slot->node, ring);
	assert_true(position < p->rings[ring]->tail);
	assert_int_equal(*cost, 0);
	*cost = p->cost;
	return p->takers;
}

static void
note(void *context, const struct capture_slot *slot, uint32_t takers)
{
	struct place *p = context;

	assert_in_range(p->count, 0, DELIVERED_MAX - 1);
	assert_int_equal(slot->data[DATA - 1], slot->at & 0xff);
	p->times[p->count] = slot->at;
	p->to[p->count++] = takers;
}

static int
setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	p->takers = 1;
	p->drain = capture_drain_create(&(struct capture_drain_use){takers_of, note, p});
	for (uint32_t i = 0; i < RINGS; i++) {
		assert_int_equal(capture_ring_create(&p->rings[i], RING_BYTES), 0);
		capture_drain_add(p->drain, i, p->rings[i], &p->published[i]);
	}
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct place *p = *state;

	capture_drain_destroy(p->drain);
	capture_drain_destroy(NULL);
	for (uint32_t i = 0; i < RINGS; i++)
		capture_ring_destroy(p->rings[i]);
	free(p);
	return 0;
}

static void
put(struct place *p, uint32_t ring, ps_t at)
{
	struct capture_slot *slot = capture_ring_reserve(p->rings[ring], DATA);

	assert_non_null(slot);
	slot->node = ring;
	slot->at = at;
	memset(slot->data, (int)(at & 0xff), DATA);
	capture_ring_publish(p->rings[ring]);
}

static void
turn(struct place *p, uint32_t delivered)
{
	capture_drain_turn(p->drain);
	assert_int_equal(p->count, delivered);
}

static void
assert_in_order(const struct place *p)
{
	for (uint32_t i = 1; i < p->count; i++)
		assert_true(p->times[i - 1] <= p->times[i]);
}

// A record waits until no worker can make an earlier one.
static void
test_order(void **state)
{
	struct place *p = *state;
	const ps_t expected[] = {5, 10, 20, 20, 30, 40};

	put(p, 0, 20);
	put(p, 0, 10);
	put(p, 0, 40);
	put(p, 1, 20);
	turn(p, 0);
	p->published[0] = 50;
	turn(p, 0); // the other worker stands at 0
	p->published[1] = 15;
	put(p, 1, 5); // published before that instant: it is in the ring
	turn(p, 2);
	put(p, 1, 30);
	p->published[1] = 40;
	turn(p, 5);
	p->published[1] = 41;
	turn(p, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(p->times[i], expected[i]);
}

// A turn takes what it may cost from both rings alike, and passes nothing on that could be followed
// by what is left in a ring.
static void
test_a_turn_is_bounded(void **state)
{
	const uint32_t each = 4000, most = CAPTURE_TURN_BYTES / COST + SHARE / COST + 2;
	struct place *p = *state;
	uint32_t turns = 0, last = 0;

	for (uint32_t i = 0; i < each; i++)
		put(p, 0, 2 * i);
	for (uint32_t i = 0; i < each; i++)
		put(p, 1, 2 * i + 1);
	p->published[0] = p->published[1] = 2 * each;
	do {
		const uint64_t heads[RINGS] = {p->rings[0]->head, p->rings[1]->head};
		uint64_t taken[RINGS];

		capture_drain_turn(p->drain);
		for (uint32_t i = 0; i < RINGS; i++)
			taken[i] = (p->rings[i]->head - heads[i]) / BYTES;
		assert_in_range(taken[0] + taken[1], 1, most);
		if (capture_drain_waits(p->drain))
			assert_in_range(taken[0], taken[1] - SHARE / COST - 1,
					taken[1] + SHARE / COST + 1);
		// The ring's only mark is its end.
		if (capture_drain_waits(p->drain))
			assert_int_equal(p->count, 0);
		turns++;
		last = p->count;
	} while (capture_drain_waits(p->drain));
	assert_int_equal(turns, 2 * each / (CAPTURE_TURN_BYTES / COST) + 1);
	assert_int_equal(last, 2 * each);
	for (uint32_t i = 0; i < 2 * each; i++)
		assert_int_equal(p->times[i], i);
}

// While a ring is never empty, what is behind a mark goes out.
static void
test_marks(void **state)
{
	struct place *p = *state;
	ps_t at = 0;

	// More comes than a turn takes.
	for (uint32_t i = 0; i < 20; i++) {
		for (uint32_t k = 0; k < CAPTURE_TURN_BYTES / COST + 500; k++)
			put(p, 0, ++at);
		p->published[0] = p->published[1] = at + 1;
		capture_drain_turn(p->drain);
		assert_true(capture_drain_waits(p->drain));
	}
	assert_in_range(p->count, (CAPTURE_TURN_BYTES / COST) * 15, at - 500 * 20);
	assert_in_order(p);
	while (capture_drain_waits(p->drain))
		capture_drain_turn(p->drain);
	assert_int_equal(p->count, at);
	assert_in_order(p);
}

// What is done with a record counts as well.
static void
test_a_turn_with_expensive_records(void **state)
{
	struct place *p = *state;

	p->cost = CAPTURE_TURN_BYTES / 10;
	for (uint32_t i = 0; i < 25; i++)
		put(p, 0, i);
	p->published[0] = p->published[1] = 25;
	turn(p, 0);
	assert_int_equal(p->rings[0]->head / BYTES, 10);
	turn(p, 0);
	turn(p, 25);
}

// The records of a worker that runs do not wait without end for one that hangs.
static void
test_a_worker_hangs(void **state)
{
	const uint32_t fit = CAPTURE_KEPT_BYTES / BYTES;
	struct place *p = *state;

	for (uint32_t i = 0; i < fit + 100; i++) {
		put(p, 0, i);
		if (i % 500 == 0)
			capture_drain_turn(p->drain);
	}
	p->published[0] = fit + 100;
	capture_drain_turn(p->drain);
	assert_false(capture_drain_waits(p->drain));
	assert_int_equal(p->count, 100);
	assert_in_order(p);
}

// A capture that ends gets its records, and no other does; one that is gone gets none.
static void
test_takers(void **state)
{
	struct place *p = *state;

	p->takers = 1 | 4;
	put(p, 0, 1);
	p->takers = 0;
	capture_drain_turn(p->drain);
	assert_true(capture_drain_is_past(p->drain, 1, 0));
	p->takers = 4;
	put(p, 0, 2);
	assert_true(capture_drain_is_past(p->drain, 0, BYTES));
	assert_false(capture_drain_is_past(p->drain, 0, BYTES + 1));
	assert_true(capture_drain_is_past(p->drain, 7, 1)); // no such ring
	capture_drain_turn(p->drain);
	capture_drain_flush(p->drain, 1);
	assert_int_equal(p->count, 0); // when the first came, nobody took it
	p->takers = 1 | 4;
	put(p, 1, 3);
	capture_drain_turn(p->drain);
	capture_drain_flush(p->drain, 1);
	assert_int_equal(p->count, 1);
	assert_int_equal(p->to[0], 1);
	capture_drain_forget(p->drain, 2);
	p->published[0] = p->published[1] = 3;
	turn(p, 2);
	assert_int_equal(p->times[1], 2);
	assert_int_equal(p->to[1], 4);
	capture_drain_forget(p->drain, 4);
	p->published[0] = p->published[1] = 10;
	turn(p, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_turn_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_worker_hangs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_turn_with_expensive_records, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_takers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
