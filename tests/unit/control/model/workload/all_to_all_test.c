// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.h"

// 10 bytes over 4 ranks: chunks of 3, 3, 2, 2 for ranks 0 to 3.
static void
test_direct(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: all-to-all, size: 10B}\n", "1111",
		     "0>1 in0: 3\n1>2 in0: 2\n2>3 in0: 2\n3>0 in0: 3\n"
		     "0>2 in0: 2\n1>3 in0: 2\n2>0 in0: 3\n3>1 in0: 3\n"
		     "0>3 in0: 2\n1>0 in0: 3\n2>1 in0: 3\n3>2 in0: 2\n");
	// Chunks of no byte are not sent, and who would get only such has no inbox.
	assert_flows(3, "  - {kind: all-to-all, algorithm: direct, size: 2B}\n", "110",
		     "0>1 in0: 1\n2>0 in0: 1\n1>0 in0: 1\n2>1 in0: 1\n");
}

static void
test_shift(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: all-to-all, algorithm: shift, size: 10B}\n", "3333",
		     "0>1 in0: 3\n1>2 in0: 2\n2>3 in0: 2\n3>0 in0: 3\n"
		     "0>2 in1 gate0+1: 2\n1>3 in1 gate0+1: 2\n"
		     "2>0 in1 gate0+1: 3\n3>1 in1 gate0+1: 3\n"
		     "0>3 in2 gate1+1: 2\n1>0 in2 gate1+1: 3\n"
		     "2>1 in2 gate1+1: 3\n3>2 in2 gate1+1: 2\n");
	assert_flows(3, "  - {kind: all-to-all, algorithm: shift, size: 1B}\n", "222",
		     "0>1 in0: 0\n1>2 in0: 0\n2>0 in0: 1\n"
		     "0>2 in1 gate0+1: 0\n1>0 in1 gate0+1: 1\n2>1 in1 gate0+1: 0\n");
}

// Of three hosts with two NICs each in two planes: 6 ranks, of whose 30 pairs 6 are inside hosts.
#define PLANES                                                                              \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 3, " \
	"planes: "                                                                          \
	"2}\n"

static void
test_generated_pairs_are_counted(void **state)
{
	const struct collective_spec *c;
	struct made m;
	uint64_t bytes;

	(void)state;
	make(&m, PLANES,
	     "  - {kind: all-to-all, size: 13B, pairs: generated, peers: 2}\n"
	     "  - {kind: all-to-all, size: 13B, pairs: listed, repeat: 3}\n"
	     "  - {kind: all-to-all, size: 13B, peers: 3, repeat: 3}\n");
	assert_int_equal(m.error, 0);
	c = m.w->collectives;
	assert_true(c[0].generated && !c[1].generated && c[2].generated);
	assert_int_equal(c[0].peers, 2);
	assert_int_equal(c[0].pair_count, 30);
	assert_int_equal(c[0].inside_count, 6);
	// Chunks of 3, 2, 2, 2, 2, 2 bytes.
	assert_int_equal(c[0].inside_bytes, 13);
	assert_int_equal(collective_wire_bytes(&c[0]), 13 * 5 - 13);
	assert_int_equal(c[1].pair_count, 0);
	assert_int_equal(m.w->flow_count, 30);
	assert_int_equal(c[2].first_flow, 30);
	assert_int_equal(workload_count_flows(m.w, &bytes), 3 * 24);
	assert_int_equal(bytes, 7 * (13 * 5 - 13));
	// As long as a flow to another NIC of the host.
	assert_int_equal(m.w->ranks[0].handover_ps, m.w->flows[25].handover_ps);
	drop(&m);
}

#define RANKS_520 \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 8, spines: 1, hosts-per-leaf: 65}\n"

static void
test_bytes_stop_at_the_largest_number(void **state)
{
	struct made m;
	uint64_t bytes;

	(void)state;
	make(&m, RANKS_520, "  - {kind: all-to-all, size: 1000GB, repeat: 60000}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(workload_count_flows(m.w, &bytes), 520 * 519);
	assert_int_equal(bytes, INT64_MAX);
	drop(&m);
}

static void
test_many_pairs_are_generated(void **state)
{
	struct made m;

	(void)state;
	make(&m, RANKS_520, "  - {kind: all-to-all, algorithm: shift, size: 1MB}\n");
	assert_int_equal(m.error, 0);
	assert_true(m.w->collectives[0].generated && m.w->collectives[0].in_turns);
	assert_int_equal(m.w->flow_count, 0);
	drop(&m);
	make(&m, RANKS_520, "  - {kind: all-to-all, size: 1MB, hosts: h1-h512}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 512 * 511);
	drop(&m);
	// What cannot be generated is listed, as far as that goes.
	make(&m, RANKS_520, "  - {kind: all-to-all, size: 1MB, qps: 2}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 520 * 519);
	drop(&m);
}

static void
test_what_cannot_be_generated(void **state)
{
	(void)state;
	assert_refused(PLANES, "  - {kind: all-to-all, size: 5B, pairs: generated}\n",
		       "generated pairs need at least one byte for each rank");
	assert_refused(PLANES, "  - {kind: all-to-all, size: 250GB, pairs: generated}\n",
		       "generated pairs need less than 34 GB for each rank");
	assert_refused(PLANES, "  - {kind: all-to-all, size: 1MB, peers: 4, qps: 2}\n",
		       "generated pairs need one queue pair for each pair of ranks (qps: 1)");
	assert_refused("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, "
		       "hosts-per-leaf: 2}\ntenants: {red: {hosts: [h1, h3]}, blue: {hosts: [h2, "
		       "h4]}}\n",
		       "  - {kind: all-to-all, size: 1MB, pairs: generated}\n",
		       "traffic between tenants that no route joins");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_generated_pairs_are_counted),
		cmocka_unit_test(test_bytes_stop_at_the_largest_number),
		cmocka_unit_test(test_many_pairs_are_generated),
		cmocka_unit_test(test_what_cannot_be_generated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
