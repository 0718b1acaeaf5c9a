// SPDX-License-Identifier: BSD-3-Clause
// Snapshots from settings, with the arithmetic in comments: profiles, ECN, scheduler, pause,
// classification, forwarding, NICs.
#include "built.h"

#include "dataplane/base/random.h"

static void
drop(struct built *b)
{
	built_drop(b);
}

#define DUT(settings)                                                                        \
	"switch:\n  name: dut\n" settings                                                    \
	"  ports:\n    swp1: {rate: 100G, cable: 40m}\n    swp2: {rate: 100G, cable: 40m}\n" \
	"    swp3: {rate: 25G, cable: 40m}\n"

static void
test_profiles(void **state)
{
	struct built b;
	const struct port_profile *p;

	(void)state;
	build(&b, DUT("  preset: spectrum-x\n  mtu: 9100\n"), "dut");
	assert_int_equal(b.t->port_count, 3);
	assert_int_equal(b.t->profile_count, 2); // swp1 and swp2 are alike
	assert_ptr_equal(b.t->ports[0].profile, b.t->ports[1].profile);
	assert_ptr_not_equal(b.t->ports[0].profile, b.t->ports[2].profile);
	p = b.t->ports[0].profile;
	// 100G: 80 ps a byte; 512 bit times are 5.12 ns, a full pause 335.5392 us, half of it
	// 167.7696 us.
	assert_int_equal(p->byte_time, UINT64_C(80) << BYTE_TIME_FRACTION_BITS);
	assert_int_equal(p->quantum_time, UINT64_C(5120) << BYTE_TIME_FRACTION_BITS);
	assert_int_equal(p->refresh, UINT64_C(167769600));
	assert_int_equal(b.t->ports[2].profile->refresh, UINT64_C(4) * 167769600); // 25G
	assert_int_equal(p->quanta, 65535);
	assert_int_equal(p->obeyed, 1 << 3);
	assert_int_equal(p->preamble, 8);
	assert_int_equal(p->fcs, 4);
	assert_int_equal(p->gap, 12);
	assert_int_equal(p->mtu, 9100);
	// Headroom 126976 B of peers' tables for 100G, 40 m, MTU 9100: 661.33 cells.
	assert_int_equal(p->pg[3].headroom, 662);
	assert_true(p->pg[3].lossless);
	assert_int_equal(p->pg[3].pfc_priorities, 1 << 3);
	assert_int_equal(p->pg[3].xon, 0);
	assert_true(p->pg[3].xon_by_offset);
	assert_int_equal(p->pg[3].xon_offset, 48);
	assert_int_equal(p->pg[3].threshold.pool, POOL_INGRESS_LOSSLESS);
	assert_int_equal(p->pg[3].threshold.up + p->pg[3].threshold.down, 0); // alpha 1
	assert_int_equal(p->pg[0].headroom, 0);
	assert_false(p->pg[0].lossless);
	assert_int_equal(p->pg[0].threshold.up, 3); // alpha 8
	assert_int_equal(p->tc[3].threshold.fixed, THRESHOLD_UNLIMITED);
	assert_int_equal(p->tc[3].threshold.down, 63);
	assert_int_equal(p->tc[3].threshold.pool, POOL_EGRESS_LOSSLESS);
	// ECN 150000 .. 1500000: whole cells below, 2^56 / 1350000 a byte.
	assert_true(p->tc[3].ecn.enabled);
	assert_false(p->tc[6].ecn.enabled);
	assert_int_equal(p->tc[3].ecn.min, 781);
	assert_int_equal(p->tc[3].ecn.max, 7812);
	assert_int_equal(p->tc[3].ecn.slope, (UINT64_C(1) << 56) / 1350000);
	assert_int_equal(p->strict, 1 << 6);
	assert_int_equal(p->tc[3].quantum, 4608);
	assert_int_equal(p->tc[0].quantum, 4608);
	assert_int_equal(p->tc[6].quantum, 0);
	drop(&b);
}

