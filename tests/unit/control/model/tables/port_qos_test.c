// SPDX-License-Identifier: BSD-3-Clause
// What one port does otherwise than the rest, and that ports share a profile unless they differ.
#include "built.h"

#include <string.h>

#define DUT                                              \
	"switch:\n  name: dut\n  preset: spectrum-x\n"   \
	"  ports:\n    swp1: {rate: 100G, cable: 40m}\n" \
	"    swp2: {rate: 100G, cable: 40m}\n    swp3: {rate: 100G, cable: 40m}\n"

static void
test_trust_and_maps(void **state)
{
	struct config_port_qos ports[2] = {
		{.number = 2,
		 .set = CONFIG_PORT_QOS_TRUST | CONFIG_PORT_QOS_PRIORITY,
		 .port_priority = 5},
		{.number = 3,
		 .set = CONFIG_PORT_QOS_DSCP | CONFIG_PORT_QOS_PCP | CONFIG_PORT_QOS_TRUST,
		 .trust_count = 2,
		 .trust = {CONFIG_TRUST_PCP, CONFIG_TRUST_DSCP}},
	};
	const struct port_profile *p;
	struct built b;

	(void)state;
	ports[1].dscp_to_priority[26] = 7;
	ports[1].pcp_to_priority[3] = 6;
	built_load(&b, DUT, "dut");
	b.settings.ports = ports;
	b.settings.port_count = 2;
	built_good(&b);
	assert_int_equal(b.t->profile_count, 3);
	p = b.t->ports[0].profile;
	assert_int_equal(p->dscp_to_priority[26], 3);
	assert_int_equal(p->pcp_to_priority[3], 3);
	assert_true(p->trust_dscp);
	p = b.t->ports[1].profile;
	assert_false(p->trust_dscp || p->trust_pcp || p->pcp_first);
	assert_int_equal(p->port_priority, 5);
	assert_int_equal(p->dscp_to_priority[26], 3);
	p = b.t->ports[2].profile;
	assert_true(p->trust_dscp && p->trust_pcp && p->pcp_first);
	assert_int_equal(p->dscp_to_priority[26], 7);
	assert_int_equal(p->dscp_to_priority[27], 0);
	assert_int_equal(p->pcp_to_priority[3], 6);
	assert_int_equal(p->port_priority, b.settings.port_priority);
	built_drop(&b);
}

static void
test_alike_ports_share(void **state)
{
	struct config_port_qos ports[2] = {
		{.number = 1, .set = CONFIG_PORT_QOS_MAX_RATE, .max_rate_bps = 1000000000},
		{.number = 3, .set = CONFIG_PORT_QOS_MAX_RATE, .max_rate_bps = 1000000000},
	};
	struct built b;

	(void)state;
	ports[1].port_priority = 6; // not in `set`: not said
	built_load(&b, DUT, "dut");
	b.settings.ports = ports;
	b.settings.port_count = 2;
	built_good(&b);
	assert_int_equal(b.t->profile_count, 2);
	assert_ptr_equal(b.t->ports[0].profile, b.t->ports[2].profile);
	assert_int_equal(b.t->ports[0].profile->max_rate.byte_time,
			 UINT64_C(8000) << BYTE_TIME_FRACTION_BITS);
	assert_int_equal(b.t->ports[1].profile->max_rate.byte_time, 0);
	built_drop(&b);
	// The switch's own, from which one port is set free.
	ports[1].max_rate_bps = 0;
	built_load(&b, DUT, "dut");
	b.settings.ports = ports;
	b.settings.port_count = 2;
	b.settings.port_max_rate_bps = 2000000000;
	built_good(&b);
	assert_int_equal(b.t->profile_count, 3);
	assert_int_equal(b.t->ports[1].profile->max_rate.byte_time,
			 UINT64_C(4000) << BYTE_TIME_FRACTION_BITS);
	assert_int_equal(b.t->ports[2].profile->max_rate.byte_time, 0);
	built_drop(&b);
}

