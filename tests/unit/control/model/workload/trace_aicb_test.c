// SPDX-License-Identifier: BSD-3-Clause
// AICB's CSV: what its rows become in every group, and what is refused.
#include "trace_dump.h"

#define HEADER                                                                                  \
	"comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time," \
	"algbw,busbw,count\n"
#define TAIL ",None,None,None,1\n"

static void
aicb(const char *text, uint32_t ranks, const char *expected)
{
	expect(CONFIG_TRACE_AICB, text, ranks, expected);
}

static void
no_aicb(const char *text, const char *message)
{
	refuse(CONFIG_TRACE_AICB, text, message);
}

static void
test_rows(void **state)
{
	(void)state;
	aicb(HEADER
	     "CommType.all_reduce,CommGroup.dp_group,2,8,init,None,None," TAIL
	     "CommType.broadcast,CommGroup.tp_group,2,24.0,init,None,0," TAIL
	     "CommType.epoch_end,None,None,0,,None,None," TAIL "\r\n"
	     "CommType.computation,CommGroup.all,None,((2048, 1), (1, 2048)),mlp,None,None,,1500,"
	     "None,None,1\r\n"
	     "CommType.computation,CommGroup.all,None,((2048, 1), (1, 2048)),mlp,None,None,,0.5,"
	     "None,None,1\n"
	     "CommType.reduce_scatter,CommGroup.tp_group,2,4096,row,None,None," TAIL
	     "CommType.computation,CommGroup.all,None,(),end,None,None,,7,None,None,1\n",
	     4,
	     "all-reduce [dp] 8 init: 0 2\n"                      // 0
	     "all-reduce [dp] 8 init: 1 3\n"                      // 1
	     "broadcast [tp] 24 init: 0(0) 1(1)\n"                // 2
	     "broadcast [tp] 24 init: 2(0) 3(1)\n"                // 3
	     "reduce-scatter [tp] 4096 +1500500 row: 0(2) 1(2)\n" // 4
	     "reduce-scatter [tp] 4096 +1500500 row: 2(3) 3(3)\n" // 5
	     "compute 0 +7000 compute: 0(4) 1(4) 2(5) 3(5)\n");
}

// What has no name is called by its kind.
static void
test_no_stage(void **state)
{
	(void)state;
	aicb("comm_type,comm_group,comm_group_size,msg_size\nall_reduce,tp_group,2,8\n", 2,
	     "all-reduce [tp] 8 -: 0 1\n");
}

// In a log, where communication has times too, they are of computations in ms.
static void
test_log(void **state)
{
	(void)state;
	aicb(HEADER "computation,all,None,(),a,None,None,,2.5,None,None,1\n"
		    "barrier,all,None,0,b,None,None,,None,None,None,1\n"
		    "all_to_all,ep_group,2,64,c,None,None,,0.75,1.0,2.0,1\n",
	     2,
	     "all-reduce 1 +2500000000 b: 0 1\n"
	     "all-to-all [ep] 64 c: 0(0) 1(0)\n");
}

// Stage 0 of two with tp 2: its ranks send to 2 and 3, and what these send back follows.
static void
test_stages(void **state)
{
	(void)state;
	aicb("[ pp_stage0: [rank0, rank1] ]\n" HEADER "all_reduce,pp_group,2,8,init,None,None," TAIL
	     "all_reduce,tp_group,2,100,fwd,None,None," TAIL
	     "isend,pp_group,1,500,fwd,None,None,send_next" TAIL
	     "irecv,pp_group,1,600,bwd,None,None,recv_next" TAIL
	     "irecv,pp_group,1,600,bwd,None,None,recv_prev" TAIL,
	     4,
	     "all-reduce [pp] 8 init: 0 2\n"        // 0
	     "all-reduce [pp] 8 init: 1 3\n"        // 1
	     "all-reduce [tp] 100 fwd: 0(0) 1(1)\n" // 2
	     "send [pp] 500 fwd: 0(2) 2(0)\n"       // 3
	     "send [pp] 500 fwd: 1(2) 3(1)\n"       // 4
	     "send [pp] 600 bwd: 2(3) 0(3)\n"
	     "send [pp] 600 bwd: 3(4) 1(4)\n");
}

