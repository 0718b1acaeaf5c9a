// SPDX-License-Identifier: BSD-3-Clause
// Computed routes: the demo's by hand, and on many topologies, with and without failed links, every
// way that a packet can take followed to its end. ROOST_TEST_FULL=1 tries more of them.
#include "control/routes/computed.h"
#include "dataplane/random.h"
#include "tests/unit/control/topology/fixture.h"

#include <arpa/inet.h>

static struct config_prefix
prefix4(const char *text, uint8_t length)
{
	struct config_prefix prefix = {.version = 4, .length = length};

	assert_int_equal(inet_pton(AF_INET, text, prefix.address), 1);
	return prefix;
}

// How many members the route of exactly this prefix has; -1 when there is none.
static int
members_of(const struct fixture *f, const char *node, const char *vrf, const char *text,
	   uint8_t length)
{
	const struct route_list *list = &f->routes->nodes[topology_find_node(f->topology, node)];
	struct config_prefix prefix = prefix4(text, length);
	const struct route *route =
		routes_find(list, (uint16_t)topology_find_vrf(f->topology, vrf), &prefix);

	return route == NULL ? -1 : (int)list->groups[route->group].count;
}

static void
test_demo(void **state)
{
	static const uint8_t h1_mac[6] = {2, 0, 10, 0, 1, 1};
	const struct route_list *leaf1;
	const struct route_member *member;
	const struct topo_port *spine1;
	struct config_prefix prefix;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	// Per family: red 2 local and 2 remote, blue likewise, default 4 local; a spine has 2
	// leaves.
	assert_int_equal(f.routes->nodes[0].count, 2 * 12);
	assert_int_equal(f.routes->nodes[2].count, 2 * 2);
	assert_int_equal(f.routes->nodes[4].count, 0);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.1.1", 32), 1);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.2.1", 32), 2);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.1.3", 32), -1);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.2.3", 32), -1);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.2.0", 24), -1);
	assert_int_equal(members_of(&f, "leaf1", "blue", "10.0.2.3", 32), 2);
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.1.3", 32), 1);
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.2.3", 32), -1);
	assert_int_equal(members_of(&f, "spine2", "default", "10.0.2.0", 24), 1);
	// The members' ports and MACs.
	leaf1 = &f.routes->nodes[0];
	prefix = prefix4("10.0.1.1", 32);
	member = &leaf1->members[leaf1->groups[routes_find(leaf1, 1, &prefix)->group].first];
	assert_int_equal(member->port, 0);
	assert_memory_equal(member->mac, h1_mac, 6);
	prefix = prefix4("10.0.2.2", 32);
	member = &leaf1->members[leaf1->groups[routes_find(leaf1, 1, &prefix)->group].first];
	spine1 = &f.topology->nodes[2].ports[0];
	assert_int_equal(member[0].port, 4);
	assert_int_equal(member[1].port, 5);
	assert_memory_equal(member[0].mac, spine1->mac, 6);
	// All remote hosts share one group.
	assert_int_equal(leaf1->group_count, 4 + 1);
	fixture_free(&f);
}

static void
test_aggregates(void **state)
{
	struct fixture f;

	(void)state;
	// leaf1 is all red, leaf2 all blue, leaf3 has one of each and h6 of `rest`, as all hosts of
	// leaf4.
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 4, spines: 3, "
			 "hosts_per_leaf: 2}\n"
			 "tenants:\n  red: {hosts: [h1, h2, h5]}\n  blue: {hosts: [h3, h4]}\n");
	assert_int_equal(members_of(&f, "leaf3", "red", "10.0.1.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf3", "red", "10.0.1.1", 32), -1);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.3.1", 32), 3);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.3.0", 24), -1);
	assert_int_equal(members_of(&f, "leaf1", "red", "10.0.1.1", 32), 1);
	assert_int_equal(members_of(&f, "leaf3", "rest", "10.0.4.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf4", "rest", "10.0.3.2", 32), 3);
	assert_int_equal(members_of(&f, "leaf4", "rest", "10.0.3.1", 32), -1);
	assert_int_equal(members_of(&f, "leaf4", "rest", "10.0.1.0", 24), -1);
	// A VRF that a leaf has no host of takes no room there.
	assert_int_equal(members_of(&f, "leaf2", "red", "10.0.1.0", 24), -1);
	assert_true(routes_join(f.routes, f.topology, 0, 0, 4, 0));
	assert_true(routes_join(f.routes, f.topology, 5, 0, 7, 0));
	assert_false(routes_join(f.routes, f.topology, 0, 0, 2, 0));
	assert_false(routes_join(f.routes, f.topology, 0, 0, 7, 0));
	assert_false(routes_join(f.routes, f.topology, 7, 0, 0, 0));
	assert_false(routes_join(f.routes, f.topology, 4, 0, 5, 0));
	fixture_free(&f);
	// Without tenants there is one VRF, and fabric ports are in it.
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 3, "
			 "hosts_per_leaf: 2}\n");
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.2.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.1.2", 32), 1);
	assert_int_equal(f.routes->nodes[0].count, 2 * 3);
	fixture_free(&f);
}

