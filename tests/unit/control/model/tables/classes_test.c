// SPDX-License-Identifier: BSD-3-Clause
// Rates of queues and ports, what is promised against what there is, RED, fairness between tenants.
#include "built.h"

#define DUT                                                         \
	"switch:\n  name: dut\n  mtu: 1500\n  preset: spectrum-x\n" \
	"  ports: {swp1: {rate: 100G, cable: 40m}, swp2: {rate: 25G, cable: 40m}}\n"

#define G UINT64_C(1000000000)

static void
test_rates(void **state)
{
	const struct port_profile *p;
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	b.settings.classes[3].max_rate_bps = 10 * G;
	b.settings.classes[0].min_rate_bps = 8 * G;
	b.settings.port_max_rate_bps = 20 * G;
	built_good(&b);
	for (unsigned i = 0; i < 2; i++) {
		p = b.t->ports[i].profile;
		assert_int_equal(p->max_rated, 1 << 3);
		assert_int_equal(p->min_rated, 1 << 0);
		// 800 ps a byte; a frame of 1514 B takes 1.2112 us.
		assert_int_equal(p->tc[3].max_rate.byte_time, UINT64_C(800)
								      << BYTE_TIME_FRACTION_BITS);
		assert_int_equal(p->tc[3].max_rate.burst, 1514 * 800);
		assert_int_equal(p->tc[3].min_rate.byte_time, 0);
		assert_int_equal(p->tc[0].min_rate.byte_time, UINT64_C(1000)
								      << BYTE_TIME_FRACTION_BITS);
		assert_int_equal(p->tc[0].min_rate.burst, 1514 * 1000);
		assert_int_equal(p->max_rate.byte_time, UINT64_C(400) << BYTE_TIME_FRACTION_BITS);
		assert_int_equal(p->max_rate.burst, 1514 * 400);
	}
	built_drop(&b);
	built_load(&b, DUT, "dut");
	built_good(&b);
	p = b.t->ports[0].profile;
	assert_int_equal(p->max_rated | p->min_rated | p->fair, 0);
	assert_int_equal(p->max_rate.byte_time, 0);
	for (unsigned tc = 0; tc < PRIORITIES; tc++)
		assert_false(p->tc[tc].red || p->tc[tc].fair);
	built_drop(&b);
}

// All of a port may be promised, a bit more may not.
static void
test_promises(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	b.settings.classes[0].min_rate_bps = 15 * G;
	b.settings.classes[3].min_rate_bps = 10 * G;
	built_good(&b);
	built_drop(&b);
	built_load(&b, DUT, "dut");
	b.settings.classes[0].min_rate_bps = 15 * G;
	b.settings.classes[3].min_rate_bps = 10 * G + 1;
	built_refused(&b, "on dut 25000000.001K promised to 2 classes are more than "
			  "the 25G of swp2");
	// What a shaper leaves is what there is.
	built_load(&b, DUT, "dut");
	b.settings.classes[0].min_rate_bps = 15 * G;
	b.settings.port_max_rate_bps = 12 * G;
	built_refused(&b,
		      "qos.tc.0.min-rate: on dut 15G promised to 1 class are more than the 12G of "
		      "swp1 (its max-rate)");
}

// What a switch's max-rate would not hold, ports with a rate of their own may.
static void
test_promises_by_port(void **state)
{
	struct built b;

	(void)state;
	built_load(&b,
		   DUT "  qos:\n    port: {max-rate: 10G}\n    tc: {3: {min-rate: 20G}}\n"
		       "    ports: {swp1: {max-rate: 40G}, swp2: {max-rate: none}}\n",
		   "dut");
	built_good(&b);
	assert_int_equal(b.f.diag.count, 0);
	built_drop(&b);
	built_load(&b,
		   DUT "  qos:\n    port: {max-rate: 10G}\n"
		       "    tc: {1: {min-rate: 8G}, 3: {min-rate: 8G}}\n"
		       "    ports: {swp1: {max-rate: 16G}}\n",
		   "dut");
	built_refused(&b,
		      "t.yaml:8:43: qos.tc.3.min-rate: on dut 16G promised to 2 classes are more "
		      "than the 10G of swp2 (its max-rate)");
}

static void
test_red(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, DUT, "dut");
	b.settings.classes[3].red = true;
	built_good(&b);
	assert_true(b.t->ports[1].profile->tc[3].red);
	assert_false(b.t->ports[1].profile->tc[0].red);
	built_drop(&b);
}

// A spine, which knows no tenant, has one line of packets whatever is asked for.
static void
test_fair(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, FIXTURE_DEMO, "leaf1");
	b.settings.classes[3].tenant_fairness = true;
	built_good(&b);
	for (unsigned port = 0; port < b.t->port_count; port++) {
		assert_true(b.t->ports[port].profile->tc[3].fair);
		assert_int_equal(b.t->ports[port].profile->fair, 1 << 3);
	}
	built_drop(&b);
	built_load(&b, FIXTURE_DEMO, "spine1");
	b.settings.classes[3].tenant_fairness = true;
	built_good(&b);
	assert_false(b.t->ports[0].profile->tc[3].fair);
	assert_int_equal(b.t->ports[0].profile->fair, 0);
	built_drop(&b);
}

// A NIC is held to no rate and promises none.
static void
test_host(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, FIXTURE_DEMO, "leaf1");
	b.settings.classes[3].max_rate_bps = 10 * G;
	b.settings.classes[0].min_rate_bps = 1000 * G;
	b.settings.classes[3].red = true;
	b.settings.port_max_rate_bps = G;
	b.settings.remark.dscp[3] = 7;
	b.settings.trim = (struct config_trim){.on = true, .size_bytes = 256};
	b.settings.watchdog = (struct config_watchdog){.on = true, .poll_ps = G};
	assert_int_equal(tables_build_host(&b.t, b.f.topology,
					   topology_find_node(b.f.topology, "h1"), &b.settings,
					   &b.f.diag),
			 0);
	assert_int_equal(b.t->ports[0].profile->max_rated | b.t->ports[0].profile->min_rated, 0);
	assert_int_equal(b.t->ports[0].profile->max_rate.byte_time, 0);
	assert_false(b.t->ports[0].profile->tc[3].red || b.t->ports[0].profile->remarks);
	assert_int_equal(b.t->trim.size, 0);
	assert_int_equal(b.t->watchdog_poll, 0);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_promises_by_port),
		cmocka_unit_test(test_red),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
