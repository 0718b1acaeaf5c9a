// SPDX-License-Identifier: BSD-3-Clause
// Leaf-spine fabrics and single switches: order, ports, peers, addresses, MTUs, tenants and VRFs.
#include "fixture.h"

#include "control/model/topology/topology_internal.h"
#include "dataplane/base/lpm.h"

static const struct topo_port *
port_of(const struct fixture *f, const char *name)
{
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, name, &ref), 0);
	return &f->topology->nodes[ref.node].ports[ref.port];
}

static void
assert_joined(const struct fixture *f, const char *a, const char *b)
{
	const struct topo_port *one = port_of(f, a), *other = port_of(f, b);
	struct topo_ref one_ref, other_ref;

	topology_find_port(f->topology, a, &one_ref);
	topology_find_port(f->topology, b, &other_ref);
	assert_int_equal(one->peer_node, other_ref.node);
	assert_int_equal(one->peer_port, other_ref.port);
	assert_int_equal(other->peer_node, one_ref.node);
	assert_int_equal(other->peer_port, one_ref.port);
	assert_int_equal(one->link, other->link);
}

static void
test_demo_shape(void **state)
{
	static const char *const names[] = {"leaf1", "leaf2", "spine1", "spine2", "h1", "h2",
					    "h3",    "h4",    "h5",     "h6",     "h7", "h8"};
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	t = f.topology;
	assert_int_equal(t->node_count, 12);
	for (uint32_t i = 0; i < 12; i++)
		assert_string_equal(t->nodes[i].name, names[i]);
	assert_int_equal(t->leaf_count, 2);
	assert_int_equal(t->spine_count, 2);
	assert_int_equal(t->first_host, 4);
	assert_int_equal(t->host_count, 8);
	assert_int_equal(t->link_count, 12);
	assert_int_equal(t->nodes[0].port_count, 6);
	assert_int_equal(t->nodes[2].port_count, 2);
	assert_joined(&f, "h1.eth1", "leaf1.swp1");
	assert_joined(&f, "h4.eth1", "leaf1.swp4");
	assert_joined(&f, "h5.eth1", "leaf2.swp1");
	assert_joined(&f, "leaf1.swp5", "spine1.swp1");
	assert_joined(&f, "leaf1.swp6", "spine2.swp1");
	assert_joined(&f, "leaf2.swp5", "spine1.swp2");
	assert_joined(&f, "leaf2.swp6", "spine2.swp2");
	assert_int_equal(port_of(&f, "leaf1.swp1")->rate_bps, UINT64_C(100000000000));
	assert_int_equal(port_of(&f, "leaf1.swp1")->delay_ps, 500000);
	assert_int_equal(port_of(&f, "leaf1.swp1")->cable_mm, 99000);
	assert_int_equal(port_of(&f, "leaf1.swp1")->mtu, 4200);
	assert_int_equal(port_of(&f, "leaf1.swp5")->mtu, 4200);
	fixture_free(&f);
}

static void
test_demo_addresses(void **state)
{
	static const uint8_t h6[4] = {10, 0, 2, 2}, h6_mac[6] = {2, 0, 10, 0, 2, 2};
	struct place place;
	struct topo_ref ref;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	assert_memory_equal(port_of(&f, "h6.eth1")->ip4, h6, 4);
	assert_memory_equal(port_of(&f, "h6.eth1")->mac, h6_mac, 6);
	assert_int_equal(fixture_find_place("10.0.2.2", &place), 0);
	assert_int_equal(topology_find_place(f.topology, &place, &ref), 0);
	assert_string_equal(f.topology->nodes[ref.node].name, "leaf2");
	assert_string_equal(
		f.topology->nodes[f.topology->nodes[ref.node].ports[ref.port].peer_node].name,
		"h6");
	assert_int_equal(fixture_find_place("10.0.3.2", &place), 0);
	assert_int_equal(topology_find_place(f.topology, &place, &ref), -ENOENT);
	// No two MACs are the same.
	for (uint32_t a = 0; a < f.topology->node_count; a++)
		for (uint16_t p = 0; p < f.topology->nodes[a].port_count; p++)
			for (uint32_t b = a; b < f.topology->node_count; b++)
				for (uint16_t q = a == b ? p + 1 : 0;
				     q < f.topology->nodes[b].port_count; q++)
					assert_memory_not_equal(f.topology->nodes[a].ports[p].mac,
								f.topology->nodes[b].ports[q].mac,
								6);
	fixture_free(&f);
}

