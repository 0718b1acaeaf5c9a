// SPDX-License-Identifier: BSD-3-Clause
// NCCL's logs: which lines of different ranks are one operation, in which order they run, and what
// is refused.
#include "trace_dump.h"

#define INIT(pid, comm, rank, n, id)                                                          \
	"h:" #pid ":9 [0] NCCL INFO ncclCommInitRank comm " comm " rank " #rank " nranks " #n \
	" cudaDev 0 nvmlDev 0 busId 1000 commId " id " - Init COMPLETE\n"
#define OP(pid, kind, op, count, type, root, comm, n, stream)                            \
	"h:" #pid ":9 [0] NCCL INFO " kind ": opCount " op                               \
	" sendbuff 0x1 recvbuff 0x2 count " count " datatype " #type " op 0 root " #root \
	" comm " comm " [nranks=" #n "] stream " stream "\n"
#define TWO INIT(1, "0xa", 0, 2, "0xc1") INIT(2, "0xb", 1, 2, "0xc1")

static void
nccl(const char *text, uint32_t ranks, const char *expected)
{
	expect(CONFIG_TRACE_NCCL, text, ranks, expected);
}

static void
no_nccl(const char *text, const char *message)
{
	refuse(CONFIG_TRACE_NCCL, text, message);
}

// Sizes are those of nccl-tests: of an all-gather and a reduce-scatter, both ranks' parts. One
// stream is one order, another runs beside it.
static void
test_collectives(void **state)
{
	(void)state;
	nccl("h:1:9 [0] NCCL INFO Bootstrap : Using eth0\n"
	     "training starts\n" TWO OP(1, "AllReduce", "0", "100", 7, 0, "0xa", 2,
					"0x5") OP(2, "AllReduce", "0", "100", 7, 0, "0xb", 2, "0x6")
		     OP(1, "AllGather", "1", "10", 9, 0, "0xa", 2,
			"0x5") OP(2, "AllGather", "1", "10", 9, 0, "0xb", 2,
				  "0x6") OP(1, "Broadcast", "2", "64", 0, 1, "0xa", 2, "0x55")
			     OP(2, "Broadcast", "2", "64", 0, 1, "0xb", 2,
				"0x66") OP(2, "ReduceScatter", "3", "10", 9, 0, "0xb", 2, "0x6")
				     OP(1, "ReduceScatter", "3", "10", 9, 0, "0xa", 2, "0x5")
					     OP(1, "AllReduce", "4", "0", 9, 0, "0xa", 2, "0x5"),
	     2,
	     "all-reduce 400 all-reduce: 0 1\n"
	     "all-gather 40 all-gather: 0(0) 1(0)\n"
	     "broadcast 64 broadcast: 1 0\n"
	     "reduce-scatter 40 reduce-scatter: 0(1) 1(1)\n");
}

// One opCount is one group: its operations run at once, and what follows waits for all of them.
static void
test_group(void **state)
{
	(void)state;
	nccl(TWO OP(1, "Send", "0", "8", 8, 1, "0xa", 2, "(nil)")
		     OP(1, "Recv", "0", "4", 8, 1, "0xa", 2, "(nil)") OP(2, "Send", "0", "4", 8, 0,
									 "0xb", 2, "(nil)")
			     OP(2, "Recv", "0", "8", 8, 0, "0xb", 2, "(nil)")
				     OP(1, "AllReduce", "1", "1", 1, 0, "0xa", 2, "(nil)")
					     OP(2, "AllReduce", "1", "1", 1, 0, "0xb", 2, "(nil)"),
	     2,
	     "send 64 send: 0 1\n"
	     "send 32 send: 1 0\n"
	     "compute 0 end of a group: 0(0,1)\n"
	     "all-reduce 1 all-reduce: 0(2) 1(4)\n"
	     "compute 0 end of a group: 1(0,1)\n");
}

