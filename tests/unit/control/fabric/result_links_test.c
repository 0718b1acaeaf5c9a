// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/fabric/result.h"

static bool
nearly(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

// 10 frames of 1000 B with 24 B of framing each take 10 x 1024 x 80 ps at 100G: 0.8192 of a us.
static void
test_a_load_counts_the_framing(void **state)
{
	struct fixture *f = *state;

	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->profile.preamble = 8;
	f->profile.fcs = 4;
	f->profile.gap = 12;
	f->leaf->ports[2].tx_packets = 10;
	f->leaf->ports[2].tx_bytes = 10000;
	assert_int_equal(report_wire_bytes(&f->nodes[0], 2), 10240);
	assert_true(nearly(report_load(&f->nodes[0], 2, PS_PER_US), 0.8192));
	assert_true(report_load(&f->nodes[0], 2, 0) == 0);
	assert_true(report_load(&f->nodes[0], 3, PS_PER_US) == 0);
}

static void
add_all(struct report_tiers *t, const struct fixture *f)
{
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int k = 0; k < f->nodes[i].node->port_count; k++)
			report_tiers_add(t, &f->nodes[i], k,
					 report_load(&f->nodes[i], k, PS_PER_US));
}

static void
test_tiers_with_their_extremes(void **state)
{
	struct report_tiers all = {.count = 0};
	const struct report_tier_loads *tiers = all.tiers;
	struct fixture *f = *state;

	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->leaf->ports[2].tx_bytes = 2500;
	f->leaf->ports[3].tx_bytes = 10000;
	add_all(&all, f);
	assert_int_equal(all.count, 3);
	assert_string_equal(tiers[0].name, "leaf-host");
	assert_string_equal(tiers[1].name, "leaf-spine");
	assert_string_equal(tiers[2].name, "host-leaf");
	assert_int_equal(tiers[1].links, 2);
	assert_true(nearly(tiers[1].min, 0.2) && nearly(tiers[1].max, 0.8));
	assert_true(nearly(tiers[1].sum, 1.0));
	assert_int_equal(tiers[1].min_port, 2);
	assert_int_equal(tiers[1].max_port, 3);
	assert_ptr_equal(tiers[1].max_node, &f->nodes[0]);
	all.count = REPORT_TIERS_MAX; // no room for others
	add_all(&all, f);
	assert_int_equal(all.count, REPORT_TIERS_MAX);
	assert_int_equal(tiers[1].links, 4);
}

// A port without anything known behind it is no link.
static void
test_open_ports_have_no_tier(void **state)
{
	static const struct report_port alone[FIXTURE_PORTS] = {
		{.name = "swp1"}, {.name = "swp2"}, {.name = "swp3"}, {.name = "swp4"}};
	struct fixture *f = *state;
	char text[REPORT_TIER_MAX];

	f->nodes[0].ports = alone;
	assert_false(report_tier(&f->nodes[0], 0, text));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_load_counts_the_framing),
		T(test_tiers_with_their_extremes),
		T(test_open_ports_have_no_tier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
