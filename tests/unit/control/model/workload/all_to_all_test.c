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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
