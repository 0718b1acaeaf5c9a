// SPDX-License-Identifier: BSD-3-Clause
// The keys of `qos:` that switch something on. Groups, classes and PFC are schema_switch_test.c's.
#include "expect.h"

static void
rates_red_and_fairness(void **state)
{
	struct switch_config s = switch_of(
		SINGLE
		"  qos:\n"
		"    tc:\n"
		"      0: {ecn: {min: 1KB}, red: on, min-rate: 1G, max-rate: 2.5G, fairness: "
		"tenant}\n"
		"      1: {red: off, min-rate: none, max-rate: none, fairness: none}\n"
		"    port: {max-rate: 50G}\n"
		"    flow-control: pfc-asymmetric\n",
		"switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.classes[0].red);
	assert_true(s.classes[0].tenant_fairness);
	assert_int_equal(s.classes[0].min_rate_bps, 1000000000);
	assert_int_equal(s.classes[0].max_rate_bps, 2500000000);
	assert_false(s.classes[1].red || s.classes[1].tenant_fairness);
	assert_int_equal(s.classes[1].min_rate_bps, 0);
	assert_int_equal(s.classes[1].max_rate_bps, 0);
	assert_int_equal(s.port_max_rate_bps, 50000000000);
	assert_int_equal(s.flow_control, CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC);
	s = switch_of(SINGLE "  qos: {port: {max-rate: none}, flow-control: pause}\n", "switch",
		      CONFIG_ROLE_LEAF);
	assert_int_equal(s.port_max_rate_bps, 0);
	assert_int_equal(s.flow_control, CONFIG_FLOW_CONTROL_PAUSE);
}

static void
bad_rates(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  qos: {tc: {0: {min-rate: 1, max-rate: 9T, fairness: tenants, red: 3}}}\n",
		"f.yaml:3:28: switch.qos.tc.0.min-rate: 1 has no unit: write it with K, M, G or T "
		"(bits per second), or none\n"
		"f.yaml:3:41: switch.qos.tc.0.max-rate: 9T is out of range: 10M to 8T, or none\n"
		"f.yaml:3:55: switch.qos.tc.0.fairness: \"tenants\" is not one of none, tenant; "
		"did you mean \"tenant\"?\n"
		"f.yaml:3:69: switch.qos.tc.0.red: \"3\" is not true or false\n");
	expect_messages(
		SINGLE "  qos: {port: {max-rate: 1M}, flow-control: pcf}\n",
		"f.yaml:3:26: switch.qos.port.max-rate: 1M is out of range: 10M to 8T, or none\n"
		"f.yaml:3:45: switch.qos.flow-control: \"pcf\" is not one of pfc, "
		"pfc-asymmetric, pause, credit, cbfc, none; did you mean \"pfc\"?\n");
}

