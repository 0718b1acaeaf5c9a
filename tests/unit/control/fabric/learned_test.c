// SPDX-License-Identifier: BSD-3-Clause
// What a switch's tables are built from where one of its VRFs learns routes.
#include "control/fabric/fabric.h"

#include "control/fabric/fabric_internal.h"

#include "tests/unit/control/model/topology/fixture.h"

#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n" \
	"tenants: {red: {hosts: [h1, h3], vni: 5001}}\n"
#define LEAF1 0
#define LEAF2 1

static const struct config_prefix h3 = {.version = 4, .length = 32, .address = {10, 0, 2, 1}};
static const struct config_prefix wide = {.version = 4, .length = 8, .address = {10}};
static const struct config_prefix none = {.version = 4, .length = 16, .address = {192, 168}};
static const struct config_prefix ip6 = {.version = 6, .length = 7, .address = {0xfc}};

// What was learned, in order: a way by `port` to all but `none`, which is dropped.
static struct route_list
learned(uint16_t vrf, uint16_t port)
{
	const struct config_prefix *prefixes[] = {&wide, &h3, &none, &ip6};
	const struct route_member member = {.port = port};
	struct route_list list = {0};
	uint32_t group;

	group = routes_add_group(&list, &member, 1);
	for (unsigned i = 0; i < 4; i++)
		routes_set(&list,
			   &(struct route){.prefix = *prefixes[i],
					   .vrf = vrf,
					   .group = prefixes[i] == &none ? ROUTES_BLACKHOLE : group,
					   .encap = ROUTES_PLAIN});
	return list;
}

static uint16_t
port_of(const struct route_list *list, const struct route *route)
{
	const struct route_group *group = &list->groups[route->group];

	assert_true(route->group < list->group_count && group->count == 1);
	return list->members[group->first].port;
}

static uint32_t
count_vrf(const struct route_list *list, uint16_t vrf)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		count += list->routes[i].vrf == vrf;
		assert_true(i == 0 || list->routes[i - 1].vrf <= list->routes[i].vrf);
	}
	return count;
}

static void
test_what_goes_before_what(void **state)
{
	struct fixture place;
	struct route_list scratch, list;
	const struct route_list *own, *all;
	const struct route_encap tag = {.kind = CONFIG_ENCAP_VLAN, .id = 77};
	const struct route *route;
	struct fabric f = {0};
	uint16_t red, port;
	uint32_t others, encap;

	(void)state;
	fixture_load(&place, PLACE);
	f.topology = place.topology;
	f.routes = place.routes;
	red = (uint16_t)topology_find_vrf(place.topology, "red");
	own = &place.routes->nodes[LEAF1];
	all = fabric_merge_learned(&f, LEAF1, &f.routes->nodes[LEAF1], &scratch);
	assert_ptr_equal(all, own); // none learns
	others = own->count - count_vrf(own, red);

	// Who learns has at first what the file writes alone.
	routes_find(own, red, &h3)->source = ROUTE_STATIC;
	fabric_learn(&f, LEAF1, red);
	fabric_learn(&f, LEAF1, red);
	all = fabric_merge_learned(&f, LEAF1, &f.routes->nodes[LEAF1], &scratch);
	assert_ptr_equal(all, &scratch);
	assert_int_equal(count_vrf(all, red), 1);
	assert_non_null(routes_find(all, red, &h3));
	assert_int_equal(all->count - 1, others);
	routes_clear(&scratch);

	// What is learned comes beside it, and what comes later takes its place.
	for (port = 1; port <= 2; port++) {
		list = learned(red, port);
		fabric_set_learned(&f, LEAF1, red, &list);
		assert_null(list.routes);
		all = fabric_merge_learned(&f, LEAF1, &f.routes->nodes[LEAF1], &scratch);
		assert_int_equal(count_vrf(all, red), 4);
		assert_int_equal(all->count - 4, others);
		assert_int_equal(port_of(all, routes_find(all, red, &wide)), port);
		assert_int_equal(port_of(all, routes_find(all, red, &ip6)), port);
		assert_int_equal(routes_find(all, red, &none)->group, ROUTES_BLACKHOLE);
		assert_int_equal(routes_find(all, red, &h3)->source, ROUTE_STATIC);
		routes_clear(&scratch);
	}
	// Its encapsulation goes with it.
	list = learned(red, 1);
	encap = routes_append_encap(&list, &tag);
	routes_find(&list, red, &wide)->encap = encap;
	fabric_set_learned(&f, LEAF1, red, &list);
	all = fabric_merge_learned(&f, LEAF1, &f.routes->nodes[LEAF1], &scratch);
	route = routes_find(all, red, &wide);
	assert_true(route->encap < all->encap_count);
	assert_int_equal(all->encaps[route->encap].kind, CONFIG_ENCAP_VLAN);
	assert_int_equal(all->encaps[route->encap].id, 77);
	assert_int_equal(routes_find(all, red, &ip6)->encap, ROUTES_PLAIN);
	routes_clear(&scratch);
	// Of other switches nothing has changed.
	all = fabric_merge_learned(&f, LEAF2, &f.routes->nodes[LEAF2], &scratch);
	assert_ptr_equal(all, &place.routes->nodes[LEAF2]);
	fabric_forget_learned(&f);
	assert_null(f.learned);
	fixture_free(&place);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_before_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
