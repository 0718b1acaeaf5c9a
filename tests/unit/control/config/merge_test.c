// SPDX-License-Identifier: BSD-3-Clause
// Presets and sections: which value wins, and where it came from. The presets' figures are those of
// the sources named in conf/presets.
#include "expect.h"

#include "control/config/merge.h"
#include "control/config/presets.h"

#include <errno.h>

#define DUT(settings) "switch:\n  ports: {swp1: {}}\n" settings

static void
assert_alpha(const struct config_limit *limit, int shift)
{
	assert_int_equal(limit->kind, CONFIG_LIMIT_ALPHA);
	assert_int_equal(limit->shift, shift);
}

// DSCPs and groups as counts: how many of the 64 DSCPs reach each class or group.
static void
count_dscps(const struct switch_config *s, const uint8_t *by_priority, const int wanted[8])
{
	int count[8] = {0};

	for (int dscp = 0; dscp < 64; dscp++)
		count[by_priority[s->dscp_to_priority[dscp]]]++;
	for (int i = 0; i < 8; i++)
		assert_int_equal(count[i], wanted[i]);
}

static void
without_a_preset(void **state)
{
	struct switch_config s = switch_of(DUT(""), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.preset, CONFIG_PRESET_NONE);
	assert_int_equal(s.buffer_bytes, 64000000);
	assert_int_equal(s.cell_bytes, 192);
	assert_int_equal(s.pools[CONFIG_POOL_INGRESS_LOSSLESS].value, 500000);
	assert_int_equal(s.pools[CONFIG_POOL_EGRESS_LOSSLESS].kind, CONFIG_AMOUNT_UNLIMITED);
	assert_int_equal(s.trust_count, 2);
	assert_int_equal(s.trust[0], CONFIG_TRUST_DSCP);
	count_dscps(&s, s.priority_to_group, (int[8]){56, 0, 0, 8, 0, 0, 0, 0});
	count_dscps(&s, s.priority_to_class, (int[8]){48, 0, 0, 8, 0, 0, 8, 0});
	assert_true(s.groups[3].lossless);
	assert_int_equal(s.groups[3].pool, CONFIG_POOL_INGRESS_LOSSLESS);
	assert_int_equal(s.groups[3].headroom.kind, CONFIG_AMOUNT_AUTO);
	assert_int_equal(s.groups[3].xon_offset.value, 9216);
	assert_alpha(&s.groups[3].limit, 0);
	assert_alpha(&s.groups[0].limit, 3);
	assert_int_equal(s.classes[3].pool, CONFIG_POOL_EGRESS_LOSSLESS);
	assert_int_equal(s.classes[3].limit.kind, CONFIG_LIMIT_UNLIMITED);
	assert_true(s.classes[3].ecn.on && s.classes[0].ecn.on && !s.classes[6].ecn.on);
	assert_int_equal(s.classes[6].scheduler, CONFIG_SCHEDULER_STRICT);
	assert_int_equal(s.pfc_priorities, 1 << 3);
	assert_int_equal(s.pfc_quanta, 65535);
	assert_true(s.pfc_refresh_auto);
	assert_int_equal(s.routing.mode, CONFIG_ROUTING_ECMP);
	assert_int_equal(s.routing.eligible_udp_dport, 4791);
	assert_true(s.routing.hash_seed_auto);
	assert_int_equal(s.routing.grade_count, 4);
}