static void
test_limits(void **state)
{
	struct built b;
	const struct port_profile *p;

	(void)state;
	build(&b,
	      DUT("  buffer: {size: 10MB, cell: 192}\n  qos:\n"
		  "    pg:\n      3: {lossless: true, static: 200KB, reserved: 1000B, headroom: "
		  "1000B,"
		  " xon: 1000B, xon-offset: none}\n"
		  "      0: {alpha: 1/16}\n      1: {alpha: 0}\n      2: {alpha: unlimited}\n"
		  "    tc: {1: {weight: 30}, 2: {weight: 45}, 4: {weight: 60},"
		  " 3: {ecn: {min: 100KB, max: 100KB, probability: 5%}}}\n"),
	      "dut");
	p = b.t->ports[0].profile;
	assert_int_equal(p->pg[3].threshold.fixed, 200000 / 192);
	assert_int_equal(p->pg[3].threshold.down, 63);
	assert_int_equal(p->pg[3].threshold.reserved, 6); // 5.2, up
	assert_int_equal(p->pg[3].headroom, 6);
	assert_int_equal(p->pg[3].xon, 5);
	assert_false(p->pg[3].xon_by_offset);
	assert_int_equal(p->pg[0].threshold.down, 4);
	assert_int_equal(p->pg[0].threshold.up, 0);
	assert_int_equal(p->pg[0].threshold.fixed, 0);
	assert_int_equal(p->pg[1].threshold.down, 63);
	assert_int_equal(p->pg[1].threshold.fixed, 0);
	assert_int_equal(p->pg[2].threshold.fixed, THRESHOLD_UNLIMITED);
	// Weights 30, 45, 60 and the default 50, by their divisor 5: 6, 9, 12, 10; 4608 / 6 = 768 a
	// unit.
	assert_int_equal(p->tc[1].quantum, 6 * 768);
	assert_int_equal(p->tc[2].quantum, 9 * 768);
	assert_int_equal(p->tc[4].quantum, 12 * 768);
	assert_int_equal(p->tc[0].quantum, 10 * 768);
	// A step: nothing between.
	assert_int_equal(p->tc[3].ecn.min, 520);
	assert_int_equal(p->tc[3].ecn.max, 520);
	assert_int_equal(p->tc[3].ecn.slope, 0);
	drop(&b);
}

// A group that is too slow for its own traffic to be stopped in the formula's space gets what it
// needs.
static void
test_headroom_floor(void **state)
{
	struct built b;

	(void)state;
	build(&b, DUT("  buffer: {cell: 1}\n  latency: 10us\n  mtu: 9216\n"), "dut");
	// 2 x 10 us at 25 Gb/s alone are 62500 B; 80 quanta are 5120 B.
	assert_true(b.t->ports[2].profile->pg[3].headroom > 62500);
	drop(&b);
}

static void
test_classification(void **state)
{
	struct built b;
	const struct port_profile *p;

	(void)state;
	build(&b, DUT("  preset: sonic\n  qos: {trust: [pcp, dscp], port-priority: 2}\n"), "dut");
	p = b.t->ports[0].profile;
	assert_true(p->trust_dscp && p->trust_pcp && p->pcp_first);
	assert_int_equal(p->port_priority, 2);
	assert_int_equal(p->dscp_to_priority[3], 3);
	assert_int_equal(p->dscp_to_priority[8], 0);
	assert_int_equal(p->dscp_to_priority[63], 1);
	assert_int_equal(p->pcp_to_priority[0], 1);
	assert_int_equal(p->pcp_to_priority[7], 7);
	assert_int_equal(b.t->priority_to_pg[4], 4);
	assert_int_equal(b.t->priority_to_pg[5], 0);
	assert_int_equal(b.t->priority_to_tc[5], 5);
	assert_int_equal(b.t->tc_priorities[5], 1 << 5);
	assert_int_equal(p->obeyed, 1 << 3 | 1 << 4);
	assert_int_equal(p->pg[4].pfc_priorities, 1 << 4);
	drop(&b);
	build(&b, DUT("  preset: spectrum-x\n  qos: {flow-control: none, trust: []}\n"), "dut");
	p = b.t->ports[0].profile;
	assert_false(p->trust_dscp || p->trust_pcp || p->pcp_first);
	assert_int_equal(p->obeyed, 0);
	assert_int_equal(p->pg[3].pfc_priorities, 0);
	assert_int_equal(b.t->tc_priorities[0], 0xff & ~(1 << 3) & ~(1 << 6));
	drop(&b);
}