// Ranks are those of the largest communicator. Communicators that are alike have one label; a
// pointer means what the last line said.
static void
test_communicators(void **state)
{
	(void)state;
	nccl(INIT(4, "0xd", 0, 4, "0xc1") INIT(3, "0xd", 1, 4, "0xc1") INIT(2, "0xd", 2, 4, "0xc1")
		     INIT(1, "0xd", 3, 4, "0xc1") INIT(4, "0xe", 0, 2, "0xc2")
			     INIT(3, "0xe", 0, 2, "0xc3") INIT(2, "0xe", 1, 2,
							       "0xc2") INIT(1, "0xe", 1, 2, "0xc3")
				     OP(1, "AllReduce", "0", "1", 0, 0, "0xe", 2,
					"0x1") OP(2, "AllReduce", "0", "1", 0, 0, "0xe", 2, "0x1")
					     OP(3, "AllReduce", "0", "1", 0, 0, "0xe", 2,
						"0x1") OP(4, "AllReduce", "0", "1", 0, 0, "0xe", 2,
							  "0x1") INIT(4, "0xe", 0, 2, "0xc4")
						     INIT(1, "0xf", 1, 2, "0xc4")
							     OP(1, "AllReduce", "0", "7", 0, 0,
								"0xf", 2, "0x1")
								     OP(4, "AllReduce", "0", "7", 0,
									0, "0xe", 2, "0x1"),
	     4,
	     "all-reduce [2 ranks, 2 apart] 1 all-reduce: 1 3\n"
	     "all-reduce [2 ranks, 2 apart] 1 all-reduce: 0 2\n"
	     "all-reduce [2 ranks, 3 apart] 7 all-reduce: 0(1) 3(0)\n");
}

// Communicators that were split have no commId: the parent's, the split and the colour say which.
static void
test_split(void **state)
{
	(void)state;
#define SPLIT(pid, comm, rank, color)                                                 \
	"h:" #pid ":9 [0] NCCL INFO ncclCommSplit comm " comm " rank " #rank          \
	" nranks 2 cudaDev 0 nvmlDev 0 busId 1 parent 0xa splitCount 1 color " #color \
	" key 0- Init START\n"
	nccl(INIT(1, "0xa", 0, 4, "0xc1") INIT(2, "0xa", 1, 4, "0xc1") INIT(3, "0xa", 2, 4, "0xc1")
		     INIT(4, "0xa", 3, 4, "0xc1") SPLIT(1, "0xe", 0, 5) SPLIT(2, "0xe", 1, 5) SPLIT(
			     3, "0xe", 0, 6) SPLIT(4, "0xe", 1, 6) OP(1, "AllReduce", "0", "1", 0,
								      0, "0xe", 2, "0x1")
			     OP(3, "AllReduce", "0", "2", 0, 0, "0xe", 2, "0x1")
				     OP(4, "AllReduce", "0", "2", 0, 0, "0xe", 2, "0x1")
					     OP(2, "AllReduce", "0", "1", 0, 0, "0xe", 2, "0x1"),
	     4,
	     "all-reduce [2 ranks, 1 apart] 1 all-reduce: 0 1\n"
	     "all-reduce [2 ranks, 1 apart] 2 all-reduce: 2 3\n");
}

// Without a communicator of all, ranks are in the order of their lines.
static void
test_no_world(void **state)
{
	(void)state;
	nccl(INIT(1, "0xa", 1, 2, "0xc1") INIT(3, "0xa", 0, 2, "0xc2") INIT(2, "0xa", 0, 2, "0xc1")
		     INIT(4, "0xa", 1, 2, "0xc2") OP(1, "AlltoAll", "0", "8", 0, 0, "0xa", 2, "0x1")
			     OP(2, "AlltoAll", "0", "9", 0, 0, "0xa", 2, "0x1"),
	     4, "all-to-all [2 ranks] 18 all-to-all: 2 0 <9 <8\n");
}

// Launchers, clocks and RCCL put words before and into the beginning of a line.
static void
test_words_before(void **state)
{
	(void)state;
	nccl(TWO
	     "[1,0]<stdout>: 2024-10-19 18:46:56 h:1:9 [0] 1558545003174220 NCCL INFO "
	     "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 3 datatype 8 op 0 root 0 comm "
	     "0xa [nranks=2] stream 0x5 task 0 globalrank 0\n" OP(2, "AllReduce", "0", "3", 8, 0,
								  "0xb", 2, "0x6"),
	     2, "all-reduce 24 all-reduce: 0 1\n");
}

