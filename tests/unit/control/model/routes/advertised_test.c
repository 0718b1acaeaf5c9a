// SPDX-License-Identifier: BSD-3-Clause
// What is told of a leaf, to whom and with what around it: by hand for small fabrics; and how much
// of it there is in a large one.
#include "tests/unit/control/model/topology/fixture.h"

#include <arpa/inet.h>
#include <time.h>

#define FABRIC(leaves, hosts)                                      \
	"fabric:\n  topology: {kind: leaf-spine, leaves: " #leaves \
	", spines: 2, hosts-per-leaf: " #hosts "}\n"

static const struct route *
find(const struct fixture *f, const char *node, const char *vrf, const char *text)
{
	const struct route_list *list = &f->routes->nodes[topology_find_node(f->topology, node)];
	struct config_prefix prefix = {0};
	char address[64];
	const char *slash = strchr(text, '/');
	int number = topology_find_vrf(f->topology, vrf);

	assert_true(number >= 0);
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	prefix.version = strchr(text, ':') != NULL ? 6 : 4;
	prefix.length = (uint8_t)atoi(slash + 1);
	assert_int_equal(
		inet_pton(prefix.version == 6 ? AF_INET6 : AF_INET, address, prefix.address), 1);
	return routes_find(list, (uint16_t)number, &prefix);
}

static uint32_t
count_in(const struct fixture *f, const char *node, const char *vrf)
{
	const struct route_list *list = &f->routes->nodes[topology_find_node(f->topology, node)];
	uint16_t number = (uint16_t)topology_find_vrf(f->topology, vrf);
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->count; i++)
		count += list->routes[i].vrf == number;
	return count;
}

// The route's packets go in VXLAN with this VNI to the leaf.
static void
assert_tunnel(const struct fixture *f, const char *node, const char *vrf, const char *prefix,
	      uint32_t vni, const char *leaf)
{
	const struct route_list *list = &f->routes->nodes[topology_find_node(f->topology, node)];
	const struct topo_node *far = &f->topology->nodes[topology_find_node(f->topology, leaf)];
	const struct route *route = find(f, node, vrf, prefix);
	const struct route_encap *encap;

	assert_non_null(route);
	assert_int_not_equal(route->encap, ROUTES_PLAIN);
	encap = &list->encaps[route->encap];
	assert_int_equal(encap->kind, CONFIG_ENCAP_VXLAN);
	assert_int_equal(encap->id, vni);
	if (f->config->fabric.underlay == 6)
		assert_memory_equal(encap->remote, far->loopback6, 16);
	else
		assert_memory_equal(encap->remote, far->loopback4, 4);
	assert_memory_equal(encap->mac, far->router_mac, 6);
	assert_int_equal(list->groups[route->group].count, 2);
}

static void
test_tunnels(void **state)
{
	struct fixture f;

	(void)state;
	// leaf1 is all red, leaf2 red and blue, leaf3 blue and rest.
	fixture_load(&f,
		     FABRIC(3, 2) "tenants:\n  red: {hosts: [h1, h2, h3], vni: 5001, dscp: pipe}\n"
				  "  blue: {hosts: [h4, h5], vni: 5002}\n");
	assert_tunnel(&f, "leaf2", "red", "10.0.1.0/24", 5001, "leaf1");
	assert_tunnel(&f, "leaf2", "red", "fd00::1:0/112", 5001, "leaf1");
	assert_tunnel(&f, "leaf1", "red", "10.0.2.1/32", 5001, "leaf2");
	assert_tunnel(&f, "leaf3", "blue", "10.0.2.2/32", 5002, "leaf2");
	assert_true(f.routes->nodes[0].encaps[find(&f, "leaf1", "red", "10.0.2.1/32")->encap].pipe);
	assert_null(find(&f, "leaf1", "red", "10.0.2.2/32"));
	assert_null(find(&f, "leaf1", "red", "10.0.2.0/24"));
	assert_int_equal(find(&f, "leaf2", "red", "10.0.2.1/32")->encap, ROUTES_PLAIN);
	assert_int_equal(count_in(&f, "leaf1", "blue"), 0);
	// The underlay has the leaves' loopbacks, and no tenant's host.
	assert_int_equal(count_in(&f, "spine1", "default"), 3);
	assert_int_equal(count_in(&f, "leaf1", "default"), 2);
	assert_non_null(find(&f, "spine1", "default", "172.16.0.1/32"));
	assert_non_null(find(&f, "leaf1", "default", "172.16.0.3/32"));
	assert_int_equal(count_in(&f, "spine1", "red"), 0);
	fixture_free(&f);
}

