// SPDX-License-Identifier: BSD-3-Clause
// The encapsulation of static routes: of a single switch's file and of a fabric's route events.
#include "tests/unit/control/model/topology/fixture.h"

#include <arpa/inet.h>

#define MAC "\"02:02:00:00:02:00\""
#define DUT                                                                                    \
	"switch:\n  name: dut\n  vtep: 172.16.0.1\n"                                           \
	"  tenants: {red: {vni: 5001}, blue: {vni: 5002, dscp: pipe}, green: {vlan: 103}}\n"   \
	"  ports:\n    swp1: {vrf: red, tenant: red}\n    swp2: {vrf: green, tenant: green}\n" \
	"    swp8: {uplink: true}\n    swp9: {uplink: true}\n"                                 \
	"  routes:\n    - {prefix: 172.16.0.0/24, via: [{port: swp8, mac: " MAC "}]}\n"
#define DEMO                                                                                 \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 1}\n" \
	"tenants: {red: {hosts: [h1, h2, h3], vni: 5001}}\n"

static const struct route *
lookup(const struct fixture *f, const char *vrf, const char *address)
{
	uint8_t bytes[16];

	assert_int_equal(inet_pton(AF_INET, address, bytes), 1);
	return routes_lookup(&f->routes->nodes[0], (uint16_t)topology_find_vrf(f->topology, vrf), 4,
			     bytes);
}

// The port of the route's only next hop.
static uint16_t
port_of(const struct fixture *f, const struct route *route)
{
	const struct route_list *list = &f->routes->nodes[0];

	assert_int_not_equal(route->group, ROUTES_BLACKHOLE);
	assert_int_equal(list->groups[route->group].count, 1);
	return list->members[list->groups[route->group].first].port;
}

static void
test_written(void **state)
{
	static const uint8_t far[4] = {172, 16, 0, 2}, mac[6] = {2, 2, 0, 0, 2, 0};
	const struct route_encap *encap;
	const struct route *route;
	struct fixture f;

	(void)state;
	// The underlay's route stands behind what uses it, too.
	fixture_load(
		&f, DUT
		"    - {vrf: red, prefix: 10.2.0.0/16, via: [{vtep: 172.16.0.2, mac: " MAC "}]}\n"
		"    - {vrf: red, prefix: 10.3.0.0/16, via: [{vtep: 172.16.0.2, mac: " MAC
		", vni: 5002}]}\n"
		"    - {vrf: red, prefix: 10.4.0.0/16, via: [{vtep: 172.17.0.2, mac: " MAC "}]}\n"
		"    - {prefix: 172.17.0.0/24, via: [{port: swp9, mac: " MAC "}]}\n"
		"    - {vrf: green, prefix: 10.5.0.0/16, via: [{port: swp8, mac: " MAC "}]}\n"
		"    - {vrf: green, prefix: 10.6.0.0/16, via: [{port: swp2, mac: " MAC "}]}\n"
		"    - {vrf: red, prefix: 10.7.0.0/16, via: [{port: swp8, mac: " MAC "}]}\n");
	route = lookup(&f, "red", "10.2.0.1");
	encap = &f.routes->nodes[0].encaps[route->encap];
	assert_int_equal(encap->kind, CONFIG_ENCAP_VXLAN);
	assert_int_equal(encap->id, 5001);
	assert_false(encap->pipe);
	assert_memory_equal(encap->remote, far, 4);
	assert_memory_equal(encap->mac, mac, 6);
	assert_int_equal(port_of(&f, route), 2);
	encap = &f.routes->nodes[0].encaps[lookup(&f, "red", "10.3.0.1")->encap];
	assert_int_equal(encap->id, 5002);
	assert_true(encap->pipe);
	assert_int_equal(port_of(&f, lookup(&f, "red", "10.4.0.1")), 3);
	encap = &f.routes->nodes[0].encaps[lookup(&f, "green", "10.5.0.1")->encap];
	assert_int_equal(encap->kind, CONFIG_ENCAP_VLAN);
	assert_int_equal(encap->id, 103);
	assert_int_equal(lookup(&f, "green", "10.6.0.1")->encap, ROUTES_PLAIN);
	assert_int_equal(lookup(&f, "red", "10.7.0.1")->encap, ROUTES_PLAIN);
	fixture_free(&f);
}

