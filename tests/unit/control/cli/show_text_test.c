// SPDX-License-Identifier: BSD-3-Clause
// Answers written by hand, and the whole of what is printed.
#include "control/cli/show_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void
require(const char *what, bool qos, const char *answer, const char *expected)
{
	json_t *json = json_loads(answer, 0, NULL);
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(json);
	assert_int_equal(show_text_print(what, json, qos, to), 0);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
	json_decref(json);
}

static void
test_interface(void **state)
{
	(void)state;
	require("interface", false,
		"{\"nodes\": {\"leaf1\": {\"ports\": {"
		"\"swp1\": {\"state\": \"up\", \"rate_bps\": 100000000000, \"mtu\": 4200, "
		"\"peer\": \"h1.eth1\","
		" \"vrf\": \"red\", \"rx_packets\": 12, \"rx_bytes\": 1430000, \"tx_packets\": 3, "
		"\"tx_bytes\": 960,"
		" \"drops\": {\"no-route\": 2, \"runt\": 1}},"
		"\"swp10\": {\"state\": \"down\", \"rate_bps\": 0, \"peer\": null}}}}}",
		"interface    state    rate   mtu  peer     vrf  rx-packets  rx-bytes  tx-packets  "
		"tx-bytes  dropped\n"
		"leaf1.swp1   up       100G  4200  h1.eth1  red          12   1.43 MB           3  "
		"   960 B        3\n"
		"leaf1.swp10  down   device     0                         0       0 B           0  "
		"     0 B        0\n");
}

static void
test_pfc(void **state)
{
	(void)state;
	require("pfc", false,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"pfc_rx\": [0,0,0,7,0,0,0,0],"
		" \"pfc_tx\": [0,0,0,0,0,0,0,2], \"pfc_rx_pause_ns\": [0,0,0,335500,0,0,0,0],"
		" \"pfc_tx_pause_ns\": [0,0,0,0,0,0,0,5]}}}}}",
		"interface   priority  rx-pause-frames  rx-pause-duration  tx-pause-frames  "
		"tx-pause-duration\n"
		"leaf1.swp1         3                7             336 us                0         "
		"      0 ps\n"
		"leaf1.swp1         7                0               0 ps                2         "
		"      5 ns\n");
	require("pfc", false, "{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {}}}}}",
		"no PFC frame has been sent or received\n");
}

static void
test_queue(void **state)
{
	(void)state;
	require("queue", false,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"queue\": [{\"packets\": 0},"
		" {\"packets\": 5, \"bytes\": 1500, \"depth\": 192, \"depth_max\": 384, "
		"\"dropped\": 1,"
		" \"ecn_marked\": 2, \"paused\": false}, {\"paused\": true}]}}}}}",
		"interface   tc  tx-frames  tx-bytes  depth    max  discards  ecn-marked  state\n"
		"leaf1.swp1   1          5    1.5 KB  192 B  384 B         1           2\n"
		"leaf1.swp1   2          0       0 B    0 B    0 B         0           0  "
		"paused\n");
}