static void
test_tunnels_over_ipv6(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     "fabric:\n  underlay: 6\n  topology: {kind: leaf-spine, leaves: 2, spines: "
		     "2, hosts-per-leaf: 1}\n"
		     "tenants: {red: {hosts: [h1, h2], vni: 9}}\n");
	assert_tunnel(&f, "leaf1", "red", "10.0.2.0/24", 9, "leaf2");
	assert_tunnel(&f, "leaf1", "red", "fd00::2:0/112", 9, "leaf2");
	assert_int_equal(count_in(&f, "spine1", "default"), 2);
	fixture_free(&f);
}

// A leak goes both ways and no further; packets have the destination's VNI.
static void
test_leaks(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, FABRIC(3, 1) "tenants:\n  red: {hosts: [h1], vni: 5001, leak: [storage]}\n"
				      "  blue: {hosts: [h2], vni: 5002, leak: [storage]}\n"
				      "  storage: {hosts: [h3], vni: 6000, network: storage}\n");
	assert_tunnel(&f, "leaf1", "red", "10.0.3.0/24", 6000, "leaf3");
	assert_tunnel(&f, "leaf2", "blue", "10.0.3.0/24", 6000, "leaf3");
	assert_tunnel(&f, "leaf3", "storage", "10.0.1.0/24", 5001, "leaf1");
	assert_tunnel(&f, "leaf3", "storage", "10.0.2.0/24", 5002, "leaf2");
	assert_null(find(&f, "leaf1", "red", "10.0.2.0/24"));
	assert_null(find(&f, "leaf2", "blue", "10.0.1.0/24"));
	// red is at leaf1 alone: its own host, and storage's; of both versions.
	assert_int_equal(count_in(&f, "leaf1", "red"), 4);
	assert_int_equal(count_in(&f, "leaf3", "red"), 0);
	fixture_free(&f);
}

// Addresses of a tenant's own are told one by one, whoever else has them.
static void
test_addresses(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(
		&f,
		FABRIC(2, 2) "tenants:\n"
			     "  red: {hosts: [h1, h3], vni: 5001, addresses: {h1: 172.30.0.1, h3: "
			     "172.30.0.2}}\n"
			     "  blue: {hosts: [h2, h4], vni: 5002, addresses: {h2: 172.30.0.2, h4: "
			     "172.30.0.1}}\n");
	assert_tunnel(&f, "leaf1", "red", "172.30.0.2/32", 5001, "leaf2");
	assert_tunnel(&f, "leaf1", "blue", "172.30.0.1/32", 5002, "leaf2");
	assert_int_equal(find(&f, "leaf1", "red", "172.30.0.1/32")->encap, ROUTES_PLAIN);
	assert_null(find(&f, "leaf1", "red", "10.0.2.1/32"));
	fixture_free(&f);
	// All of the leaf in one VRF, but with an address from elsewhere: the prefix would lie.
	fixture_load(
		&f,
		FABRIC(2,
		       2) "tenants:\n  red: {hosts: [h1, h2, h3, h4], vni: 5001, addresses: {h3: "
			  "172.30.0.2}}\n");
	assert_tunnel(&f, "leaf1", "red", "172.30.0.2/32", 5001, "leaf2");
	assert_tunnel(&f, "leaf1", "red", "10.0.2.2/32", 5001, "leaf2");
	assert_tunnel(&f, "leaf1", "red", "fd00::2:0/112", 5001, "leaf2");
	assert_null(find(&f, "leaf1", "red", "10.0.2.0/24"));
	fixture_free(&f);
}