static void
test_errors(void **state)
{
	(void)state;
	fixture_refused(DUT
			"    - {vrf: red, prefix: 10.2.0.0/16, via: [{vtep: 172.18.0.2, mac: " MAC
			"}]}\n",
			"t.yaml:12:52: routes.via: VRF default has no route to 172.18.0.2");
	fixture_refused(DUT
			"    - {prefix: 172.16.0.9/32, via: []}\n"
			"    - {vrf: red, prefix: 10.2.0.0/16, via: [{vtep: 172.16.0.9, mac: " MAC
			"}]}\n",
			"t.yaml:13:52: routes.via: VRF default has no route to 172.16.0.9");
	fixture_refused(DUT "    - {vrf: red, prefix: 10.2.0.0/16, via: [{vtep: fd00::9, mac: " MAC
			    "}]}\n",
			"an IPv6 address, and this end has an IPv4 one");
	fixture_refused(DUT
			"    - {vrf: green, prefix: 10.2.0.0/16, via: [{vtep: 172.16.0.2, mac: " MAC
			"}]}\n",
			"needs `vni:`, as the route's VRF has none");
	fixture_refused(DUT "    - {vrf: green, prefix: 10.2.0.0/16, via: [{port: swp8, mac: " MAC
			    "}, {port: swp2, mac: " MAC "}]}\n",
			"t.yaml:12:7: routes.via: next hops to switches have the tag of VLAN 103");
}

static void
apply(struct fixture *f, unsigned index)
{
	uint32_t node;

	assert_int_equal(routes_apply_event(f->routes, f->topology, &f->config->events[index],
					    &node, &f->diag),
			 0);
	assert_int_equal(node, 0);
}

static void
test_events(void **state)
{
	const struct route *route;
	uint32_t encap;
	struct fixture f;

	(void)state;
	fixture_load(
		&f, DEMO
		"events:\n"
		"  - {node: leaf1, route: {vrf: red, prefix: 10.0.2.0/24, via: [spine1]}}\n"
		"  - {node: leaf1, route: {vrf: red, prefix: 10.0.9.0/24, via: [{vtep: leaf3}]}}\n"
		"  - {node: leaf1, route: {prefix: 172.16.0.3/32, via: [spine2]}}\n"
		"  - {node: leaf1, route: {prefix: 172.16.0.3/32, via: []}}\n"
		"  - {node: leaf1, route: {vrf: red, prefix: 192.0.2.0/24, via: [spine1]}}\n");
	assert_int_equal(routes_check_events(f.topology, &f.diag), 0);
	// By another way, in the tunnel that it was in.
	encap = lookup(&f, "red", "10.0.2.1")->encap;
	apply(&f, 0);
	route = lookup(&f, "red", "10.0.2.1");
	assert_int_equal(route->encap, encap);
	assert_int_equal(port_of(&f, route), 1); // swp2
	// To a leaf, by whatever leads there.
	apply(&f, 1);
	route = lookup(&f, "red", "10.0.9.1");
	assert_int_equal(route->encap, lookup(&f, "red", "10.0.3.1")->encap);
	assert_int_equal(f.routes->nodes[0].groups[route->group].count, 2);
	apply(&f, 2);
	assert_int_equal(port_of(&f, lookup(&f, "red", "10.0.9.1")), 2);
	apply(&f, 3);
	assert_int_equal(lookup(&f, "red", "10.0.9.1")->group, ROUTES_BLACKHOLE);
	assert_int_equal(port_of(&f, lookup(&f, "red", "10.0.2.1")), 1);
	// What no route covered has no tunnel.
	apply(&f, 4);
	assert_int_equal(lookup(&f, "red", "192.0.2.1")->encap, ROUTES_PLAIN);
	fixture_free(&f);
}

static void
assert_bad_event(const char *event, const char *message)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "%sevents:\n  - {node: leaf1, route: {vrf: red, prefix: "
		 "10.9.0.0/16, via: [%s]}}\n",
		 DEMO, event);
	fixture_refused_event(text, message);
}

static void
test_event_errors(void **state)
{
	(void)state;
	assert_bad_event("{vtep: spine1}", "events.route.via: tunnels end at leaves");
	assert_bad_event("{vtep: leaf9}", "there is no node leaf9; did you mean leaf");
	assert_bad_event("{vtep: 172.16.0.2}", "needs `mac:`");
	assert_bad_event("{vtep: 172.16.0.77, mac: " MAC "}",
			 "events.route.via: VRF default has no route to 172.16.0.77");
	assert_bad_event("{vtep: leaf2}, {vtep: leaf3}",
			 "must be the only next hop: a route has one tunnel");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_event_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
