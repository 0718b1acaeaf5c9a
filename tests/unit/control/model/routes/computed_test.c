// SPDX-License-Identifier: BSD-3-Clause
// Computed routes: the demo's by hand, and on many topologies, with and without failed links, every
// way that a packet can take followed to its end. ROOST_TEST_FULL=1 tries more of them.
#include "control/model/routes/routes_internal.h"
#include "dataplane/base/random.h"
#include "tests/unit/control/model/topology/fixture.h"

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
			 "hosts-per-leaf: 2}\n"
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
			 "hosts-per-leaf: 2}\n");
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.2.0", 24), 3);
	assert_int_equal(members_of(&f, "leaf1", "default", "10.0.1.2", 32), 1);
	// Of each version two hosts, a leaf, and the loopbacks of that and of the spines.
	assert_int_equal(f.routes->nodes[0].count, 2 * (3 + 4));
	assert_int_equal(members_of(&f, "leaf1", "default", "172.16.0.2", 32), 3);
	assert_int_equal(members_of(&f, "leaf1", "default", "172.17.0.3", 32), 1);
	assert_int_equal(members_of(&f, "spine1", "default", "172.16.0.2", 32), 1);
	assert_int_equal(members_of(&f, "spine1", "default", "172.17.0.2", 32), -1);
	assert_int_equal(members_of(&f, "leaf1", "default", "172.16.0.1", 32), -1);
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
			 "hosts-per-leaf: 1}\n");
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

// What a switch between has no way to any more does not go out by a border instead, to a stranger.
static void
test_no_way_out(void **state)
{
	static const char *const kept[] = {"172.16.0.2", "10.0.2.2", "9.9.9.9"};
	bool down[64] = {false};
	struct routes *routes;
	uint32_t link;
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, "
			 "hosts-per-leaf: 2}\n"
			 "tenants:\n  red: {hosts: [h1, h3], vni: 5001}\n"
			 "  green: {hosts: [h2, h4], encap: plain, border: {h4: [9.0.0.0/8]}}\n"
			 "  open: {hosts: [h5], encap: plain, border: {h5: [0.0.0.0/0]}}\n");
	for (unsigned spine = 1; spine <= 2; spine++) {
		char name[32];

		snprintf(name, sizeof(name), "leaf2-spine%u", spine);
		assert_int_equal(topology_find_link(f.topology, name, &link), 0);
		down[link] = true;
	}
	assert_int_equal(routes_create(&routes, f.topology, down, &f.diag), 0);
	for (unsigned i = 0; i < 3; i++) {
		const struct route_list *list = &routes->nodes[f.topology->leaf_count];
		const struct route *route;
		uint8_t address[16];

		assert_int_equal(inet_pton(AF_INET, kept[i], address), 1);
		route = routes_lookup(list, TOPOLOGY_VRF_DEFAULT, 4, address);
		assert_non_null(route);
		assert_int_equal(route->group, ROUTES_BLACKHOLE);
		address[0] = 8;
		route = routes_lookup(list, TOPOLOGY_VRF_DEFAULT, 4, address);
		assert_int_not_equal(route->group, ROUTES_BLACKHOLE);
	}
	routes_destroy(routes);
	fixture_free(&f);
}

// ---- every way a packet can take ----------------------------------------------------------------

struct walk {
	const struct topology *t;
	const struct routes *routes;
	const bool *down;
	uint16_t from; // VRF
	uint8_t version;
	const uint8_t *address;
	bool arrives;       // else it may be dropped anywhere
	uint32_t ends;      // ways followed to a host
	uint32_t last_host; // that one of them led to
};

static const uint8_t *
loopback(const struct walk *w, uint32_t node)
{
	const struct topo_node *n = &w->t->nodes[node];

	return w->t->config->fabric.underlay == 6 ? n->loopback6 : n->loopback4;
}

