// SPDX-License-Identifier: BSD-3-Clause
// Topologies whose nodes and links the file lists.
#include "fixture.h"

#define HEAD                                                                       \
	"fabric:\n"                                                                \
	"  topology:\n"                                                            \
	"    kind: explicit\n"                                                     \
	"    nodes: {leaf1: leaf, top: spine, leaf2: leaf, gpu: host, h2: host}\n" \
	"    links:\n"
#define GPU "      - {a: gpu, b: leaf1.swp7, rate: 10G, delay: 2us}\n"
#define H2 "      - {a: leaf2.swp1, b: h2.eth1}\n"
#define UP1 "      - {a: leaf1.swp3, b: top.swp2, mtu: 1400}\n"
#define UP2 "      - {a: leaf2.swp2, b: top.swp1}\n"

static void
test_links(void **state)
{
	static const uint8_t gpu[4] = {10, 0, 1, 7};
	char text[TOPOLOGY_NAME_MAX];
	const struct topology *t;
	const struct topo_port *p;
	struct topo_ref ref;
	uint32_t link;
	struct fixture f;

	(void)state;
	fixture_load(&f, HEAD GPU H2 UP1 UP2 "      - {a: leaf1.swp1, b: leaf2.swp9}\n"
					     "      - {a: leaf1.swp2, b: leaf2.swp8}\n");
	t = f.topology;
	assert_string_equal(t->nodes[0].name, "leaf1");
	assert_string_equal(t->nodes[1].name, "leaf2");
	assert_string_equal(t->nodes[2].name, "top");
	assert_string_equal(t->nodes[3].name, "gpu");
	assert_int_equal(t->first_host, 3);
	// Ports in the order of their numbers, with gaps.
	assert_int_equal(t->nodes[0].port_count, 4);
	assert_string_equal(t->nodes[0].ports[0].name, "swp1");
	assert_string_equal(t->nodes[0].ports[3].name, "swp7");
	assert_int_equal(topology_find_port(t, "gpu.eth1", &ref), 0);
	p = &t->nodes[ref.node].ports[ref.port];
	assert_memory_equal(p->ip4, gpu, 4);
	assert_int_equal(p->rate_bps, UINT64_C(10000000000));
	assert_int_equal(p->delay_ps, 2000000);
	assert_int_equal(p->peer_node, 0);
	assert_int_equal(p->peer_port, 3);
	assert_int_equal(topology_find_port(t, "leaf1.swp3", &ref), 0);
	assert_int_equal(t->nodes[0].ports[ref.port].mtu, 1400);
	// One link is named by its nodes, one of two by its ports.
	assert_int_equal(topology_find_link(t, "top-leaf1", &link), 0);
	assert_string_equal(topology_link_name(t, link, text), "leaf1-top");
	assert_int_equal(topology_find_link(t, "leaf1-leaf2", &link), -EEXIST);
	assert_int_equal(topology_find_link(t, "leaf2.swp8-leaf1", &link), 0);
	assert_string_equal(topology_link_name(t, link, text), "leaf1.swp2-leaf2.swp8");
	assert_int_equal(topology_find_link(t, text, &link), 0);
	fixture_free(&f);
}