// checks with known answers: 8 DSCPs in TC3, 8 in TC6, 48 in TC0.
static void
preset_spectrum_x(void **state)
{
	struct switch_config s =
		switch_of(DUT("  preset: spectrum-x\n"), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	count_dscps(&s, s.priority_to_class, (int[8]){48, 0, 0, 8, 0, 0, 8, 0});
	for (int dscp = 0; dscp < 64; dscp++)
		assert_int_equal(s.dscp_to_priority[dscp], dscp >> 3);
	assert_int_equal(config_priority_dscp(&s, 3), 26);
	assert_int_equal(config_priority_dscp(&s, 6), 48);
	assert_int_equal(config_priority_dscp(&s, 1), 8);
	assert_int_equal(s.classes[3].weight, 50);
	assert_int_equal(s.classes[3].ecn.min_bytes, 150000);
	assert_int_equal(s.classes[3].ecn.max_bytes, 1500000);
	assert_int_equal(s.classes[3].ecn.probability_ppm, CONFIG_PPM);
	assert_true(s.groups[3].lossless && !s.groups[0].lossless);
	assert_int_equal(s.pfc_priorities, 1 << 3);
	assert_int_equal(s.flow_control, CONFIG_FLOW_CONTROL_PFC);
}

// checks with known answers: Q0 1, Q1 58, Q2..Q6 1 each; 62 in PG0, 1 in PG3, 1 in PG4.
static void
preset_sonic(void **state)
{
	struct switch_config s = switch_of(DUT("  preset: sonic\n"), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	count_dscps(&s, s.priority_to_class, (int[8]){1, 58, 1, 1, 1, 1, 1, 0});
	count_dscps(&s, s.priority_to_group, (int[8]){62, 0, 0, 1, 1, 0, 0, 0});
	assert_int_equal(config_priority_dscp(&s, 3), 3);
	assert_int_equal(config_priority_dscp(&s, 0), 8);
	assert_int_equal(config_priority_dscp(&s, 7), -2);
	assert_int_equal(s.trust_count, 1);
	assert_int_equal(s.pcp_to_priority[0], 1);
	assert_int_equal(s.pcp_to_priority[1], 0);
	assert_int_equal(s.pcp_to_priority[3], 3);
	assert_int_equal(s.pfc_priorities, 0x18);
	assert_int_equal(s.classes[3].weight, 15);
	assert_int_equal(s.classes[6].weight, 14);
	assert_int_equal(s.classes[6].scheduler, CONFIG_SCHEDULER_DWRR);
	assert_int_equal(s.classes[4].ecn.min_bytes, 1048576);
	assert_int_equal(s.classes[4].ecn.max_bytes, 2097152);
	assert_int_equal(s.classes[4].ecn.probability_ppm, 50000);
	assert_false(s.classes[0].ecn.on);
	assert_true(s.groups[4].lossless);
}

static void
preset_lossy(void **state)
{
	struct switch_config s = switch_of(DUT("  preset: lossy\n"), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.flow_control, CONFIG_FLOW_CONTROL_NONE);
	assert_int_equal(s.pfc_priorities, 0);
	for (int i = 0; i < 8; i++)
		assert_false(s.groups[i].lossless);
	assert_int_equal(s.pools[CONFIG_POOL_INGRESS_LOSSY].value, CONFIG_PPM);
	assert_int_equal(s.classes[3].pool, CONFIG_POOL_EGRESS_LOSSY);
	assert_true(s.classes[3].ecn.on);
	assert_int_equal(config_priority_dscp(&s, 3), 26);
}

// `preset: lossy` is spectrum-x in mode lossy under another name.
static void
lossy_is_a_mode_of_spectrum_x(void **state)
{
	struct switch_config lossy =
		switch_of(DUT("  preset: lossy\n"), "switch", CONFIG_ROLE_LEAF);
	struct switch_config mode = switch_of(DUT("  preset: spectrum-x\n  preset-mode: lossy\n"),
					      "switch", CONFIG_ROLE_LEAF);
	struct switch_config lossless =
		switch_of(DUT("  preset: spectrum-x\n"), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(mode.preset_mode, CONFIG_PRESET_MODE_LOSSY);
	mode.preset = lossless.preset = lossy.preset;
	mode.preset_mode = lossy.preset_mode;
	assert_memory_equal(&lossy, &mode, sizeof(lossy));
	assert_memory_not_equal(&lossy, &lossless, sizeof(lossy));
}

static void
one_ingress_pool_for_all(void **state)
{
	struct switch_config single =
		switch_of(DUT("  preset: spectrum-x\n  preset-mode: lossless-single-pool\n"),
			  "switch", CONFIG_ROLE_LEAF);
	struct switch_config two = switch_of(DUT("  preset: spectrum-x\n  preset-mode: lossless\n"),
					     "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(single.pools[CONFIG_POOL_INGRESS_LOSSLESS].value, CONFIG_PPM);
	assert_int_equal(single.pools[CONFIG_POOL_INGRESS_LOSSY].value, 0);
	assert_int_equal(single.groups[0].pool, CONFIG_POOL_INGRESS_LOSSLESS);
	assert_false(single.groups[0].lossless);
	assert_alpha(&single.groups[0].limit, 3);
	// All else is as in mode lossless.
	assert_int_equal(two.groups[0].pool, CONFIG_POOL_INGRESS_LOSSY);
	single.preset_mode = two.preset_mode;
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		assert_int_equal(single.groups[i].pool, CONFIG_POOL_INGRESS_LOSSLESS);
		single.groups[i].pool = two.groups[i].pool;
	}
	memcpy(single.pools, two.pools, sizeof(two.pools));
	assert_memory_equal(&single, &two, sizeof(two));
}

static void
the_nearest_mode_counts(void **state)
{
	static const char text[] = FABRIC "switch: {preset: spectrum-x, preset-mode: lossy}\n"
					  "leaf: {preset-mode: lossless}\n"
					  "leaf2: {preset: sonic}\n";

	(void)state;
	assert_int_equal(switch_of(text, "leaf1", CONFIG_ROLE_LEAF).pfc_priorities, 1 << 3);
	assert_int_equal(switch_of(text, "leaf2", CONFIG_ROLE_LEAF).pfc_priorities, 0x18);
	assert_int_equal(switch_of(text, "spine1", CONFIG_ROLE_SPINE).pfc_priorities, 0);
}

// Off until asked for, and what it then does.
static void
presets_have_a_watchdog(void **state)
{
	struct switch_config none = switch_of(DUT(""), "switch", CONFIG_ROLE_LEAF);
	struct switch_config x =
		switch_of(DUT("  preset: spectrum-x\n"), "switch", CONFIG_ROLE_LEAF);
	struct switch_config sonic =
		switch_of(DUT("  preset: sonic\n"), "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_false(none.watchdog.on || x.watchdog.on || sonic.watchdog.on);
	assert_int_equal(none.watchdog.poll_ps, 100000000000);
	assert_int_equal(none.watchdog.detect_ps, 300000000000);
	assert_int_equal(none.watchdog.restore_ps, 300000000000);
	assert_true(none.watchdog.flush && !none.watchdog.ingress);
	assert_int_equal(x.watchdog.poll_ps, 100000000000);
	assert_int_equal(x.watchdog.robustness, 3);
	assert_int_equal(x.watchdog.detect_ps, 300000000000);
	assert_int_equal(x.watchdog.restore_ps, 100000000000);
	assert_false(x.watchdog.flush || x.watchdog.ingress);
	assert_int_equal(sonic.watchdog.poll_ps, 200000000000);
	assert_int_equal(sonic.watchdog.detect_ps, 200000000000);
	assert_int_equal(sonic.watchdog.restore_ps, 200000000000);
	assert_int_equal(sonic.watchdog.robustness, 0);
	assert_true(sonic.watchdog.flush && sonic.watchdog.ingress);
}

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

// A preset stands in the place of the default maps, so it must write all four; what is read over
// another preset must not.
static void
every_preset_writes_every_map(void **state)
{
	static const char *const maps[] = {"\n  dscp-to-priority:", "\n  pcp-to-priority:",
					   "\n  priority-to-pg:", "\n  priority-to-tc:"};
	unsigned whole = 0;

	(void)state;
	assert_int_equal(preset_text_count, 4);
	for (unsigned i = 0; i < preset_text_count; i++) {
		unsigned found = 0;

		for (int j = 0; j < 4; j++)
			found += memmem(preset_texts[i].text, preset_texts[i].length, maps[j],
					strlen(maps[j])) != NULL;
		assert_int_equal(found, strstr(preset_texts[i].name, "-x-") != NULL ? 0 : 4);
		whole += found == 4;
	}
	assert_int_equal(whole, 2);
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
	assert_int_equal(leaf1.routing.mode, CONFIG_ROUTING_ECMP);
	assert_int_equal(leaf2.preset, CONFIG_PRESET_SONIC);
	assert_int_equal(leaf2.latency_ps, 3000000);
	assert_int_equal(leaf2.dscp_to_priority[26], 1);
	assert_int_equal(leaf2.dscp_to_priority[1], 7);
	// Writing `static` removes a farther section's `alpha`.
	assert_int_equal(leaf2.groups[3].limit.kind, CONFIG_LIMIT_STATIC);
	assert_int_equal(leaf2.groups[3].limit.static_bytes, 20000);
	assert_int_equal(spine.buffer_bytes, 1000000);
	assert_int_equal(spine.routing.mode, CONFIG_ROUTING_SPRAY);
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
	struct config_mark marks[sizeof(struct switch_config)];
	struct config_mark *mark = &marks[offsetof(struct switch_config, classes[3].weight)];
	struct switch_config s;

	(void)state;
	assert_int_equal(config_switch_marked(c, "leaf1", CONFIG_ROLE_LEAF, &s, marks), 0);
	assert_int_equal(s.classes[3].weight, 9);
	assert_int_equal(mark->origin, CONFIG_ORIGIN_FILE);
	assert_int_equal(mark->pos.line, 3);
	assert_int_equal(mark->pos.column, 26);
	mark = &marks[offsetof(struct switch_config, classes[4].weight)];
	assert_int_equal(mark->origin, CONFIG_ORIGIN_PRESET);
	assert_int_equal(mark->pos.line, 0);
	mark = &marks[offsetof(struct switch_config, buffer_bytes)];
	assert_int_equal(mark->origin, CONFIG_ORIGIN_DEFAULT);
	config_free(c);
}

// Sections that do not merge, however they came to be so, are reported and not passed over.
static void
what_does_not_merge_is_told(void **state)
{
	struct config *c = load_good(FABRIC "leaf1: {latency: 1us, qos: {tc: {3: {weight: 9}}}}\n");
	const struct yaml_node *section = merge_section(c, "leaf1");
	struct config_diag diag = {0};
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
	config_diag_free(&diag);
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
	assert_string_equal(config_routing_mode_name(CONFIG_ROUTING_ECMP_QP), "ecmp-qp");
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
		cmocka_unit_test(without_a_preset),
		cmocka_unit_test(preset_spectrum_x),
		cmocka_unit_test(preset_sonic),
		cmocka_unit_test(preset_lossy),
		cmocka_unit_test(lossy_is_a_mode_of_spectrum_x),
		cmocka_unit_test(one_ingress_pool_for_all),
		cmocka_unit_test(the_nearest_mode_counts),
		cmocka_unit_test(presets_have_a_watchdog),
		cmocka_unit_test(watchdog_times_follow_the_poll),
		cmocka_unit_test(every_preset_writes_every_map),
		cmocka_unit_test(ports_merge_key_by_key),
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
