// SPDX-License-Identifier: BSD-3-Clause
// Links that the file names, and the MTU of paths by them.
#include "fixture.h"

#define START "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"

static const struct topo_link *
link_of(const struct fixture *f, const char *name)
{
	uint32_t link;

	assert_int_equal(topology_find_link(f->topology, name, &link), 0);
	return &f->topology->links[link];
}

static void
test_by_name(void **state)
{
	const struct topo_link *link;
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f, START "  links:\n    fabric: {rate: 400G, delay: 1us}\n"
			       "    spine2-leaf1: {rate: 40G}\n"
			       "    leaf2.swp4-spine2: {delay: 7us, mtu: 3000}\n"
			       "    h1-leaf1: {rate: 25G, mtu: 1500}\n");
	t = f.topology;
	link = link_of(&f, "leaf1-spine2");
	assert_int_equal(link->rate_bps, UINT64_C(40000000000));
	assert_int_equal(link->delay_ps, 1000000);
	assert_int_equal(link->pos.line, 5);
	assert_int_equal(t->nodes[link->a.node].ports[link->a.port].rate_bps, link->rate_bps);
	assert_int_equal(t->nodes[link->b.node].ports[link->b.port].rate_bps, link->rate_bps);
	link = link_of(&f, "leaf2-spine2");
	assert_int_equal(link->rate_bps, UINT64_C(400000000000));
	assert_int_equal(link->delay_ps, 7000000);
	assert_int_equal(t->nodes[link->b.node].ports[link->b.port].mtu, 3000);
	assert_int_equal(link_of(&f, "leaf2-spine1")->rate_bps, UINT64_C(400000000000));
	assert_int_equal(topology_host_port(t, 0, 0)->rate_bps, UINT64_C(25000000000));
	assert_int_equal(topology_path_mtu(t, 2, 0, 3, 0), 4200); // within leaf2
	assert_int_equal(topology_path_mtu(t, 1, 0, 3, 0), 3000); // by the spines
	assert_int_equal(topology_path_mtu(t, 0, 0, 3, 0), 1500);
	fixture_free(&f);
}

static void
test_errors(void **state)
{
	(void)state;
	fixture_refused(START "  links: {leaf1-spine3: {rate: 40G}}\n",
			"t.yaml:3:11: fabric.links: there is no link leaf1-spine3; did you mean "
			"leaf1-spine");
	fixture_refused(START "  links: {leaf1-leaf2: {rate: 40G}}\n", "no link joins the two");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