static void
test_attached_with_several_nics(void **state)
{
	struct topo_attached at;
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, "
			 "hosts-per-leaf: 1, planes: 3}\nattach:\n  h1: {netns: a}\n"
			 "  h2: {dev: net_ring0}\n  h2.eth3: {dev: net_ring1}\n");
	assert_int_equal(topology_check_names(f.topology, &f.diag), 0);
	assert_int_equal(f.diag.warnings, 1);
	assert_true(
		fixture_says(&f, "t.yaml:5:3: attach: only eth1 of the 3 NICs of h2 is attached"));
	assert_true(topology_find_attached(f.topology, &f.config->attach[0], &at));
	assert_int_equal(at.host, 0);
	assert_int_equal(at.first, 0);
	assert_int_equal(at.count, 3);
	assert_true(topology_find_attached(f.topology, &f.config->attach[1], &at));
	assert_int_equal(at.count, 1);
	assert_true(topology_find_attached(f.topology, &f.config->attach[2], &at));
	assert_int_equal(at.host, 1);
	assert_int_equal(at.first, 2);
	assert_int_equal(at.count, 1);
	fixture_free(&f);
	fixture_load(&f, FIXTURE_DEMO "attach:\n  h1: {netns: a}\n");
	assert_int_equal(topology_check_names(f.topology, &f.diag), 0);
	assert_int_equal(f.diag.warnings, 0);
	fixture_free(&f);
}

static void
test_attached_mtu(void **state)
{
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO "attach:\n  h1: {netns: a}\n  h3: {netns: b, mtu: 1400}\n");
	t = f.topology;
	assert_int_equal(topology_path_mtu(t, 0, 0, 4, 0), 4200);
	topology_apply_attach(f.topology);
	assert_int_equal(port_of(&f, "h1.eth1")->mtu, 1500);
	assert_int_equal(port_of(&f, "leaf1.swp1")->mtu, 1500);
	assert_int_equal(port_of(&f, "leaf1.swp3")->mtu, 1400);
	assert_int_equal(port_of(&f, "leaf1.swp2")->mtu, 4200);
	assert_int_equal(topology_path_mtu(t, 2, 0, 4, 0), 1400);
	fixture_free(&f);
}

// What switches are called at the ends of tunnels, and as routers there.
static void
test_loopbacks(void **state)
{
	static const uint8_t leaf2[4] = {172, 16, 0, 2}, spine1[4] = {172, 17, 0, 1};
	static const uint8_t spine1_ip6[16] = {0xfd, 0, 0, 0, 0, 0, 0, 2, [13] = 1};
	static const uint8_t leaf2_mac[6] = {2, 2, 0, 0, 1, 0};
	static const uint8_t last_super[4] = {172, 18, 32, 4}, pod_spine[4] = {172, 17, 34, 2};
	const struct topo_node *nodes;
	struct place place;
	struct fixture f;
	uint32_t node;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	nodes = f.topology->nodes;
	assert_memory_equal(nodes[1].loopback4, leaf2, 4);
	assert_memory_equal(nodes[2].loopback4, spine1, 4);
	assert_memory_equal(nodes[2].loopback6, spine1_ip6, 16);
	assert_memory_equal(nodes[1].router_mac, leaf2_mac, 6);
	fixture_free(&f);
	fixture_load(&f, "fabric:\n  topology: {kind: clos3, pods: 3, leaves: 2, spines: 2, "
			 "super-spines: 4, hosts-per-leaf: 1, planes: 2}\n");
	nodes = f.topology->nodes;
	node = topology_find_node(f.topology, "p2-super4");
	assert_memory_equal(nodes[node].loopback4, last_super, 4);
	node = topology_find_node(f.topology, "p2-spine6"); // the second of the third pod
	assert_memory_equal(nodes[node].loopback4, pod_spine, 4);
	for (uint32_t n = 0; n < f.topology->first_host; n++) {
		place = topology_switch_place(f.topology, n);
		assert_int_equal(topology_find_switch(f.topology, &place), n);
	}
	place.number = 5;
	assert_int_equal(topology_find_switch(f.topology, &place), TOPOLOGY_NONE);
	fixture_free(&f);
}

