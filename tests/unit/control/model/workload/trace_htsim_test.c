// SPDX-License-Identifier: BSD-3-Clause
// htsim's connection matrices: messages, what triggers make of them, and what is refused.
#include "trace_dump.h"

static void
htsim(const char *text, uint32_t ranks, const char *expected)
{
	expect(CONFIG_TRACE_HTSIM, text, ranks, expected);
}

static void
no_htsim(const char *text, const char *message)
{
	refuse(CONFIG_TRACE_HTSIM, text, message);
}

// Starts are computing at the source, one after the other.
static void
test_connections(void **state)
{
	(void)state;
	htsim("Nodes 16\n"
	      "# a comment\n"
	      "Connections 5\n"
	      "0->15 id 1 start 0 size 2000000\n"
	      "3->4 start 1000 size 1 prio 7\n"
	      "4->3 size 5 start 0 id 9\n"
	      "3->1 start 2500 size 5\n"
	      "3->2 start 1000 size 5\n",
	      16,
	      "send 2000000 1: 0 15\n"
	      "send 1 3->4: 3(5) 4\n"
	      "send 5 9: 4 3\n"
	      "send 5 3->1: 3(6) 1\n"
	      "send 5 3->2: 3(5) 2\n"
	      "compute 0 +1000 start: 3\n"
	      "compute 0 +1500 start: 3(5)\n");
}

static void
test_triggers(void **state)
{
	(void)state;
	htsim("Nodes 4\nConnections 5\nTriggers 2\n"
	      "0->1 id 1 start 0 size 10 send_done_trigger 1\n"
	      "0->2 id 2 trigger 1 size 20 recv_done_trigger 2\n"
	      "1->2 id 3 start 0 size 30 recv_done_trigger 2\n"
	      "2->3 id 4 trigger 2 size 40\n"
	      "2->0 id 5 trigger 2 size 50\n"
	      "trigger id 1 oneshot\n"
	      "trigger id 2 barrier count 2\n",
	      4,
	      "send 10 1: 0 1\n"
	      "send 20 2: 0(0) 2\n"
	      "send 30 3: 1 2\n"
	      "send 40 4: 2(1,2) 3\n"
	      "send 50 5: 2(1,2) 0\n");
}

// The receiver goes on, although it is the sender's trigger: gen_allreduce.py writes rings so.
static void
test_ring(void **state)
{
	(void)state;
	htsim("Nodes 3\nConnections 3\nTriggers 2\n"
	      "0->1 id 1 start 0 size 10 send_done_trigger 1\n"
	      "1->2 id 2 trigger 1 size 10 send_done_trigger 2\n"
	      "2->0 id 3 trigger 2 size 10\n"
	      "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
	      3,
	      "send 10 1: 0 1\n"
	      "send 10 2: 1(0) 2\n"
	      "send 10 3: 2(1) 0\n");
}

// The k-th that fires starts the k-th that waits.
static void
test_multishot(void **state)
{
	(void)state;
	htsim("Nodes 5\nConnections 4\nTriggers 1\n"
	      "0->1 id 1 start 0 size 10 send_done_trigger 1\n"
	      "0->2 id 2 start 0 size 20 send_done_trigger 1\n"
	      "0->3 id 3 trigger 1 size 30\n"
	      "0->4 id 4 trigger 1 size 40\n"
	      "trigger id 1 multishot\n",
	      5,
	      "send 10 1: 0 1\n"
	      "send 20 2: 0 2\n"
	      "send 30 3: 0(0) 3\n"
	      "send 40 4: 0(1) 4\n");
}

#define NODES "Nodes 4\n"
#define ONE NODES "Connections 1\n"

static void
test_refused(void **state)
{
	(void)state;
	no_htsim("", "t:1:1: the trace has no rank");
	no_htsim("Nodes 32769\n", "Nodes: 32769 is out of range: 1 to 32768");
	no_htsim("Nodes 8\nConnections 1\n0->7 start 0 size 1\nNodes 2\n",
		 "t:4:1: Nodes: the number of nodes is given twice");
	no_htsim("0->1 start 0 size 1\n", "t:1:1: `Nodes N` must come before connections");
	no_htsim("Nodes 4\nFailures 1\n", "t:2:1: \"Failures\" is not supported");
	no_htsim(ONE "0->4 start 0 size 1\n", "t:3:4: dst: 4 is out of range: 0 to 3");
	no_htsim(ONE "x->1 start 0 size 1\n", "t:3:1: src: \"x\" is not a whole number");
	no_htsim(ONE "1->1 start 0 size 1\n", "node 1 sends to itself");
	no_htsim(ONE "0->1 start 0\n", "t:3:1: size: the connection has no size");
	no_htsim(ONE "0->1 start 0 size 0\n", "size: 0 is out of range");
	no_htsim(ONE "0->1 size 1\n", "start: a connection has either `start` or `trigger`");
	no_htsim(ONE "0->1 size 1 start 0 trigger 1\n", "either `start` or `trigger`");
	no_htsim(ONE "0->1 size 1 start 0 id 0\n", "id: 0 is out of range");
	no_htsim(ONE "0->1 size 1 start 0 addon\n", "\"addon\" has no value");
	no_htsim(ONE "0->1 size 1 start 0 colour 3\n", "\"colour\" is not supported");
	no_htsim(ONE "0->1 size 1 trigger 5\n", "trigger: there is no line `trigger id 5`");
	no_htsim(NODES "Connections 2\n0->1 start 0 size 1\n",
		 "Connections: the number of connections is given as 2, but the file has 1");
	no_htsim(ONE "Triggers 1\n0->1 start 0 size 1\n",
		 "Triggers: the number of triggers is given as 1, but the file has 0");
	no_htsim(ONE "Triggers 1\n0->1 trigger 1 size 1\ntrigger id 1 oneshot\n",
		 "t:5:1: 0 connections fire trigger 1; a oneshot has one");
	no_htsim(NODES "Connections 2\nTriggers 1\n0->1 trigger 1 size 1\n"
		       "0->2 start 0 size 1 send_done_trigger 1\ntrigger id 1 barrier count 2\n",
		 "1 connections fire barrier 1, and its count is 2");
	no_htsim(NODES "Connections 3\nTriggers 1\n0->1 trigger 1 size 1\n0->1 trigger 1 size 1\n"
		       "0->2 start 0 size 1 send_done_trigger 1\ntrigger id 1 multishot\n",
		 "1 connections fire multishot 1, and 2 wait for it");
	no_htsim(NODES "Connections 2\nTriggers 1\n3->1 trigger 1 size 1\n"
		       "0->2 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n",
		 "t:4:1: trigger: node 3 cannot know when 0->2 is over");
	no_htsim(ONE
		 "Triggers 2\n0->1 start 0 size 1\ntrigger id 1 oneshot\ntrigger id 1 oneshot\n",
		 "trigger 1 is there twice");
	no_htsim(ONE "trigger id 1\n", "a trigger is `trigger id T oneshot|multishot|barrier`");
	no_htsim(ONE "trigger id 1 twoshot\n", "trigger: \"twoshot\" is not supported here");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections), cmocka_unit_test(test_triggers),
		cmocka_unit_test(test_ring),        cmocka_unit_test(test_multishot),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