static void
test_link_down(void **state)
{
	bool down[64] = {false};
	struct routes *routes;
	uint32_t link;
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 4, "
			 "hosts_per_leaf: 1}\n");
	assert_int_equal(topology_find_link(f.topology, "leaf2-spine3", &link), 0);
	down[link] = true;
	assert_int_equal(routes_create(&routes, f.topology, down, &f.diag), 0);
	routes_destroy(f.routes);
	f.routes = routes;
	// Nobody sends to leaf2 by spine3, nor leaf2 to anybody; the others still use it.
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.2.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf2", "default", "10.0.1.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.3.0", 24), 4);
	assert_int_equal(members_of(&f, "spine3", "default", "10.0.2.0", 24), -1);
	fixture_free(&f);
}

// ---- every way a packet can take ----------------------------------------------------------------

struct walk {
	const struct topology *t;
	const struct routes *routes;
	const bool *down;
	const struct topo_port *to;
	uint32_t to_node;
	uint32_t ends; // ways followed to the destination
};

static void
follow(struct walk *w, uint32_t node, uint16_t vrf, unsigned hops)
{
	const struct route_list *list = &w->routes->nodes[node];
	const struct route *route = routes_lookup(list, vrf, 4, w->to->ip4);
	const struct route *route6 = routes_lookup(list, vrf, 6, w->to->ip6);

	assert_true(hops <= w->t->first_host); // else a loop
	assert_non_null(route); // nobody sends to a switch that has no way on
	assert_non_null(route6);
	assert_int_equal(route->group, route6->group);
	for (uint32_t m = 0; m < list->groups[route->group].count; m++) {
		const struct route_member *member =
			&list->members[list->groups[route->group].first + m];
		const struct topo_port *out = &w->t->nodes[node].ports[member->port];
		const struct topo_port *in = &w->t->nodes[out->peer_node].ports[out->peer_port];

		assert_memory_equal(member->mac, in->mac, 6);
		if (out->peer_node == w->to_node) {
			w->ends++;
			continue;
		}
		assert_true(out->peer_node < w->t->first_host); // no stranger gets it
		assert_false(w->down[out->link]);
		follow(w, out->peer_node, in->vrf, hops + 1);
	}
}

// Whether a path that climbs and then descends exists, by trying all.
static bool
climbs_and_descends(const struct updown *u, uint32_t at, uint32_t to, bool descending,
		    unsigned hops)
{
	const struct topology *t = u->topology;

	if (at == to)
		return true;
	for (uint16_t p = 0; hops > 0 && p < t->nodes[at].port_count; p++) {
		const struct topo_port *port = &t->nodes[at].ports[p];
		bool up;

		if (port->peer_node >= t->first_host || u->link_down[port->link])
			continue;
		up = u->rank[port->peer_node] > u->rank[at];
		if ((!up || !descending) &&
		    climbs_and_descends(u, port->peer_node, to, !up, hops - 1))
			return true;
	}
	return false;
}

