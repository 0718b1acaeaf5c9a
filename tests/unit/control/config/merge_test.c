// SPDX-License-Identifier: BSD-3-Clause
// Sections: which value wins, and where it came from.
#include "merged.h"

#include "control/config/merge.h"

#include <errno.h>

// detect follows the poll where it is counted in polls; what is not written is at least one poll.
static void
watchdog_times_follow_the_poll(void **state)
{
	struct switch_config s = switch_of(
		DUT("  preset: spectrum-x\n  qos: {watchdog: {poll: 200ms, robustness: 5}}\n"),
		"switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.watchdog.on);
	assert_int_equal(s.watchdog.detect_ps, 1000000000000);
	assert_int_equal(s.watchdog.restore_ps, 200000000000);
	s = switch_of(DUT("  preset: spectrum-x\n  qos: {watchdog: {poll: 50ms}}\n"), "switch",
		      CONFIG_ROLE_LEAF);
	assert_int_equal(s.watchdog.detect_ps, 150000000000);
	assert_int_equal(s.watchdog.restore_ps, 100000000000);
	s = switch_of(DUT("  preset: sonic\n  qos: {watchdog: {poll: 500ms}}\n"), "switch",
		      CONFIG_ROLE_LEAF);
	assert_int_equal(s.watchdog.detect_ps, 500000000000);
	s = switch_of(FABRIC "switch: {qos: {watchdog: {detect: 1s}}}\n"
			     "leaf: {qos: {watchdog: {poll: 10ms, robustness: 4}}}\n"
			     "leaf1: {qos: {watchdog: {enabled: off, action: alert}}}\n",
		      "leaf1", CONFIG_ROLE_LEAF);
	assert_false(s.watchdog.on);
	assert_int_equal(s.watchdog.action, CONFIG_WATCHDOG_ALERT);
	assert_int_equal(s.watchdog.detect_ps, 40000000000);
	assert_int_equal(s.watchdog.robustness, 4);
}

// What one port does otherwise: a key sets what it names, the nearest section's wins.
static void
ports_merge_key_by_key(void **state)
{
	struct config *c = load_good(
		FABRIC
		"switch: {preset: spectrum-x, qos: {remark: {pcp: {3: 1}}, ports: {\n"
		"  swp3: {max-rate: 10G, trust: pcp, dscp-to-priority: {1: 5, default: 2}},\n"
		"  swp2: {remark: {dscp: {3: 10}}}}}}\n"
		"leaf1: {qos: {ports: {swp3: {max-rate: 20G, dscp-to-priority: {2: 4}},\n"
		"  swp1: {port-priority: 7, pcp-to-priority: {0: 6}}}}}\n");
	const struct config_port_qos *port;
	struct switch_config s, again;

	(void)state;
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.port_count, 3);
	port = &s.ports[0];
	assert_int_equal(port->number, 1);
	assert_string_equal(port->name.text, "swp1");
	assert_int_equal(port->set, CONFIG_PORT_QOS_PRIORITY | CONFIG_PORT_QOS_PCP);
	assert_int_equal(port->port_priority, 7);
	assert_int_equal(port->pcp_to_priority[0], 6);
	assert_int_equal(port->pcp_to_priority[3], 3);
	port = &s.ports[1];
	assert_int_equal(port->number, 2);
	assert_int_equal(port->set, CONFIG_PORT_QOS_REMARK);
	assert_int_equal(port->remark.dscp[3], 10);
	assert_int_equal(port->remark.dscp[4], -1);
	// A map of one port stands for itself.
	assert_int_equal(port->remark.pcp[3], -1);
	assert_int_equal(s.remark.pcp[3], 1);
	port = &s.ports[2];
	assert_int_equal(port->number, 3);
	assert_int_equal(port->set,
			 CONFIG_PORT_QOS_MAX_RATE | CONFIG_PORT_QOS_TRUST | CONFIG_PORT_QOS_DSCP);
	assert_int_equal(port->max_rate_bps, 20000000000);
	assert_int_equal(port->trust_count, 1);
	assert_int_equal(port->trust[0], CONFIG_TRUST_PCP);
	assert_int_equal(port->dscp_to_priority[1], 5);
	assert_int_equal(port->dscp_to_priority[2], 4);
	assert_int_equal(port->dscp_to_priority[26], 2);
	assert_int_equal(s.dscp_to_priority[26], 3);
	// Merging again takes no more memory.
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &again), 0);
	assert_ptr_equal(again.ports, s.ports);
	assert_int_equal(config_switch(c, "leaf2", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.port_count, 2);
	assert_int_equal(s.ports[1].max_rate_bps, 10000000000);
	assert_int_equal(config_switch(c, "spine1", CONFIG_ROLE_SPINE, &again), 0);
	assert_ptr_equal(again.ports, s.ports);
	config_free(c);
}

