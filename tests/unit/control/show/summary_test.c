// SPDX-License-Identifier: BSD-3-Clause
#include "report_fixture.h"

#include "control/show/summary.h"

#include <stdio.h>

static char *
printed(const struct report_result *r, const char *digest)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	struct report_result copy = *r;

	assert_int_equal(result_collect(&copy, &(struct result_wanted){0}), 0);
	summary_print(&copy, digest, to);
	result_free(&copy);
	fclose(to);
	return text;
}

static void
test_a_run_on_a_screen(void **state)
{
	static const struct report_flow flows[] = {
		{.id = 0,
		 .item = "incast",
		 .bytes = 4000000,
		 .fct = 400 * PS_PER_US,
		 .ideal = 350 * PS_PER_US},
		{.id = 1,
		 .item = "incast",
		 .bytes = 4000000,
		 .fct = 700 * PS_PER_US,
		 .ideal = 350 * PS_PER_US},
		{.id = 2, .item = "a2a red", .bytes = 1000, .fct = PS_NEVER, .ideal = 1000},
	};
	static const struct report_collective collectives[] = {
		{.name = "a2a red",
		 .kind = REPORT_ALL_TO_ALL,
		 .ranks = 4,
		 .bytes = 1000000,
		 .step = 60 * PS_PER_US},
		{.name = "a2a red",
		 .kind = REPORT_ALL_TO_ALL,
		 .iteration = 1,
		 .ranks = 4,
		 .bytes = 1000000,
		 .step = 100 * PS_PER_US},
		{.name = "a2a red",
		 .kind = REPORT_ALL_TO_ALL,
		 .iteration = 2,
		 .ranks = 4,
		 .bytes = 1000000,
		 .step = PS_NEVER},
		{.name = "train",
		 .kind = REPORT_STEP,
		 .ranks = 4,
		 .bytes = 1000000,
		 .step = 160 * PS_PER_US},
	};
	struct fixture *f = *state;
	struct report_result r = {
		.flows = flows,
		.flow_count = 3,
		.collectives = collectives,
		.collective_count = 4,
		.nodes = f->nodes,
		.node_count = 2,
		.now = 1 * PS_PER_MS,
		.last_event = 999 * PS_PER_US,
		.wall_s = 0.5,
		.cnps = 2,
		.out_of_order = 7,
	};
	char *text;

	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->leaf->ports[0].tx_packets = 1000000;
	f->leaf->ports[2].tx_bytes = 6243750; // half of what 999 us carry at 100G
	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 3;
	f->leaf->ports[0].pfc_tx[3] = 4;
	f->leaf->ports[2].queues[3].ecn_marked = 9;
	f->leaf->ports[2].rx_pause[3].total = 12 * PS_PER_US;
	f->leaf->buffer.pools[POOL_INGRESS_LOSSLESS].used_max = 100;
	f->leaf->buffer.pools[POOL_EGRESS_LOSSLESS].used_max = 50;
	text = printed(&r, "abc");
	assert_string_equal(text,
			    "workload  flows  complete  bytes  FCT mean     p50     p99     "
			    "max  slowdown mean    p50    p99\n"
			    "incast        2         2   8 MB    550 us  400 us  700 us  700 "
			    "us          1.571  1.143  2.000\n"
			    "a2a red       1         0   1 KB         -       -       -      "
			    " -              -      -      -\n"
			    "all           3         2   8 MB    550 us  400 us  700 us  700 "
			    "us          1.571  1.143  2.000\n"
			    "\n"
			    "collective  kind        ranks  per rank   times  time mean     "
			    "min     max  algbw Gb/s  busbw Gb/s\n"
			    "a2a red     all-to-all      4      1 MB  2 of 3      80 us   "
			    "60 us  100 us       100.0        75.0\n"
			    "train       step            4      1 MB       1     160 us  "
			    "160 us  160 us        50.0           -\n"
			    "\n"
			    "drops   3, of them lossless 0\n"
			    "        no-route 3: no route in the port's VRF, or one that says "
			    "drop: tenants are isolated, or a route is missing\n"
			    "PFC     4 sent; longest paused: leaf1.swp3 priority 3, 12 us\n"
			    "ECN     9 packets marked, 2 CNPs\n"
			    "resent  0 packets; 7 arrived out of order\n"
			    "\n"
			    "links       count  mean load    min  at             max  at\n"
			    "leaf-host       2      0.0 %  0.0 %  leaf1.swp1   0.0 %  "
			    "leaf1.swp1\n"
			    "leaf-spine      2     25.0 %  0.0 %  leaf1.swp4  50.0 %  "
			    "leaf1.swp3\n"
			    "host-leaf       1      0.0 %  0.0 %  h1.eth1      0.0 %  "
			    "h1.eth1\n"
			    "uplink imbalance 2.000\n"
			    "\n"
			    "buffer pool          peak         of  at\n"
			    "ingress-lossless  19.2 KB     192 KB  leaf1\n"
			    "egress-lossless    9.6 KB  unlimited  leaf1\n"
			    "\n"
			    "look at: 1 of 3 flows are not complete: completion times, "
			    "slowdowns and goodput leave them out\n"
			    "look at: leaves load their uplinks unevenly, by 200 % of their "
			    "mean: flows share some uplinks while others are idle "
			    "(see routing.mode and hosts.qps)\n"
			    "\n"
			    "999 us of fabric time in 500 ms, 2.0 million packet-hops/s\n"
			    "digest abc\n");
	free(text);
}