static void
check_all_pairs(const struct topology *t, const bool *down, unsigned *joined)
{
	struct config_diag diag = {0};
	struct routes *routes;
	struct updown u;

	assert_int_equal(routes_create(&routes, t, down, &diag), 0);
	assert_int_equal(updown_create(&u, t, down), 0);
	for (uint32_t a = 0; a < t->host_count; a++) {
		for (uint32_t b = 0; b < t->host_count; b++) {
			const struct topo_port *from = &topology_host(t, a)->ports[0];
			const struct topo_port *to = &topology_host(t, b)->ports[0];
			bool joins = routes_join(routes, t, a, 0, b, 0);
			bool same = from->tenant == to->tenant;
			struct walk w = {t, routes, down, to, t->first_host + b, 0};

			if (a == b)
				continue;
			assert_int_equal(joins,
					 same && climbs_and_descends(&u, from->peer_node,
								     to->peer_node, false, 8));
			if (!joins)
				continue;
			follow(&w, from->peer_node, from->vrf, 0);
			assert_true(w.ends > 0);
			(*joined)++;
		}
	}
	updown_destroy(&u);
	routes_destroy(routes);
}

// A random explicit fabric: leaves with one host each, spines in up to two tiers, links anywhere.
static void
random_file(struct random *r, char *text, size_t size)
{
	unsigned leaves = 2 + random_below(r, 4), spines = random_below(r, 5);
	unsigned ports[16] = {0}, used = 0;
	FILE *to = fmemopen(text, size, "w");

	fprintf(to, "fabric:\n  topology:\n    kind: explicit\n    nodes: {");
	for (unsigned i = 0; i < leaves; i++)
		fprintf(to, "leaf%u: leaf, h%u: host, g%u: host, ", i, i, i);
	for (unsigned i = 0; i < spines; i++)
		fprintf(to, "spine%u: spine%s", i, i + 1 < spines ? ", " : "");
	fprintf(to, "}\n    links:\n");
	for (unsigned i = 0; i < leaves; i++) {
		fprintf(to, "      - {a: h%u, b: leaf%u.swp%u}\n", i, i, ++ports[i]);
		fprintf(to, "      - {a: leaf%u.swp%u, b: g%u}\n", i, ++ports[i], i);
	}
	for (unsigned a = 0; a < leaves + spines; a++) {
		for (unsigned b = a + 1; b < leaves + spines; b++) {
			bool leaf_leaf = b < leaves;

			while (random_below(r, 8) < (leaf_leaf ? 2u : 4u) && used++ < 40)
				fprintf(to, "      - {a: %s%u.swp%u, b: %s%u.swp%u}\n",
					a < leaves ? "leaf" : "spine", a < leaves ? a : a - leaves,
					++ports[a], b < leaves ? "leaf" : "spine",
					b < leaves ? b : b - leaves, ++ports[b]);
		}
	}
	if (random_below(r, 2) == 0)
		fprintf(to, "tenants: {red: {hosts: [h0, h1, g0]}, blue: {hosts: [g1]}}\n");
	fclose(to);
}

static void
test_all_ways(void **state)
{
	const char *full = getenv("ROOST_TEST_FULL");
	unsigned rounds = full != NULL && strcmp(full, "1") == 0 ? 3000 : 150, joined = 0;
	struct random r = random_stream(7, 7);
	static char text[65536];

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		struct fixture f;
		bool down[256] = {false};

		random_file(&r, text, sizeof(text));
		fixture_load(&f, text);
		check_all_pairs(f.topology, down, &joined);
		for (uint32_t l = 0; l < f.topology->link_count; l++)
			down[l] = !f.topology->links[l].host && random_below(&r, 4) == 0;
		check_all_pairs(f.topology, down, &joined);
		fixture_free(&f);
	}
	assert_true(joined > 10 * rounds); // the walks did happen
}

static void
test_all_ways_leaf_spine(void **state)
{
	bool down[256] = {false};
	unsigned joined = 0;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	check_all_pairs(f.topology, down, &joined);
	assert_int_equal(joined, 2 * 4 * 3); // within the tenants, and nothing else
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo),
		cmocka_unit_test(test_aggregates),
		cmocka_unit_test(test_link_down),
		cmocka_unit_test(test_all_ways),
		cmocka_unit_test(test_all_ways_leaf_spine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
