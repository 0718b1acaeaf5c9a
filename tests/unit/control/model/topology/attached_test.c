// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.h"

static const struct topo_port *
port_of(const struct fixture *f, const char *name)
{
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, name, &ref), 0);
	return &f->topology->nodes[ref.node].ports[ref.port];
}

static void
refuses(const char *text, const char *error)
{
	struct fixture f;

	assert_false(fixture_try(&f, text));
	assert_true(fixture_says(&f, error));
	fixture_free(&f);
}

#define ONE_LEAF \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"
#define PLANES                                                                              \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1, " \
	"planes: 2}\n"

static void
gives_addresses(void **state)
{
	static const uint8_t mac[6] = {0x52, 0x54, 0, 0, 0, 7}, ip4[4] = {192, 168, 7, 9};
	static const uint8_t ip6[16] = {0xfd, 7, [15] = 9}, planned[4] = {10, 0, 2, 1};
	struct fixture f;

	(void)state;
	fixture_load(&f, ONE_LEAF "attach:\n"
				  "  h1: {netns: a, mac: \"52:54:00:00:00:07\", "
				  "ip: [192.168.7.9, \"fd07::9\"]}\n"
				  "  h3: {netns: b}\n");
	assert_memory_equal(port_of(&f, "h1.eth1")->mac, mac, 6);
	assert_memory_equal(port_of(&f, "h1.eth1")->ip4, ip4, 4);
	assert_memory_equal(port_of(&f, "h1.eth1")->ip6, ip6, 16);
	assert_memory_equal(port_of(&f, "h3.eth1")->ip4, planned, 4);
	fixture_free(&f);
	fixture_load(&f, PLANES "attach: {h1.eth2: {netns: a, ip: 192.168.7.9}}\n");
	assert_memory_equal(port_of(&f, "h1.eth2")->ip4, ip4, 4);
	assert_memory_not_equal(port_of(&f, "h1.eth1")->ip4, ip4, 4);
	fixture_free(&f);
}

static void
refuses_what_others_have(void **state)
{
	(void)state;
	refuses(ONE_LEAF "attach: {h1: {netns: a, ip: 10.0.2.1}}\n",
		"t.yaml:3:29: attach.h1.ip: 10.0.2.1 is already h3's");
	refuses(ONE_LEAF "attach: {h1: {netns: a, ip: 172.17.0.1}}\n",
		"t.yaml:3:29: attach.h1.ip: 172.17.0.1 is already spine1's loopback");
	refuses(ONE_LEAF "attach:\n  h1: {netns: a, ip: 192.168.7.9}\n"
			 "  h2: {netns: b, ip: 192.168.7.9}\n",
		"t.yaml:5:22: attach.h2.ip: 192.168.7.9 is already h1's");
	refuses(ONE_LEAF "tenants: {red: {hosts: h1, addresses: {h1: 172.20.0.1}}}\n"
			 "attach: {h1: {netns: a, ip: 192.168.7.9}}\n",
		"t.yaml:4:29: attach.h1.ip: h1 has an IPv4 address already: its tenant gives it "
		"one");
	refuses(ONE_LEAF "attach: {h1: {netns: a, mac: \"02:00:0a:00:02:01\"}}\n",
		"t.yaml:3:10: attach.h1.mac: this is the MAC of h3 already");
	refuses(ONE_LEAF "attach: {h1: {netns: a, mac: \"02:01:00:00:00:01\"}}\n",
		"t.yaml:3:10: attach.h1.mac: this is the MAC of leaf1 already");
}

// Which of several NICs has it?
static void
refuses_an_address_of_several_nics(void **state)
{
	(void)state;
	refuses(PLANES "attach: {h1: {netns: a, ip: 192.168.7.9}}\n",
		"t.yaml:3:10: attach.h1.ip: h1 has 2 NICs: name the one that has it, such as "
		"h1.eth2");
	refuses(PLANES "attach: {h1: {netns: a, mac: \"52:54:00:00:00:07\"}}\n",
		"t.yaml:3:10: attach.h1.mac: h1 has 2 NICs");
}

// Links between switches without an MTU of their own have room for the largest.
static void
makes_room_for_jumbo_frames(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     ONE_LEAF "attach: {h1: {netns: a, mtu: 9000}, h3: {netns: b, mtu: 9000}}\n");
	topology_apply_attach(f.topology);
	assert_int_equal(port_of(&f, "leaf1.swp1")->mtu, 9000);
	assert_int_equal(port_of(&f, "leaf1.swp3")->mtu, 9000);
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 2, 0), 9000);
	fixture_free(&f);
	fixture_load(&f, "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, "
			 "hosts-per-leaf: 2}\n  links: {fabric: {mtu: 1400}}\n"
			 "attach: {h1: {netns: a, mtu: 9000}, h3: {netns: b, mtu: 9000}}\n");
	topology_apply_attach(f.topology);
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 2, 0), 1400);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_addresses),
		cmocka_unit_test(refuses_what_others_have),
		cmocka_unit_test(refuses_an_address_of_several_nics),
		cmocka_unit_test(makes_room_for_jumbo_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