static void
test_borders(void **state)
{
	const struct route *gap;
	struct fixture f;

	(void)state;
	fixture_load(&f, FABRIC(3, 1) "tenants:\n  red: {hosts: [h1, h2, h3], vni: 5001, border: "
				      "{h3: [0.0.0.0/0, "
				      "\"2001:db8::/32\"]}}\n");
	assert_tunnel(&f, "leaf1", "red", "0.0.0.0/0", 5001, "leaf3");
	assert_tunnel(&f, "leaf2", "red", "2001:db8::/32", 5001, "leaf3");
	assert_int_equal(find(&f, "leaf3", "red", "0.0.0.0/0")->encap, ROUTES_PLAIN);
	// What leaf1 does not have of its prefix must not go out by the border and come back.
	gap = find(&f, "leaf1", "red", "10.0.1.0/24");
	assert_non_null(gap);
	assert_int_equal(gap->group, ROUTES_BLACKHOLE);
	fixture_free(&f);
	// A border within leaf2's prefix: no prefix is told of leaf2.
	fixture_load(&f,
		     FABRIC(3, 1) "tenants:\n  red: {hosts: [h1, h2, h3], vni: 5001, border: {h3: "
				  "[10.0.2.128/25]}}\n");
	assert_tunnel(&f, "leaf1", "red", "10.0.2.128/25", 5001, "leaf3");
	assert_tunnel(&f, "leaf1", "red", "10.0.2.1/32", 5001, "leaf2");
	assert_null(find(&f, "leaf1", "red", "10.0.2.0/24"));
	assert_tunnel(&f, "leaf1", "red", "10.0.3.0/24", 5001, "leaf3");
	fixture_free(&f);
}

// Whether packets that no other route of a tenant's VRF fits leave a switch, and who has them next:
// a host, the leaf at the tunnel's end, or the next switch.
static const char *
next_out(const struct fixture *f, const struct routes *routes, const char *node, const char *vrf)
{
	const struct topology *t = f->topology;
	const struct topo_node *from = &t->nodes[topology_find_node(t, node)];
	const struct route_list *list = &routes->nodes[from - t->nodes];
	const struct config_prefix all = {.version = 4};
	const struct route *route = routes_find(list, (uint16_t)topology_find_vrf(t, vrf), &all);

	if (route == NULL || route->group == ROUTES_BLACKHOLE)
		return NULL;
	for (uint32_t i = 0; i < t->leaf_count && route->encap != ROUTES_PLAIN; i++)
		if (memcmp(list->encaps[route->encap].remote, t->nodes[i].loopback4, 4) == 0)
			return t->nodes[i].name;
	return t->nodes[from->ports[list->members[list->groups[route->group].first].port].peer_node]
		.name;
}

static void
assert_out(const struct fixture *f, const struct routes *routes, const char *node, const char *vrf,
	   const char *wanted)
{
	const char *got = next_out(f, routes, node, vrf);

	if (wanted == NULL)
		assert_null(got);
	else
		assert_string_equal(got, wanted);
}

static void
cut(const struct fixture *f, bool *down, const char *name, bool is_down)
{
	uint32_t link;

	assert_int_equal(topology_find_link(f->topology, name, &link), 0);
	down[link] = is_down;
}

// A leaf's own border, else that of the first leaf that can be reached and whose border is up.
static void
test_borders_stand_in(void **state)
{
	bool down[64] = {false};
	struct routes *routes;
	struct fixture f;

	(void)state;
	fixture_load(&f, FABRIC(3, 2) "tenants:\n"
				      "  red: {hosts: [h1, h3, h5], vni: 5001, border: {h3: "
				      "[0.0.0.0/0], h5: [0.0.0.0/0]}}\n"
				      "  blue: {hosts: [h2], vlan: 12, leak: [red]}\n");
	assert_out(&f, f.routes, "leaf1", "red", "leaf2");
	assert_out(&f, f.routes, "leaf2", "red", "h3");
	assert_out(&f, f.routes, "leaf3", "red", "h5");
	assert_out(&f, f.routes, "leaf1", "blue", "leaf2");

	cut(&f, down, "leaf2-h3", true);
	assert_int_equal(routes_create(&routes, f.topology, down, &f.diag), 0);
	assert_out(&f, routes, "leaf1", "red", "leaf3");
	assert_out(&f, routes, "leaf2", "red", "leaf3");
	assert_out(&f, routes, "leaf3", "red", "h5");
	assert_out(&f, routes, "leaf1", "blue", "leaf3");
	routes_destroy(routes);

	cut(&f, down, "leaf3-h5", true);
	assert_int_equal(routes_create(&routes, f.topology, down, &f.diag), 0);
	assert_out(&f, routes, "leaf1", "red", NULL);
	assert_out(&f, routes, "leaf3", "red", NULL);
	routes_destroy(routes);

	memset(down, 0, sizeof(down));
	cut(&f, down, "leaf2-spine1", true);
	cut(&f, down, "leaf2-spine2", true);
	assert_int_equal(routes_create(&routes, f.topology, down, &f.diag), 0);
	assert_out(&f, routes, "leaf1", "red", "leaf3");
	routes_destroy(routes);
	fixture_free(&f);
}

