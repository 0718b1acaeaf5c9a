// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
explicit_topology(void **state)
{
	struct config *c =
		load_good("fabric:\n"
			  "  topology:\n"
			  "    kind: explicit\n"
			  "    nodes: [leaf1, spine1, h1]\n"
			  "    links:\n"
			  "      - {a: leaf1.swp2, b: spine1.swp1, rate: 400G, delay: 1us}\n"
			  "      - {a: h1, b: leaf1.swp1, cable: 10m, mtu: 1500}\n");
	const struct config_explicit_link *links = c->fabric.links;

	(void)state;
	assert_int_equal(c->fabric.node_count, 3);
	assert_int_equal(c->fabric.nodes[1].role, CONFIG_ROLE_SPINE);
	assert_int_equal(c->fabric.link_count, 2);
	assert_string_equal(links[0].a.node, "leaf1");
	assert_int_equal(links[0].a.port, 2);
	assert_string_equal(links[0].a.name.text, "leaf1.swp2");
	assert_int_equal(links[0].b.name.pos.column, 28);
	assert_true(links[0].rate_set && links[0].delay_set && !links[0].mtu_set);
	assert_int_equal(links[0].link.rate_bps, 400000000000);
	assert_int_equal(links[0].link.cable_mm, 198000);
	assert_string_equal(links[1].a.node, "h1");
	assert_int_equal(links[1].a.port, 0);
	assert_true(!links[1].rate_set && links[1].delay_set && links[1].mtu_set);
	assert_int_equal(links[1].link.delay_ps, 50505);
	config_free(c);
}

static void
explicit_mistakes(void **state)
{
	(void)state;
	expect_messages("fabric: {topology: {kind: explicit, nodes: [tor, leaf1, h.1], links: [\n"
			"  {a: leaf1.swp0, b: leaf1.port1},\n"
			"  {a: leaf1.swp1, delay: 1us, cable: 1m}]}}\n",
			"f.yaml:1:45: fabric.topology.nodes.tor: needs a role: write {tor: leaf}, "
			"spine or host\n"
			"f.yaml:1:57: fabric.topology.nodes.h.1: \"h.1\" is not a name: letters, "
			"digits, - and _, a "
			"letter or digit first\n"
			"f.yaml:2:7: fabric.topology.links[0].a: \"leaf1.swp0\" is not a port such "
			"as leaf1.swp1 or "
			"h1.eth1 (1 to 256)\n"
			"f.yaml:2:22: fabric.topology.links[0].b: \"leaf1.port1\" is not a port "
			"such as leaf1.swp1 or "
			"h1.eth1 (1 to 256)\n"
			"f.yaml:3:3: fabric.topology.links[1]: needs \"b\": the other end\n"
			"f.yaml:3:31: fabric.topology.links[1]: delay and cable exclude each "
			"other: one follows from "
			"the other\n");
}

static void
leaf_spine_mistakes(void **state)
{
	(void)state;
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leafs: 2, spines: 2, hosts_per_leaf: 4}}\n",
		"f.yaml:1:20: fabric.topology: needs \"leaves\": leaf switches\n"
		"f.yaml:1:39: fabric.topology.leafs: unknown key; did you mean \"leaves\"?\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 0, hosts_per_leaf: 4}}\n",
		"f.yaml:1:20: fabric.topology: 2 leaves without a spine cannot reach each other\n");
	expect_messages("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 200, "
			"hosts_per_leaf: 100}}\n",
			"f.yaml:1:20: fabric.topology: a leaf would have 300 ports: 256 at most\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4, "
		"planes: 8}}\n",
		"f.yaml:1:88: fabric.topology: planes above 1 are known, but not available in this "
		"version\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts_per_leaf: 2, "
		"nodes: "
		"[]}}\n",
		"f.yaml:1:80: fabric.topology.nodes: is not a key of topology leaf-spine\n");
	expect_messages(
		"fabric: {topology: {kind: fat-tree, k: 4}}\n",
		"f.yaml:1:27: fabric.topology.kind: fat-tree is known, but not available in this "
		"version\n");
	expect_messages("fabric: {topology: {leaves: 4}}\n",
			"f.yaml:1:20: fabric.topology: needs \"kind\": leaf-spine or explicit\n");
}

static void
links_and_framing(void **state)
{
	static const char start[] = "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
				    "hosts_per_leaf: 2}\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 "%s  links: {host: {rate: 100, delay: 2s, mtu: 4000}, fabric: {delay: 1us, cable: "
		 "3m},\n"
		 "    framing: {preamble: 8, gap: 2KB}}\n  name: a.b\n  dilation: 0\n",
		 start);
	expect_messages(
		text,
		"f.yaml:3:24: fabric.links.host.rate: 100 has no unit: write it with K, M, G or T "
		"(bits "
		"per second)\n"
		"f.yaml:3:36: fabric.links.host.delay: 2s is out of range: 0ns to 1s\n"
		"f.yaml:3:40: fabric.links.host.mtu: unknown key\n"
		"f.yaml:3:73: fabric.links.fabric: delay and cable exclude each other: one follows "
		"from the "
		"other\n"
		"f.yaml:4:25: fabric.links.framing.preamble: 8 has no unit: write it with B, KB, "
		"MB, GB, KiB, "
		"MiB or GiB\n"
		"f.yaml:4:33: fabric.links.framing.gap: 2KB is out of range: 0B to 1024B\n"
		"f.yaml:5:9: fabric.name: \"a.b\" is not a name: letters, digits, - and _, a "
		"letter or digit "
		"first\n"
		"f.yaml:6:13: fabric.dilation: 0 is out of range: 1 to 1000000000\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explicit_topology),
		cmocka_unit_test(explicit_mistakes),
		cmocka_unit_test(leaf_spine_mistakes),
		cmocka_unit_test(links_and_framing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