// The multiplication that stands for the division into cells is exact for all frames.
static void
test_cell_magic(void **state)
{
	static const uint32_t cells[] = {1, 2, 3, 7, 96, 128, 144, 192, 256, 1000, 4096, 16384};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		char text[256];
		struct built b;

		snprintf(text, sizeof(text), "switch:\n  buffer: {cell: %u}\n  ports: {swp1: {}}\n",
			 cells[i]);
		build(&b, text, "switch");
		for (uint32_t bytes = 0; bytes <= 16384; bytes++)
			if (tables_cells(b.t, bytes) != (bytes + cells[i] - 1) / cells[i])
				assert_int_equal(tables_cells(b.t, bytes),
						 (bytes + cells[i] - 1) / cells[i]);
		drop(&b);
	}
}

static void
test_routing_settings(void **state)
{
	struct built b, c;
	uint32_t leaf1;

	(void)state;
	build(&b, FIXTURE_DEMO "leaf: {routing: {grades: [192B, 193B, 1KB]}}\n", "leaf1");
	assert_int_equal(b.t->grades[0], 1); // at least 192 B is one cell, at least 193 B is two
	assert_int_equal(b.t->grades[1], 2);
	assert_int_equal(b.t->grades[2], 6);
	assert_int_equal(b.t->grades[3], UINT32_MAX);
	assert_int_equal(b.t->grades[GRADES_MAX - 1], UINT32_MAX);
	assert_true(b.t->eligible_data_only);
	assert_int_equal(b.t->eligible_udp_dport, 4791);
	leaf1 = b.t->hash_seed;
	drop(&b);
	build(&c, FIXTURE_DEMO "leaf: {routing: {eligible: {udp-dport: any, opcodes: all}}}\n",
	      "leaf2");
	assert_int_not_equal(c.t->hash_seed, leaf1);
	assert_false(c.t->eligible_data_only);
	assert_int_equal(c.t->eligible_udp_dport, 0);
	assert_int_equal(c.t->grades[0], 334); // 64 KB by default
	drop(&c);
	build(&c, FIXTURE_DEMO "leaf: {routing: {hash-seed: 77}}\n", "leaf2");
	assert_int_equal(c.t->hash_seed, 77);
	drop(&c);
}

