// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/workload/algorithms.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_reduce),
		cmocka_unit_test(test_all_gather),
		cmocka_unit_test(test_reduce_scatter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
