// SPDX-License-Identifier: BSD-3-Clause
// Answers about queues, buffers, flow control and RoCE.
#include "printed.h"

// Exact: nanoseconds are microseconds with three decimals, and what never was is a dash.
static void
test_pfc(void **state)
{
	(void)state;
	require("pfc", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"pfc_rx\": [0,0,0,7,0,0,0,0],"
		" \"pfc_tx\": [0,0,0,0,0,0,0,2], \"pfc_rx_pause_ns\": [0,0,0,335500,0,0,0,0],"
		" \"pfc_tx_pause_ns\": [0,0,0,0,0,0,0,5], \"pfc_rx_transitions\": [0,0,0,3],"
		" \"pfc_tx_transitions\": [0,0,0,0,0,0,0,1], \"pfc_rx_last_start_ns\": "
		"[-1,-1,-1,1000001], \"pfc_rx_last_end_ns\": [-1,-1,-1,900000],"
		" \"pfc_tx_last_start_ns\": [-1,-1,-1,-1,-1,-1,-1,0], \"pfc_tx_last_end_ns\": "
		"[-1,-1,-1,-1,-1,-1,-1,-1], \"pfc_rx_paused\": [false,false,false,true],"
		" \"pause_tx\": 1, \"pause_tx_ns\": 1500, \"pause_tx_paused\": true}}}}}",
		"interface   priority  direction  pause-frames  transitions  pause-duration/us  "
		"last-start/us  last-end/us  now\n"
		"leaf1.swp1         3  rx                    7            3            335.500  "
		"     1000.001      900.000  held\n"
		"leaf1.swp1         7  tx                    2            1              0.005  "
		"        0.000            -\n"
		"leaf1.swp1      link  tx                    1            0              1.500  "
		"            -            -  pausing\n");
	require("pfc", NULL, "{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {}}}}}",
		"no PFC frame has been sent or received\n");
}

static void
test_queue(void **state)
{
	(void)state;
	require("queue", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"queue\": [{\"packets\": 0},"
		" {\"packets\": 5, \"bytes\": 1500, \"depth\": 192, \"depth_max\": 384, "
		"\"depth_max_persistent\": 576, \"dropped\": 9, \"red_dropped\": 3,"
		" \"watchdog_dropped\": 4, \"trimmed\": 6, \"trim_sent\": 7,"
		" \"ecn_marked\": 2, \"paused\": false}, {\"paused\": true},"
		" {\"watchdog\": true, \"watchdog_storms\": 1}]}}}}}",
		"interface   tc  tx-frames  tx-bytes  depth    max  max-persistent  discards  "
		"wred  watchdog  trimmed  trim-sent  ecn-marked  state\n"
		"leaf1.swp1   1          5    1.5 KB  192 B  384 B           576 B         9  "
		"   3         4        6          7           2\n"
		"leaf1.swp1   2          0       0 B    0 B    0 B             0 B         0  "
		"   0         0        0          0           0  paused\n"
		"leaf1.swp1   3          0       0 B    0 B    0 B             0 B         0  "
		"   0         0        0          0           0  STORM\n");
}