// The VRF that a packet is in that has come to a switch in this; VRF_NONE: in a tunnel that goes
// on.
static uint16_t
arrive(const struct walk *w, uint32_t node, const struct route_encap *encap)
{
	unsigned bytes = w->t->config->fabric.underlay == 6 ? 16 : 4;

	if (encap == NULL)
		return TOPOLOGY_VRF_DEFAULT;
	if (encap->kind == CONFIG_ENCAP_VXLAN &&
	    memcmp(encap->remote, loopback(w, node), bytes) != 0)
		return VRF_NONE;
	if (encap->kind == CONFIG_ENCAP_VXLAN)
		assert_memory_equal(encap->mac, w->t->nodes[node].router_mac, 6);
	for (uint16_t v = 0; v < w->t->vrf_count; v++)
		if (encap->kind == w->t->vrfs[v].encap &&
		    encap->id == (encap->kind == CONFIG_ENCAP_VXLAN ? w->t->vrfs[v].vni
								    : w->t->vrfs[v].vid))
			return v;
	fail();
	return VRF_NONE;
}

static void
end_at(struct walk *w, const struct topo_port *host, uint32_t node, const struct route_encap *encap)
{
	assert_null(encap);
	assert_true(topology_vrfs_joined(w->t, w->from, host->vrf)); // no stranger gets it
	w->last_host = node;
	w->ends++;
}

