// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.h"

// 10 bytes over 4 ranks: chunks of 3, 3, 2, 2. Rank r sends chunks r, r - 1, r - 2, ...
static void
test_all_reduce(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: all-reduce, size: 10B}\n", "1111",
		     "0>1 in0 gate0+0: 3 2 2 3 3 2\n"
		     "1>2 in0 gate0+0: 3 3 2 2 3 3\n"
		     "2>3 in0 gate0+0: 2 3 3 2 2 3\n"
		     "3>0 in0 gate0+0: 2 2 3 3 2 2\n");
	assert_flows(2, "  - {kind: all-reduce, algorithm: ring, size: 7B}\n", "11",
		     "0>1 in0 gate0+0: 4 3\n"
		     "1>0 in0 gate0+0: 3 4\n");
	// Messages without a byte are sent all the same.
	assert_flows(3, "  - {kind: all-reduce, size: 1B}\n", "111",
		     "0>1 in0 gate0+0: 1 0 0 1\n"
		     "1>2 in0 gate0+0: 0 1 0 0\n"
		     "2>0 in0 gate0+0: 0 0 1 0\n");
}

// A rank sends all chunks but the one of the rank that it sends to.
static void
test_all_gather(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: all-gather, size: 10B}\n", "1111",
		     "0>1 in0 gate0+0: 3 2 2\n"
		     "1>2 in0 gate0+0: 3 3 2\n"
		     "2>3 in0 gate0+0: 2 3 3\n"
		     "3>0 in0 gate0+0: 2 2 3\n");
}

// All but its own, the one before its own first.
static void
test_reduce_scatter(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: reduce-scatter, size: 10B}\n", "1111",
		     "0>1 in0 gate0+0: 2 2 3\n"
		     "1>2 in0 gate0+0: 3 2 2\n"
		     "2>3 in0 gate0+0: 3 3 2\n"
		     "3>0 in0 gate0+0: 2 3 3\n");
}

// 21 bytes over 2 channels of 3 ranks: 11 and 10 bytes, each with inboxes and gates of its own.
static void
test_channels(void **state)
{
	(void)state;
	assert_flows(3, "  - {kind: all-gather, size: 21B, channels: 2}\n", "222",
		     "0>1 in0 gate0+0: 4 3\n"
		     "1>2 in0 gate0+0: 4 4\n"
		     "2>0 in0 gate0+0: 3 4\n"
		     "0>1 in1 gate1+0: 4 3\n"
		     "1>2 in1 gate1+0: 3 4\n"
		     "2>0 in1 gate1+0: 3 3\n");
}

// As many channels as the host with the fewest NICs has; each begins at another NIC of each host.
static void
test_channels_of_several_nics(void **state)
{
	struct made m;

	(void)state;
	make(&m,
	     "fabric:\n"
	     "  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 3, planes: 3}\n",
	     "  - {kind: all-reduce, size: 5MB, hosts: [h1, h3.eth1, h3.eth3]}\n"
	     "  - {kind: reduce-scatter, size: 5MB, hosts: [h1, h2]}\n");
	assert_int_equal(m.error, 0);
	// Each NIC that is named by itself is a group of its own.
	assert_int_equal(m.w->collectives[0].flow_count, 5);
	assert_int_equal(m.w->collectives[1].flow_count, 18);
	for (uint32_t r = 0; r < 11; r++) {
		assert_int_equal(m.w->ranks[r].inbox_count, r < 5 ? 1 : 3);
		assert_true(m.w->ranks[r].inboxes_apart);
	}
	for (uint32_t p = 0; p < 5; p++)
		assert_int_equal(m.w->flows[p].from_rank, p);
	for (uint32_t i = 0; i < 18; i++) {
		const struct flow_spec *f = &m.w->flows[5 + i];
		uint32_t channel = i / 6, place = i % 6;

		assert_int_equal(f->from_rank, place / 3 * 3 + (place + channel) % 3);
		assert_int_equal(f->inbox, channel);
		assert_int_equal(f->gate, channel);
		// Between hosts it goes by the channel's own NIC.
		assert_int_equal(f->inside, place % 3 != 2);
		if (!f->inside)
			assert_int_equal(f->src_port, channel);
	}
	drop(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_reduce),
		cmocka_unit_test(test_all_gather),
		cmocka_unit_test(test_reduce_scatter),
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_channels_of_several_nics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