static void
test_interface_counters_qos(void **state)
{
	(void)state;
	require("interface", "counters-qos",
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {"
		"\"pg\": [{\"packets\": 1, \"bytes\": 300, \"used\": 384, \"used_max\": 576, "
		"\"shared\": 192,"
		" \"shared_max\": 384, \"headroom\": 0, \"headroom_max\": 192, \"dropped\": 4, "
		"\"xoff\": 5}],"
		"\"queue\": [{\"packets\": 0, \"ecn_marked\": 8, \"red_dropped\": 9, "
		"\"dropped\": 10}],"
		" \"pfc_rx\": [2, 0, 0, 0, 0, 0, 0, 0], \"pfc_rx_pause_ns\": [1500], \"pause_rx\": "
		"6, "
		"\"pause_rx_ns\": 7}}}}}",
		"Ingress Buffer Statistics\n"
		"interface   pg  rx-frames  rx-bytes   used    max  shared    max  headroom    max "
		" rx-buffer-discards  xoff\n"
		"leaf1.swp1   0          1     300 B  384 B  576 B   192 B  384 B       0 B  192 B "
		"                  4     5\n"
		"\n"
		"Egress Queue Statistics\n"
		"interface   tc  tx-frames  tx-bytes  depth  max  tx-uc-buffer-discards  "
		"wred-discards  ecn-marked  state\n"
		"leaf1.swp1   0          0       0 B    0 B  0 B                     10  "
		"            9           8\n"
		"\n"
		"PFC Statistics\n"
		"interface   switch-prio  rx-pause-frames  rx-pause-duration/us  tx-pause-frames  "
		"tx-pause-duration/us\n"
		"leaf1.swp1            0                2                 1.500                0  "
		"               0.000\n"
		"leaf1.swp1            1                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            2                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            3                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            4                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            5                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            6                0                 0.000                0  "
		"               0.000\n"
		"leaf1.swp1            7                0                 0.000                0  "
		"               0.000\n"
		"\n"
		"QoS Port Statistics\n"
		"interface   counter             receive  transmit\n"
		"leaf1.swp1  ecn-marked-packets      n/a         8\n"
		"leaf1.swp1  pause-frames              6         0\n"
		"leaf1.swp1  pause-duration/us     0.007     0.000\n");
}

static void
test_interface_roce_counters(void **state)
{
	(void)state;
	require("interface", "roce-counters",
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"rx-roce-stats\": {\"packets\": "
		"3, "
		"\"bytes\": 1500000, \"used_max\": 384}, \"tx-pfc-stats\": {\"pfc_tx\": 2, "
		"\"pfc_tx_pause_ns\": 1500}, \"tx-ecn-stats\": {\"ecn_marked\": 4}}}}}}",
		"leaf1.swp1\n"
		"                                 operational\n"
		"  rx-non-roce-stats\n"
		"    buffer-max-usage                 0 Bytes\n"
		"    buffer-usage                     0 Bytes\n"
		"    no-buffer-discard                      0\n"
		"    non-roce-bytes                   0 Bytes\n"
		"    non-roce-packets                       0\n"
		"    pg-max-usage                     0 Bytes\n"
		"    pg-usage                         0 Bytes\n"
		"  rx-pfc-stats\n"
		"    pause-duration                  0.000 us\n"
		"    pause-packets                          0\n"
		"  rx-roce-stats\n"
		"    buffer-max-usage                 0 Bytes\n"
		"    buffer-usage                     0 Bytes\n"
		"    no-buffer-discard                      0\n"
		"    pg-max-usage                   384 Bytes\n"
		"    pg-usage                         0 Bytes\n"
		"    roce-bytes                 1500000 Bytes\n"
		"    roce-packets                           3\n"
		"  tx-cnp-stats\n"
		"    buffer-max-usage                 0 Bytes\n"
		"    buffer-usage                     0 Bytes\n"
		"    cnp-bytes                        0 Bytes\n"
		"    cnp-packets                            0\n"
		"    tc-max-usage                     0 Bytes\n"
		"    tc-usage                         0 Bytes\n"
		"    unicast-no-buffer-discard              0\n"
		"  tx-ecn-stats\n"
		"    ecn-marked-packets                     4\n"
		"  tx-pfc-stats\n"
		"    pause-duration                  1.500 us\n"
		"    pause-packets                          2\n"
		"  tx-roce-stats\n"
		"    buffer-max-usage                 0 Bytes\n"
		"    buffer-usage                     0 Bytes\n"
		"    roce-bytes                       0 Bytes\n"
		"    roce-packets                           0\n"
		"    tc-max-usage                     0 Bytes\n"
		"    tc-usage                         0 Bytes\n"
		"    unicast-no-buffer-discard              0\n");
}

static void
test_qos_roce(void **state)
{
	(void)state;
	require("qos", NULL,
		"{\"nodes\": {\"leaf1\": {\"enable\": true, \"preset\": \"spectrum-x\", \"mode\": "
		"\"lossless\", \"congestion-control\": {\"congestion-mode\": \"ecn, absolute\", "
		"\"enabled-tc\": [0, 3], \"tc\": [{\"traffic-class\": 0, \"min-threshold\": "
		"150000, "
		"\"max-threshold\": 1500000, \"probability\": 100}, {\"traffic-class\": 3, "
		"\"min-threshold\": 100000, \"max-threshold\": 1500000, \"probability\": 100}]}, "
		"\"pfc\": {\"flow-control\": \"pfc\", \"pfc-priority\": [3], \"rx-enabled\": true, "
		"\"tx-enabled\": false, \"cable-length\": [5.0, 40.5]}, \"trust\": "
		"{\"trust-mode\": "
		"[\"dscp\", \"pcp\"], \"port-default-sp\": 0}, \"pcp-to-sp\": [0,1,2,3,4,5,6,7], "
		"\"dscp-to-sp\": [0,0,3], \"sp-to-pg\": [0,0,0,3,0,0,0,0], \"sp-to-tc\": "
		"[0,0,0,3,0,0,0,0], \"traffic-class\": [{\"traffic-class\": 0, \"scheduler\": "
		"\"strict\"}, {\"traffic-class\": 3, \"scheduler\": \"dwrr\", \"share\": 66.6666, "
		"\"max-rate-bps\": 50000000000}], \"pools\": [{\"name\": \"egress-lossless\", "
		"\"known-as\": \"roce-reserved-egress\", \"mode\": \"Dynamic\", "
		"\"switch-priorities\": [], \"traffic-class\": [3], \"unlimited\": true, \"used\": "
		"192, \"used_max\": 384}], \"values\": {\"qos.tc.3.ecn.min\": {\"origin\": "
		"\"overridden\", \"where\": \"line 5\"}, \"qos.tc.3.weight\": {\"origin\": "
		"\"overridden\", \"where\": \"live\"}, \"qos.tc.0.ecn.min\": {\"origin\": "
		"\"preset\"}, \"qos.trust\": {\"origin\": \"default\"}}, \"exceptions\": "
		"{\"qos.tc.3.ecn.min\": {\"value\": \"100KB\", \"preset\": \"150KB\", \"where\": "
		"\"line 5\"}, \"qos.trim\": {\"value\": \"on\", \"preset\": null, \"where\": "
		"null}}}}}",
		"leaf1\n"
		"                      operational                   set by\n"
		"  enable              on\n"
		"  preset              spectrum-x\n"
		"  mode                lossless\n"
		"  congestion-control\n"
		"    congestion-mode   ecn, absolute\n"
		"    enabled-tc        0,3\n"
		"    max-threshold     1.5 MB\n"
		"    min-threshold     150 KB (tc 0), 100 KB (tc 3)  overridden (line 5)\n"
		"    probability       100\n"
		"  pfc\n"
		"    flow-control      pfc\n"
		"    pfc-priority      3\n"
		"    rx-enabled        yes\n"
		"    tx-enabled        no\n"
		"    cable-length      5 m, 40.5 m                   links\n"
		"  trust\n"
		"    trust-mode        dscp,pcp                      default\n"
		"    port-default-sp   0\n"
		"\n"
		"  RoCE PCP/DSCP->SP mapping configurations\n"
		"        pcp  dscp  switch-prio  set by\n"
		"  cnp   0    0,1             0\n"
		"        1    -               1\n"
		"        2    -               2\n"
		"  roce  3    2               3\n"
		"        4    -               4\n"
		"        5    -               5\n"
		"        6    -               6\n"
		"        7    -               7\n"
		"\n"
		"  RoCE SP->TC mapping and ETS configurations\n"
		"        switch-prio  priority-group  traffic-class  scheduler-weight  min-rate  "
		"max-rate  set by\n"
		"  cnp             0               0              0  strict-priority          -  "
		"       -\n"
		"                  1               0              0  strict-priority          -  "
		"       -\n"
		"                  2               0              0  strict-priority          -  "
		"       -\n"
		"  roce            3               3              3  DWRR-66.67%              -  "
		"     50G  overridden (live)\n"
		"                  4               0              0  strict-priority          -  "
		"       -\n"
		"                  5               0              0  strict-priority          -  "
		"       -\n"
		"                  6               0              0  strict-priority          -  "
		"       -\n"
		"                  7               0              0  strict-priority          -  "
		"       -\n"
		"\n"
		"  RoCE pool config\n"
		"  name                  pool             mode     switch-prio  tc  size  "
		"current-usage  max-usage  set by\n"
		"  roce-reserved-egress  egress-lossless  Dynamic  -            3    inf  "
		"        192 B      384 B\n"
		"\n"
		"  Exception List\n"
		"     key               value  preset  set at\n"
		"  1  qos.tc.3.ecn.min  100KB  150KB   line 5\n"
		"  2  qos.trim          on     -       -\n");
}

static void
test_watchdog(void **state)
{
	(void)state;
	require("watchdog", NULL,
		"{\"nodes\": {\"leaf1\": {\"watchdog\": {\"enabled\": true, \"poll_ns\": "
		"100000000, "
		"\"detect_ns\": 300000000, \"restore_ns\": 200000000, \"action\": \"drop\", "
		"\"flush\": true, \"ingress\": false}, \"ports\": {\"swp1\": {\"queue\": {"
		"\"3\": {\"status\": \"STORM\", \"watchdog_storms\": 2, \"watchdog_dropped\": 5,"
		" \"stuck_since_ns\": 1500, \"last_xoff_ns\": 2500}, \"4\": {\"status\": \"OK\","
		" \"stuck_since_ns\": -1, \"last_xoff_ns\": -1}}}}}}, \"log\": [{\"at_ns\": 12345, "
		"\"node\": \"leaf1\", \"queue\": \"swp1.3\", \"what\": \"watchdog-storm\", "
		"\"message\": \"PFC storm\"}]}",
		"node   watchdog  polling-interval  detect  restore  action  flush  ingress\n"
		"leaf1  on                  100 ms  300 ms   200 ms  drop    on     off\n"
		"\n"
		"interface   tc  status  storms  dropped  stuck-since/us  last-xoff/us\n"
		"leaf1.swp1   3  STORM        2        5           1.500         2.500\n"
		"leaf1.swp1   4  OK           0        0               -             -\n"
		"\n"
		" at/us  queue         event           message\n"
		"12.345  leaf1.swp1.3  watchdog-storm  PFC storm\n");
	require("watchdog", NULL, "{\"nodes\": {\"leaf1\": {\"watchdog\": {}, \"ports\": {}}}}",
		"node   watchdog  polling-interval  detect  restore  action  flush  ingress\n"
		"leaf1  off                      -       -        -  -       -      -\n"
		"\n"
		"no queue is watched\n");
}

static void
test_histogram(void **state)
{
	(void)state;
	require("histogram", NULL,
		"{\"nodes\": {\"leaf1\": {\"histograms\": [{\"kind\": \"queue\", \"where\": "
		"\"swp1.3\", \"edges\": [0, 960, 2496], \"bins\": [1, 0, 3]}, {\"kind\": "
		"\"latency\", \"where\": \"swp2.0\", \"edges\": [0, 5], \"bins\": [0, 0]}]}}}",
		"leaf1.swp1.3 queue, bytes\n"
		"  bin     range  count   share\n"
		"    0     0:959      1  25.0 %\n"
		"    1  960:2495      0   0.0 %\n"
		"    2    2496:*      3  75.0 %\n"
		"\n"
		"leaf1.swp2.0 latency, ns\n"
		"  bin  range  count  share\n"
		"    0    0:4      0  0.0 %\n"
		"    1    5:*      0  0.0 %\n");
	require("histogram", NULL, "{\"nodes\": {\"leaf1\": {\"histograms\": []}}}",
		"no histogram is configured\n");
}

static void
test_tenant(void **state)
{
	(void)state;
	require("tenant", NULL,
		"{\"nodes\": {\"leaf1\": {\"tenants\": {\"red\": {\"packets\": 5, \"bytes\": 600, "
		"\"used\": 960, \"used_max\": 1920, \"used_max_persistent\": 3000,"
		" \"guaranteed\": 256000, \"guaranteed_used\": 192, \"dropped\": 7, "
		"\"ecn_marked\": 11, \"pools\": {"
		"\"ingress-lossy\": {\"used\": 960, \"guaranteed\": 256000, \"guaranteed_used\": "
		"192, \"share\": 500000}, \"egress-lossy\": {\"used\": 960, \"share\": null}, "
		"\"egress-lossless\": {\"used\": 0, \"share\": null}}}}}}}",
		"node   tenant  packets  bytes   used      max  guaranteed  guaranteed-used  "
		"dropped  ecn-marked  max-persistent\n"
		"leaf1  red           5  600 B  960 B  1.92 KB      256 KB            192 B  "
		"      7          11            3 KB\n"
		"\n"
		"node   tenant  pool            used  guaranteed  guaranteed-used   share\n"
		"leaf1  red     ingress-lossy  960 B      256 KB            192 B  500 KB\n"
		"leaf1  red     egress-lossy   960 B         0 B              0 B       -\n");
}

static void
test_pool(void **state)
{
	(void)state;
	require("pool", NULL,
		"{\"nodes\": {\"leaf1\": {\"pools\": {"
		"\"ingress-lossless\": {\"size\": 2000000, \"used\": 192, \"used_max\": 500000, "
		"\"used_max_persistent\": 600000, \"shared\": 96, \"shared_max\": 400000},"
		"\"egress-lossless\": {\"size\": 412316860416, \"used\": 0, \"used_max\": 0, "
		"\"unlimited\": true}}}}}",
		"node   pool                   size   used     max  max/size  max-persistent  "
		"shared  "
		"shared-max\n"
		"leaf1  ingress-lossless       2 MB  192 B  500 KB    25.0 %          600 KB    96 "
		"B  "
		"    400 KB\n"
		"leaf1  egress-lossless   unlimited    0 B     0 B         -             0 B     0 "
		"B  "
		"       0 B\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_interface_counters_qos),
		cmocka_unit_test(test_interface_roce_counters),
		cmocka_unit_test(test_qos_roce),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_tenant),
		cmocka_unit_test(test_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
