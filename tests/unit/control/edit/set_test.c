// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/config/expect.h"

#include <errno.h>

static const char text[] = FABRIC
	"switch: {qos: {tc: {3: {ecn: {min: 150KB}, alpha: 4}, 0: {ecn: off}}}}\n";

static struct switch_config
settings_of(const struct config *c, const char *node, enum config_role role)
{
	struct switch_config settings;

	assert_int_equal(config_switch(c, node, role, &settings), 0);
	return settings;
}

static void
set_good(struct config *c, const char *key, const char *value)
{
	struct diag diag = {0};

	assert_int_equal(
		config_edit(c, &(struct config_edit){.key = key, .value = value}, 1, &diag), 0);
	assert_int_equal(diag.count, 0);
	diag_free(&diag);
}

static void
set_bad(struct config *c, const char *key, const char *value, const char *wanted)
{
	struct switch_config before = settings_of(c, "leaf1", CONFIG_ROLE_LEAF), after;
	struct diag diag = {0};

	assert_int_equal(
		config_edit(c, &(struct config_edit){.key = key, .value = value}, 1, &diag),
		-EINVAL);
	assert_string_equal(diag.messages[0].text, wanted);
	diag_free(&diag);
	after = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(before.latency_ps, after.latency_ps);
	assert_int_equal(before.buffer_bytes, after.buffer_bytes);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		assert_int_equal(before.classes[i].ecn.on, after.classes[i].ecn.on);
		assert_int_equal(before.classes[i].ecn.min_bytes, after.classes[i].ecn.min_bytes);
		assert_int_equal(before.classes[i].ecn.max_bytes, after.classes[i].ecn.max_bytes);
		assert_int_equal(before.classes[i].limit.kind, after.classes[i].limit.kind);
	}
}

static void
a_key_is_changed_where_it_stands_or_added(void **state)
{
	struct config *c = load_good(text);

	(void)state;
	set_good(c, "switch.qos.tc.3.ecn.min", "100KB");
	set_good(c, "switch.latency", "1us");
	set_good(c, "leaf.buffer.size", "8MB");
	set_good(c, "leaf2.qos.trust", "[pcp]");
	set_good(c, "leaf2.qos.dscp-to-priority", "{1: 5}");
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[3].ecn.min_bytes,
			 100000);
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).latency_ps, 1000000);
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).buffer_bytes, 8000000);
	assert_int_equal(settings_of(c, "spine1", CONFIG_ROLE_SPINE).buffer_bytes, 64000000);
	assert_int_equal(settings_of(c, "leaf2", CONFIG_ROLE_LEAF).trust_count, 1);
	assert_int_equal(settings_of(c, "leaf2", CONFIG_ROLE_LEAF).dscp_to_priority[1], 5);
	config_free(c);
}

static void
alpha_and_static_replace_each_other(void **state)
{
	struct config *c = load_good(text);
	struct switch_config s;

	(void)state;
	set_good(c, "switch.qos.tc.3.static", "20KB");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.classes[3].limit.kind, CONFIG_LIMIT_STATIC);
	set_good(c, "switch.qos.tc.3.alpha", "1/2");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.classes[3].limit.kind, CONFIG_LIMIT_ALPHA);
	assert_int_equal(s.classes[3].limit.shift, -1);
	config_free(c);
}

