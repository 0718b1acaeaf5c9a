// SPDX-License-Identifier: BSD-3-Clause
// SimAI's workload files: the program that layers become, and what is refused.
#include "trace_dump.h"

#define HEADER                                                                                  \
	"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 " \
	"all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n"

static void
simai(const char *text, uint32_t ranks, const char *expected)
{
	expect(CONFIG_TRACE_SIMAI, text, ranks, expected);
}

static void
no_simai(const char *text, const char *message)
{
	refuse(CONFIG_TRACE_SIMAI, text, message);
}

// Forward through both layers, then backward from the last one. The communication of a weight
// gradient runs aside: nothing but its update waits for it.
static void
test_layers(void **state)
{
	(void)state;
	simai(HEADER "2\n"
		     "a\t-1\t5\tALLREDUCE\t1000\t2\tNONE\t0\t3\tALLREDUCE\t400\t7\n"
		     "b -1 10 ALLGATHER 2000 20 REDUCESCATTER 3000 30 NONE 0 100\n",
	      4,
	      "all-reduce [tp] 1000 +5000 a.fwd: 0 1\n"           // 0
	      "all-reduce [tp] 1000 +5000 a.fwd: 2 3\n"           // 1
	      "all-gather [tp] 2000 +10000 b.fwd: 0(0) 1(0)\n"    // 2
	      "all-gather [tp] 2000 +10000 b.fwd: 2(1) 3(1)\n"    // 3
	      "reduce-scatter [tp] 3000 +20000 b.ig: 0(2) 1(2)\n" // 4
	      "reduce-scatter [tp] 3000 +20000 b.ig: 2(3) 3(3)\n" // 5
	      "compute 0 +35000 a: 0(4) 1(4) 2(5) 3(5)\n"         // 6: 30 + 2 + 3 ns
	      "all-reduce [dp] 400 a.wg: 0(6) 2(6)\n"             // 7
	      "all-reduce [dp] 400 a.wg: 1(6) 3(6)\n"             // 8
	      "compute 0 +7000 a.update: 0(7) 1(8) 2(7) 3(8)\n");
}

// tp 1, ep 2, dp 4: expert groups are pairs of neighbours, and their peers are 2 apart. Groups of
// one rank send nothing.
static void
test_expert_groups(void **state)
{
	(void)state;
	simai("HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 2 pp: 1 all_gpus: 4\n1\n"
	      "m -1 1 ALLTOALL_EP 800 1 ALLREDUCE 5 0 ALLREDUCE_DP_EP 600 0\n",
	      4,
	      "all-to-all [ep] 800 +1000 m.fwd: 0 1\n"
	      "all-to-all [ep] 800 +1000 m.fwd: 2 3\n"
	      "compute 0 +1000 m: 0(0) 1(0) 2(1) 3(1)\n"
	      "all-reduce [ep-dp] 600 m.wg: 0(2) 2(2)\n"
	      "all-reduce [ep-dp] 600 m.wg: 1(2) 3(2)\n");
}

static void
test_micro(void **state)
{
	(void)state;
	simai("MICRO all_gpus: 2\n2\n"
	      "t -1 9 NONE 0 9 NONE 0 9 ALLREDUCE 4096 9\n"
	      "t -1 9 NONE 0 9 NONE 0 9 ALLTOALL 8192 9\n",
	      2,
	      "all-reduce [dp] 4096 t.wg: 0 1\n"
	      "all-to-all [dp] 8192 t.wg: 0(0) 1(0)\n");
}

// Before the backward pass of layer 2, the forward pass runs again from layer 1.
static void
test_checkpoints(void **state)
{
	(void)state;
	simai("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 2 "
	      "checkpoints: 2 0 1 checkpoint_initiates: 1 2\n3\n"
	      "a -1 0 ALLREDUCE 10 0 NONE 0 0 NONE 0 0\n"
	      "b -1 0 ALLREDUCE 20 0 NONE 0 0 NONE 0 0\n"
	      "c -1 0 ALLREDUCE 30 0 ALLREDUCE 40 0 NONE 0 0\n",
	      2,
	      "all-reduce [tp] 10 a.fwd: 0 1\n"
	      "all-reduce [tp] 20 b.fwd: 0(0) 1(0)\n"
	      "all-reduce [tp] 30 c.fwd: 0(1) 1(1)\n"
	      "all-reduce [tp] 20 b.fwd: 0(2) 1(2)\n"
	      "all-reduce [tp] 40 c.ig: 0(3) 1(3)\n");
}