static void
test_remark(void **state)
{
	struct config_port_qos port = {.number = 2, .set = CONFIG_PORT_QOS_REMARK};
	const struct port_profile *p;
	struct built b;

	(void)state;
	memset(&port.remark, -1, sizeof(port.remark));
	port.remark.pcp[4] = 0;
	built_load(&b, DUT, "dut");
	b.settings.remark.dscp[3] = 26;
	b.settings.ports = &port;
	b.settings.port_count = 1;
	built_good(&b);
	p = b.t->ports[0].profile;
	assert_true(p->remarks);
	assert_int_equal(p->remark.dscp[3], 26);
	assert_int_equal(p->remark.dscp[4], REMARK_LEAVE);
	assert_int_equal(p->remark.pcp[4], REMARK_LEAVE);
	p = b.t->ports[1].profile;
	assert_true(p->remarks);
	assert_int_equal(p->remark.dscp[3], REMARK_LEAVE);
	assert_int_equal(p->remark.pcp[4], 0);
	built_drop(&b);
	built_load(&b, DUT, "dut");
	built_good(&b);
	assert_false(b.t->ports[0].profile->remarks);
	built_drop(&b);
}

static void
test_scheduler(void **state)
{
	struct config_port_qos port = {.number = 2, .set = CONFIG_PORT_QOS_CLASSES};
	const struct port_profile *p;
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	memcpy(port.classes, b.settings.classes, sizeof(port.classes));
	port.classes[0].scheduler = CONFIG_SCHEDULER_STRICT;
	port.classes[3].weight = 100;
	b.settings.ports = &port;
	b.settings.port_count = 1;
	built_good(&b);
	assert_int_equal(b.t->profile_count, 2);
	p = b.t->ports[0].profile;
	assert_int_equal(p->strict, 1 << 6);
	assert_int_equal(p->tc[0].quantum, p->tc[3].quantum);
	p = b.t->ports[1].profile;
	assert_int_equal(p->strict, 1 << 6 | 1 << 0);
	assert_int_equal(p->tc[0].quantum, 0);
	assert_int_equal(p->tc[3].quantum, 2 * p->tc[1].quantum);
	assert_int_equal(p->tc[3].threshold.pool, POOL_EGRESS_LOSSLESS);
	built_drop(&b);
}

static void
test_pfc(void **state)
{
	struct config_port_qos port = {.number = 2, .set = CONFIG_PORT_QOS_PFC};
	const struct port_profile *p;
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	port.pfc_priorities = 1 << 5;
	b.settings.ports = &port;
	b.settings.port_count = 1;
	built_good(&b);
	p = b.t->ports[0].profile;
	assert_int_equal(p->obeyed, 1 << 3);
	assert_int_equal(p->pg[3].pfc_priorities, 1 << 3);
	p = b.t->ports[1].profile;
	assert_int_equal(p->obeyed, 1 << 5);
	assert_int_equal(p->pg[3].pfc_priorities, 0);
	assert_int_equal(p->pg[0].pfc_priorities, 0); // it is lossy
	assert_true(p->pg[3].headroom > 0);
	built_drop(&b);
	built_load(&b, DUT, "dut");
	b.settings.flow_control = CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC;
	b.settings.ports = &port;
	b.settings.port_count = 1;
	built_good(&b);
	assert_int_equal(b.t->ports[1].profile->obeyed, 0xff);
	assert_int_equal(b.t->ports[1].profile->pg[3].pfc_priorities, 0);
	built_drop(&b);
}