static void
a_bad_change_changes_nothing(void **state)
{
	struct config *c = load_good(text);

	(void)state;
	set_bad(c, "switch.qos.tc.3.ecn.mni", "1KB",
		"f.yaml: switch.qos.tc.3.ecn.mni: unknown key; did you mean \"min\"?");
	set_bad(c, "switch.qos.tc.3.ecn.min", "100",
		"f.yaml: switch.qos.tc.3.ecn.min: 100 has no unit: write it with B, KB, MB, GB, "
		"KiB, MiB or "
		"GiB");
	set_bad(c, "switch.qos.tc.3.ecn.min", "2MB",
		"f.yaml: qos.tc.3.ecn: min (2000000 bytes) is above max (1500000 bytes)");
	set_bad(c, "leaf.qos.tc.3.ecn.min", "2MB",
		"f.yaml: qos.tc.3.ecn: min (2000000 bytes) is above max (1500000 bytes)");
	set_bad(c, "switch.qos.tc.0.ecn", "maybe",
		"f.yaml: switch.qos.tc.0.ecn: expected {min, max, probability}, or off");
	set_bad(c, "switch.slices", "2", "f.yaml: switch.slices: unknown key");
	set_bad(c, "switch.buffer.pools.ingress-lossless.size", "80%",
		"f.yaml: buffer.pools: ingress-lossless 80% and ingress-lossy 50% (not written) "
		"are over 100% of the buffer together");
	set_bad(c, "switch.buffer.headroom-pool.size", "64MB",
		"f.yaml: buffer.headroom-pool.size: 64000000 bytes leave nothing of the buffer "
		"(64000000 bytes) to the pools");
	set_bad(c, "switch.qos.tc.3.alpha", "128",
		"f.yaml: switch.qos.tc.3.alpha: \"128\" is not an alpha: 0, a power of two from "
		"1/128 to 64, or unlimited");
	set_bad(c, "switch.qos.watchdog", "{poll: 1s, detect: 200ms}",
		"f.yaml: qos.watchdog.poll: 1s is above detect (200ms)");
	set_bad(c, "switch.qos.tc.1.red", "on",
		"f.yaml: qos.tc.1.red: needs ecn, whose thresholds it takes: ecn is off for class "
		"1");
	set_bad(c, "hosts.rto", "1ms",
		"f.yaml: hosts.rto: cannot change while the fabric runs: only switches, tenants "
		"and `attach` can");
	set_bad(c, "h1.rto", "1ms",
		"f.yaml: h1.rto: cannot change while the fabric runs: only switches, tenants and "
		"`attach` can");
	set_bad(c, "leef.latency", "1us",
		"f.yaml: leef.latency: \"leef\" is neither a section nor a switch; did you mean "
		"\"leaf\"?");
	set_bad(c, "leaf9.qos.tc.3.ecn.max", "1MB",
		"f.yaml: leaf9.qos.tc.3.ecn.max: there is no leaf9: there are leaf1 to leaf2");
	set_bad(c, "spine03.latency", "1us",
		"f.yaml: spine03.latency: there is no spine03: there are spine1 to spine2");
	set_bad(c, "leaf1a.latency", "1us",
		"f.yaml: leaf1a.latency: \"leaf1a\" is neither a section nor a switch; did you "
		"mean \"leaf\"?");
	set_bad(c, "tenant.red.vni", "5",
		"f.yaml: tenant.red.vni: \"tenant\" is neither a section nor a switch; did you "
		"mean \"tenants\"?");
	set_bad(c, "workload", "[]",
		"f.yaml: workload: cannot change while the fabric runs: only switches, tenants and "
		"`attach` can");
	set_bad(c, "switch", "1ms",
		"f.yaml: \"switch\" is not a key such as switch.qos.tc.3.ecn.min");
	set_bad(c, "switch..qos", "1",
		"f.yaml: \"switch..qos\" is not a key such as "
		"switch.qos.tc.3.ecn.min");
	set_bad(c, "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q", "1",
		"f.yaml: \"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q\" is not a key such as "
		"switch.qos.tc.3.ecn.min");
	set_bad(c, "switch.latency", "[1us",
		"f.yaml: switch.latency: \"[1us\": it ends in the middle of what begins at line "
		"1");
	set_bad(c, "switch.qos.ports", "{swp1: {}, swp1: {}}",
		"f.yaml: switch.qos.ports: \"{swp1: {}, swp1: {}}\": swp1: already given at line "
		"1");
	set_bad(c, "switch.qos.tc.03.weight", "2", "f.yaml: switch.qos.tc.03: write \"03\" as 3");
	config_free(c);
}

// One that is not there is told what there is.
static void
switches_are_named(void **state)
{
	struct config *planes = load_good("fabric: {topology: {kind: leaf-spine, leaves: 2, "
					  "spines: 2, hosts-per-leaf: 2, planes: 2}}\n");
	struct config *named = load_good("fabric: {topology: {kind: explicit, links: [], "
					 "nodes: {tor: leaf, leaf1: , h1: }}}\n");
	struct diag diag = {0};

	(void)state;
	assert_int_equal(
		config_edit(planes,
			    &(struct config_edit){.key = "p3-leaf1.latency", .value = "1us"}, 1,
			    &diag),
		-EINVAL);
	assert_int_equal(config_edit(planes,
				     &(struct config_edit){.key = "spine1.latency", .value = "1us"},
				     1, &diag),
			 -EINVAL);
	assert_int_equal(config_edit(named,
				     &(struct config_edit){.key = "tro.latency", .value = "1us"}, 1,
				     &diag),
			 -EINVAL);
	assert_int_equal(config_edit(named,
				     &(struct config_edit){.key = "leaf2.latency", .value = "1us"},
				     1, &diag),
			 -EINVAL);
	assert_string_equal(diag.messages[0].words, "p3-leaf1.latency: there is no p3-leaf1: there "
						    "are p1-leaf1 to p2-leaf2");
	assert_string_equal(diag.messages[1].words, "spine1.latency: there is no spine1: there are "
						    "p1-spine1 to p2-spine2");
	assert_non_null(strstr(diag.messages[2].words, "did you mean \"tor\"?"));
	assert_non_null(strstr(diag.messages[3].words, "did you mean \"leaf1\"?"));
	diag_free(&diag);
	config_free(planes);
	config_free(named);
}

