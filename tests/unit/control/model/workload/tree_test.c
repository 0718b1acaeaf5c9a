// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.h"

// Ranks 1 and 2 hang on the root, 3 and 4 on 1. 10 bytes in chunks of at most 4: of 4, 3, 3.
static void
test_five(void **state)
{
	(void)state;
	assert_flows(5, "  - {kind: all-reduce, algorithm: tree, chunk: 4B, size: 10B}\n", "12111",
		     "1>0 in0 gate0+1: 4 3 3\n"
		     "2>0 in0: 4 3 3\n"
		     "3>1 in0: 4 3 3\n"
		     "4>1 in0: 4 3 3\n"
		     "0>1 in1 gate0+1: 4 3 3\n"
		     "0>2 in0 gate0+1: 4 3 3\n"
		     "1>3 in0 gate1+1: 4 3 3\n"
		     "1>4 in0 gate1+1: 4 3 3\n");
}

static void
test_two(void **state)
{
	(void)state;
	assert_flows(2, "  - {kind: all-reduce, algorithm: tree, size: 10B}\n", "11",
		     "1>0 in0: 10\n"
		     "0>1 in0 gate0+1: 10\n");
}

// 1 MB in chunks of at most 512 KB: two halves.
static void
test_chunk(void **state)
{
	(void)state;
	assert_flows(2, "  - {kind: all-reduce, algorithm: tree, size: 1MB}\n", "11",
		     "1>0 in0: 500000 500000\n"
		     "0>1 in0 gate0+1: 500000 500000\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_five),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