// tp 2, ep 2, dp 4.
static void
test_expert_groups(void **state)
{
	(void)state;
	aicb(HEADER "all_gather,ep_tp_group,4,8,a,None,None," TAIL
		    "all_to_all,ep_group,2,16,b,None,None," TAIL
		    "all_reduce,ep_dp_group,2,32,c,None,None," TAIL,
	     8,
	     "all-gather [tp-ep] 8 a: 0 1 2 3\n"
	     "all-gather [tp-ep] 8 a: 4 5 6 7\n"
	     "all-to-all [ep] 16 b: 0(0) 2(0)\n"
	     "all-to-all [ep] 16 b: 1(0) 3(0)\n"
	     "all-to-all [ep] 16 b: 4(1) 6(1)\n"
	     "all-to-all [ep] 16 b: 5(1) 7(1)\n"
	     "all-reduce [ep-dp] 32 c: 0(2) 4(4)\n"
	     "all-reduce [ep-dp] 32 c: 1(3) 5(5)\n"
	     "all-reduce [ep-dp] 32 c: 2(2) 6(4)\n"
	     "all-reduce [ep-dp] 32 c: 3(3) 7(5)\n");
}

static void
test_refused(void **state)
{
	(void)state;
	no_aicb("", "t:1:1: no line names the columns");
	no_aicb("comm_type,comm_group,msg_size\n",
		"t:1:1: the header has no column comm_group_size");
	no_aicb(HEADER, "t:1:1: the trace has no operation");
	no_aicb(HEADER "reduce,dp_group,2,8,a,None,None," TAIL,
		"t:2:1: comm_type: \"reduce\" is not supported");
	no_aicb("comm_group,comm_type,comm_group_size,msg_size\ntp_group,gather,2,8\n",
		"t:2:10: comm_type: \"gather\" is not supported");
	no_aicb(HEADER "isend,pp_group,1,500,fwd,None,None,send_next" TAIL,
		"t:2:1: comm_group_size: no row says how many stages there are");
	no_aicb(HEADER "all_reduce,cp_group,2,8,a,None,None," TAIL,
		"t:2:12: comm_group: \"cp_group\" is not supported");
	no_aicb(HEADER "all_reduce,None,2,8,a,None,None," TAIL,
		"t:2:1: a row of communication needs comm_group and msg_size");
	no_aicb(HEADER "all_reduce,dp_group,0,8,a,None,None," TAIL,
		"t:2:21: comm_group_size: 0 is out of range: 1 to 32768");
	no_aicb(HEADER "all_reduce,dp_group,2,-8,a,None,None," TAIL, "msg_size: \"-8\" is not a");
	no_aicb(HEADER "all_reduce,dp_group,2,8,a,None,None," TAIL
		       "all_reduce,dp_group,4,8,a,None,None," TAIL,
		"t:3:21: comm_group_size: 4 ranks in dp_group, and 2 before");
	no_aicb(HEADER "all_reduce,dp_group,2,8,a,None,None,,x,None,None,1\n",
		"_elapsed_time: \"x\" is not a time");
	no_aicb(HEADER "computation,all,None,(),a,None,None,,1e15,None,None,1\n",
		"t:2:1: _elapsed_time: a computation of more than an hour");
	no_aicb(HEADER "isend,pp_group,1,8,a,None,None,recv_next" TAIL,
		"t:2:1: additional: isend needs send_next or send_prev");
	no_aicb("[ pp_stage3: [rank0] ]\n" HEADER "all_reduce,pp_group,2,8,a,None,None," TAIL,
		"the file is of stage 3, and 2 stages");
	no_aicb(HEADER "all_reduce,dp_group,3,8,a,None,None," TAIL
		       "all_to_all,ep_group,2,8,a,None,None," TAIL,
		"the sizes of groups do not fit: tp 1, ep 2, dp 3, pp 1");
	no_aicb(HEADER "all_reduce,dp_group,32768,8,a,None,None," TAIL
		       "all_reduce,tp_group,32768,8,a,None,None," TAIL,
		"ranks; a trace may have at most 32768");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),          cmocka_unit_test(test_log),
		cmocka_unit_test(test_no_stage),      cmocka_unit_test(test_stages),
		cmocka_unit_test(test_expert_groups), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