// A cell has 192 B.
static void
test_groups(void **state)
{
	struct config_port_qos port = {.number = 2, .set = CONFIG_PORT_QOS_GROUPS};
	const struct pg_profile *all, *own;
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	memcpy(port.groups, b.settings.groups, sizeof(port.groups));
	port.groups[3].headroom = (struct config_amount){CONFIG_AMOUNT_BYTES, 19200};
	port.groups[3].reserved_bytes = 193;
	port.groups[3].limit = (struct config_limit){.kind = CONFIG_LIMIT_ALPHA, .shift = -3};
	port.groups[3].xon_bytes = 1920;
	port.groups[3].xon_offset = (struct config_amount){.kind = CONFIG_AMOUNT_NONE};
	port.groups[0].lossless = true;
	b.settings.ports = &port;
	b.settings.port_count = 1;
	built_good(&b);
	all = b.t->ports[0].profile->pg;
	own = b.t->ports[1].profile->pg;
	assert_int_equal(own[3].headroom, 100);
	assert_int_equal(own[3].threshold.reserved, 2);
	assert_int_equal(own[3].threshold.down, 3);
	assert_int_equal(own[3].xon, 10);
	assert_false(own[3].xon_by_offset);
	assert_true(own[0].lossless);
	assert_int_equal(own[0].headroom, all[3].headroom);
	assert_int_equal(own[0].pfc_priorities, 0);
	assert_int_equal(all[3].threshold.down, 0);
	assert_true(all[3].xon_by_offset);
	assert_false(all[0].lossless);
	// The pools know what each port sets aside.
	assert_int_equal(b.t->pools[POOL_HEADROOM].size, 3 * all[3].headroom + 100);
	assert_int_equal(b.t->pools[POOL_INGRESS_LOSSLESS].size -
				 b.t->pools[POOL_INGRESS_LOSSLESS].shared,
			 2);
	built_drop(&b);
}

// The poll is there if any port needs it.
static void
test_watchdog(void **state)
{
	struct config_port_qos ports[2] = {
		{.number = 2,
		 .set = CONFIG_PORT_QOS_WATCHDOG,
		 .watchdog = {.on = true, .detect_ps = 70, .action = CONFIG_WATCHDOG_ALERT}},
		{.number = 3, .set = CONFIG_PORT_QOS_WATCHDOG},
	};
	struct built b;

	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		built_load(&b, DUT, "dut");
		b.settings.watchdog = (struct config_watchdog){
			.on = all, .poll_ps = 10, .detect_ps = 30, .restore_ps = 40};
		b.settings.ports = ports;
		b.settings.port_count = 2;
		built_good(&b);
		assert_int_equal(b.t->watchdog_poll, 10);
		assert_int_equal(b.t->ports[0].profile->watchdog.on, all);
		assert_int_equal(b.t->ports[0].profile->watchdog.detect, all ? 30 : 0);
		assert_true(b.t->ports[1].profile->watchdog.on);
		assert_int_equal(b.t->ports[1].profile->watchdog.detect, 70);
		assert_int_equal(b.t->ports[1].profile->watchdog.action, WATCHDOG_ALERT);
		assert_false(b.t->ports[2].profile->watchdog.on);
		built_drop(&b);
	}
	built_load(&b, DUT, "dut");
	b.settings.watchdog.poll_ps = 10;
	b.settings.ports = &ports[1];
	b.settings.port_count = 1;
	built_good(&b);
	assert_int_equal(b.t->watchdog_poll, 0);
	built_drop(&b);
}

// A host follows the leaf's port that it hangs on: the second of leaf1 is h2's.
static void
test_host(void **state)
{
	struct config_port_qos port = {.number = 2, .set = CONFIG_PORT_QOS_DSCP};
	struct tables *t;
	struct built b;

	(void)state;
	port.dscp_to_priority[26] = 5;
	built_load(&b, FIXTURE_DEMO, "leaf1");
	b.settings.ports = &port;
	b.settings.port_count = 1;
	for (unsigned h = 1; h <= 2; h++) {
		uint32_t node = topology_find_node(b.f.topology, h == 1 ? "h1" : "h2");

		assert_int_equal(tables_build_host(&t, b.f.topology, node, &b.settings, &b.f.diag),
				 0);
		assert_int_equal(t->ports[0].profile->dscp_to_priority[26], h == 1 ? 3 : 5);
		tables_destroy(t);
	}
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trust_and_maps),
		cmocka_unit_test(test_alike_ports_share),
		cmocka_unit_test(test_remark),
		cmocka_unit_test(test_scheduler),
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
