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
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