// A word that switches something on or off and the values that belong to it stand side by side.
static void
switching_keeps_the_values(void **state)
{
	struct config *c =
		load_good(FABRIC "switch: {preset: spectrum-x, qos: {tc: {3: {ecn: {min: 20KB}}, "
				 "0: {ecn: off}}}}\n");
	struct switch_config s;

	(void)state;
	set_good(c, "switch.qos.tc.3.ecn", "off");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_false(s.classes[3].ecn.on);
	assert_int_equal(s.classes[3].ecn.min_bytes, 20000);
	set_good(c, "switch.qos.tc.3.ecn", "on");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_true(s.classes[3].ecn.on);
	assert_int_equal(s.classes[3].ecn.min_bytes, 20000);
	set_good(c, "switch.qos.tc.0.ecn.min", "30KB");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_false(s.classes[0].ecn.on);
	assert_int_equal(s.classes[0].ecn.min_bytes, 30000);
	set_good(c, "switch.qos.tc.0.ecn.enabled", "on");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_true(s.classes[0].ecn.on);
	set_good(c, "leaf1.qos.trim", "{eligible-tc: [0]}");
	set_good(c, "leaf1.qos.trim", "off");
	assert_false(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).trim.on);
	set_good(c, "leaf1.qos.trim", "on");
	set_good(c, "leaf1.qos.trim.size", "512B");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_true(s.trim.on);
	assert_int_equal(s.trim.size_bytes, 512);
	assert_false(settings_of(c, "leaf2", CONFIG_ROLE_LEAF).trim.on);
	config_free(c);
}

static void
the_watchdog_is_set_live(void **state)
{
	struct config *c = load_good(FABRIC "switch: {preset: spectrum-x}\n");
	struct switch_config s;

	(void)state;
	set_good(c, "switch.qos.watchdog", "on");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_true(s.watchdog.on);
	assert_int_equal(s.watchdog.detect_ps, 300000000000);
	set_good(c, "switch.qos.watchdog.action", "forward");
	set_good(c, "switch.qos.watchdog.detect", "150ms");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.watchdog.action, CONFIG_WATCHDOG_FORWARD);
	assert_int_equal(s.watchdog.detect_ps, 150000000000);
	assert_int_equal(s.watchdog.robustness, 0);
	set_good(c, "switch.qos.watchdog.robustness", "5");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.watchdog.detect_ps, 500000000000);
	set_good(c, "switch.qos.watchdog.detect", "100ms");
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).watchdog.robustness, 0);
	set_good(c, "switch.qos.watchdog", "off");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_false(s.watchdog.on);
	assert_int_equal(s.watchdog.action, CONFIG_WATCHDOG_FORWARD);
	config_free(c);
}

static void
ports_pools_and_lists_are_set_live(void **state)
{
	struct config *c = load_good(FABRIC "switch: {preset: spectrum-x, qos: {remark: none}}\n");
	struct switch_config s;

	(void)state;
	set_good(c, "switch.qos.ports.swp3.max-rate", "10G");
	set_good(c, "switch.buffer.pools.ingress-lossless.port-alpha", "8");
	set_good(c, "switch.qos.histograms", "[{queue: swp1.3}]");
	set_good(c, "switch.qos.remark.dscp.3", "10");
	set_good(c, "switch.qos.tc.3.min-rate", "5G");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.port_count, 1);
	assert_int_equal(s.ports[0].number, 3);
	assert_int_equal(s.ports[0].max_rate_bps, 10000000000);
	assert_int_equal(s.port_alpha[CONFIG_POOL_INGRESS_LOSSLESS].value, 10);
	assert_int_equal(s.histogram_count, 1);
	assert_int_equal(s.remark.dscp[3], 10);
	assert_int_equal(s.classes[3].min_rate_bps, 5000000000);
	set_bad(c, "switch.qos.tc.3.max-rate", "4G",
		"f.yaml: qos.tc.3.min-rate: 5G is above max-rate (4G)");
	set_good(c, "switch.qos.ports.swp3.max-rate", "none");
	set_good(c, "switch.buffer.pools.ingress-lossless.port-alpha", "none");
	set_good(c, "switch.qos.histograms", "none");
	set_good(c, "switch.qos.remark", "none");
	set_good(c, "switch.qos.tc.3.min-rate", "none");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.ports[0].max_rate_bps, 0);
	assert_int_equal(s.port_alpha[CONFIG_POOL_INGRESS_LOSSLESS].kind, CONFIG_AMOUNT_NONE);
	assert_int_equal(s.histogram_count, 0);
	assert_int_equal(s.remark.dscp[3], -1);
	assert_int_equal(s.classes[3].min_rate_bps, 0);
	config_free(c);
}

