// SPDX-License-Identifier: BSD-3-Clause
// Looking up names, and what is said of names of nothing.
#include "fixture.h"

static void
test_find(void **state)
{
	const struct topology *t;
	struct topo_ref ref;
	uint32_t link, other;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	t = f.topology;
	for (uint32_t n = 0; n < t->node_count; n++)
		assert_int_equal(topology_find_node(t, t->nodes[n].name), n);
	assert_int_equal(topology_find_node(t, "leaf"), TOPOLOGY_NONE);
	assert_int_equal(topology_find_node(t, "leaf11"), TOPOLOGY_NONE);
	assert_int_equal(topology_find_node(t, ""), TOPOLOGY_NONE);
	assert_int_equal(topology_find_port(t, "leaf2.swp6", &ref), 0);
	assert_int_equal(ref.node, 1);
	assert_int_equal(ref.port, 5);
	assert_int_equal(topology_find_port(t, "leaf2.swp7", &ref), -ENOENT);
	assert_int_equal(topology_find_port(t, "leaf2.swp", &ref), -ENOENT);
	assert_int_equal(topology_find_port(t, "swp1", &ref), -ENOENT);
	assert_int_equal(topology_find_port(t, "leaf2", &ref), -ENOENT);
	assert_int_equal(topology_find_queue(t, "leaf2.swp6.7", &ref), 0);
	assert_int_equal(ref.queue, 7);
	assert_int_equal(topology_find_queue(t, "leaf2.swp6.8", &ref), -ENOENT);
	assert_int_equal(topology_find_queue(t, "leaf2.swp6.", &ref), -ENOENT);
	assert_int_equal(topology_find_queue(t, "leaf2.swp6", &ref), -ENOENT);
	assert_int_equal(topology_find_link(t, "leaf1-spine2", &link), 0);
	assert_int_equal(topology_find_link(t, "spine2-leaf1", &other), 0);
	assert_int_equal(link, other);
	assert_int_equal(t->links[link].a.node, 0);
	assert_int_equal(t->links[link].b.node, 3);
	assert_int_equal(topology_find_link(t, "h1-leaf1", &link), 0);
	assert_true(t->links[link].host);
	assert_int_equal(topology_find_link(t, "h1-leaf2", &link), -ENOENT);
	assert_int_equal(topology_find_link(t, "-", &link), -ENOENT);
	fixture_free(&f);
}

// A dash in a node's name is not the link's.
static void
test_find_dashed(void **state)
{
	const struct topology *t;
	struct fixture f;
	uint32_t link;

	(void)state;
	fixture_load(&f, "fabric:\n  topology:\n    kind: explicit\n"
			 "    nodes: {a-b: leaf, c: spine, d-e: leaf}\n"
			 "    links:\n      - {a: a-b.swp1, b: c.swp1}\n"
			 "      - {a: c.swp2, b: d-e.swp1}\n      - {a: a-b.swp2, b: d-e.swp2}\n");
	t = f.topology;
	assert_int_equal(topology_find_link(t, "a-b-c", &link), 0);
	assert_int_equal(link, 0);
	assert_int_equal(topology_find_link(t, "d-e-c", &link), 0);
	assert_int_equal(link, 1);
	assert_int_equal(topology_find_link(t, "d-e-a-b", &link), 0);
	assert_int_equal(link, 2);
	fixture_free(&f);
}

static void
assert_unknown(const char *rest, const char *message)
{
	char text[2048];
	struct fixture f;

	snprintf(text, sizeof(text), "%s%s", FIXTURE_DEMO, rest);
	fixture_load(&f, text);
	assert_int_equal(topology_check_names(f.topology, &f.diag), -EINVAL);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(&f, message));
	fixture_free(&f);
}

static void
test_check_names(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO
		     "attach: {h1: {netns: a}}\n"
		     "events:\n  - {at: 1us, link: spine1-leaf2, state: down}\n"
		     "  - {at: 1us, port: leaf1.swp2, tx: off}\n"
		     "  - {at: 1us, port: h1.eth1, pfc: {priorities: [3], quanta: 5}}\n"
		     "record: {interval: 1us, queues: [leaf1.swp5.3], pcap: [h2.eth1]}\n");
	assert_int_equal(topology_check_names(f.topology, &f.diag), 0);
	fixture_free(&f);
	assert_unknown("attach: {h9: {netns: a}}\n", "t.yaml:14:10: attach: there is no host h9");
	assert_unknown("events:\n  - {at: 1us, link: leaf1-spin1, state: down}\n",
		       "t.yaml:15:21: events.link: there is no link leaf1-spin1; did you mean "
		       "leaf1-spine1?");
	assert_unknown("events:\n  - {at: 1us, link: leaf1-leaf2, state: down}\n",
		       "there is no link leaf1-leaf2: no link joins the two");
	assert_unknown("events:\n  - {at: 1us, link: leaf1, state: down}\n", "write A-B");
	assert_unknown("events:\n  - {at: 1us, port: leaf1.swp7, tx: off}\n",
		       "there is no port leaf1.swp7; leaf1 has swp1 .. swp6");
	assert_unknown("events:\n  - {at: 1us, port: swp1, tx: off}\n",
		       "swp1 names no port: write NODE.PORT, as in leaf1.swp1");
	assert_unknown("record: {interval: 1us, queues: [leaf1.swp5]}\n",
		       "leaf1.swp5 names no queue: write leaf1.swp5.0 .. leaf1.swp5.7");
	assert_unknown("record: {interval: 1us, queues: [leaf1.swp5.8]}\n", "names no queue");
	assert_unknown("record: {interval: 1us, queues: [leaf9.swp5.1]}\n",
		       "there is no node leaf9; did you mean leaf");
	assert_unknown("record: {pcap: [lefa1.swp5]}\n", "did you mean leaf1?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_dashed),
		cmocka_unit_test(test_check_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