#define LAYER "a -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n"

static void
test_refused(void **state)
{
	(void)state;
	no_simai("", "t:1:1: the file is empty");
	no_simai("DATA all_gpus: 4\n1\n" LAYER, "t:1:1: \"DATA\" is not supported");
	no_simai("MICRO\n1\n" LAYER, "t:1:1: all_gpus: the header does not say how many ranks");
	no_simai("MICRO all_gpus: 0\n1\n" LAYER, "t:1:17: all_gpus: 0 is out of range: 1 to 32768");
	no_simai("HYBRID_TRANSFORMER model_parallel_NPU_group: 3 all_gpus: 4\n1\n" LAYER,
		 "4 ranks are no multiple of 3 (tp) x 1 (pp)");
	no_simai("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 3 all_gpus: 8\n1\n" LAYER,
		 "4 ranks with the same data group are no multiple of 3 (ep)");
	no_simai(HEADER, "t:1:1: layers: the number of layers is missing");
	no_simai(HEADER "x\n", "t:2:1: layers: \"x\" is not a whole number");
	no_simai(HEADER "2\n" LAYER, "t:2:1: layers: the number of layers is given as 2, but the "
				     "file has 1");
	no_simai(HEADER "1\n" LAYER LAYER,
		 "t:4:1: layers: more layers than the 1 that line 2 gives");
	no_simai(HEADER "1\na -1 1 ALLREDUCE 8\n", "t:3:1: 5 words; a line is `name dependency");
	no_simai(HEADER "1\na -1 1 BROADCAST 8 1 NONE 0 1 NONE 0 1\n",
		 "t:3:8: comm: \"BROADCAST\" is not supported");
	no_simai(HEADER "1\na -1 1 ALLREDUCE_X 8 1 NONE 0 1 NONE 0 1\n",
		 "comm: \"ALLREDUCE_X\" is not supported");
	no_simai(HEADER "1\na -1 -1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n",
		 "t:3:6: fwd_ns: \"-1\" is not a whole number");
	no_simai(HEADER "1\na -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 3600000000001\n",
		 "update_ns: 3600000000001 is out of range");
	no_simai("MICRO all_gpus: 2 checkpoints: 3 0\n1\n" LAYER,
		 "checkpoints: fewer than 3 layers follow");
	no_simai("MICRO all_gpus: 2 checkpoints: 1 1\n1\n" LAYER, "checkpoints: 1 is out of range");
	no_simai("MICRO all_gpus: 2 checkpoints: 1 1\n0\n", "checkpoints: the file has no layer");
	no_simai("MICRO all_gpus: 2\n1\n" LAYER, "t:1:1: the trace has no operation");
	no_simai(HEADER "2\n"
			"a -1 3600000000000 NONE 0 0 NONE 0 0 NONE 0 0\n"
			"b -1 1 NONE 0 0 NONE 0 0 NONE 0 0\n",
		 "t:4:1: a rank computes for more than an hour");
}

// Few lines can stand for many ranks of many operations.
static void
test_too_many_ranks_of_operations(void **state)
{
	char text[16384] = "MICRO all_gpus: 32768\n257\n";

	(void)state;
	for (unsigned i = 0; i < 257; i++)
		strcat(text, "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n");
	no_simai(text, "t:1:1: the trace has more than 8388608 ranks of operations; cut it");
}

// Without `checkpoints`, each of many layers would run all before it again.
static void
test_too_many_layers_again(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_non_null(to);
	fputs("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 2 checkpoint_initiates: "
	      "2000",
	      to);
	for (unsigned i = 0; i < 2000; i++)
		fprintf(to, " %u", i);
	fputs("\n2000\n", to);
	for (unsigned i = 0; i < 2000; i++)
		fputs("a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", to);
	assert_int_equal(fclose(to), 0);
	no_simai(text, "checkpoint_initiates: more than 1048576 layers run again; list more");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_expert_groups),
		cmocka_unit_test(test_micro),
		cmocka_unit_test(test_checkpoints),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many_ranks_of_operations),
		cmocka_unit_test(test_too_many_layers_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