static void
test_interface_counters_qos(void **state)
{
	(void)state;
	require("interface", true,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {"
		"\"pg\": [{\"packets\": 1, \"bytes\": 300, \"used\": 384, \"used_max\": 576, "
		"\"shared\": 192,"
		" \"shared_max\": 384, \"headroom\": 0, \"headroom_max\": 192, \"dropped\": 4, "
		"\"xoff\": 5}],"
		"\"queue\": [{\"packets\": 0}]}}}}}",
		"interface   pg  rx-frames  rx-bytes   used    max  shared    max  headroom    max "
		" discards  xoff\n"
		"leaf1.swp1   0          1     300 B  384 B  576 B   192 B  384 B       0 B  192 B "
		"        4     5\n"
		"\n"
		"interface   tc  tx-frames  tx-bytes  depth  max  discards  ecn-marked  state\n"
		"leaf1.swp1   0          0       0 B    0 B  0 B         0           0\n"
		"\n"
		"interface   priority  rx-pause-frames  rx-pause-duration  tx-pause-frames  "
		"tx-pause-duration\n"
		"leaf1.swp1         0                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         1                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         2                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         3                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         4                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         5                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         6                0               0 ps                0         "
		"      0 ps\n"
		"leaf1.swp1         7                0               0 ps                0         "
		"      0 ps\n");
}

static void
test_drops(void **state)
{
	(void)state;
	require("drops", false,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"drops\": {\"no-route\": 8}},"
		" \"swp2\": {\"drops\": {\"no-route\": 4, \"runt\": 1}}}}},"
		" \"advice\": {\"no-route\": \"a route is missing\", \"runt\": \"look at the "
		"sender\"}}",
		"no-route  12 packets, came in by leaf1.swp1 (8), leaf1.swp2 (4)\n    a route is "
		"missing\n"
		"runt  1 packets, came in by leaf1.swp2 (1)\n    look at the sender\n");
	require("drops", false, "{\"nodes\": {}, \"advice\": {}}", "no packet has been dropped\n");
}

static void
test_pool(void **state)
{
	(void)state;
	require("pool", false,
		"{\"nodes\": {\"leaf1\": {\"pools\": {"
		"\"ingress-lossless\": {\"size\": 2000000, \"used\": 192, \"used_max\": 500000},"
		"\"egress-lossless\": {\"size\": 412316860416, \"used\": 0, \"used_max\": 0, "
		"\"unlimited\": true}},"
		"\"tenants\": {\"red\": {\"packets\": 5, \"bytes\": 600, \"used\": 960, "
		"\"used_max\": 1920,"
		" \"guaranteed\": 256000, \"dropped\": 7}}}}}",
		"node   pool                   size   used     max  max/size\n"
		"leaf1  ingress-lossless       2 MB  192 B  500 KB    25.0 %\n"
		"leaf1  egress-lossless   unlimited    0 B     0 B         -\n"
		"\n"
		"node   tenant  packets  bytes   used      max  guaranteed  dropped\n"
		"leaf1  red           5  600 B  960 B  1.92 KB      256 KB        7\n");
}

static void
test_route(void **state)
{
	(void)state;
	require("route", false,
		"{\"nodes\": {\"leaf1\": {\"vrfs\": {\"red\": {"
		"\"10.0.2.0/24\": {\"mode\": \"adaptive\", \"via\": [{\"port\": \"swp5\", "
		"\"node\": \"spine1\"},"
		" {\"port\": \"swp6\", \"node\": null, \"mac\": \"02:00:00:00:02:02\"}]},"
		"\"10.0.0.0/8\": {\"mode\": \"ecmp\", \"via\": []}}}}}}",
		"node   vrf  prefix       mode      next hops\n"
		"leaf1  red  10.0.2.0/24  adaptive  swp5 spine1, swp6 02:00:00:00:02:02\n"
		"leaf1  red  10.0.0.0/8   ecmp      none: dropped\n");
}

static void
test_fabric(void **state)
{
	(void)state;
	require("fabric", false,
		"{\"name\": \"demo\", \"file\": \"conf/demo.yaml\", \"state\": \"running\", "
		"\"time_ns\": 1500000,"
		" \"dilation\": 1000, \"idle\": \"sleep\","
		" \"workers\": [{\"cpu\": 1, \"nodes\": 12, \"lag_ns\": 45000, \"lag_max_ns\": "
		"2000000, \"slips\": 0}],"
		" \"nodes\": {\"leaf1\": {\"role\": \"leaf\", \"ports\": 6, \"ports_up\": 5, "
		"\"rx_packets\": 1,"
		" \"tx_packets\": 2, \"dropped\": 3}},"
		" \"links\": [{\"a\": \"leaf1.swp1\", \"b\": \"h1.eth1\", \"rate_bps\": "
		"100000000000,"
		" \"delay_ps\": 500000, \"state\": \"up\"}]}",
		"fabric    demo, running\n"
		"file      conf/demo.yaml\n"
		"time      1.5 ms of fabric time, dilation 1000, idle workers sleep\n"
		"\n"
		"worker on cpu  nodes    lag   max  slips\n"
		"            1     12  45 us  2 ms      0\n"
		"\n"
		"node   role  ports  up  rx-packets  tx-packets  dropped\n"
		"leaf1  leaf      6   5           1           2        3\n"
		"\n"
		"link                 rate   delay  state\n"
		"leaf1.swp1  h1.eth1  100G  500 ns  up\n");
}

// An answer of another version, or of nobody: nothing to rely on.
static void
test_answers_that_lack_everything(void **state)
{
	static const char *const words[] = {"fabric", "interface", "pfc",  "queue",
					    "pool",   "drops",     "route"};
	static const char *const answers[] = {
		"{}",
		"[]",
		"{\"nodes\": 3}",
		"{\"nodes\": {\"a\": 3, \"b\": {\"ports\": [], \"pools\": 1, \"vrfs\": 2}}}",
		("{\"nodes\": {\"a\": {\"ports\": {\"p\": 1}, \"pools\": {\"x\": 1}, \"vrfs\": "
		 "{\"v\": {\"r\": 1}}}}}"),
		"{\"advice\": {\"r\": 1}, \"workers\": [1], \"links\": [1]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		for (size_t k = 0; k < sizeof(answers) / sizeof(*answers); k++) {
			json_t *json = json_loads(answers[k], 0, NULL);
			char *text = NULL;
			size_t length;
			FILE *to = open_memstream(&text, &length);

			assert_non_null(json);
			assert_int_equal(show_text_print(words[i], json, false, to), 0);
			assert_int_equal(show_text_print(words[i], json, true, to), 0);
			fclose(to);
			free(text);
			json_decref(json);
		}
	}
	assert_int_equal(show_text_print("nonsense", NULL, false, stdout), -ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_interface_counters_qos),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_route),
		cmocka_unit_test(test_fabric),
		cmocka_unit_test(test_answers_that_lack_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
