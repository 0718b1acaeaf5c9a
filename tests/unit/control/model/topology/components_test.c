// SPDX-License-Identifier: BSD-3-Clause
// What switches join, and what they do not.
#include "fixture.h"

static void
test_joined(void **state)
{
	const struct topology *t;
	struct fixture f;

	(void)state;
	// Two switches that nothing joins, and one host on both.
	fixture_load(&f,
		     "fabric:\n  topology:\n    kind: explicit\n"
		     "    nodes: [leaf1, leaf2, h1, h2, h3]\n    links:\n"
		     "      - {a: h1.eth1, b: leaf1.swp1}\n      - {a: h1.eth2, b: leaf2.swp1}\n"
		     "      - {a: h2, b: leaf1.swp2}\n      - {a: h3, b: leaf2.swp2}\n");
	t = f.topology;
	assert_true(topology_joined(t, 0, 0, 1, 0));
	assert_true(topology_joined(t, 0, 1, 2, 0));
	assert_false(topology_joined(t, 0, 0, 0, 1));
	assert_false(topology_joined(t, 1, 0, 2, 0));
	assert_true(routes_join(f.routes, t, 0, 1, 2, 0));
	assert_false(routes_join(f.routes, t, 0, 0, 2, 0));
	fixture_free(&f);
}

// A plane's narrow link is no other plane's.
static void
test_mtu_of_planes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, "
			 "hosts-per-leaf: 2, planes: 2}\n  links: {p2-leaf1-p2-spine1: {mtu: "
			 "2000}}\n");
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 3, 0), 4200);
	assert_int_equal(topology_path_mtu(f.topology, 0, 1, 3, 1), 2000);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_mtu_of_planes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
