// SPDX-License-Identifier: BSD-3-Clause
// Routes as a file writes them, and route events.
#include "tests/unit/control/model/topology/fixture.h"

#include <arpa/inet.h>

#define DUT                                                 \
	"switch:\n  name: dut\n  preset: sonic\n  ports:\n" \
	"    swp1: {rate: 100G, cable: 5m, vrf: red}\n"     \
	"    swp3: {rate: 100G, cable: 5m, vrf: red}\n"
#define MAC2 "\"02:00:00:00:02:02\""

static const struct route *
lookup(const struct fixture *f, uint32_t node, const char *vrf, const char *address)
{
	uint8_t bytes[16];
	uint8_t version = strchr(address, ':') != NULL ? 6 : 4;

	assert_int_equal(inet_pton(version == 4 ? AF_INET : AF_INET6, address, bytes), 1);
	return routes_lookup(&f->routes->nodes[node], (uint16_t)topology_find_vrf(f->topology, vrf),
			     version, bytes);
}

static void
test_written(void **state)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 2, 2};
	const struct route_list *list;
	const struct route *route;
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     DUT "  routes:\n"
			 "    - {vrf: red, prefix: 198.18.0.0/16, via: [{port: swp3, mac: " MAC2
			 "}, {port: swp1, mac: " MAC2 "}]}\n"
			 "    - {vrf: red, prefix: 198.18.2.0/24, via: []}\n"
			 "    - {vrf: red, prefix: \"2001:db8::/32\", via: [{port: swp1, mac: " MAC2
			 "}]}\n"
			 "    - {prefix: 0.0.0.0/0, via: [{port: swp1, mac: " MAC2 "}]}\n");
	list = &f.routes->nodes[0];
	route = lookup(&f, 0, "red", "198.18.7.7");
	assert_int_equal(list->groups[route->group].count, 2);
	assert_int_equal(list->members[list->groups[route->group].first].port, 1); // swp3
	assert_memory_equal(list->members[list->groups[route->group].first].mac, mac, 6);
	assert_int_equal(lookup(&f, 0, "red", "198.18.2.7")->group, ROUTES_BLACKHOLE);
	assert_null(lookup(&f, 0, "red", "198.19.2.7"));
	assert_non_null(lookup(&f, 0, "red", "2001:db8::7"));
	assert_non_null(lookup(&f, 0, "default", "198.19.2.7"));
	fixture_free(&f);
}

static void
test_written_errors(void **state)
{
	(void)state;
	fixture_refused(
		DUT
		"  routes:\n    - {vrf: red, prefix: 198.18.0.0/16, via: [{port: swp2, mac: " MAC2
		"}]}\n",
		"t.yaml:8:54: routes.via: there is no port swp2; dut has swp1 .. swp3");
	fixture_refused(
		DUT
		"  routes:\n    - {vrf: red, prefix: 198.18.0.0/16, via: [{port: swp3, mac: " MAC2
		"}, {port: swp3, mac: " MAC2 "}]}\n",
		"swp3 appears twice");
	fixture_refused(
		DUT
		"  routes:\n    - {vrf: red, prefix: 198.18.0.0/16, via: [{port: swp3, mac: " MAC2
		"}]}\n    - {vrf: red, prefix: 198.18.0.0/16, via: [{port: swp1, mac: " MAC2
		"}]}\n",
		"t.yaml:9:26: routes.prefix: VRF red already has a route of this prefix");
}

static void
test_events(void **state)
{
	const struct route_list *list;
	const struct route *route;
	struct fixture f;
	uint32_t node;

	(void)state;
	fixture_load(
		&f, FIXTURE_DEMO
		"events:\n"
		"  - {at: 0us, node: leaf1, route: {vrf: red, prefix: 10.0.0.0/8, via: [spine1]}}\n"
		"  - {at: 0us, node: spine2, route: {prefix: 10.0.1.0/24, via: [leaf1, leaf2]}}\n"
		"  - {at: 0us, node: leaf1, route: {vrf: red, prefix: 10.0.2.1/32, via: []}}\n");
	assert_int_equal(routes_check_events(f.topology, &f.diag), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(routes_apply_event(f.routes, f.topology, &f.config->events[i],
						    &node, &f.diag),
				 0);
		assert_int_equal(node, i == 1 ? 3 : 0);
	}
	list = &f.routes->nodes[0];
	route = lookup(&f, 0, "red", "10.99.0.1");
	assert_int_equal(list->groups[route->group].count, 1);
	assert_int_equal(list->members[list->groups[route->group].first].port, 4);
	assert_memory_equal(list->members[list->groups[route->group].first].mac,
			    f.topology->nodes[2].ports[0].mac, 6);
	assert_int_equal(lookup(&f, 0, "red", "10.0.2.1")->group, route->group); // its own is gone
	list = &f.routes->nodes[3];
	assert_int_equal(list->groups[lookup(&f, 3, "default", "10.0.1.9")->group].count, 2);
	fixture_free(&f);
}

static void
assert_bad_event(const char *event, const char *message)
{
	char text[2048];

	snprintf(text, sizeof(text), "%sevents:\n  - %s\n", FIXTURE_DEMO, event);
	fixture_refused_event(text, message);
}

static void
test_event_errors(void **state)
{
	(void)state;
	assert_bad_event("{at: 0us, node: leaf7, route: {prefix: 10.0.0.0/8, via: [spine1]}}",
			 "t.yaml:15:21: events.node: there is no node leaf7; did you mean leaf");
	assert_bad_event("{at: 0us, route: {prefix: 10.0.0.0/8, via: [spine1]}}", "needs `node:`");
	assert_bad_event("{at: 0us, node: h1, route: {prefix: 10.0.0.0/8, via: [leaf1]}}",
			 "h1 is a host");
	assert_bad_event(
		"{at: 0us, node: leaf1, route: {vrf: rad, prefix: 10.0.0.0/8, via: [spine1]}}",
		"there is no VRF rad; did you mean red?");
	assert_bad_event("{at: 0us, node: leaf1, route: {prefix: 10.0.0.0/8, via: [leaf2]}}",
			 "no link joins leaf1 and leaf2");
	assert_bad_event("{at: 0us, node: leaf1, route: {prefix: 10.0.0.0/8, via: [spine3]}}",
			 "did you mean spine");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_written_errors),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_event_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
