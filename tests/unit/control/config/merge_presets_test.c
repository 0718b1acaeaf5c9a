// SPDX-License-Identifier: BSD-3-Clause
// Presets and their modes: the figures are those of the sources named in conf/presets.
#include "merged.h"

#include "control/config/merge.h"

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
	assert_int_equal(s.routing.mode, GROUP_ECMP);
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

// A preset stands in the place of the default maps, so it must write all four; what is read over
// another preset must not.
static void
every_preset_writes_every_map(void **state)
{
	static const char *const maps[] = {"\n  dscp-to-priority:", "\n  pcp-to-priority:",
					   "\n  priority-to-pg:", "\n  priority-to-tc:"};
	unsigned whole = 0;

	(void)state;
	assert_null(embedded_presets[6].name);
	for (unsigned i = 0; i < 6; i++) {
		const char *name = embedded_presets[i].name;
		const bool over = strstr(name, "-x-") != NULL ||
				  strcmp(name, "ultra-ethernet") == 0;
		unsigned found = 0;

		for (int j = 0; j < 4; j++)
			found += memmem(embedded_presets[i].text, embedded_presets[i].length,
					maps[j], strlen(maps[j])) != NULL;
		if (!over)
			assert_int_equal(found, 4);
		whole += found == 4;
	}
	assert_int_equal(whole, 3);
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
		cmocka_unit_test(every_preset_writes_every_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
