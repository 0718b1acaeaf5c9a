// SPDX-License-Identifier: BSD-3-Clause
// What nccl-tests prints: its lines, one after the other, with what was measured.
#include "trace_dump.h"

#define RANKS                                                                          \
	"# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 8(factor) warmup iters: 5\n" \
	"# Using devices\n"                                                            \
	"#  Rank  0 Group  0 Pid  101 on  node1 device  0 [0x0f] GPU\n"                \
	"#  Rank  1 Group  0 Pid  102 on  node1 device  1 [0x15] GPU\n"                \
	"#  Rank  2 Group  0 Pid  103 on  node2 device  0 [0x0f] GPU\n"                \
	"#\n#       size         count      type   redop    root     time   algbw\n"
#define REDUCE "# Collective test starting: all_reduce_perf\n" RANKS
#define LINE " 8 2 float sum -1 12.5 0.00 0.25 0 13.0 0.00 0.00 0\n"

static void
test_all_reduce(void **state)
{
	static const char text[] = REDUCE
		"           8             2     float     sum      -1    12.50    0.00    "
		"0.25      0    13.00    0.00    0.00      0\n"
		"node1:101:101 [0] NCCL INFO comm 0x1 rank 0 nranks 3 - Destroy COMPLETE\n"
		"          64            16     float     sum      -1      105    0.00   "
		"17.33    N/A   105.7    9.92   17.37    N/A\n"
		"# Avg bus bandwidth    : 0.1\n";
	const struct trace_text one = {.name = "t", .text = text, .length = strlen(text)};
	struct diag diag = {0};
	struct trace trace;

	(void)state;
	expect(CONFIG_TRACE_NCCL_TESTS, text, 3,
	       "all-reduce 8 all-reduce: 0 1 2\n"
	       "all-reduce 64 all-reduce: 0(0) 1(0) 2(0)\n");
	assert_int_equal(trace_parse(&trace, CONFIG_TRACE_NCCL_TESTS, &one, 1, &diag), 0);
	assert_int_equal(trace.measured[0].time_ps, UINT64_C(12500000));
	assert_int_equal(trace.measured[0].busbw, UINT64_C(250000000));
	assert_int_equal(trace.measured[1].time_ps, UINT64_C(105000000));
	assert_int_equal(trace.measured[1].busbw, UINT64_C(17330000000));
	trace_free(&trace);
}

// The root is first. A shell's line says the program; mpirun puts words before the lines.
static void
test_broadcast(void **state)
{
	(void)state;
	expect(CONFIG_TRACE_NCCL_TESTS,
	       "$ ./build/broadcast_perf -b 8 -e 8\n" RANKS
	       "[1,0]<stdout>: 8 8 int8 none 1 12.5 0.00 0.25 0 13.0 0.00 0.00 0\n",
	       3, "broadcast 8 broadcast: 1 2 0\n");
}

static void
test_send(void **state)
{
	(void)state;
	expect(CONFIG_TRACE_NCCL_TESTS,
	       "# Collective test starting: sendrecv_perf\n" RANKS LINE LINE, 3,
	       "send 8 send: 0 1\n"
	       "send 8 send: 1 2\n"
	       "send 8 send: 2 0\n"
	       "send 8 send: 0(0,2) 1(1,0)\n"
	       "send 8 send: 1(1,0) 2(2,1)\n"
	       "send 8 send: 2(2,1) 0(0,2)\n");
}

static void
no_tests(const char *text, const char *message)
{
	refuse(CONFIG_TRACE_NCCL_TESTS, text, message);
}

static void
test_refused(void **state)
{
	(void)state;
	no_tests(RANKS LINE, "t:1:1: no line says which test this is");
	no_tests("# Collective test starting: hypercube_perf\n" RANKS LINE, "which test this is");
	no_tests("# Collective test starting: all_reduce_perf\n" LINE,
		 "t:1:1: 0 lines begin with `#  Rank`");
	no_tests(REDUCE, "t:1:1: the trace has no operation");
	no_tests(REDUCE " 8 2 float sum -1\n", "t:9:2: 5 words; a line begins with `size count");
	no_tests(REDUCE " 8 2 float sum 3 1 1 1\n", "root: 3 is out of range: 0 to 2");
	no_tests(REDUCE " 8 2 float sum -1 N/A 1 1\n", "time: \"N/A\" is not a measured value");
	no_tests(REDUCE " 8 2 float sum -1 1 1 inf\n", "busbw: \"inf\" is not a measured value");
	no_tests(REDUCE " 8000000000000000000 2 float sum -1 1 1 1\n", "size: ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_reduce),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