static void
test_forwarding(void **state)
{
	static const uint8_t h2_mac[6] = {2, 0, 10, 0, 1, 2};
	const struct next_hop_group *group;
	struct built b;

	(void)state;
	build(&b, FIXTURE_DEMO, "leaf1");
	assert_int_equal(b.t->vrf_count, b.f.topology->vrf_count);
	group = group_for(&b, "red", "10.0.1.2");
	assert_int_equal(group->count, 1);
	assert_int_equal(group->mode, GROUP_ADAPTIVE);
	assert_int_equal(b.t->next_hops[group->first].port, 1);
	assert_memory_equal(b.t->next_hops[group->first].mac, h2_mac, 6);
	group = group_for(&b, "red", "10.0.2.1");
	assert_int_equal(group->count, 2);
	assert_int_equal(b.t->next_hops[group->first].port, 4);
	assert_int_equal(b.t->next_hops[group->first + 1].port, 5);
	assert_null(find_group(&b, "red", "fd00::2:3"));
	assert_ptr_equal(group_for(&b, "red", "fd00::2:1"), group);
	assert_ptr_equal(group_for(&b, "blue", "10.0.2.3"), group);
	assert_null(find_group(&b, "red", "10.0.2.3"));
	assert_int_equal(b.t->group_count, 5);
	assert_int_equal(b.t->next_hop_count, 6);
	assert_int_equal(b.t->ports[0].vrf, topology_find_vrf(b.f.topology, "red"));
	assert_int_equal(b.t->ports[4].vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(b.t->ports[4].tenant, TENANT_NONE);
	assert_memory_equal(b.t->ports[3].mac, b.f.topology->nodes[0].ports[3].mac, 6);
	drop(&b);
}

// Groups that no route leads to any more are not taken over; a route without `via` drops.
static void
test_forwarding_written(void **state)
{
	const struct next_hop_group *group;
	struct built b;

	(void)state;
	build(&b,
	      DUT("  routes:\n"
		  "    - {prefix: 0.0.0.0/0, via: [{port: swp2, mac: \"02:00:00:00:02:02\"}]}\n"
		  "    - {prefix: 10.0.0.0/8, via: []}\n"
		  "    - {prefix: 10.1.0.0/16, via: [{port: swp3, mac: \"02:00:00:00:02:02\"}]}\n"),
	      "dut");
	group = group_for(&b, "default", "192.0.2.1");
	assert_int_equal(group->count, 1);
	assert_int_equal(group->mode, GROUP_ECMP);
	assert_int_equal(b.t->next_hops[group->first].port, 1);
	assert_int_equal(group_for(&b, "default", "10.2.0.1")->count, 0);
	assert_int_equal(group_for(&b, "default", "10.1.0.1")->count, 1);
	// The switch's own address is on no way on.
	assert_int_equal(group_for(&b, "default", "172.16.0.1")->count, 0);
	assert_int_equal(b.t->group_count, 3);
	tables_destroy(b.t);
	b.f.routes->nodes[0].count = 1;
	assert_int_equal(
		tables_build(&b.t, b.f.topology, 0, &b.settings, &b.f.routes->nodes[0], &b.f.diag),
		0);
	assert_int_equal(b.t->group_count, 2);
	assert_int_equal(b.t->next_hop_count, 1);
	drop(&b);
}

static void
test_host(void **state)
{
	const struct port_profile *p;
	struct built b;
	struct tables *t;

	(void)state;
	build(&b, FIXTURE_DEMO, "leaf2");
	assert_int_equal(tables_build_host(&t, b.f.topology, topology_find_node(b.f.topology, "h6"),
					   &b.settings, &b.f.diag),
			 0);
	assert_int_equal(t->port_count, 1);
	assert_int_equal(t->tenant_count, 0);
	assert_int_equal(t->ports[0].tenant, TENANT_NONE);
	p = t->ports[0].profile;
	assert_int_equal(p->byte_time, UINT64_C(80) << BYTE_TIME_FRACTION_BITS);
	assert_int_equal(p->mtu, 4200);
	assert_int_equal(p->obeyed, 1 << 3);
	assert_int_equal(p->dscp_to_priority[26], 3);
	assert_int_equal(p->strict, 1 << 6); // as the leaf's class of priority 6
	for (unsigned i = 0; i < PRIORITIES; i++) {
		assert_int_equal(t->priority_to_pg[i], i);
		assert_int_equal(t->priority_to_tc[i], i);
		assert_int_equal(t->tc_priorities[i], 1u << i);
		assert_int_equal(p->pg[i].threshold.fixed, THRESHOLD_UNLIMITED);
		assert_int_equal(p->tc[i].threshold.fixed, THRESHOLD_UNLIMITED);
		assert_int_equal(t->pools[p->pg[i].threshold.pool].size, POOL_UNLIMITED);
		assert_int_equal(t->pools[p->tc[i].threshold.pool].shared, POOL_UNLIMITED);
		assert_false(p->pg[i].lossless);
		assert_false(p->tc[i].ecn.enabled);
		assert_int_equal(p->tc[i].quantum, i == 6 ? 0 : 4608);
	}
	tables_destroy(t);
	drop(&b);
}

static void
flow_control(struct built *b, enum config_flow_control mode)
{
	built_load(b, DUT("  preset: spectrum-x\n"), "dut");
	b->settings.flow_control = mode;
	built_good(b);
}

static void
test_flow_control(void **state)
{
	const struct port_profile *p;
	struct built b;

	(void)state;
	flow_control(&b, CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC);
	p = b.t->ports[0].profile;
	assert_int_equal(p->obeyed, 0xff);
	assert_int_equal(p->pg[3].pfc_priorities, 1 << 3);
	assert_int_equal(p->pg[0].pfc_priorities, 0);
	assert_false(p->link_pause);
	drop(&b);
	// Nothing of PFC counts; a lossless group still says when it is full.
	flow_control(&b, CONFIG_FLOW_CONTROL_PAUSE);
	p = b.t->ports[0].profile;
	assert_int_equal(p->obeyed, 0);
	assert_int_equal(p->pg[3].pfc_priorities, 1 << 3);
	assert_int_equal(p->pg[0].pfc_priorities, 0);
	assert_true(p->link_pause);
	drop(&b);
	flow_control(&b, CONFIG_FLOW_CONTROL_NONE);
	p = b.t->ports[0].profile;
	assert_int_equal(p->obeyed | p->pg[3].pfc_priorities, 0);
	assert_false(p->link_pause);
	drop(&b);
	// Of the whole link: also for priorities that PFC was not to serve.
	built_load(&b, DUT("  preset: spectrum-x\n"), "dut");
	b.settings.flow_control = CONFIG_FLOW_CONTROL_PAUSE;
	b.settings.priority_to_group[4] = 3;
	built_good(&b);
	assert_int_equal(b.t->ports[0].profile->pg[3].pfc_priorities, 1 << 3 | 1 << 4);
	drop(&b);
}

static void
test_trim_and_watchdog(void **state)
{
	struct built b;

	(void)state;
	build(&b, DUT("  preset: spectrum-x\n"), "dut");
	assert_int_equal(b.t->trim.size, 0);
	assert_int_equal(b.t->watchdog_poll, 0);
	drop(&b);
	built_load(&b, DUT("  preset: spectrum-x\n"), "dut");
	b.settings.trim = (struct config_trim){
		.on = true, .size_bytes = 256, .dscp = 11, .tc = 4, .eligible_tc = 0x0e};
	b.settings.watchdog = (struct config_watchdog){.on = true,
						       .poll_ps = 100,
						       .detect_ps = 300,
						       .restore_ps = 400,
						       .action = CONFIG_WATCHDOG_FORWARD,
						       .ingress = true};
	built_good(&b);
	assert_int_equal(b.t->trim.size, 256);
	assert_int_equal(b.t->trim.dscp, 11);
	assert_int_equal(b.t->trim.tc, 4);
	assert_int_equal(b.t->trim.eligible, 0x0e);
	assert_int_equal(b.t->watchdog_poll, 100);
	assert_int_equal(b.t->profiles[0].watchdog.detect, 300);
	assert_int_equal(b.t->profiles[0].watchdog.restore, 400);
	assert_int_equal(b.t->profiles[0].watchdog.action, WATCHDOG_FORWARD);
	assert_true(b.t->profiles[0].watchdog.ingress);
	assert_false(b.t->profiles[0].watchdog.flush);
	drop(&b);
}

// Loopbacks stand apart from the other routes; where the fabric's index does not have them in the
// order of the routes, among them.
static void
test_loopbacks_out_of_order(void **state)
{
	struct topo_loopbacks *all;
	const struct next_hop_group *group;
	const struct vrf *vrf;
	struct built b;
	char text[INET_ADDRSTRLEN];
	uint32_t last, spine, number;

	(void)state;
	build(&b,
	      "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n",
	      "leaf1");
	all = &b.f.topology->loopbacks4;
	number = topology_find_vrf(b.f.topology, "default");
	vrf = &b.t->vrfs[number];
	spine = topology_find_node(b.f.topology, "spine1");
	inet_ntop(AF_INET, b.f.topology->nodes[spine].loopback4, text, sizeof(text));
	assert_ptr_equal(vrf->loopbacks4.trie, all->trie);
	assert_non_null(vrf->loopbacks4.groups);
	assert_null(find_group(&b, "default", text));
	tables_destroy(b.t);
	last = all->order[b.f.topology->first_host - 1];
	memmove(all->order + 1, all->order, (b.f.topology->first_host - 1) * sizeof(last));
	all->order[0] = last;
	built_good(&b);
	vrf = &b.t->vrfs[number];
	assert_null(vrf->loopbacks4.trie);
	assert_null(vrf->loopbacks4.groups);
	group = group_for(&b, "default", text);
	assert_int_equal(group->count, 1);
	assert_int_equal(group->port, 4); // swp5
	drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_headroom_floor),
		cmocka_unit_test(test_classification),
		cmocka_unit_test(test_cell_magic),
		cmocka_unit_test(test_routing_settings),
		cmocka_unit_test(test_forwarding),
		cmocka_unit_test(test_forwarding_written),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_flow_control),
		cmocka_unit_test(test_trim_and_watchdog),
		cmocka_unit_test(test_loopbacks_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