static void
follow(struct walk *w, uint32_t node, uint16_t vrf, const struct route_encap *encap, unsigned hops)
{
	const struct route_list *list = &w->routes->nodes[node];
	bool passes = vrf == VRF_NONE;
	const struct route *route = passes ? routes_lookup(list, TOPOLOGY_VRF_DEFAULT,
							   (uint8_t)w->t->config->fabric.underlay,
							   encap->remote)
					   : routes_lookup(list, vrf, w->version, w->address);

	assert_true(hops <= 2 * w->t->first_host); // else a loop
	if (!w->arrives && (route == NULL || route->group == ROUTES_BLACKHOLE))
		return;
	assert_non_null(route); // nobody sends to a switch that has no way on
	assert_int_not_equal(route->group, ROUTES_BLACKHOLE);
	if (!passes)
		encap = route->encap == ROUTES_PLAIN ? NULL : &list->encaps[route->encap];
	for (uint32_t m = 0; m < list->groups[route->group].count; m++) {
		const struct route_member *member =
			&list->members[list->groups[route->group].first + m];
		const struct topo_port *out = &w->t->nodes[node].ports[member->port];
		const struct topo_port *in = &w->t->nodes[out->peer_node].ports[out->peer_port];

		assert_memory_equal(member->mac, in->mac, 6);
		assert_false(w->down[out->link] && out->peer_node < w->t->first_host);
		if (out->peer_node >= w->t->first_host)
			end_at(w, in, out->peer_node, encap);
		else
			follow(w, out->peer_node, arrive(w, out->peer_node, encap), encap,
			       hops + 1);
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
check_pair(struct walk *w, const struct topo_port *from, const struct topo_port *to)
{
	for (w->version = 4; w->version <= 6; w->version += 2) {
		w->ends = 0;
		w->address = w->version == 4 ? to->ip4 : to->ip6;
		follow(w, from->peer_node, from->vrf, NULL, 0);
		if (!w->arrives)
			continue;
		assert_true(w->ends > 0);
		assert_ptr_equal(&w->t->nodes[w->last_host].ports[0], to);
	}
}

// Addresses that nobody has, some within a leaf's prefix: they leave by a border that the VRF
// knows, if at all, and never go round.
static void
check_strangers(struct walk *w, const struct topo_port *from)
{
	static const uint8_t strangers[][4] = {{203, 0, 113, 5}, {10, 0, 1, 99}, {10, 0, 2, 99}};

	w->version = 4;
	w->arrives = false;
	for (unsigned i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		w->ends = 0;
		w->address = strangers[i];
		follow(w, from->peer_node, from->vrf, NULL, 0);
		assert_true(w->ends == 0 || w->t->border_count > 0);
	}
}

static void
check_all_pairs(const struct topology *t, const bool *down, unsigned *joined)
{
	struct diag diag = {0};
	struct routes *routes;
	struct updown u;

	assert_int_equal(routes_create(&routes, t, down, &diag), 0);
	updown_create(&u, t, down);
	for (uint32_t a = 0; a < t->host_count; a++) {
		const struct topo_port *from = &topology_host(t, a)->ports[0];
		struct walk w = {t, routes, down, from->vrf, 4, NULL, false, 0, 0};

		for (uint32_t b = 0; b < t->host_count; b++) {
			const struct topo_port *to = &topology_host(t, b)->ports[0];
			bool may = topology_vrfs_joined(t, from->vrf, to->vrf);

			if (a == b)
				continue;
			w.arrives = may && climbs_and_descends(&u, from->peer_node, to->peer_node,
							       false, 8);
			// What is cut off may have a border's route.
			if (t->border_count == 0 || w.arrives)
				assert_int_equal(routes_join(routes, t, a, 0, b, 0), w.arrives);
			check_pair(&w, from, to);
			*joined += w.arrives;
		}
		check_strangers(&w, from);
	}
	updown_destroy(&u);
	routes_destroy(routes);
}

// Hosts h0, g0 and h1, g1 hang on two leaves.
static const char *const slices[] = {
	"",
	"tenants: {red: {hosts: [h0, h1, g0]}, blue: {hosts: [g1]}}\n",
	// Overlapping addresses in tunnels; two of rest's own.
	"tenants:\n"
	"  red: {hosts: [h0, h1], vni: 5001, addresses: {h0: 172.30.0.1, h1: 172.30.0.2}}\n"
	"  blue: {hosts: [g0, g1], vni: 5002, addresses: {g0: [172.30.0.2, \"fd01::2\"], "
	"g1: 172.30.0.1}}\n",
	"tenants:\n"
	"  red: {hosts: [h0, h1], vlan: 11, addresses: {h0: 172.30.0.1, h1: 172.30.0.2}}\n"
	"  blue: {hosts: [g0, g1], vlan: 12, addresses: {g0: 172.30.0.2, g1: 172.30.0.1}}\n",
	// All kinds, leaks between them, and ways out.
	"tenants:\n"
	"  red: {hosts: [h0], vni: 5001, leak: [storage]}\n"
	"  blue: {hosts: [g0], vlan: 12, leak: [storage]}\n"
	"  storage: {hosts: [h1, g1], encap: plain, border: {g1: [0.0.0.0/0, \"::/0\"]}}\n"
	"  rest: {vni: 77}\n",
	"tenants:\n"
	"  red: {hosts: [h0, h1, g1], vni: 5001, dscp: pipe, border: {h0: [0.0.0.0/0], "
	"h1: [10.0.1.64/26]}}\n"
	"  blue: {hosts: [g0], vni: 5002, leak: [red], border: {g0: [198.18.0.0/15]}}\n"
	"  rest: {encap: plain}\n",
	// Borders that stand in for each other, on one leaf and on two.
	"tenants:\n"
	"  red: {hosts: [h0, h1], vni: 5001, border: {h0: [0.0.0.0/0], h1: [0.0.0.0/0]}}\n"
	"  rest: {encap: plain}\n",
	"tenants:\n"
	"  red: {hosts: [h0, g0], vlan: 12, leak: [way]}\n"
	"  way: {hosts: [h1, g1], vni: 5001, border: {h1: [0.0.0.0/0], g1: [0.0.0.0/0]}}\n"
	"  rest: {vni: 77}\n",
};

// A random explicit fabric: leaves with one host each, spines in up to two tiers, links anywhere.
static void
random_file(struct random *r, char *text, size_t size)
{
	unsigned leaves = 2 + random_below(r, 4), spines = random_below(r, 5);
	unsigned ports[16] = {0}, used = 0;
	FILE *to = fmemopen(text, size, "w");

	fprintf(to, "fabric:\n  underlay: %d\n", random_below(r, 2) == 0 ? 4 : 6);
	fprintf(to, "  topology:\n    kind: explicit\n    nodes: {");
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
	fputs(slices[random_below(r, sizeof(slices) / sizeof(slices[0]))], to);
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
			down[l] = random_below(&r, 4) == 0;
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
		cmocka_unit_test(test_demo),      cmocka_unit_test(test_aggregates),
		cmocka_unit_test(test_link_down), cmocka_unit_test(test_no_way_out),
		cmocka_unit_test(test_all_ways),  cmocka_unit_test(test_all_ways_leaf_spine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