// A host with two ports, and a switch above the spine.
static void
test_several_ports(void **state)
{
	static const uint8_t second[4] = {10, 0, 2, 9};
	struct config_name name = {.text = (char *)"h1.eth2"};
	const struct topology *t;
	struct topo_endpoint end;
	struct fixture f;

	(void)state;
	fixture_load(
		&f,
		"fabric:\n  links: {super-spine: {rate: 800G}}\n  topology:\n    kind: explicit\n"
		"    nodes: [h1, super1, spine1, leaf1, leaf2]\n    links:\n"
		"      - {a: h1.eth2, b: leaf2.swp9}\n"
		"      - {a: h1.eth1, b: leaf1.swp1}\n"
		"      - {a: leaf1.swp2, b: spine1.swp1}\n"
		"      - {a: spine1.swp2, b: super1.swp1}\n"
		"      - {a: leaf2.swp1, b: super1.swp2, rate: 1T}\n");
	t = f.topology;
	assert_string_equal(t->nodes[3].name, "super1");
	assert_int_equal(t->nodes[3].role, CONFIG_ROLE_SUPER_SPINE);
	assert_int_equal(t->super_count, 1);
	assert_int_equal(t->first_host, 4);
	assert_int_equal(topology_resolve_endpoint(t, NULL, &name, "to", &end, &f.diag), 0);
	assert_int_equal(end.host, 0);
	assert_int_equal(end.port, 1);
	assert_false(end.whole);
	assert_memory_equal(topology_host_port(t, 0, 1)->ip4, second, 4);
	assert_int_equal(t->links[3].rate_bps, UINT64_C(800000000000));
	assert_int_equal(t->links[4].rate_bps, UINT64_C(1000000000000));
	assert_true(topology_joined(t, 0, 0, 0, 1));
	fixture_free(&f);
}

static void
test_errors(void **state)
{
	(void)state;
	fixture_refused(HEAD GPU H2 "      - {a: leaf1.swp3, b: tob.swp2}\n",
			"t.yaml:8:28: links: there is no node tob; did you mean top?");
	fixture_refused(HEAD GPU H2 "      - {a: leaf1.swp7, b: top.swp2}\n",
			"t.yaml:8:13: links: leaf1.swp7 already has a link");
	fixture_refused(HEAD GPU H2 "      - {a: leaf1.eth3, b: top.swp2}\n",
			"did you mean leaf1.swp3?");
	fixture_refused(HEAD GPU H2 "      - {a: leaf1, b: top.swp2}\n", "name its port");
	fixture_refused(HEAD GPU H2 "      - {a: leaf1.swp4, b: leaf1.swp5}\n", "of one node");
	fixture_refused(HEAD GPU H2 "      - {a: gpu.eth2, b: h2.eth2}\n", "both ends are hosts");
	fixture_refused(HEAD GPU H2 "      - {a: gpu.eth2, b: top.swp2}\n", "connects to a leaf");
	fixture_refused(HEAD GPU H2 "      - {a: gpu.eth9, b: leaf1.swp2}\n",
			"gpu.eth9: a host's ports are numbered up to 8");
	fixture_refused(HEAD GPU UP1, "t.yaml:4:62: nodes: host h2 has no link");
}

// Of two switches that devices join, no port has the MAC of another one. Whatever the file says of
// it counts.
static void
test_macs_of_devices(void **state)
{
	static const uint8_t written[6] = {0x02, 0, 0, 0, 0, 0x09};
	static const uint8_t others[6] = {0x02, 0, 0, 0, 0, 0x01};
	const struct topo_port *left, *right;
	struct fixture a, b;

	(void)state;
	fixture_load(&a, "switch:\n  name: left\n  preset: spectrum-x\n  ports:\n"
			 "    swp1: {dev: net_null0}\n    swp2: {dev: net_null1}\n"
			 "    swp3: {dev: net_null2, mac: \"02:00:00:00:00:09\"}\n    swp4: {}\n");
	fixture_load(&b, "switch:\n  name: right\n  preset: spectrum-x\n  ports:\n"
			 "    swp1: {dev: net_null0}\n");
	left = a.topology->nodes[0].ports;
	right = b.topology->nodes[0].ports;
	assert_memory_not_equal(left[0].mac, left[1].mac, 6);
	assert_memory_not_equal(left[0].mac, right[0].mac, 6);
	assert_int_equal(left[0].mac[0] & 3, 2); // unicast, of no vendor
	assert_memory_equal(left[2].mac, written, 6);
	assert_memory_equal(left[3].mac, others, 6);
	fixture_free(&a);
	fixture_free(&b);
	fixture_load(&a, "switch:\n  mac: \"02:00:00:00:00:09\"\n  preset: spectrum-x\n"
			 "  ports:\n    swp1: {dev: net_null0}\n");
	assert_memory_equal(a.topology->nodes[0].ports[0].mac, written, 6);
	fixture_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_several_ports),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_macs_of_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
