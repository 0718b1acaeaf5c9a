// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.h"

// 10 bytes over 4 ranks: chunks a, b, c, d of 3, 3, 2, 2. Even ranks keep ab, odd ones cd; then 0
// keeps a, 2 b, 1 c, 3 d; and back.
static void
test_four(void **state)
{
	(void)state;
	assert_flows(4, "  - {kind: all-reduce, algorithm: halving-doubling, size: 10B}\n", "4444",
		     "0>1 in0: 4\n1>0 in0: 6\n2>3 in0: 4\n3>2 in0: 6\n"
		     "0>2 in1 gate0+1: 3\n1>3 in1 gate0+1: 2\n"
		     "2>0 in1 gate0+1: 3\n3>1 in1 gate0+1: 2\n"
		     "0>2 in2 gate1+1: 3\n1>3 in2 gate1+1: 2\n"
		     "2>0 in2 gate1+1: 3\n3>1 in2 gate1+1: 2\n"
		     "0>1 in3 gate2+1: 6\n1>0 in3 gate2+1: 4\n"
		     "2>3 in3 gate2+1: 6\n3>2 in3 gate2+1: 4\n");
}

static void
test_two(void **state)
{
	(void)state;
	assert_flows(2, "  - {kind: all-reduce, algorithm: halving-doubling, size: 1B}\n", "22",
		     "0>1 in0: 0\n1>0 in0: 1\n"
		     "0>1 in1 gate0+1: 1\n1>0 in1 gate0+1: 0\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four),
		cmocka_unit_test(test_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