static void
test_no_tenants(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 1, "
		     "hosts-per-leaf: 1}\n  links: {fabric: {rate: 400G, cable: 30m, mtu: 2000}}\n"
		     "  mtu: 9000\n");
	assert_int_equal(f.topology->vrf_count, 1);
	assert_int_equal(f.topology->tenant_count, 0);
	assert_int_equal(port_of(&f, "leaf3.swp1")->mtu, 9000);
	assert_int_equal(port_of(&f, "leaf3.swp2")->mtu, 2000);
	assert_int_equal(port_of(&f, "leaf3.swp2")->rate_bps, UINT64_C(400000000000));
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 1, 0), 2000);
	fixture_free(&f);
}

static void
test_largest(void **state)
{
	struct fixture f;

	(void)state;
	// 256 leaves, ports 1 .. 256 in every spine.
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 256, spines: 1, "
			 "hosts-per-leaf: 2}\n");
	assert_joined(&f, "leaf256.swp3", "spine1.swp256");
	assert_joined(&f, "h512.eth1", "leaf256.swp2");
	fixture_free(&f);
}

static void
test_single(void **state)
{
	static const uint8_t lone[6] = {2, 0, 0, 0, 0, 1}, own[6] = {2, 0, 0, 0, 0, 9};
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     "switch:\n  name: dut\n  preset: sonic\n  ports:\n"
		     "    swp9: {rate: 25G, cable: 5m, vrf: red, tenant: red}\n"
		     "    swp2: {rate: 100G, cable: 5m, mac: \"02:00:00:00:00:09\"}\n"
		     "  routes:\n    - {vrf: blue, prefix: 198.18.2.0/24, via: [{port: swp2, mac: "
		     "\"02:00:00:00:02:02\"}]}\n");
	t = f.topology;
	assert_int_equal(t->node_count, 1);
	assert_string_equal(t->nodes[0].name, "dut");
	assert_int_equal(t->nodes[0].port_count, 2);
	assert_string_equal(t->nodes[0].ports[0].name, "swp2"); // by number, not as written
	assert_string_equal(t->nodes[0].ports[1].name, "swp9");
	assert_memory_equal(port_of(&f, "swp9")->mac, lone, 6);
	assert_memory_equal(port_of(&f, "dut.swp2")->mac, own, 6);
	assert_int_equal(port_of(&f, "swp2")->vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(port_of(&f, "swp2")->tenant, TENANT_NONE);
	assert_int_equal(port_of(&f, "swp9")->vrf, topology_find_vrf(t, "red"));
	assert_int_equal(port_of(&f, "swp9")->tenant, 0);
	assert_int_equal(port_of(&f, "swp9")->peer_node, TOPOLOGY_NONE);
	assert_int_equal(port_of(&f, "swp9")->mtu, 9216);
	assert_true(topology_find_vrf(t, "blue") > 0);
	fixture_free(&f);
}

// The plan gives no two switches one loopback; an index of such would not be one.
static void
test_equal_loopbacks(void **state)
{
	struct fixture f;
	struct topology *t;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	t = f.topology;
	memcpy(t->nodes[1].loopback4, t->nodes[0].loopback4, 4);
	free(t->loopbacks4.order);
	lpm_destroy(t->loopbacks4.trie);
	t->loopbacks4 = (struct topo_loopbacks){0};
	assert_int_equal(builder_index_loopbacks(t, &f.diag), -EINVAL);
	assert_true(fixture_says(&f, "leaf1 and leaf2 have the same loopback address"));
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo_shape),
		cmocka_unit_test(test_demo_addresses),
		cmocka_unit_test(test_attached_mtu),
		cmocka_unit_test(test_no_tenants),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_loopbacks),
		cmocka_unit_test(test_equal_loopbacks),
		cmocka_unit_test(test_attached_with_several_nics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