static void
the_watchdog(void **state)
{
	struct switch_config s = switch_of(
		SINGLE "  qos: {watchdog: {poll: 100us, detect: 60s, restore: 1ms, action: "
		       "forward, flush: off, ingress: on}}\n",
		"switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.watchdog.on);
	assert_int_equal(s.watchdog.poll_ps, 100000000);
	assert_int_equal(s.watchdog.detect_ps, 60000000000000);
	assert_int_equal(s.watchdog.restore_ps, 1000000000);
	assert_int_equal(s.watchdog.action, CONFIG_WATCHDOG_FORWARD);
	assert_true(!s.watchdog.flush && s.watchdog.ingress);
	s = switch_of(SINGLE "  qos: {watchdog: on}\n", "switch", CONFIG_ROLE_LEAF);
	assert_true(s.watchdog.on);
	assert_int_equal(s.watchdog.detect_ps, 300000000000);
	s = switch_of(SINGLE "  qos: {watchdog: {enabled: off, poll: 1ms}}\n", "switch",
		      CONFIG_ROLE_LEAF);
	assert_false(s.watchdog.on);
	assert_int_equal(s.watchdog.poll_ps, 1000000000);
}

static void
watchdog_mistakes(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  qos: {watchdog: {poll: 99us, detect: 61s, restore: 99us, action: "
		       "dorp}}\n",
		"f.yaml:3:26: switch.qos.watchdog.poll: 99us is out of range: 100us to 10s\n"
		"f.yaml:3:40: switch.qos.watchdog.detect: 61s is out of range: 100us to 60s\n"
		"f.yaml:3:54: switch.qos.watchdog.restore: 99us is out of range: 100us to 60s\n"
		"f.yaml:3:68: switch.qos.watchdog.action: \"dorp\" is not one of drop, "
		"forward, alert; did you mean \"drop\"?\n");
	expect_messages(SINGLE "  qos: {watchdog: {detect: 1s, robustness: 3}}\n",
			"f.yaml:3:32: switch.qos.watchdog: detect and robustness exclude each "
			"other: the other is at line 3\n");
	expect_messages(SINGLE "  qos: {watchdog: {robustness: 1001, pol: 1s}}\n",
			"f.yaml:3:32: switch.qos.watchdog.robustness: 1001 is out of range: 1 to "
			"1000\n"
			"f.yaml:3:38: switch.qos.watchdog.pol: unknown key; did you mean "
			"\"poll\"?\n");
	expect_messages(SINGLE "  qos: {watchdog: 3}\n",
			"f.yaml:3:19: switch.qos.watchdog: expected {detect, robustness, restore, "
			"action, flush, ingress, poll}, or off\n");
	expect_messages(
		SINGLE "  qos: {watchdog: [drop]}\n",
		"f.yaml:3:19: switch.qos.watchdog: expected a map of keys and values, found "
		"a list\n");
}

static void
remarking(void **state)
{
	struct switch_config s =
		switch_of(FABRIC "switch: {qos: {remark: {dscp: {3: 26, 0: 0}, pcp: {3: 3}}}}\n"
				 "leaf: {qos: {remark: {dscp: {0: none, 7: 63}}}}\n"
				 "leaf2: {qos: {remark: {dscp: none}}}\n",
			  "leaf1", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.remark.dscp[3], 26);
	assert_int_equal(s.remark.dscp[0], -1);
	assert_int_equal(s.remark.dscp[7], 63);
	assert_int_equal(s.remark.dscp[1], -1);
	assert_int_equal(s.remark.pcp[3], 3);
	assert_int_equal(s.remark.pcp[7], -1);
	expect_messages(SINGLE "  qos: {remark: {dscp: {8: 1, 1: 64, 2: x, 3: [1]}, pcp: {1: 8}, "
			       "dcsp: {}}}\n",
			"f.yaml:3:25: switch.qos.remark.dscp.8: 8 is out of range: 0 to 7\n"
			"f.yaml:3:34: switch.qos.remark.dscp.1: 64 is out of range: 0 to 63, or "
			"none\n"
			"f.yaml:3:41: switch.qos.remark.dscp.2: \"x\" is not a whole number (0 to "
			"63), or none\n"
			"f.yaml:3:47: switch.qos.remark.dscp.3: expected one value, found a list\n"
			"f.yaml:3:62: switch.qos.remark.pcp.1: 8 is out of range: 0 to 7, or none\n"
			"f.yaml:3:66: switch.qos.remark.dcsp: unknown key; did you mean "
			"\"dscp\"?\n");
	expect_messages(SINGLE "  qos: {remark: {dscp: {1: 1, 0x1: 2}}}\n",
			"f.yaml:3:31: switch.qos.remark.dscp.0x1: write \"0x1\" as 1\n");
}

static void
trimming(void **state)
{
	struct switch_config s = switch_of(
		SINGLE "  qos: {priority-to-tc: {1: 1, 2: 2}, trim: {size: 512B, dscp: 12, tc: 5, "
		       "eligible-tc: [1, 2]}}\n",
		"switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.trim.on);
	assert_int_equal(s.trim.size_bytes, 512);
	assert_int_equal(s.trim.dscp, 12);
	assert_int_equal(s.trim.tc, 5);
	assert_int_equal(s.trim.eligible_tc, 0x06);
	s = switch_of(SINGLE "  qos: {priority-to-tc: {1: 1}, trim: on}\n", "switch",
		      CONFIG_ROLE_LEAF);
	assert_true(s.trim.on);
	assert_int_equal(s.trim.size_bytes, 256);
	assert_int_equal(s.trim.dscp, 11);
	assert_int_equal(s.trim.tc, 4);
	assert_int_equal(s.trim.eligible_tc, 0x02);
	s = switch_of(SINGLE "  qos: {trim: off}\n", "switch", CONFIG_ROLE_LEAF);
	assert_false(s.trim.on);
	expect_messages(
		SINGLE "  qos: {trim: {size: 258B}}\n",
		"f.yaml:3:22: switch.qos.trim.size: a size of 258 bytes is not a multiple of 4\n");
	expect_messages(SINGLE
			"  qos: {trim: {size: 1028B, dscp: 64, tc: 8, eligible-tc: [1, 1]}}\n",
			"f.yaml:3:22: switch.qos.trim.size: 1028B is out of range: 256B to "
			"1024B\n"
			"f.yaml:3:35: switch.qos.trim.dscp: 64 is out of range: 0 to 63\n"
			"f.yaml:3:43: switch.qos.trim.tc: 8 is out of range: 0 to 7\n"
			"f.yaml:3:63: switch.qos.trim.eligible-tc: the list has 1 twice\n");
}

static void
histograms(void **state)
{
	struct config *c = load_good(
		SINGLE "  qos:\n    histograms:\n"
		       "      - {queue: swp1.3}\n"
		       "      - {group: swp2.0, min: 0B, size: 40KB, bins: 4, sample: 1us}\n"
		       "      - {latency: swp2.7, bins: 64}\n"
		       "      - {latency: swp1.7, min: 500ns, size: 1ms}\n");
	const struct config_histogram *h;
	struct switch_config s;

	(void)state;
	assert_int_equal(config_switch(c, "switch", CONFIG_ROLE_LEAF, &s), 0);
	h = s.histograms;
	assert_int_equal(s.histogram_count, 4);
	assert_int_equal(h[0].kind, CONFIG_HISTOGRAM_QUEUE);
	assert_string_equal(h[0].where.text, "swp1.3");
	assert_int_equal(h[0].port_number, 1);
	assert_int_equal(h[0].index, 3);
	assert_int_equal(h[0].min, 960);
	assert_int_equal(h[0].size, 12288);
	assert_int_equal(h[0].bins, 10);
	assert_int_equal(h[0].sample_ps, 1024000);
	assert_int_equal(h[0].pos.line, 5);
	assert_int_equal(h[1].kind, CONFIG_HISTOGRAM_GROUP);
	assert_int_equal(h[1].port_number, 2);
	assert_int_equal(h[1].index, 0);
	assert_int_equal(h[1].min, 0);
	assert_int_equal(h[1].size, 40000);
	assert_int_equal(h[1].bins, 4);
	assert_int_equal(h[1].sample_ps, 1000000);
	assert_int_equal(h[2].kind, CONFIG_HISTOGRAM_LATENCY);
	assert_int_equal(h[2].index, 7);
	assert_int_equal(h[2].min, 1000000);
	assert_int_equal(h[2].size, 64000000);
	assert_int_equal(h[2].bins, 64);
	assert_int_equal(h[3].min, 500000);
	assert_int_equal(h[3].size, 1000000000);
	config_free(c);
}

static void
histogram_mistakes(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  qos:\n    histograms:\n"
		       "      - {queue: swp1}\n"
		       "      - {group: swp1.8}\n"
		       "      - {latency: leaf1.swp1.3}\n"
		       "      - {queue: swp257.1}\n"
		       "      - {queue: swp1.1, group: swp1.1}\n"
		       "      - {min: 960B}\n"
		       "      - {queue: swp1.1, min: 1us, bins: 2}\n"
		       "      - {latency: swp1.1, min: 1KB, sample: 1us}\n"
		       "      - {queue: swp1.2, size: 0B, sample: 1ps}\n"
		       "      - {queue: swp1.03}\n",
		"f.yaml:5:17: switch.qos.histograms[0].queue: \"swp1\" is not a port with a "
		"traffic class, such as swp1.3 (swp1 to swp256, 0 to 7)\n"
		"f.yaml:6:17: switch.qos.histograms[1].group: \"swp1.8\" is not a port with a "
		"priority group, such as swp1.3 (swp1 to swp256, 0 to 7): 8 is out of range: "
		"0 to 7\n"
		"f.yaml:7:19: switch.qos.histograms[2].latency: \"leaf1.swp1.3\" is not a port "
		"with a traffic class, such as swp1.3 (swp1 to swp256, 0 to 7)\n"
		"f.yaml:8:17: switch.qos.histograms[3].queue: \"swp257.1\" is not a port with a "
		"traffic class, such as swp1.3 (swp1 to swp256, 0 to 7)\n"
		"f.yaml:9:25: switch.qos.histograms[4]: one histogram shows one thing: \"queue\" "
		"or "
		"\"group\"\n"
		"f.yaml:10:9: switch.qos.histograms[5]: needs one of queue, group, latency\n"
		"f.yaml:11:30: switch.qos.histograms[6].min: \"1us\" is not a size: its unit is "
		"one "
		"of B, KB, MB, GB, KiB, MiB or GiB\n"
		"f.yaml:11:41: switch.qos.histograms[6].bins: 2 is out of range: 3 to 64\n"
		"f.yaml:12:32: switch.qos.histograms[7].min: \"1KB\" is not a duration: its unit "
		"is "
		"one of ps, ns, us, ms or s\n"
		"f.yaml:12:37: switch.qos.histograms[7].sample: is not a key of a latency "
		"histogram\n"
		"f.yaml:13:31: switch.qos.histograms[8].size: 0B is out of range: 1B to "
		"1024GiB\n"
		"f.yaml:13:43: switch.qos.histograms[8].sample: 1ps is out of range: 1ns to "
		"3600s\n"
		"f.yaml:14:17: switch.qos.histograms[9].queue: \"swp1.03\" is not a port with a "
		"traffic class, such as swp1.3 (swp1 to swp256, 0 to 7): write \"03\" "
		"as 3\n");
	expect_messages(SINGLE "  qos:\n    histograms:\n"
			       "      - {queue: swp1.1}\n"
			       "      - {group: swp1.1}\n"
			       "      - {queue: swp1.1}\n",
			"f.yaml:7:17: switch.qos.histograms: swp1.1 has such a histogram already "
			"(line 5)\n");
	expect_messages(
		SINGLE "  qos: {histograms: {queue: swp1.3}}\n",
		"f.yaml:3:21: switch.qos.histograms: expected a list of maps, each begun by "
		"\"- \"\n");
}

static void
port_mistakes(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  qos:\n    ports:\n"
		       "      eth1: {}\n"
		       "      swp1: {trust: [dspc], port-priority: 8, dscp-to-priority: {64: 1},\n"
		       "        pcp-to-priority: {1: 8}, remark: {dscp: {1: 64}}, max-rate: 1,\n"
		       "        tc: {8: {weight: 1}, 1: {weight: 0, scheduler: wrr, alpha: 1}},\n"
		       "        pg: {3: {xon: 1, lossles: on}, 9: {}},\n"
		       "        watchdog: {poll: 1s, detect: 1us, robustness: 2},\n"
		       "        maxrate: 1G}\n",
		"f.yaml:5:7: switch.qos.ports.eth1: \"eth1\" is not a port: swp1 to swp256\n"
		"f.yaml:6:22: switch.qos.ports.swp1.trust: \"dspc\" is not one of dscp, pcp; did "
		"you "
		"mean \"dscp\"?\n"
		"f.yaml:6:44: switch.qos.ports.swp1.port-priority: 8 is out of range: 0 to 7\n"
		"f.yaml:6:66: switch.qos.ports.swp1.dscp-to-priority.64: 64 is out of range: 0 to "
		"63, or default\n"
		"f.yaml:7:30: switch.qos.ports.swp1.pcp-to-priority.1: 8 is out of range: 0 to 7\n"
		"f.yaml:7:53: switch.qos.ports.swp1.remark.dscp.1: 64 is out of range: 0 to 63, or "
		"none\n"
		"f.yaml:7:69: switch.qos.ports.swp1.max-rate: 1 has no unit: write it with K, M, G "
		"or T (bits per second), or none\n"
		"f.yaml:8:14: switch.qos.ports.swp1.tc.8: 8 is out of range: 0 to 7\n"
		"f.yaml:8:42: switch.qos.ports.swp1.tc.1.weight: 0 is out of range: 1 to 1000\n"
		"f.yaml:8:56: switch.qos.ports.swp1.tc.1.scheduler: \"wrr\" is not one of dwrr, "
		"strict; did you mean \"dwrr\"?\n"
		"f.yaml:8:61: switch.qos.ports.swp1.tc.1.alpha: unknown key\n"
		"f.yaml:9:23: switch.qos.ports.swp1.pg.3.xon: 1 has no unit: write it with B, KB, "
		"MB, GB, KiB, MiB or GiB\n"
		"f.yaml:9:26: switch.qos.ports.swp1.pg.3.lossles: unknown key; did you mean "
		"\"lossless\"?\n"
		"f.yaml:9:40: switch.qos.ports.swp1.pg.9: 9 is out of range: 0 to 7\n"
		"f.yaml:10:20: switch.qos.ports.swp1.watchdog.poll: unknown key\n"
		"f.yaml:10:38: switch.qos.ports.swp1.watchdog.detect: 1us is out of range: 100us "
		"to 60s\n"
		"f.yaml:10:43: switch.qos.ports.swp1.watchdog: detect and robustness exclude each "
		"other: the other is at line 10\n"
		"f.yaml:11:9: switch.qos.ports.swp1.maxrate: unknown key; did you mean "
		"\"max-rate\"?\n");
	expect_messages(SINGLE "  qos: {ports: [swp1]}\n",
			"f.yaml:3:16: switch.qos.ports: expected a map of keys and values, found a "
			"list\n");
}

// However many are named, no more than there can be are kept.
static void
every_port_may_differ(void **state)
{
	static char text[64 * 1024];
	size_t used = snprintf(text, sizeof(text), "%sswitch: {qos: {ports: {\n", FABRIC);
	struct switch_config s;
	struct config *c;

	(void)state;
	for (int i = 256; i >= 1; i--)
		used += snprintf(text + used, sizeof(text) - used, "  swp%d: {max-rate: %dG},\n", i,
				 i);
	used += snprintf(text + used, sizeof(text) - used,
			 "}}}\nleaf1: {qos: {ports: {swp9: {port-priority: 1}}}}\n");
	assert_true(used < sizeof(text));
	c = load_good(text);
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.port_count, 256);
	for (unsigned i = 0; i < 256; i++) {
		assert_int_equal(s.ports[i].number, i + 1);
		assert_int_equal(s.ports[i].max_rate_bps, (i + 1) * UINT64_C(1000000000));
	}
	assert_int_equal(s.ports[8].port_priority, 1);
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_red_and_fairness),
		cmocka_unit_test(bad_rates),
		cmocka_unit_test(the_watchdog),
		cmocka_unit_test(watchdog_mistakes),
		cmocka_unit_test(remarking),
		cmocka_unit_test(trimming),
		cmocka_unit_test(histograms),
		cmocka_unit_test(histogram_mistakes),
		cmocka_unit_test(port_mistakes),
		cmocka_unit_test(every_port_may_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
