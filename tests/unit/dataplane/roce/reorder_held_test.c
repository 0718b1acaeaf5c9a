// SPDX-License-Identifier: BSD-3-Clause
// What waits for its turn: in which order it passes, and how much of it there may be.
#include "reordered.h"

#include "dataplane/base/random.h"

// No packet is ahead of its turn. Returns the PSN that is to pass next.
static uint32_t
pass_in_order(struct rte_mbuf *m, uint32_t next)
{
	while (m != NULL) {
		struct rte_mbuf *behind = packet_meta(m)->next;

		assert_true(psn_diff(reorder_frame_psn(m), next) <= 0);
		if (reorder_frame_psn(m) == next)
			next = psn_add(next, 1);
		free(m);
		given++;
		m = behind;
	}
	return next;
}

// Packets come in any order, some of them twice, and some while others pass.
static void
test_any_order(void **state)
{
	static uint32_t psns[REORDER_PACKETS_MAX];

	(void)state;
	for (uint32_t seed = 0; seed < 40; seed++) {
		struct random random = random_stream(7, seed);
		uint32_t count = seed == 0 ? REORDER_PACKETS_MAX : 1 + random_below(&random, 400);
		uint32_t next = 0xfffff0; // to pass
		uint32_t twice = 0;

		for (uint32_t i = 0; i < count; i++)
			psns[i] = psn_add(next, (int32_t)i + 1);
		for (uint32_t i = count - 1; i > 0; i--) {
			uint32_t other = random_below(&random, i + 1), psn = psns[i];

			psns[i] = psns[other];
			psns[other] = psn;
		}
		begin(REORDER_PACKETS_MAX);
		send_one(next, 0);
		expect("fffff0");
		next = psn_add(next, 1);
		for (uint32_t i = 0; i < count; i++) {
			struct reorder_frame frame = {
				.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .psn = psns[i]};
			bool again = seed != 0 && random_below(&random, 8) == 0;

			for (unsigned int k = 0; k <= again; k++) {
				twice += k != 0;
				next = pass_in_order(
					reorder_take(reorder, reorder_frame_make(&frame), true, 0),
					next);
			}
		}
		assert_int_equal(next, psn_add(0xfffff0, (int32_t)count + 1));
		assert_int_equal(given, 1 + count + twice);
		assert_int_equal(reorder_counters(reorder)->waiting, 0);
		assert_int_equal(reorder_counters(reorder)->overflows, 0);
	}
}

// What is held passes in order without what is missing.
static void
test_all_pass_in_order_at_the_timeout(void **state)
{
	(void)state;
	begin(64);
	send_one(1, 0);
	for (uint32_t i = 0; i < 16; i++)
		send_one(3 + i * 5 % 16, 0);
	expect("1");
	note(reorder_expire(reorder, TIMEOUT));
	expect("3 4 5 6 7 8 9 a b c d e f 10 11 12");
}

static void
test_duplicate_of_a_held_packet(void **state)
{
	(void)state;
	begin(16);
	send_one(1, 0);
	send_one(3, 0);
	send_one(3, 0);
	send_one(4, 0);
	send_one(2, 0);
	expect("1 2 3 3 4");
}

static void
test_no_room(void **state)
{
	(void)state;
	begin(3);
	send_one(1, 0);
	send_one(9, 0);
	send_one(3, 0);
	send_one(5, 0);
	expect("1");
	send_one(4, 0); // in its place
	expect("3 4 5 9");
	assert_int_equal(reorder_counters(reorder)->overflows, 1);
	send_one(10, 0);
	expect("a");
	// Another has all the room.
	for (uint32_t i = 0; i < 3; i++)
		put(&(struct reorder_frame){.qp = 18, .psn = 2 * i, .opcode = ROCE_OP_SEND_ONLY},
		    0);
	put(&(struct reorder_frame){.qp = 18, .psn = 6, .opcode = ROCE_OP_SEND_ONLY}, 0);
	expect("0");
	send_one(12, 0);
	expect("c");
	send_one(13, 0);
	send_one(11, 0); // goes back, as far as to 2
	send_one(12, 0);
	expect("d b c");
	assert_int_equal(reorder_counters(reorder)->overflows, 3);
	// Room that the caller does not have.
	note(reorder_take(reorder,
			  reorder_frame_make(&(struct reorder_frame){
				  .qp = 17, .psn = 20, .opcode = ROCE_OP_SEND_ONLY}),
			  false, 0));
	expect("14");
}

// More flows than a bucket has room for: the one that has been idle for longest goes, and one that
// holds packets only if all do.
static void
test_many_flows(void **state)
{
	uint32_t most = 20000;

	(void)state;
	begin(8192);
	for (uint32_t i = 0; i < most; i++)
		for (uint32_t k = 0; k < 4; k += 3)
			put(&(struct reorder_frame){.opcode = ROCE_OP_SEND_ONLY, .qp = i, .psn = k},
			    i);
	// As many hold a packet as there is room for flows; the others have passed.
	assert_int_equal(reorder_counters(reorder)->waiting, 1024);
	assert_int_equal(reorder_counters(reorder)->overflows, most - 1024);
	assert_int_equal(given, 2 * most - 1024);
	note(reorder_expire(reorder, most + TIMEOUT));
	assert_int_equal(given, 2 * most);
	assert_int_equal(reorder_next(reorder), PS_NEVER);
}

// A flow that the table has lost because others took its place is not new.
static void
test_more_flows_than_fit_do_not_wait(void **state)
{
	(void)state;
	begin_new(8192, FIRST);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 4000; i++)
			put(&(struct reorder_frame){.opcode = ROCE_OP_SEND_ONLY,
						    .qp = i,
						    .psn = round},
			    round * FIRST);
		note(reorder_expire(reorder, (round + 1) * FIRST));
		if (round == 0)
			assert_int_equal(given, 4000);
	}
	assert_int_equal(given, 8000);
	assert_true(reorder_counters(reorder)->held <= 1024);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_all_pass_in_order_at_the_timeout),
		cmocka_unit_test(test_duplicate_of_a_held_packet),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_many_flows),
		cmocka_unit_test(test_more_flows_than_fit_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
