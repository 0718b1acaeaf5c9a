// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

#include "control/config/schema.h"

// Every key of a switch's settings that this version has, as documented.
static void
every_key_is_read(void **state)
{
	struct switch_config s =
		switch_of(SINGLE "  latency: 300ns\n"
				 "  forwarding: cut-through\n"
				 "  cut-through-header: 100B\n"
				 "  buffer:\n"
				 "    size: 32MiB\n"
				 "    cell: 1\n"
				 "    pools:\n"
				 "      ingress-lossless: {size: 12.5%, port-alpha: 1/8}\n"
				 "      ingress-lossy: {size: 1MB}\n"
				 "      egress-lossless: {size: 50%, port-alpha: none}\n"
				 "      egress-lossy: {size: unlimited}\n"
				 "    headroom-pool: {size: 1MB}\n"
				 "  qos:\n"
				 "    trust: [pcp]\n"
				 "    port-priority: 2\n"
				 "    dscp-to-priority: {26: 3, 48: 6, default: 1}\n"
				 "    pcp-to-priority: {3: 4}\n"
				 "    priority-to-pg: {3: 3, default: 7}\n"
				 "    priority-to-tc: {3: 3, 6: 6, default: 5}\n"
				 "    pg:\n"
				 "      3: {lossless: true, pool: ingress-lossless, reserved: 1KB, "
				 "alpha: 1, headroom: 50KB,"
				 " xon: 2KB, xon-offset: none}\n"
				 "      7: {lossless: false, pool: ingress-lossy, static: 200KB}\n"
				 "    tc:\n"
				 "      3: {scheduler: strict, pool: egress-lossless, "
				 "reserved: 3KB, alpha: unlimited,"
				 " ecn: {min: 1KB, max: 2KB, probability: 1%}, red: off}\n"
				 "      5: {weight: 7, alpha: 0, ecn: off}\n"
				 "    flow-control: pfc\n"
				 "    pfc: {priorities: [3], quanta: 100, refresh: 5us}\n"
				 "  routing:\n"
				 "    mode: ecmp-qp\n"
				 "    eligible: {udp-dport: any, opcodes: all}\n"
				 "    hash-seed: 4294967295\n"
				 "    flowlet-gap: 256us\n"
				 "    grades: [1KB, 2KB]\n"
				 "    link-utilisation: off\n"
				 "    spine-notices: off\n"
				 "    convergence: 0ns\n"
				 "  ipip:\n"
				 "    address: [10.1.0.32, \"fc00::1\"]\n"
				 "    dscp: pipe\n"
				 "    ecn: copy-from-outer\n"
				 "    ttl: uniform\n"
				 "    dscp-to-priority: {2: 3}\n"
				 "    priority-to-pg: {6: 2}\n"
				 "  lldp: off\n",
			  "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.ipip.on && s.ipip.pipe && s.ipip.copies_ecn && s.ipip.uniform_ttl);
	assert_int_equal(s.ipip.address_count, 2);
	assert_int_equal(s.ipip.addresses[0].version, 4);
	assert_int_equal(s.ipip.addresses[1].version, 6);
	assert_int_equal(s.ipip.addresses[1].bytes[15], 1);
	assert_int_equal(s.ipip.addresses[1].pos.line, 0); // settings are compared byte by byte
	assert_int_equal(s.ipip.dscp_to_priority[2], 3);
	assert_int_equal(s.ipip.dscp_to_priority[17], 2);
	assert_int_equal(s.ipip.priority_to_group[6], 2);
	assert_int_equal(s.ipip.priority_to_group[3], 3); // as of other packets
	assert_int_equal(s.ipip.priority_to_group[4], 7);
	assert_int_equal(s.latency_ps, 300000);
	assert_true(s.cut_through);
	assert_int_equal(s.header_bytes, 100);
	assert_false(switch_of(SINGLE, "switch", CONFIG_ROLE_LEAF).cut_through);
	assert_false(s.lldp);
	assert_true(switch_of(SINGLE, "switch", CONFIG_ROLE_LEAF).lldp);
	assert_int_equal(s.buffer_bytes, 33554432);
	assert_int_equal(s.cell_bytes, 1);
	assert_int_equal(s.pools[0].value, 125000);
	assert_int_equal(s.pools[1].kind, CONFIG_AMOUNT_BYTES);
	assert_int_equal(s.pools[1].value, 1000000);
	assert_int_equal(s.pools[3].kind, CONFIG_AMOUNT_UNLIMITED);
	assert_int_equal(s.port_alpha[0].kind, CONFIG_AMOUNT_ALPHA);
	assert_int_equal(s.port_alpha[0].value, 4); // 2^(4 - 7)
	assert_int_equal(s.port_alpha[1].kind, CONFIG_AMOUNT_NONE);
	assert_int_equal(s.port_alpha[2].kind, CONFIG_AMOUNT_NONE);
	assert_int_equal(s.headroom_pool_bytes, 1000000);
	assert_int_equal(s.preset_mode, CONFIG_PRESET_MODE_LOSSLESS);
	assert_int_equal(s.trust_count, 1);
	assert_int_equal(s.trust[0], CONFIG_TRUST_PCP);
	assert_int_equal(s.port_priority, 2);
	assert_int_equal(s.dscp_to_priority[0], 1);
	assert_int_equal(s.dscp_to_priority[48], 6);
	assert_int_equal(s.pcp_to_priority[3], 4);
	assert_int_equal(s.pcp_to_priority[2], 2);
	assert_int_equal(s.priority_to_group[0], 7);
	assert_int_equal(s.priority_to_class[0], 5);
	assert_int_equal(s.groups[3].reserved_bytes, 1000);
	assert_int_equal(s.groups[3].headroom.kind, CONFIG_AMOUNT_BYTES);
	assert_int_equal(s.groups[3].headroom.value, 50000);
	assert_int_equal(s.groups[3].xon_bytes, 2000);
	assert_int_equal(s.groups[3].xon_offset.kind, CONFIG_AMOUNT_NONE);
	assert_int_equal(s.groups[7].limit.static_bytes, 200000);
	assert_int_equal(s.classes[5].weight, 7);
	assert_int_equal(s.classes[3].reserved_bytes, 3000);
	assert_int_equal(s.classes[3].ecn.probability_ppm, 10000);
	assert_int_equal(s.classes[5].limit.kind, CONFIG_LIMIT_ZERO);
	assert_int_equal(s.pfc_quanta, 100);
	assert_false(s.pfc_refresh_auto);
	assert_int_equal(s.pfc_refresh_ps, 5000000);
	assert_int_equal(s.routing.mode, GROUP_ECMP_QP);
	assert_int_equal(s.routing.eligible_udp_dport, 0);
	assert_int_equal(s.routing.eligible_opcodes, CONFIG_OPCODES_ALL);
	assert_false(s.routing.hash_seed_auto);
	assert_int_equal(s.routing.hash_seed, UINT32_MAX);
	assert_int_equal(s.routing.grade_count, 2);
	assert_int_equal(s.routing.grades_bytes[1], 2000);
}

static void
keys_of_credits_are_read(void **state)
{
	struct switch_config s =
		switch_of(SINGLE "  buffer: {cell: 128}\n"
				 "  qos:\n"
				 "    flow-control: cbfc\n"
				 "    priority-to-tc: {0: 0, 3: 3, 6: 6, default: 0}\n"
				 "    credit: {buffer: 20KB, update: 1KB, resend: 3us, "
				 "spacing: 800B, sync: 9us,\n"
				 "      arbitration: {high: \"3:255\", low: \"0:1, 6:16\", "
				 "limit: 254}}\n",
			  "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.flow_control, CONFIG_FLOW_CONTROL_CBFC);
	assert_int_equal(s.credit.buffer.kind, CONFIG_AMOUNT_BYTES);
	assert_int_equal(s.credit.buffer.value, 20000);
	assert_int_equal(s.credit.update_bytes, 1000);
	assert_false(s.credit.resend_auto);
	assert_int_equal(s.credit.resend_ps, 3000000);
	assert_int_equal(s.credit.spacing_bytes, 800);
	assert_int_equal(s.credit.sync_ps, 9000000);
	assert_int_equal(s.credit.high.count, 1);
	assert_int_equal(s.credit.high.lanes[0], 3);
	assert_int_equal(s.credit.high.weights[0], 255);
	assert_int_equal(s.credit.low.count, 2);
	assert_int_equal(s.credit.low.lanes[1], 6);
	assert_int_equal(s.credit.low.weights[1], 16);
	assert_int_equal(s.credit.limit, 254);
	assert_false(s.credit.limit_unlimited);
}

static void
keys_of_llr_are_read(void **state)
{
	struct switch_config s =
		switch_of(SINGLE "  qos:\n"
				 "    llr: {state: on, replay-buffer: 20KB, spacing: 1KB, "
				 "replay-max: 255, timer: 3us, init-action: discard}\n",
			  "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_true(s.llr.on);
	assert_int_equal(s.llr.buffer.kind, CONFIG_AMOUNT_BYTES);
	assert_int_equal(s.llr.buffer.value, 20000);
	assert_int_equal(s.llr.spacing_bytes, 1000);
	assert_int_equal(s.llr.replay_max, 255);
	assert_false(s.llr.timer_auto);
	assert_int_equal(s.llr.timer_ps, 3000000);
	assert_int_equal(s.llr.action, CONFIG_LLR_DISCARD);
}

static void
keys_without_a_feature_are_unknown(void **state)
{
	static const char *const keys[] = {
		"slices: 2",
		"slice-latency: 1us",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char text[256], *got;

		snprintf(text, sizeof(text), SINGLE "  %s\n", keys[i]);
		got = messages_of(text);
		assert_non_null(strstr(got, ": unknown key\n"));
		assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
		free(got);
	}
	expect_messages(SINGLE "  preset: token-ring\n",
			"f.yaml:3:11: switch.preset: \"token-ring\" is not one of "
			"spectrum-x, sonic, lossy, infiniband, uec, mrc\n");
	expect_messages(SINGLE "  qos: {flow-control: tokens}\n",
			"f.yaml:3:23: switch.qos.flow-control: \"tokens\" is not one of pfc, "
			"pfc-asymmetric, pause, credit, cbfc, none\n");
}

static void
routing_is_read(void **state)
{
	static const char text[] = SINGLE
		"  routing:\n"
		"    mode: flowlet\n"
		"    weights: capacity\n"
		"    flowlet-gap: 3us\n"
		"    link-utilisation: on\n"
		"    eligible: {dscp: [26, 0], priorities: 3, bth-reserved: 32}\n"
		"    spine-notices: {depth: 20KB}\n"
		"    convergence: 5ms\n"
		"    pinned:\n"
		"      - {src: 10.0.0.1, dst: \"fd00::1\", via: swp1}\n";
	struct diag diag = {0};
	struct switch_config s;
	struct config *c;

	(void)state;
	assert_int_equal(config_load_text(&c, text, strlen(text), "f.yaml", &diag), 0);
	assert_int_equal(config_switch(c, "", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.routing.mode, GROUP_FLOWLET);
	assert_int_equal(s.routing.weights, CONFIG_WEIGHTS_CAPACITY);
	assert_int_equal(s.routing.flowlet_gap_ps, 3000000);
	assert_int_equal(s.routing.utilisation_ppm, 700000);
	assert_true(s.routing.eligible_dscps == (1 | 1 << 26));
	assert_int_equal(s.routing.eligible_priorities, 1 << 3);
	assert_int_equal(s.routing.eligible_bth_reserved, 32);
	assert_true(s.routing.notices.on);
	assert_int_equal(s.routing.notices.depth_bytes, 20000);
	assert_int_equal(s.routing.notices.hold_ps, 10000000);
	assert_true(s.routing.convergence_ps == UINT64_C(5000000000));
	assert_int_equal(s.routing.pin_count, 1);
	assert_string_equal(s.routing.pins[0].dst.text, "fd00::1");
	assert_int_equal(s.routing.pins[0].via.pos.line, 12);
	diag_free(&diag);
	config_free(c);
}

static void
routing_that_is_wrong(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  routing: {link-utilisation: 0%}\n",
		"f.yaml:3:31: switch.routing.link-utilisation: 0% is always exceeded: write "
		"off, or 1% to 100%\n");
	expect_messages(
		SINGLE "  routing: {eligible: {dscp: [64]}}\n",
		"f.yaml:3:31: switch.routing.eligible.dscp: 64 is out of range: 0 to 63, or "
		"any\n");
	expect_messages(
		SINGLE "  routing: {eligible: {priorities: []}}\n",
		"f.yaml:3:36: switch.routing.eligible.priorities: needs at least 1 item, or any\n");
	expect_messages(SINGLE "  routing: {eligible: {dscp: [3, 3]}}\n",
			"f.yaml:3:34: switch.routing.eligible.dscp: the list has 3 twice\n");
	expect_messages(SINGLE "  routing: {pinned: [{src: h1, via: swp1}]}\n",
			"f.yaml:3:22: switch.routing.pinned[0]: needs \"dst\": as `src`\n");
	expect_messages(
		SINGLE "  routing: {spine-notices: {hold: 1ns}}\n",
		"f.yaml:3:35: switch.routing.spine-notices.hold: 1ns is out of range: 1us to "
		"1s\n");
	expect_messages(
		SINGLE "  routing: {flowlet-gap: 0us}\n",
		"f.yaml:3:26: switch.routing.flowlet-gap: 0us is out of range: 1ps to 3600s\n");
}

static void
learn_is_read(void **state)
{
	static const char text[] = SINGLE
		"  learn:\n"
		"    - {netns: leaf1}\n"
		"    - {vrf: red, table: 100, source: fpm, fpm: {listen: \"[::1]:2621\"}}\n"
		"    - {vrf: blue, source: both, netns: leaf1-blue}\n";
	static const uint8_t loopback[16] = {[15] = 1};
	struct diag diag = {0};
	struct switch_config s;
	struct config *c;

	(void)state;
	assert_int_equal(config_load_text(&c, text, strlen(text), "f.yaml", &diag), 0);
	assert_true(config_learns(c, "switch"));
	assert_int_equal(config_switch(c, "", CONFIG_ROLE_LEAF, &s), 0);
	assert_int_equal(s.learn_count, 3);
	assert_string_equal(s.learns[0].vrf.text, "default");
	assert_string_equal(s.learns[0].netns.text, "leaf1");
	assert_int_equal(s.learns[0].source, CONFIG_LEARN_NETLINK);
	assert_int_equal(s.learns[0].table, 254);
	assert_int_equal(s.learns[0].pos.line, 4);
	assert_null(s.learns[1].netns.text);
	assert_int_equal(s.learns[1].table, 100);
	assert_int_equal(s.learns[1].source, CONFIG_LEARN_FPM);
	assert_int_equal(s.learns[1].fpm.version, 6);
	assert_int_equal(s.learns[1].fpm.port, 2621);
	assert_memory_equal(s.learns[1].fpm.address, loopback, 16);
	assert_int_equal(s.learns[2].source, CONFIG_LEARN_NETLINK | CONFIG_LEARN_FPM);
	assert_int_equal(s.learns[2].fpm.port, 2620);
	assert_int_equal(s.learns[2].fpm.address[0], 127);
	diag_free(&diag);
	config_free(c);
	c = load_good(FABRIC "leaf2: {learn: [{netns: a}]}\n");
	assert_false(config_learns(c, "leaf1"));
	assert_true(config_learns(c, "leaf2"));
	config_free(c);
}

static void
learn_that_is_wrong(void **state)
{
	(void)state;
	expect_messages(SINGLE "  learn: [{source: bgp}]\n",
			"f.yaml:3:20: switch.learn[0].source: \"bgp\" is not one of netlink, fpm, "
			"both\n");
	expect_messages(SINGLE "  learn: [{fpm: {listen: 127.0.0.1:1}}]\n",
			"f.yaml:3:12: switch.learn[0]: fpm is not listened to: `source:` must be "
			"fpm or both\n");
	for (unsigned i = 0; i < 6; i++) {
		static const char *const bad[] = {"127.0.0.1", "127.0.0.1:0", "127.0.0:2620",
						  "::1:2620",  "[::1:2620",   "host:2620"};
		char text[200], wanted[300];

		snprintf(text, sizeof(text),
			 SINGLE "  learn: [{source: fpm, fpm: {listen: \"%s\"}}]\n", bad[i]);
		snprintf(wanted, sizeof(wanted),
			 "f.yaml:3:39: switch.learn[0].fpm.listen: \"%s\" is not an address and a "
			 "port, such as 127.0.0.1:2620 or \"[::1]:2620\"\n",
			 bad[i]);
		expect_messages(text, wanted);
	}
	expect_messages(SINGLE "  learn: [{netns: a}, {netns: b}]\n",
			"f.yaml:3:23: learn: VRF default learns already (line 3)\n");
	expect_messages(SINGLE "  learn: [{vrf: a}, {vrf: b}]\n",
			"f.yaml:3:21: learn: VRF a learns from table 254 of the command's "
			"namespace already (line 3): each VRF of a switch has a namespace or a "
			"table of its own\n");
	expect_messages(SINGLE
			"  learn: [{vrf: a, source: fpm}, {vrf: b, table: 9, source: both}]\n",
			"f.yaml:3:34: learn: VRF a waits for FPM at the same address already (line "
			"3): let this one learn by netlink, or set `fpm.listen`\n");
	expect_messages(SINGLE "  learn: [{vrf: a, table: 8}, {vrf: b, table: 9, source: both}]\n",
			"");
	expect_messages(SINGLE "  learn: [{vrf: a}, {vrf: b, table: 0}]\n",
			"f.yaml:3:37: switch.learn[1].table: 0 is out of range: 1 to 4294967295\n");
	expect_messages(FABRIC "leaf: {learn: [{netns: a}]}\n",
			"f.yaml:2:8: leaf: learn belongs in the section of one switch, such as "
			"`leaf1:`: a namespace is one switch's\n");
}

static void
bad_values(void **state)
{
	(void)state;
	expect_messages(SINGLE "  qos: {pfc: {quanta: 9999-quanta}}\n",
			"f.yaml:3:23: switch.qos.pfc.quanta: \"9999-quanta\" is not a whole number "
			"(0 to 65535)\n");
	expect_messages(SINGLE "  qos: {pg: {3: {alpha: 1, static: 2KB}}}\n",
			"f.yaml:3:28: switch.qos.pg.3: alpha and static exclude each other: the "
			"other is at line 3\n");
	expect_messages(SINGLE "  qos: {pg: {8: {}}}\n",
			"f.yaml:3:14: switch.qos.pg.8: 8 is out of range: 0 to 7\n");
	expect_messages(SINGLE "  qos: {pg: {3: {}, 0x3: {}}}\n",
			"f.yaml:3:21: switch.qos.pg.0x3: write \"0x3\" as 3\n");
	expect_messages(SINGLE "  qos: {tc: {03: {}}, dscp-to-priority: {026: 3, -0: 1}}\n",
			"f.yaml:3:14: switch.qos.tc.03: write \"03\" as 3\n"
			"f.yaml:3:42: switch.qos.dscp-to-priority.026: write \"026\" as "
			"26, or default\n"
			"f.yaml:3:50: switch.qos.dscp-to-priority.-0: write \"-0\" as 0, "
			"or default\n");
	expect_messages(SINGLE "  qos: {pg: {3: {pool: egress-lossy}}}\n",
			"f.yaml:3:24: switch.qos.pg.3.pool: \"egress-lossy\" is not one of "
			"ingress-lossless, "
			"ingress-lossy; did you mean \"ingress-lossy\"?\n");
	expect_messages(SINGLE "  qos: {dscp-to-priority: {64: 1, 5: 8, 6: , def: 2}}\n",
			"f.yaml:3:28: switch.qos.dscp-to-priority.64: 64 is out of range: 0 to 63, "
			"or default\n"
			"f.yaml:3:38: switch.qos.dscp-to-priority.5: 8 is out of range: 0 to 7\n"
			"f.yaml:3:44: switch.qos.dscp-to-priority.6: has no value\n"
			"f.yaml:3:46: switch.qos.dscp-to-priority.def: \"def\" is not a whole "
			"number (0 to 63), or "
			"default\n");
	expect_messages(SINGLE "  qos: {trust: [dscp, dspc], pfc: {priorities: [3, 3]}}\n",
			"f.yaml:3:23: switch.qos.trust: \"dspc\" is not one of dscp, pcp; did you "
			"mean \"dscp\"?\n"
			"f.yaml:3:52: switch.qos.pfc.priorities: the list has 3 twice\n");
	expect_messages(SINGLE "  buffer: {pools: {ingress-lossy: {port-alpha: 128}}}\n",
			"f.yaml:3:48: switch.buffer.pools.ingress-lossy.port-alpha: \"128\" is not "
			"an alpha (1/128 to 64) or none\n");
	expect_messages(SINGLE "  buffer: {pools: {ingress-lossy: {port-alpha: 8B}}}\n",
			"f.yaml:3:48: switch.buffer.pools.ingress-lossy.port-alpha: \"8B\" is not "
			"an alpha (1/128 to 64) or none\n");
	expect_messages(
		SINGLE "  qos: {pg: {3: {alpha: 128}, 0: {alpha: 1/256}}}\n",
		"f.yaml:3:25: switch.qos.pg.3.alpha: \"128\" is not an alpha: 0, a power of "
		"two from 1/128 to 64, or unlimited\n"
		"f.yaml:3:42: switch.qos.pg.0.alpha: \"1/256\" is not an alpha: 0, a power "
		"of two from 1/128 to 64, or unlimited\n");
	expect_messages(
		SINGLE "  preset-mode: lossles\n",
		"f.yaml:3:16: switch.preset-mode: \"lossles\" is not one of lossless, lossy, "
		"lossless-single-pool; did you mean \"lossless\"?\n");
	expect_messages(SINGLE "  qos: {trust: [dscp, dscp]}\n",
			"f.yaml:3:23: switch.qos.trust: the list has dscp twice\n");
	expect_messages(
		SINGLE "  qos: {tc: {1: {ecn: maybe}}}\n",
		"f.yaml:3:23: switch.qos.tc.1.ecn: expected {min, max, probability}, or off\n");
	expect_messages(SINGLE "  routing: {grades: [2KB, 1KB]}\n",
			"f.yaml:3:27: switch.routing.grades: 1KB does not follow 2KB: items must "
			"ascend\n");
	expect_messages(SINGLE "  routing: {hash-seed: x, eligible: {udp-dport: 0}}\n",
			"f.yaml:3:24: switch.routing.hash-seed: \"x\" is not a whole number (0 to "
			"4294967295), or "
			"auto\n"
			"f.yaml:3:49: switch.routing.eligible.udp-dport: 0 is out of range: 1 to "
			"65535, or any\n");
	expect_messages(
		SINGLE "  latency: {}\n  buffer: [1]\n",
		"f.yaml:3:12: switch.latency: expected one value, found a map\n"
		"f.yaml:4:11: switch.buffer: expected a map of keys and values, found a list\n");
}

static void
trust_and_priorities_may_be_empty(void **state)
{
	struct switch_config s =
		switch_of(SINGLE "  preset: lossy\n  qos: {trust: [], pfc: {priorities: []}}\n",
			  "switch", CONFIG_ROLE_LEAF);

	(void)state;
	assert_int_equal(s.trust_count, 0);
	assert_int_equal(s.pfc_priorities, 0);
}

static void
expect_plain(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if (key->type == SCHEMA_NAME || key->type == SCHEMA_TEXT ||
		    key->type == SCHEMA_NAMES)
			fail_msg("%s: settings of a switch are compared byte by byte, so they hold "
				 "no pointers; see doc/development.md",
				 key->name);
		if (key->type == SCHEMA_MAP || key->type == SCHEMA_SWITCHED ||
		    key->type == SCHEMA_NUMBERED)
			expect_plain(key->sub);
	}
}

// Lists are left out: merge.c keeps each once, so that equal ones have one address.
static void
settings_hold_no_pointers_to_text(void **state)
{
	(void)state;
	expect_plain(&schema_switch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(keys_of_credits_are_read),
		cmocka_unit_test(keys_of_llr_are_read),
		cmocka_unit_test(keys_without_a_feature_are_unknown),
		cmocka_unit_test(routing_is_read),
		cmocka_unit_test(routing_that_is_wrong),
		cmocka_unit_test(learn_is_read),
		cmocka_unit_test(learn_that_is_wrong),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(trust_and_priorities_may_be_empty),
		cmocka_unit_test(settings_hold_no_pointers_to_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
