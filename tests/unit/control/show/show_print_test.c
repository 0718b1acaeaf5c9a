// SPDX-License-Identifier: BSD-3-Clause
// Answers about the fabric, its ports, routes and configuration; and answers that lack everything.
#include "printed.h"

#include <errno.h>

static void
test_interface(void **state)
{
	(void)state;
	require("interface", NULL,
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

// What does not transmit, and why a queue sends nothing.
static void
test_transmission_off(void **state)
{
#define OFF "{\"tx_off\": true}"
#define ON "{\"tx_off\": false}"
#define PORT_OF(queues) "{\"state\": \"up\", \"queue\": [" queues "]}"
	(void)state;
	require("interface", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {"
		"\"swp1\": " PORT_OF(OFF "," OFF) ", \"swp2\": " PORT_OF(
			ON "," ON) ", \"swp3\": " PORT_OF(OFF "," ON "," OFF) "}}}}",
		"interface   state                rate  mtu  peer  vrf  rx-packets  rx-bytes  "
		"tx-packets  tx-bytes  dropped\n"
		"leaf1.swp1  up, tx off         device    0                      0       0 B       "
		"    0       0 B        0\n"
		"leaf1.swp2  up                 device    0                      0       0 B       "
		"    0       0 B        0\n"
		"leaf1.swp3  up, queue 0,2 off  device    0                      0       0 B       "
		"    0       0 B        0\n");
	require("queue", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"queue\": [" OFF "," ON
		", {\"tx_off\": true, \"paused\": true, \"watchdog\": true}, "
		"{\"paused\": true}]}}}}}",
		"interface   tc  tx-frames  tx-bytes  depth  max  max-persistent  discards  wred  "
		"watchdog  trimmed  trim-sent  ecn-marked  state\n"
		"leaf1.swp1   0          0       0 B    0 B  0 B             0 B         0     0   "
		"      0        0          0           0  tx off\n"
		"leaf1.swp1   2          0       0 B    0 B  0 B             0 B         0     0   "
		"      0        0          0           0  tx off, paused, STORM\n"
		"leaf1.swp1   3          0       0 B    0 B  0 B             0 B         0     0   "
		"      0        0          0           0  paused\n");
#undef OFF
#undef ON
#undef PORT_OF
}

static void
test_log(void **state)
{
	(void)state;
	require("log", NULL,
		"{\"log\": [{\"at_ns\": 12345, \"node\": \"leaf1\", \"queue\": \"swp1.3\", "
		"\"what\": \"watchdog-storm\", \"message\": \"PFC storm\"}, {\"at_ns\": 6000000, "
		"\"node\": null, \"queue\": null, \"what\": \"event-refused\", \"message\": "
		"\"lab.yaml:4:5: no\"}], \"log_lost\": 7}",
		"   at/us  queue         event           message\n"
		"  12.345  leaf1.swp1.3  watchdog-storm  PFC storm\n"
		"6000.000  -             event-refused   lab.yaml:4:5: no\n"
		"\n"
		"not kept: 7\n");
	require("log", NULL, "{\"log\": [], \"log_lost\": 0}", "the log is empty\n");
}

// Alike members of a map are one row; what nothing maps to is left out unless it was written.
static void
test_config(void **state)
{
	(void)state;
	require("config", NULL,
		"{\"nodes\": {\"leaf1\": {\"preset\": \"sonic\", \"preset-where\": \"live\", "
		"\"mode\": \"lossless\", "
		"\"values\": {"
		"\"buffer.size\": {\"value\": \"4MB\", \"origin\": \"overridden\", \"preset\": "
		"\"64MB\", \"where\": \"line 3\"},"
		"\"qos.priority-to-tc.0\": {\"value\": \"1\", \"origin\": \"preset\"},"
		"\"qos.priority-to-tc.1\": {\"value\": \"1\", \"origin\": \"preset\"},"
		"\"qos.priority-to-tc.2\": {\"value\": \"1\", \"origin\": \"default\"},"
		"\"qos.priority-to-tc.4\": {\"value\": \"1\", \"origin\": \"default\"},"
		"\"qos.priority-to-pg.4\": {\"value\": \"1\", \"origin\": \"default\"},"
		"\"qos.tc.1.weight\": {\"value\": \"50\", \"origin\": \"preset\", \"preset\": "
		"\"50\"},"
		"\"qos.tc.2.weight\": {\"value\": \"50\", \"origin\": \"preset\"},"
		"\"qos.tc.2.static\": {\"value\": \"20KB\", \"origin\": \"overridden\", "
		"\"preset\": \"alpha 8\", \"where\": \"live\"},"
		"\"qos.tc.5.weight\": {\"value\": \"14\", \"origin\": \"preset\"},"
		"\"qos.trim.tc\": {\"value\": \"5\", \"origin\": \"overridden\", \"preset\": "
		"null, \"where\": \"line 9\"}}}}}",
		"leaf1, preset sonic (live), mode lossless\n"
		"  key                     value  preset   set by\n"
		"  buffer.size             4MB    64MB     overridden (line 3)\n"
		"  qos.priority-to-tc.0-1  1      -        preset\n"
		"  qos.priority-to-tc.2    1      -        default\n"
		"  qos.priority-to-tc.4    1      -        default\n"
		"  qos.priority-to-pg.4    1      -        default\n"
		"  qos.tc.1.weight         50     -        preset\n"
		"  qos.tc.2.static         20KB   alpha 8  overridden (live)\n"
		"  qos.tc.5.weight         14     -        preset\n"
		"  qos.trim.tc             5      -        overridden (line 9)\n");
}

static void
test_drops(void **state)
{
	(void)state;
	require("drops", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"drops\": {\"no-route\": 8}},"
		" \"swp2\": {\"drops\": {\"no-route\": 4, \"runt\": 1}}}}},"
		" \"advice\": {\"no-route\": \"a route is missing\", \"runt\": \"look at the "
		"sender\"}}",
		"no-route  12 packets, came in by leaf1.swp1 (8), leaf1.swp2 (4)\n    a route is "
		"missing\n"
		"runt  1 packet, came in by leaf1.swp2 (1)\n    look at the sender\n");
	require("drops", NULL, "{\"nodes\": {}, \"advice\": {}}", "no packet has been dropped\n");
}

static void
test_answers(void **state)
{
	(void)state;
	require("answers", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"answers\": {\"arp-reply\": 2}},"
		" \"swp2\": {\"answers\": {\"arp-reply\": 1}}, \"swp3\": {}}}},"
		" \"kinds\": {\"arp-reply\": \"ARP\"}}",
		"arp-reply  3, at leaf1.swp1 (2), leaf1.swp2 (1)\n    ARP\n");
	require("answers", NULL, "{\"nodes\": {}, \"kinds\": {}}",
		"no switch has answered anything\n");
}

// DCBX is not said by everyone, and may say that nothing is paused.
static void
test_lldp(void **state)
{
	(void)state;
	require("lldp", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp1\": {\"neighbours\": [{\"system\": "
		"\"box\", \"port\": \"eth1\", \"chassis\": \"02:00:0a:00:01:01\", "
		"\"capabilities\": [\"bridge\", \"station\"], \"management\": [\"10.0.1.1\", "
		"\"fd00::1\"], \"pfc\": {\"priorities\": [3, 4]}, \"applications\": "
		"[{\"selector\": \"tcp\", \"protocol\": 4791, \"priority\": 1}, {\"selector\": "
		"\"udp\", \"protocol\": 4791, \"priority\": 3}], \"ttl\": 120}, {\"chassis\": "
		"\"x\", \"pfc\": {\"priorities\": []}, \"ttl\": 20}]}, \"swp2\": "
		"{\"neighbours\": []}}}}}",
		"interface   system  port  chassis            capabilities     management         "
		"pfc  roce  ttl\n"
		"leaf1.swp1  box     eth1  02:00:0a:00:01:01  bridge, station  10.0.1.1, fd00::1  "
		"3,4     3  120\n"
		"leaf1.swp1  -       -     x                  -                -                  "
		"off     -   20\n");
	require("lldp", NULL, "{\"nodes\": {}}", "no neighbour has sent LLDP\n");
}

static void
test_route(void **state)
{
	(void)state;
	require("route", NULL,
		"{\"nodes\": {\"leaf1\": {\"vrfs\": {\"red\": {"
		"\"10.0.2.0/24\": {\"mode\": \"adaptive\", \"source\": \"computed\", \"via\": "
		"[{\"port\": \"swp5\", "
		"\"node\": \"spine1\"},"
		" {\"port\": \"swp6\", \"node\": null, \"mac\": \"02:00:00:00:02:02\"}], "
		"\"encap\": null},"
		"\"10.0.3.0/24\": {\"mode\": \"ecmp\", \"source\": \"static\", \"via\": "
		"[{\"port\": \"swp5\", "
		"\"node\": \"spine1\"}], \"encap\": {\"kind\": \"vxlan\", \"vni\": 5001, "
		"\"to\": \"172.16.0.3\"}},"
		"\"10.0.4.0/24\": {\"mode\": \"ecmp\", \"source\": \"static\", \"via\": "
		"[{\"port\": \"swp5\", "
		"\"node\": \"spine1\"}], \"encap\": {\"kind\": \"vlan\", \"vlan\": 101}},"
		"\"10.0.0.0/8\": {\"mode\": \"ecmp\", \"source\": \"fpm\", \"via\": [], "
		"\"encap\": null},"
		"\"10.1.0.0/16\": {\"mode\": \"ecmp\", \"source\": \"netlink\", \"glean\": true, "
		"\"via\": [], \"encap\": null}}}}}}",
		"node   vrf  prefix       mode      source    next hops\n"
		"leaf1  red  10.0.2.0/24  adaptive  computed  swp5 spine1, swp6 02:00:00:00:02:02\n"
		"leaf1  red  10.0.3.0/24  ecmp      static    swp5 spine1; vxlan vni 5001 to "
		"172.16.0.3\n"
		"leaf1  red  10.0.4.0/24  ecmp      static    swp5 spine1; vlan 101\n"
		"leaf1  red  10.0.0.0/8   ecmp      fpm       none: dropped\n"
		"leaf1  red  10.1.0.0/16  ecmp      netlink   none yet: neighbours are "
		"probed\n");
	require("neighbour", NULL,
		"{\"nodes\": {\"leaf1\": {\"neighbours\": {\"red\": [{\"address\": \"10.0.2.7\", "
		"\"interface\": \"swp3\", \"mac\": \"02:00:00:00:02:02\", \"state\": \"stale\"}]}, "
		"\"learning\": {\"red\": {\"netns\": \"leaf1\", \"source\": \"both\", "
		"\"prefixes\": 7, "
		"\"messages\": 20, \"published\": 3, \"dumps\": 2, \"overruns\": 1, "
		"\"fpm_connected\": true}}}}}",
		"node   vrf  address   interface  mac                state\n"
		"leaf1  red  10.0.2.7  swp3       02:00:00:00:02:02  stale\n\n"
		"node   vrf  learns from               netns  prefixes  messages  published  "
		"resyncs  "
		"overruns\n"
		"leaf1  red  both, zebra is connected  leaf1         7        20          3        "
		"1  "
		"       1\n");
	require("neighbour", NULL, "{\"nodes\": {}}", "no neighbour\n");
}

// A count stands in the column of what the other end has, too; what a role does not have is "-".
static void
test_queue_pairs(void **state)
{
	(void)state;
	require("queue-pairs", NULL,
		"{\"nodes\": {\"h2\": {\"queue_pairs\": ["
		"{\"port\": \"eth1\", \"qpn\": 16, \"role\": \"sender\", \"state\": \"open\", "
		"\"peer\": \"10.0.1.1\", \"peer_qpn\": 17, \"psn\": 9, \"retransmitted\": 3, "
		"\"naks_rx\": 1, \"cnps_rx\": 2, \"rate_bps\": 2.5e10}, "
		"{\"port\": \"eth1\", \"qpn\": 17, \"role\": \"receiver\", \"state\": "
		"\"ready\", \"peer\": \"fd00::1\", \"peer_qpn\": 17, \"psn\": 0, "
		"\"naks_tx\": 4, \"out_of_order\": 5, \"cnps_tx\": 6}]}}}",
		"port     qpn  role      state  peer      peer-qpn  psn  retransmitted  naks  "
		"out-of-order  cnps  rate\n"
		"h2.eth1   16  sender    open   10.0.1.1        17    9              3     1  "
		"           -     2   25G\n"
		"h2.eth1   17  receiver  ready  fd00::1         17    0              -     4  "
		"           5     6     -\n");
	require("queue-pairs", NULL, "{\"nodes\": {}}", "no NIC has a queue pair\n");
}

// Classes in which nothing came are left out.
static void
test_steering(void **state)
{
	(void)state;
	require("steering", NULL,
		"{\"nodes\": {\"leaf1\": {\"ports\": {\"swp2\": {\"netdev\": \"eth7\", "
		"\"classes\": {"
		"\"other\": {\"to\": \"dataplane\", \"packets\": 1000, \"bytes\": 1500000}, "
		"\"arp\": {\"to\": \"kernel\", \"packets\": 0, \"bytes\": 0}, "
		"\"bgp\": {\"to\": \"kernel\", \"packets\": 3, \"bytes\": 257}}}}}}}",
		"interface   netdev  class  to         packets   bytes\n"
		"leaf1.swp2  eth7    other  dataplane     1000  1.5 MB\n"
		"leaf1.swp2  eth7    bgp    kernel           3   257 B\n");
	require("steering", NULL, "{\"nodes\": {}}",
		"no frame has come in at a port that the kernel shares (netdev:)\n");
}

static void
test_fabric(void **state)
{
	(void)state;
	require("fabric", NULL,
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
		"link                 rate   delay  state  changed\n"
		"leaf1.swp1  h1.eth1  100G  500 ns  up\n");
}

static void
test_bfd(void **state)
{
	(void)state;
	require("bfd", NULL,
		"{\"nodes\": {\"leaf\": {\"connected\": true, \"refused\": 2, \"malformed\": 3, "
		"\"routed\": 4, \"unknown\": 5, \"sessions\": [{\"interface\": \"swp1\", "
		"\"peer\": \"fe80::5\", \"state\": \"up\", \"diagnostic\": \"none\", "
		"\"since_ns\": 312000000000, \"interval_ns\": 300000000, "
		"\"detection_ns\": 1500000000, \"sent\": 1189, \"received\": 1187, \"note\": "
		"\"\"}, "
		"{\"interface\": null, \"peer\": \"192.0.2.9\", \"state\": \"down\", "
		"\"diagnostic\": \"none\", \"since_ns\": 2000000, "
		"\"interval_ns\": 1000000000, \"sent\": 0, \"received\": 0, \"note\": \"no "
		"port\"}]}}}",
		"interface  peer       state    for  diagnostic  interval  detection  sent  "
		"received  note\n"
		"swp1       fe80::5    up     312 s  none          300 ms      1.5 s  1189      "
		"1187\n"
		"-          192.0.2.9  down    2 ms  none             1 s          -     0         "
		"0  no port\n"
		"\n"
		"node  bfdd       refused  malformed  routed  unknown\n"
		"leaf  connected        2          3       4        5\n");
	require("bfd", NULL, "{\"nodes\": {}}", "no BFD session\n");
}

// An answer of another version, or of nobody: nothing to rely on.
static void
test_answers_that_lack_everything(void **state)
{
	static const struct {
		const char *what, *view;
	} words[] = {{"fabric", NULL},
		     {"interface", NULL},
		     {"interface", "counters-qos"},
		     {"interface", "roce-status"},
		     {"interface", "roce-counters"},
		     {"qos", NULL},
		     {"pfc", NULL},
		     {"queue", NULL},
		     {"pool", NULL},
		     {"tenant", NULL},
		     {"watchdog", NULL},
		     {"histogram", NULL},
		     {"drops", NULL},
		     {"config", NULL},
		     {"log", NULL},
		     {"route", NULL},
		     {"neighbour", NULL},
		     {"lldp", NULL},
		     {"bfd", NULL}};
	static const char *const answers[] = {
		"{}",
		"[]",
		"{\"nodes\": 3}",
		"{\"nodes\": {\"a\": 3, \"b\": {\"ports\": [], \"pools\": 1, \"vrfs\": 2}}}",
		("{\"nodes\": {\"a\": {\"ports\": {\"p\": 1}, \"pools\": {\"x\": 1}, \"vrfs\": "
		 "{\"v\": {\"r\": 1}}}}}"),
		"{\"nodes\": {\"a\": {\"histograms\": [1], \"values\": 1, \"pools\": [1], "
		"\"tenants\": {\"t\": 1}, \"sp-to-tc\": [99], \"traffic-class\": [2], "
		"\"exceptions\": {\"k\": 1}, \"values\": {\"k\": 1, \"q.3\": {}, "
		"\"q.99999999999\": 2}, \"ports\": {\"p\": {\"queue\": [1], \"pfc_rx\": "
		"3}}}}}",
		"{\"nodes\": {\"a\": {\"neighbours\": {\"v\": [1, {}]}, \"learning\": {\"v\": "
		"2}, \"ports\": {\"p\": {\"neighbours\": [1, {}, {\"applications\": [1], \"pfc\": "
		"1, "
		"\"capabilities\": [{}]}]}}}}}",
		"{\"nodes\": {\"a\": {\"sessions\": [1, {}], \"connected\": 1}, \"b\": "
		"{\"sessions\": 1}}}",
		"{\"advice\": {\"r\": 1}, \"workers\": [1], \"links\": [1], \"log\": [1, {}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		for (size_t k = 0; k < sizeof(answers) / sizeof(*answers); k++) {
			json_t *json = json_loads(answers[k], 0, NULL);
			char *text = NULL;
			size_t length;
			FILE *to = open_memstream(&text, &length);

			assert_non_null(json);
			assert_int_equal(show_print(words[i].what, words[i].view, json, to), 0);
			fclose(to);
			free(text);
			json_decref(json);
		}
	}
	assert_int_equal(show_print("nonsense", NULL, NULL, stdout), -ENOENT);
	assert_int_equal(show_print("pfc", "roce-status", NULL, stdout), -ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_transmission_off),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_lldp),
		cmocka_unit_test(test_bfd),
		cmocka_unit_test(test_route),
		cmocka_unit_test(test_queue_pairs),
		cmocka_unit_test(test_steering),
		cmocka_unit_test(test_fabric),
		cmocka_unit_test(test_answers_that_lack_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