static void
test_a_run_of_nothing(void **state)
{
	struct fixture *f = *state;
	struct report_result r = {.nodes = f->nodes, .node_count = 2};
	char *text = printed(&r, NULL);

	assert_string_equal(text,
			    "\ndrops   0, of them lossless 0\nPFC     0 sent\n"
			    "ECN     0 packets marked, 0 CNPs\n"
			    "resent  0 packets; 0 arrived out of order\n\n"
			    "links       count  mean load    min  at            max  at\n"
			    "leaf-host       2      0.0 %  0.0 %  leaf1.swp1  0.0 %  leaf1.swp1\n"
			    "leaf-spine      2      0.0 %  0.0 %  leaf1.swp3  0.0 %  leaf1.swp3\n"
			    "host-leaf       1      0.0 %  0.0 %  h1.eth1     0.0 %  h1.eth1\n"
			    "uplink imbalance 0.000\n\n0 ps of fabric time in 0 ps\n");
	free(text);
}

// What a reader should look at is told with its place.
static void
test_what_is_wrong_is_pointed_at(void **state)
{
	struct report_flow flow = {.item = "a", .fct = 1000, .retransmitted = 5};
	struct fixture *f = *state;
	struct report_result r = {.nodes = f->nodes,
				  .node_count = 2,
				  .flows = &flow,
				  .flow_count = 1,
				  .out_of_order = 6,
				  .now = 100 * PS_PER_US,
				  .last_event = 100 * PS_PER_US};
	char *text = printed(&r, NULL);

	assert_non_null(strstr(text, "look at: 5 packets were sent again though none was lost: 6 "
				     "arrived out of order"));
	free(text);
	f->leaf->ports[1].queue_cold[3].trimmed = 3;
	text = printed(&r, NULL);
	assert_non_null(
		strstr(text, "look at: 2 packets were sent again though none was lost: 6 "));
	free(text);
	f->leaf->ports[1].queue_cold[3].trimmed = 5;
	text = printed(&r, NULL);
	assert_null(strstr(text, "though none was lost"));
	free(text);
	f->leaf->ports[1].groups[3].dropped = 4;
	f->leaf->ports[1].drops[DROP_HEADROOM] = 4;
	f->leaf->ports[3].rx_pause[3].total = 11 * PS_PER_US;
	text = printed(&r, NULL);
	assert_non_null(strstr(text, "look at: 4 drops in lossless groups or queues, most at "
				     "leaf1.swp2 priority group 3 (4)"));
	assert_null(strstr(text, "though none was lost"));
	assert_non_null(strstr(text, "look at: leaf1.swp4 was paused for 11 % of the run in "
				     "priority 3: spine2.swp1 also holds up traffic for "
				     "other ports (head-of-line blocking)"));
	free(text);
	f->leaf->ports[3].rx_pause[3].total = 9 * PS_PER_US;
	text = printed(&r, NULL);
	assert_null(strstr(text, "was paused for"));
	free(text);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {T(test_a_run_on_a_screen), T(test_a_run_of_nothing),
					   T(test_what_is_wrong_is_pointed_at)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