// A map that is set stands in the place of the section's map of that key; what farther sections,
// the preset and the defaults have of it merges with it as with any map.
static void
a_map_replaces_the_map_of_its_key(void **state)
{
	struct config *c = load_good(FABRIC "switch: {qos: {tc: {3: {weight: 20}, 5: {weight: 30}},"
					    " dscp-to-priority: {10: 1, 11: 1}}}\n"
					    "leaf: {qos: {tc: {3: {weight: 40, alpha: 4}}}}\n");
	struct switch_config s;

	(void)state;
	set_good(c, "leaf.qos.tc", "{5: {alpha: 2}}");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.classes[3].weight, 20);
	assert_int_equal(s.classes[3].limit.kind, CONFIG_LIMIT_UNLIMITED);
	assert_int_equal(s.classes[5].weight, 30);
	assert_int_equal(s.classes[5].limit.shift, 1);
	set_good(c, "switch.qos.dscp-to-priority", "{12: 2}");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.dscp_to_priority[10], 1);
	assert_int_equal(s.dscp_listed.bits & 1 << 10, 0);
	assert_int_equal(s.dscp_to_priority[12], 2);
	assert_int_equal(s.dscp_to_priority[26], 3); // a default
	set_good(c, "switch.qos.dscp-to-priority.13", "7");
	s = settings_of(c, "leaf1", CONFIG_ROLE_LEAF);
	assert_int_equal(s.dscp_to_priority[12], 2);
	assert_int_equal(s.dscp_to_priority[13], 7);
	config_free(c);
}

static void
changes_are_taken_back_in_order(void **state)
{
	struct config *c = load_good(FABRIC "switch: {qos: {tc: {0: {ecn: off}}}}\n");

	(void)state;
	set_good(c, "switch.qos.tc.0.ecn.min", "30KB");
	set_good(c, "switch.qos.tc.0.ecn", "on");
	assert_true(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[0].ecn.on);
	config_set_undo(c);
	assert_false(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[0].ecn.on);
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[0].ecn.min_bytes, 30000);
	config_set_undo(c);
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[0].ecn.min_bytes,
			 150000);
	config_set_undo(c); // nothing is left to take back
	assert_false(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[0].ecn.on);
	config_free(c);
}

static void
set_events_are_tried_in_the_order_of_time(void **state)
{
	struct config *c;

	(void)state;
	// min 2MB alone is above max: it is fine because max is raised before, later in the file.
	c = load_good(FABRIC "events:\n"
			     "  - {at: 2us, set: switch.qos.tc.3.ecn.min, to: 2MB}\n"
			     "  - {at: 1us, set: switch.qos.tc.3.ecn.max, to: 3MB}\n");
	// Nothing of it stays.
	assert_int_equal(settings_of(c, "leaf1", CONFIG_ROLE_LEAF).classes[3].ecn.max_bytes,
			 1500000);
	config_free(c);
	expect_messages(
		FABRIC "events:\n  - {at: 2us, set: switch.qos.tc.3.ecn.min, to: 2MB}\n",
		"f.yaml:3:49: qos.tc.3.ecn: min (2000000 bytes) is above max (1500000 bytes)\n");
	expect_messages(FABRIC "events:\n  - {at: 2us, set: switch.qos.tc.9.ecn.min, to: 2MB}\n",
			"f.yaml:3:20: switch.qos.tc.9: 9 is out of range: 0 to 7\n");
	// What is wrong with the text of a value is wrong where the value stands.
	expect_messages(FABRIC
			"events:\n  - {at: 2us, set: switch.qos.tc.3.ecn, to: \"{min: 1KB\"}\n",
			"f.yaml:3:45: switch.qos.tc.3.ecn: \"{min: 1KB\": it ends in the middle "
			"of what begins at line 1\n");
	expect_messages(SINGLE "events:\n  - {at: 2us, set: leaf1.latency, to: 2us}\n",
			"f.yaml:4:20: leaf1.latency: \"leaf1\" is not a section\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_changed_where_it_stands_or_added),
		cmocka_unit_test(alpha_and_static_replace_each_other),
		cmocka_unit_test(a_bad_change_changes_nothing),
		cmocka_unit_test(switches_are_named),
		cmocka_unit_test(switching_keeps_the_values),
		cmocka_unit_test(the_watchdog_is_set_live),
		cmocka_unit_test(ports_pools_and_lists_are_set_live),
		cmocka_unit_test(a_map_replaces_the_map_of_its_key),
		cmocka_unit_test(changes_are_taken_back_in_order),
		cmocka_unit_test(set_events_are_tried_in_the_order_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
