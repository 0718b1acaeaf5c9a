// SPDX-License-Identifier: BSD-3-Clause
// What no VRF sends plain: packets to where tunnels end, which are believed there.
#include "built.h"

#define FABRIC4 "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n"
#define FABRIC6                                                                              \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n" \
	"  underlay: 6\n"
// The way out is behind leaf2.
#define OPEN                                              \
	"tenants:\n  red: {hosts: [h1, h3], vni: 5001}\n" \
	"  open: {hosts: [h2, h4], encap: plain, border: {h4: [0.0.0.0/0, \"::/0\"]}}\n"

static void
test_way_out(void **state)
{
	struct built b;

	(void)state;
	build(&b, FABRIC4 OPEN, "leaf1");
	assert_int_equal(group_for(&b, "open", "172.16.0.1")->count, 0);
	assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 0);
	assert_int_equal(group_for(&b, "open", "172.16.0.3")->count, 0);
	assert_int_equal(group_for(&b, "open", "172.16.0.4")->count, 2);
	assert_int_equal(group_for(&b, "open", "8.8.8.8")->count, 2);
	assert_int_equal(group_for(&b, "open", "10.0.2.2")->count, 2);
	assert_int_equal(group_for(&b, "open", "fd00:0:0:1::1:2:0")->count, 2); // no tunnel's
	assert_int_equal(group_for(&b, "default", "172.16.0.2")->count, 2);
	built_drop(&b);
	// Here the way out is a host's port, and the tunnels' another.
	build(&b, FABRIC4 OPEN, "leaf2");
	assert_int_equal(group_for(&b, "open", "172.16.0.1")->count, 1);
	built_drop(&b);
	build(&b, FABRIC6 OPEN, "leaf1");
	assert_int_equal(group_for(&b, "open", "fd00:0:0:1:0:0:2:0")->count, 0);
	assert_int_equal(group_for(&b, "open", "fd00:0:0:1:0:0:9:0")->count, 2);
	assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 2);
	built_drop(&b);
}

// In a VRF in VXLAN itself: what it learns from the plain one.
static void
test_leak(void **state)
{
	struct built b;

	(void)state;
	build(&b, FABRIC4 OPEN "  blue: {hosts: [h5], vni: 7, leak: [open]}\n", "leaf3");
	assert_int_equal(group_for(&b, "blue", "8.8.8.8")->encap, 0);
	assert_int_equal(group_for(&b, "blue", "8.8.8.8")->count, 2);
	assert_int_equal(group_for(&b, "blue", "172.16.0.1")->count, 0);
	built_drop(&b);
}

// A packet in a tunnel of its own may have any address.
static void
test_in_tunnels(void **state)
{
	struct built b;

	(void)state;
	build(&b,
	      FABRIC4 "tenants:\n  red: {hosts: [h1, h3], vni: 5001, border: {h3: [0.0.0.0/0]}}\n"
		      "  blue: {hosts: [h2, h4], vlan: 7, border: {h4: [0.0.0.0/0]}}\n",
	      "leaf1");
	assert_int_equal(group_for(&b, "red", "172.16.0.2")->count, 2);
	assert_int_not_equal(group_for(&b, "red", "172.16.0.2")->encap, 0);
	assert_int_equal(group_for(&b, "blue", "172.16.0.2")->count, 2);
	assert_int_not_equal(group_for(&b, "blue", "172.16.0.2")->encap, 0);
	built_drop(&b);
}

// No tunnel ends anywhere.
static void
test_no_tunnels(void **state)
{
	struct built b;

	(void)state;
	build(&b, FABRIC4 "tenants:\n  open: {hosts: [h1, h4], border: {h4: [0.0.0.0/0]}}\n",
	      "leaf1");
	assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 2);
	built_drop(&b);
}

// However the route came there.
static void
test_routes_of_events(void **state)
{
	static const char *const prefixes[] = {"172.16.0.2/32", "172.16.0.0/16", "0.0.0.0/0"};
	char text[1024];
	struct built b;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t node;

		snprintf(text, sizeof(text),
			 FABRIC4 "tenants:\n  red: {hosts: [h1, h3], vni: 5001}\n"
				 "  open: {hosts: [h2], encap: plain}\n"
				 "events:\n  - {at: 1us, node: leaf1, route: {vrf: open, prefix: "
				 "%s, via: [spine1]}}\n",
			 prefixes[i]);
		built_load(&b, text, "leaf1");
		assert_int_equal(routes_apply_event(b.f.routes, b.f.topology,
						    &b.f.config->events[0], &node, &b.f.diag),
				 0);
		built_good(&b);
		assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 0);
		if (i == 1)
			assert_int_equal(group_for(&b, "open", "172.16.0.9")->count, 1);
		built_drop(&b);
	}
}

// The underlay of before a change, which stands in a VRF of its own while packets of it are under
// way: only switches send there.
static void
test_leaving(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, FABRIC4 OPEN, "leaf1");
	b.f.topology->vrfs[topology_find_vrf(b.f.topology, "open")].leaving = true;
	built_good(&b);
	assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 2);
	built_drop(&b);
}

static void
test_lone_switch(void **state)
{
	struct built b;

	(void)state;
	build(&b,
	      "switch:\n  name: dut\n  vtep: 172.16.0.1\n  mac: \"02:00:00:00:00:05\"\n"
	      "  tenants: {red: {vni: 5001}}\n"
	      "  ports: {swp1: {vrf: red, tenant: red}, swp2: {vrf: open, tenant: open}, "
	      "swp9: {uplink: true}}\n"
	      "  routes:\n"
	      "    - {vrf: red, prefix: 10.0.2.0/24, via: [{vtep: 172.16.0.2, mac: "
	      "\"02:02:00:00:01:00\"}]}\n"
	      "    - {vrf: open, prefix: 0.0.0.0/0, via: [{port: swp9, mac: "
	      "\"02:01:00:00:02:01\"}]}\n"
	      "    - {prefix: 172.16.0.2/32, via: [{port: swp9, mac: \"02:01:00:00:02:01\"}]}\n",
	      "dut");
	assert_int_equal(group_for(&b, "open", "172.16.0.1")->count, 0);
	assert_int_equal(group_for(&b, "open", "172.16.0.2")->count, 0);
	assert_int_equal(group_for(&b, "open", "172.16.0.3")->count, 1);
	assert_int_equal(group_for(&b, "default", "172.16.0.2")->count, 1);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_way_out),          cmocka_unit_test(test_leak),
		cmocka_unit_test(test_in_tunnels),       cmocka_unit_test(test_no_tunnels),
		cmocka_unit_test(test_routes_of_events), cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_lone_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
