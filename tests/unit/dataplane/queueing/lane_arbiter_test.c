// SPDX-License-Identifier: BSD-3-Clause
// Lanes that take turns, all of them with packets and credit at any time: the order in which their
// packets go, to the block.
#include "dataplane/queueing/lane_arbiter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

struct bench {
	struct packet_pool *pool;
	struct credits credits;
	struct port port;
};

// A first packet of so many units of 64 B for every lane.
static void
open_bench(struct bench *b, const uint32_t units[PRIORITIES])
{
	memset(b, 0, sizeof(*b));
	assert_int_equal(packet_pool_create(&b->pool, 256), 0);
	b->port.credits = &b->credits;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		struct rte_mbuf *m = packet_alloc(b->pool);

		packet_init_frame(m, 0, 64);
		packet_meta(m)->wire_bytes = units[i] * 64 - 3; // counts as whole units
		b->port.queues[i].head = m;
	}
}

static void
close_bench(struct bench *b)
{
	packet_pool_destroy(b->pool);
}

// Picks a lane and sends its packet. Another that was dropped before it has used nothing of a turn.
static unsigned int
send(const struct lane_tables *t, struct bench *b, unsigned int eligible)
{
	const unsigned int lane = lane_arbiter_pick(t, &b->credits, eligible);

	assert_int_equal(lane_arbiter_pick(t, &b->credits, eligible), lane);
	lane_arbiter_sent(t, &b->credits, packet_meta(b->port.queues[lane].head)->wire_bytes);
	return lane;
}

static void
expect_order(const struct lane_tables *t, const uint32_t units[PRIORITIES], unsigned int eligible,
	     const char *order)
{
	struct bench b;

	open_bench(&b, units);
	for (const char *at = order; *at != '\0'; at++)
		assert_int_equal(send(t, &b, eligible), *at - '0');
	close_bench(&b);
}

#define HIGH(...) \
	.entries[0] = {__VA_ARGS__}, .counts[0] = sizeof((struct lane_entry[]){__VA_ARGS__}) / 2
#define LOW(...) \
	.entries[1] = {__VA_ARGS__}, .counts[1] = sizeof((struct lane_entry[]){__VA_ARGS__}) / 2

static const uint32_t equal[PRIORITIES] = {16, 16, 16, 16, 16, 16, 16, 16};

// An entry sends until its weight is used up: the last packet may pass it.
static void
weights_count_blocks(void **state)
{
	const struct lane_tables even = {LOW({0, 32}, {1, 16})};
	const struct lane_tables odd = {LOW({0, 17}, {1, 1})};
	const uint32_t sizes[PRIORITIES] = {1, 64, 16, 16, 16, 16, 16, 16};
	const struct lane_tables sized = {LOW({0, 3}, {1, 65})};

	(void)state;
	expect_order(&even, equal, 0xff, "100100100100");
	expect_order(&odd, equal, 0xff, "100100100");
	expect_order(&sized, sizes, 0xff, "11000110001100");
}

// An entry without weight, or whose lane has nothing, loses its turn; the next begins anew.
static void
turns_are_lost(void **state)
{
	const struct lane_tables t = {LOW({0, 16}, {1, 0}, {2, 16}, {0, 16}, {3, 16})};

	(void)state;
	expect_order(&t, equal, 0xff, "2030203020302");
	expect_order(&t, equal, 1 << 0 | 1 << 3, "0300300300");
}

// What the high table may send before one packet of the low one goes.
static void
limits_of_the_high_table(void **state)
{
	static const struct {
		uint8_t limit;
		unsigned int high; // packets of 16 units between two of the low table
	} cases[] = {{0, 1}, {1, 4}, {2, 8}, {3, 12}, {254, 1016}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lane_tables t = {
			.limit = cases[i].limit, HIGH({5, 255}), LOW({1, 255})};
		unsigned int run = 0, runs = 0;
		struct bench b;

		open_bench(&b, equal);
		assert_int_equal(send(&t, &b, 0xff), 1); // its count begins
		for (unsigned int k = 0; k < 5000; k++) {
			if (send(&t, &b, 0xff) == 5) {
				run++;
				continue;
			}
			assert_int_equal(run, cases[i].high);
			run = 0;
			runs++;
		}
		assert_int_equal(runs, 5000 / (cases[i].high + 1));
		close_bench(&b);
	}
}

static void
without_limit_the_low_table_waits(void **state)
{
	const struct lane_tables t = {
		.limit = LANE_LIMIT_UNLIMITED, HIGH({5, 1}, {4, 1}), LOW({1, 255})};

	(void)state;
	expect_order(&t, equal, 0xff, "4545454545");
	expect_order(&t, equal, 1 << 1, "11111");
}

// A limit that is used up while the low table has nothing lets its next packet go first.
static void
the_low_table_keeps_its_claim(void **state)
{
	const struct lane_tables t = {.limit = 1, HIGH({5, 255}), LOW({1, 255})};
	struct bench b;

	(void)state;
	open_bench(&b, equal);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(send(&t, &b, 1 << 5), 5);
	assert_int_equal(send(&t, &b, 0xff), 1);
	assert_int_equal(send(&t, &b, 0xff), 5);
	close_bench(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_count_blocks),
		cmocka_unit_test(turns_are_lost),
		cmocka_unit_test(limits_of_the_high_table),
		cmocka_unit_test(without_limit_the_low_table_waits),
		cmocka_unit_test(the_low_table_keeps_its_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