// A class of one port is the switch's, but for the keys that the port has.
static void
port_classes_merge_key_by_key(void **state)
{
	struct config *c = load_good(FABRIC
				     "switch: {preset: spectrum-x, qos: {ports: {\n"
				     "  swp3: {tc: {3: {weight: 7}, 6: {scheduler: dwrr}}}}}}\n"
				     "leaf: {qos: {tc: {3: {weight: 9}, 0: {weight: 11}}}}\n"
				     "leaf1: {qos: {ports: {swp3: {tc: {3: {scheduler: strict},\n"
				     "  6: {weight: 5}}}, swp4: {max-rate: 1G}}}}\n");
	const struct config_class *classes;
	struct switch_config s;

	(void)state;
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	classes = s.ports[0].classes;
	assert_int_equal(s.ports[0].set, CONFIG_PORT_QOS_CLASSES);
	assert_int_equal(classes[3].scheduler, CONFIG_SCHEDULER_STRICT);
	assert_int_equal(classes[3].weight, 7);
	assert_int_equal(classes[3].ecn.max_bytes, 1500000);
	assert_int_equal(classes[3].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(classes[6].scheduler, CONFIG_SCHEDULER_DWRR);
	assert_int_equal(classes[6].weight, 5);
	assert_int_equal(classes[0].weight, 11);
	assert_int_equal(s.ports[1].set, CONFIG_PORT_QOS_MAX_RATE);
	assert_int_equal(s.classes[3].weight, 9);
	assert_int_equal(config_switch(c, "leaf2", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.ports[0].classes[3].scheduler, CONFIG_SCHEDULER_DWRR);
	assert_int_equal(s.ports[0].classes[6].weight, 50);
	config_free(c);
}

// What depends on whether a group is lossless follows the port's own group.
static void
port_groups_merge_key_by_key(void **state)
{
	struct config *c = load_good(
		FABRIC "switch: {qos: {flow-control: pause, pg: {0: {xon: 2KB}}, ports: {\n"
		       "  swp3: {pg: {3: {lossless: false}, 5: {static: 9KB}}}}}}\n"
		       "leaf1: {qos: {ports: {swp3: {pg: {5: {alpha: 2, reserved: 1KB},\n"
		       "  0: {lossless: true}}}}}}\n");
	const struct config_group *groups;
	struct switch_config s;

	(void)state;
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	groups = s.ports[0].groups;
	assert_int_equal(s.ports[0].set, CONFIG_PORT_QOS_GROUPS);
	assert_false(groups[3].lossless);
	assert_int_equal(groups[3].pool, CONFIG_POOL_INGRESS_LOSSY);
	assert_alpha(&groups[3].limit, 3);
	assert_true(groups[0].lossless);
	assert_int_equal(groups[0].pool, CONFIG_POOL_INGRESS_LOSSLESS);
	assert_alpha(&groups[0].limit, 0);
	assert_int_equal(groups[0].xon_bytes, 2000);
	assert_int_equal(groups[0].xon_offset.value, 9216);
	assert_alpha(&groups[5].limit, 1);
	assert_int_equal(groups[5].reserved_bytes, 1000);
	assert_false(s.groups[0].lossless);
	assert_alpha(&s.groups[3].limit, 0);
	// A class is lossless if one port's packets in it are.
	assert_int_equal(s.classes[0].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(s.classes[3].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(config_switch(c, "leaf2", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.ports[0].groups[5].limit.kind, CONFIG_LIMIT_STATIC);
	assert_int_equal(s.classes[0].pool, CONFIG_POOL_EGRESS_LOSSY);
	config_free(c);
}

// A port's detect, as a time or in polls, takes the place of either; the poll is that of all.
static void
port_watchdogs_merge_key_by_key(void **state)
{
	struct config *c = load_good(
		FABRIC "switch: {preset: spectrum-x, qos: {watchdog: {enabled: off, poll: 50ms},\n"
		       "  ports: {swp1: {watchdog: {action: forward}}, swp2: {watchdog: on},\n"
		       "  swp3: {watchdog: {robustness: 7}}, swp4: {watchdog: {detect: 1s}},\n"
		       "  swp5: {max-rate: 1G}}}}\n"
		       "leaf: {qos: {watchdog: {restore: 2s}}}\n"
		       "leaf1: {qos: {ports: {swp1: {watchdog: off},\n"
		       "  swp3: {watchdog: {detect: 900ms, restore: 1s}}}}}\n");
	const struct config_port_qos *ports;
	struct switch_config s;

	(void)state;
	assert_int_equal(config_switch(c, "spine1", CONFIG_ROLE_SPINE, &s), 0);
	ports = s.ports;
	assert_false(s.watchdog.on);
	assert_int_equal(ports[0].set, CONFIG_PORT_QOS_WATCHDOG);
	assert_true(ports[0].watchdog.on);
	assert_int_equal(ports[0].watchdog.action, CONFIG_WATCHDOG_FORWARD);
	assert_int_equal(ports[0].watchdog.detect_ps, 150000000000);
	assert_true(ports[1].watchdog.on);
	assert_int_equal(ports[1].watchdog.action, CONFIG_WATCHDOG_DROP);
	assert_int_equal(ports[2].watchdog.detect_ps, 350000000000);
	assert_int_equal(ports[3].watchdog.detect_ps, 1000000000000);
	assert_int_equal(ports[3].watchdog.robustness, 0);
	assert_int_equal(ports[3].watchdog.poll_ps, 50000000000);
	assert_false(ports[4].watchdog.on);
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	ports = s.ports;
	assert_true(s.watchdog.on);
	assert_false(ports[0].watchdog.on);
	assert_int_equal(ports[0].watchdog.action, CONFIG_WATCHDOG_FORWARD);
	assert_int_equal(ports[1].watchdog.restore_ps, 2000000000000);
	assert_int_equal(ports[2].watchdog.detect_ps, 900000000000);
	assert_int_equal(ports[2].watchdog.restore_ps, 1000000000000);
	assert_true(ports[4].watchdog.on);
	config_free(c);
}

// Two lists do not add up.
static void
the_nearest_histograms_count(void **state)
{
	struct config *c =
		load_good(FABRIC "switch: {qos: {histograms: [{queue: swp1.3}, {group: swp2.0}]}}\n"
				 "leaf: {qos: {histograms: [{latency: swp1.3}]}}\n"
				 "leaf2: {qos: {histograms: []}}\n");
	struct switch_config s, again;

	(void)state;
	assert_int_equal(config_switch(c, "spine1", CONFIG_ROLE_SPINE, &s), 0);
	assert_int_equal(s.histogram_count, 2);
	assert_int_equal(config_switch(c, "spine2", CONFIG_ROLE_SPINE, &again), 0);
	assert_ptr_equal(again.histograms, s.histograms);
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.histogram_count, 1);
	assert_int_equal(s.histograms[0].kind, CONFIG_HISTOGRAM_LATENCY);
	assert_int_equal(config_switch(c, "leaf2", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.histogram_count, 0);
	assert_null(s.histograms);
	config_free(c);
}

static void
the_nearest_section_wins_key_by_key(void **state)
{
	static const char text[] = FABRIC
		"switch: {preset: spectrum-x, latency: 1us, buffer: {size: 1MB, cell: 1},\n"
		"  qos: {dscp-to-priority: {1: 7, 2: 6}, pg: {3: {reserved: 1KB, alpha: 2}}}}\n"
		"leaf: {buffer: {size: 2MB}, qos: {dscp-to-priority: {2: 5}, pg: {3: {xon: "
		"5KB}}}}\n"
		"leaf2: {preset: sonic, latency: 3us, qos: {pg: {3: {static: 20KB}}}}\n"
		"spine: {routing: {mode: spray}}\n";
	struct switch_config leaf1 = switch_of(text, "leaf1", CONFIG_ROLE_LEAF);
	struct switch_config leaf2 = switch_of(text, "leaf2", CONFIG_ROLE_LEAF);
	struct switch_config spine = switch_of(text, "spine1", CONFIG_ROLE_SPINE);

	(void)state;
	assert_int_equal(leaf1.preset, CONFIG_PRESET_SPECTRUM_X);
	assert_int_equal(leaf1.buffer_bytes, 2000000);
	assert_int_equal(leaf1.cell_bytes, 1);
	assert_int_equal(leaf1.latency_ps, 1000000);
	assert_int_equal(leaf1.dscp_to_priority[1], 7);
	assert_int_equal(leaf1.dscp_to_priority[2], 5);
	assert_int_equal(leaf1.dscp_to_priority[26], 3);
	assert_int_equal(leaf1.groups[3].reserved_bytes, 1000);
	assert_int_equal(leaf1.groups[3].xon_bytes, 5000);
	assert_alpha(&leaf1.groups[3].limit, 1);
	assert_int_equal(leaf1.routing.mode, GROUP_ECMP);
	assert_int_equal(leaf2.preset, CONFIG_PRESET_SONIC);
	assert_int_equal(leaf2.latency_ps, 3000000);
	assert_int_equal(leaf2.dscp_to_priority[26], 1);
	assert_int_equal(leaf2.dscp_to_priority[1], 7);
	// Writing `static` removes a farther section's `alpha`.
	assert_int_equal(leaf2.groups[3].limit.kind, CONFIG_LIMIT_STATIC);
	assert_int_equal(leaf2.groups[3].limit.static_bytes, 20000);
	assert_int_equal(spine.buffer_bytes, 1000000);
	assert_int_equal(spine.routing.mode, GROUP_SPRAY);
	assert_int_equal(spine.dscp_to_priority[2], 6);
}

// What a group's kind decides follows it, unless written.
static void
pools_and_limits_follow_lossless(void **state)
{
	struct switch_config s =
		switch_of(DUT("  preset: spectrum-x\n  qos:\n    priority-to-pg: {4: 4, 5: 5}\n"
			      "    priority-to-tc: {4: 4, 5: 5}\n"
			      "    pg: {4: {lossless: true}, 5: {lossless: true, pool: "
			      "ingress-lossy, alpha: 1/4}}\n"
			      "    tc: {5: {static: 1MB}}\n    pfc: {priorities: [3, 4, 5]}\n"),
			  "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.groups[4].pool, CONFIG_POOL_INGRESS_LOSSLESS);
	assert_alpha(&s.groups[4].limit, 0);
	assert_int_equal(s.classes[4].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(s.classes[4].limit.kind, CONFIG_LIMIT_UNLIMITED);
	assert_int_equal(s.groups[5].pool, CONFIG_POOL_INGRESS_LOSSY);
	assert_alpha(&s.groups[5].limit, -2);
	assert_int_equal(s.classes[5].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(s.classes[5].limit.kind, CONFIG_LIMIT_STATIC);
	assert_int_equal(s.groups[1].pool, CONFIG_POOL_INGRESS_LOSSY);
	assert_alpha(&s.groups[1].limit, 3);
}

static void
marks_tell_where_values_came_from(void **state)
{
	struct config *c =
		load_good(FABRIC "switch: {preset: sonic,\n  qos: {tc: {3: {weight: 9}}}}\n");
	struct config_marks marks = {0};
	struct switch_config s;
	struct config_mark mark;

	(void)state;
	assert_int_equal(config_switch_marked(c, "leaf1", CONFIG_ROLE_LEAF, &s, &marks), 0);
	assert_int_equal(s.classes[3].weight, 9);
	mark = config_marks_find(&marks, "qos.tc.3.weight");
	assert_int_equal(mark.origin, CONFIG_ORIGIN_FILE);
	assert_int_equal(mark.pos.line, 3);
	assert_int_equal(mark.pos.column, 26);
	mark = config_marks_find(&marks, "qos.tc.4.weight");
	assert_int_equal(mark.origin, CONFIG_ORIGIN_PRESET);
	assert_int_equal(mark.pos.line, 0);
	mark = config_marks_find(&marks, "buffer.size");
	assert_int_equal(mark.origin, CONFIG_ORIGIN_DEFAULT);
	config_marks_free(&marks);
	config_free(c);
}

// Sections that do not merge, however they came to be so, are reported and not passed over.
static void
what_does_not_merge_is_told(void **state)
{
	struct config *c = load_good(FABRIC "leaf1: {latency: 1us, qos: {tc: {3: {weight: 9}}}}\n");
	const struct yaml_node *section = merge_section(c, "leaf1");
	struct diag diag = {0};
	struct switch_config s;

	(void)state;
	yaml_tree_get(section, "latency")->value->text = (char *)"soon";
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &s), -EINVAL);
	merge_check_switches(&(struct merge_checks){.config = c, .diag = &diag});
	assert_int_equal(diag.errors, 1);
	assert_string_equal(
		diag.messages[0].text,
		"f.yaml:2:18: leaf1.latency: \"soon\" is not a duration: write a number "
		"and ps, ns, us, ms or s");
	diag_free(&diag);
	config_free(c);
}

static void
hosts_merge_too(void **state)
{
	struct config *c = load_good(FABRIC "hosts: {rto: 2ms, cnp: {interval: 10us}, dscp: 5}\n"
					    "h3: {rto: 3ms, cnp: {dscp: 4}, dscp: auto, ip: 6}\n");
	struct host_config h1, h3;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h1), 0);
	assert_int_equal(config_host(c, "h3", &h3), 0);
	assert_int_equal(h1.rto_ps, 2000000000);
	assert_int_equal(h1.dscp, 5);
	assert_int_equal(h1.cnp_dscp, 48);
	assert_int_equal(h1.ip_version, 4);
	assert_int_equal(h3.rto_ps, 3000000000);
	assert_int_equal(h3.dscp, -1);
	assert_int_equal(h3.cnp_dscp, 4);
	assert_int_equal(h3.cnp_interval_ps, 10000000);
	assert_int_equal(h3.ip_version, 6);
	config_free(c);
}

static void
values_have_names(void **state)
{
	(void)state;
	assert_string_equal(config_pool_name(CONFIG_POOL_EGRESS_LOSSY), "egress-lossy");
	assert_string_equal(config_routing_mode_name(GROUP_ECMP_QP), "ecmp-qp");
	assert_string_equal(config_preset_name(CONFIG_PRESET_NONE), "none");
	assert_string_equal(config_preset_name(CONFIG_PRESET_LOSSY), "lossy");
	assert_string_equal(config_preset_mode_name(CONFIG_PRESET_MODE_SINGLE_POOL),
			    "lossless-single-pool");
	assert_string_equal(config_role_name(CONFIG_ROLE_HOST), "host");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watchdog_times_follow_the_poll),
		cmocka_unit_test(ports_merge_key_by_key),
		cmocka_unit_test(port_classes_merge_key_by_key),
		cmocka_unit_test(port_groups_merge_key_by_key),
		cmocka_unit_test(port_watchdogs_merge_key_by_key),
		cmocka_unit_test(the_nearest_histograms_count),
		cmocka_unit_test(the_nearest_section_wins_key_by_key),
		cmocka_unit_test(pools_and_limits_follow_lossless),
		cmocka_unit_test(marks_tell_where_values_came_from),
		cmocka_unit_test(what_does_not_merge_is_told),
		cmocka_unit_test(hosts_merge_too),
		cmocka_unit_test(values_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