// VRF-lite: switches between have the VRFs of VLANs. Plain tenants stand in the underlay.
static void
test_vlans_and_plain(void **state)
{
	const struct route_list *spine1;
	const struct route *route;
	struct fixture f;

	(void)state;
	fixture_load(
		&f,
		FABRIC(2, 2) "tenants:\n  red: {hosts: [h1, h3], vlan: 101}\n"
			     "  blue: {hosts: [h2, h4], encap: plain}\n  rest: {encap: plain}\n");
	spine1 = &f.routes->nodes[topology_find_node(f.topology, "spine1")];
	route = find(&f, "spine1", "red", "10.0.2.1/32");
	assert_non_null(route);
	assert_int_equal(spine1->encaps[route->encap].kind, CONFIG_ENCAP_VLAN);
	assert_int_equal(spine1->encaps[route->encap].id, 101);
	assert_int_equal(spine1->encap_count, 1);
	assert_null(find(&f, "spine1", "red", "10.0.2.2/32"));
	assert_int_equal(find(&f, "leaf1", "red", "10.0.1.1/32")->encap, ROUTES_PLAIN);
	assert_int_not_equal(find(&f, "leaf1", "red", "10.0.2.1/32")->encap, ROUTES_PLAIN);
	// Blue's are delivered out of the underlay, red's are not.
	assert_int_equal(find(&f, "spine1", "default", "10.0.2.0/24")->encap, ROUTES_PLAIN);
	assert_non_null(find(&f, "leaf2", "default", "10.0.2.2/32"));
	assert_null(find(&f, "leaf2", "default", "10.0.2.1/32"));
	assert_int_equal(find(&f, "leaf1", "blue", "10.0.2.2/32")->encap, ROUTES_PLAIN);
	fixture_free(&f);
}

// 100 tenants with a host in nearly every third of 32 leaves, and all with storage: what leaf1 has
// is what its tenants and storage have. Takes less than 30 ms; a second would be another order of
// growth.
static void
test_many(void **state)
{
	static char text[1 << 17];
	FILE *to = fmemopen(text, sizeof(text), "w");
	uint32_t expected = 0;
	struct fixture f;
	clock_t before;

	(void)state;
	fprintf(to, FABRIC(32, 32) "tenants:\n  storage: {vni: 1, hosts: [h1024]}\n");
	for (unsigned i = 0; i < 100; i++) {
		fprintf(to, "  t%u: {vni: %u, leak: [storage], hosts: [h%u", i, 5000 + i, i + 1);
		for (unsigned h = i + 101; h <= 1000; h += 100)
			fprintf(to, ", h%u", h);
		fprintf(to, "]}\n");
	}
	fclose(to);
	fixture_load(&f, text);
	routes_destroy(f.routes);
	before = clock();
	assert_int_equal(routes_create(&f.routes, f.topology, NULL, &f.diag), 0);
	assert_true(clock() - before < CLOCKS_PER_SEC);
	// leaf1 has h1 .. h32, each of another tenant of 10 hosts, and storage's one; of both
	// versions; and 31 loopbacks.
	expected = 32 * (10 + 1) * 2 + 31;
	assert_int_equal(f.routes->nodes[0].count, expected);
	assert_int_equal(f.routes->nodes[topology_find_node(f.topology, "spine1")].count, 32);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tunnels),         cmocka_unit_test(test_tunnels_over_ipv6),
		cmocka_unit_test(test_leaks),           cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_borders),         cmocka_unit_test(test_borders_stand_in),
		cmocka_unit_test(test_vlans_and_plain), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