static void
test_refused(void **state)
{
	(void)state;
	no_nccl("", "t:1:1: no line of NCCL has an operation; set NCCL_DEBUG_SUBSYS=INIT,COLL");
	no_nccl(TWO, "t:1:1: no line of NCCL has an operation");
	no_nccl(OP(1, "AllReduce", "0", "1", 0, 0, "0xa", 2, "0x1"),
		"t:1:21: comm: no line of this process says what this communicator is");
	no_nccl(TWO OP(1, "Reduce", "0", "1", 0, 0, "0xa", 2, "0x1"),
		"t:3:21: \"Reduce:\" is not supported");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 12, 0, "0xa", 2, "0x1"), "t:3:21: opCount, count");
	no_nccl(TWO OP(1, "AllReduce", "0", "-1", 1, 0, "0xa", 2, "0x1"), "t:3:21: opCount, count");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 1, 2, "0xa", 2, "0x1"), "root (up to 1)");
	no_nccl(TWO OP(1, "AllGather", "0", "1000000000000000", 1, 0, "0xa", 2, "0x1"),
		"t:3:21: count: more than 1000000000000000 bytes");
	no_nccl(TWO OP(1, "Send", "0", "1", 1, 0, "0xa", 2, "0x1"), "rank 0 sends to itself");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 1, 0, "0xa", 2, "0x1"),
		"t:3:1: group 0xc1 has 2 ranks, and the trace has 1 of them");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 1, 0, "0xa", 2, "0x1")
			OP(1, "AllReduce", "1", "1", 1, 0, "0xa", 2, "0x1")
				OP(2, "AllReduce", "0", "1", 1, 0, "0xb", 2, "0x1"),
		"t:5:1: rank 1 has 1 collectives of group 0xc1, and rank 0 has 2");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 1, 0, "0xa", 2, "0x1")
			OP(2, "AllReduce", "0", "2", 1, 0, "0xb", 2, "0x1"),
		"t:4:1: all-reduce of rank 1 has 2 bytes, and 1 at rank 0 of group 0xc1");
	no_nccl(TWO OP(1, "AllReduce", "0", "1", 1, 0, "0xa", 2, "0x1")
			OP(2, "Broadcast", "0", "1", 1, 0, "0xb", 2, "0x1"),
		"broadcast of rank 1 meets all-reduce of rank 0 in group 0xc1: their orders "
		"differ");
	no_nccl(TWO OP(1, "Broadcast", "0", "1", 1, 1, "0xa", 2, "0x1")
			OP(2, "Broadcast", "0", "1", 1, 0, "0xb", 2, "0x1"),
		"broadcast has another root at rank 1 than at rank 0");
	no_nccl(TWO OP(1, "Send", "0", "1", 1, 1, "0xa", 2, "0x1"),
		"t:3:1: send of rank 0: 1 messages are sent and 0 received between ranks 0 and 1");
	no_nccl(TWO OP(1, "Send", "0", "1", 1, 1, "0xa", 2, "0x1")
			OP(2, "Recv", "0", "2", 1, 0, "0xb", 2, "0x1"),
		"t:4:1: recv of rank 1 receives 2 bytes of the 1 that rank 0 sends");
	no_nccl(INIT(1, "0xa", 0, 2, "0xc1") OP(1, "Send", "0", "1", 1, 1, "0xa", 2, "0x1"),
		"t:2:1: no line is of rank 1 of communicator 0xc1");
	no_nccl(INIT(1, "0xa", 0, 2, "0xc1") INIT(2, "0xa", 0, 2, "0xc1"),
		"t:2:21: rank: rank 0 of communicator 0xc1 is there twice");
	no_nccl(INIT(1, "0xa", 0, 2, "0xc1") INIT(1, "0xb", 1, 2, "0xc1")
			OP(1, "AllReduce", "0", "1", 1, 0, "0xa", 2, "0x1")
				OP(1, "AllReduce", "0", "1", 1, 0, "0xb", 2, "0x1"),
		"t:1:1: one GPU is rank 1 and a lower rank of communicator 0xc1");
	no_nccl(INIT(1, "0xa", 0, 2, "0xc1") INIT(2, "0xa", 1, 3, "0xc1"),
		"t:2:21: nranks: communicator 0xc1 has 3 ranks here and 2 before");
}

// What is behind the communicator that is refused still finds its own.
static void
test_too_many_ranks(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_non_null(to);
	// All that there may be but two.
	for (unsigned i = 0; i <= TRACE_MEMBERS_MAX / TRACE_RANKS_MAX; i++)
		fprintf(to,
			"h:1:9 [0] NCCL INFO comm 0x%x rank 0 nranks %u cudaDev 0 commId 0x%x - "
			"Init COMPLETE\n",
			i, TRACE_RANKS_MAX - (i == 255 ? 2 : 0), i);
	fputs(INIT(1, "0xfff", 0, 2, "0xfff") OP(1, "Send", "0", "1", 1, 2, "0xfff", 2, "0x1"), to);
	assert_int_equal(fclose(to), 0);
	no_nccl(text, "t:257:1: communicators of more than 8388608 ranks together");
	no_nccl(text, "t:259:21: opCount, count, datatype (up to 11) or root (up to 1)");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collectives),   cmocka_unit_test(test_group),
		cmocka_unit_test(test_communicators), cmocka_unit_test(test_split),
		cmocka_unit_test(test_no_world),      cmocka_unit_test(test_words_before),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_too_many_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
