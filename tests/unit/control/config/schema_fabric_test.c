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
	assert_true(links[0].written.rate_set && links[0].written.delay_set &&
		    !links[0].written.mtu_set);
	assert_int_equal(links[0].written.link.rate_bps, 400000000000);
	assert_int_equal(links[0].written.link.cable_mm, 198000);
	assert_string_equal(links[1].a.node, "h1");
	assert_int_equal(links[1].a.port, 0);
	assert_true(!links[1].written.rate_set && links[1].written.delay_set &&
		    links[1].written.mtu_set);
	assert_int_equal(links[1].written.link.delay_ps, 50505);
	config_free(c);
}

static void
explicit_mistakes(void **state)
{
	(void)state;
	expect_messages("fabric: {topology: {kind: explicit, nodes: [tor, leaf1, h.1], links: [\n"
			"  {a: leaf1.swp0, b: leaf1.port1},\n"
			"  {a: leaf1.swp1, delay: 1us, cable: 1m}]}}\n",
			"f.yaml:1:45: fabric.topology.nodes.tor: needs a role (leaf, spine, "
			"super-spine or host): write {tor: leaf}\n"
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
			"other: the other is at line 3\n");
}

static void
leaf_spine_mistakes(void **state)
{
	(void)state;
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leafs: 2, spines: 2, hosts-per-leaf: 4}}\n",
		"f.yaml:1:20: fabric.topology: needs \"leaves\": leaf switches; clos3: of a pod\n"
		"f.yaml:1:39: fabric.topology.leafs: unknown key; did you mean \"leaves\"?\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 0, hosts-per-leaf: 4}}\n",
		"f.yaml:1:20: fabric.topology: 2 leaves without a spine cannot reach each other\n");
	expect_messages("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 200, "
			"hosts-per-leaf: 100}}\n",
			"f.yaml:1:20: fabric.topology: a leaf would have 300 ports: 256 at most\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4, "
		"planes: 9}}\n",
		"f.yaml:1:88: fabric.topology.planes: 9 is out of range: 1 to 8\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 256, spines: 1, hosts-per-leaf: "
		"255}}\n",
		"f.yaml:1:20: fabric.topology: 65537 nodes: 65535 at most\n");
	expect_messages(
		"fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2, "
		"nodes: "
		"[]}}\n",
		"f.yaml:1:80: fabric.topology.nodes: is not a key of topology leaf-spine\n");
	expect_messages("fabric: {topology: {leaves: 4}}\n",
			"f.yaml:1:20: fabric.topology: needs \"kind\": one of "
			"leaf-spine, rail, fat-tree, clos3, explicit, file\n");
}

static void
other_kinds(void **state)
{
	struct config *c = load_good("fabric: {topology: {kind: rail, leaves: 16, spines: 4, "
				     "rails: 8, hosts-per-leaf: 4}}\nh8: {rto: 2ms}\n");

	(void)state;
	assert_int_equal(c->fabric.rails, 8);
	config_free(c);
	c = load_good("fabric: {topology: {kind: rail, leaves: 4, spines: 4, hosts-per-leaf: "
		      "4}}\n");
	assert_int_equal(c->fabric.rails, 4);
	config_free(c);
	c = load_good("fabric: {topology: {kind: fat-tree, k: 4}}\nsuper-spine: {latency: 1us}\n"
		      "super4: {latency: 2us}\nspine8: {latency: 3us}\nh16: {rto: 2ms}\n");
	config_free(c);
	c = load_good(
		"fabric: {topology: {kind: clos3, pods: 2, leaves: 3, spines: 2, super-spines: 4, "
		"hosts-per-leaf: 1, planes: 2}}\np2-super4: {latency: 1us}\n"
		"p1-leaf6: {latency: 1us}\nh6: {rto: 1ms}\n");
	config_free(c);
	expect_messages(
		"fabric: {topology: {kind: clos3, pods: 2, leaves: 3, spines: 2, super-spines: "
		"4, hosts-per-leaf: 1, planes: 2}}\np3-super4: {}\np1-leaf7: {}\n"
		"leaf1: {}\n",
		"f.yaml:2:1: p3-super4: unknown key, and no node's name\n"
		"f.yaml:3:1: p1-leaf7: unknown key, and no node's name\n"
		"f.yaml:4:1: leaf1: unknown key, and no node's name; did you mean "
		"\"leaf\"?\n");
}

static void
other_kinds_mistakes(void **state)
{
	(void)state;
	expect_messages(
		"fabric: {topology: {kind: fat-tree, k: 5}}\n",
		"f.yaml:1:20: fabric.topology: k is 5: half the ports of a switch go up, so "
		"it must be even\n");
	expect_messages("fabric: {topology: {kind: rail, leaves: 9, spines: 4, rails: 2, "
			"hosts-per-leaf: 4}}\n",
			"f.yaml:1:20: fabric.topology: 9 leaves cannot be shared evenly by 2 "
			"rails\n");
	expect_messages(
		"fabric: {topology: {kind: rail, leaves: 9, spines: 4, "
		"hosts-per-leaf: 4}}\n",
		"f.yaml:1:20: fabric.topology: a host would have 9 NICs, one for each leaf: "
		"write \"rails\", 8 at most\n");
	expect_messages(
		"fabric: {topology: {kind: clos3, pods: 2, leaves: 2, spines: 2, super-spines: "
		"3, hosts-per-leaf: 1}}\n",
		"f.yaml:1:20: fabric.topology: 3 super-spines cannot be shared evenly by 2 "
		"groups, one for each spine of a pod\n");
	expect_messages(
		"fabric: {topology: {kind: clos3, pods: 2, leaves: 2, spines: 2, super-spines: "
		"0, hosts-per-leaf: 1}}\n",
		"f.yaml:1:20: fabric.topology: 2 pods without a super-spine cannot reach each "
		"other\n");
	expect_messages(
		"fabric: {topology: {kind: clos3, pods: 2, leaves: 200, spines: 1, "
		"super-spines: 57, hosts-per-leaf: 1}}\n",
		"f.yaml:1:20: fabric.topology: a spine would have 257 ports: 256 at most\n");
	expect_messages("fabric: {topology: {kind: fat-tree, k: 4, leaves: 2}}\n",
			"f.yaml:1:43: fabric.topology.leaves: is not a key of topology fat-tree\n");
	expect_messages("fabric: {topology: {kind: file, file: /nowhere/t, format: ns4}}\n",
			"f.yaml:1:39: fabric.topology.file: /nowhere/t cannot be read: No such "
			"file or directory\n"
			"f.yaml:1:59: fabric.topology.format: \"ns4\" is not one of hpcc\n");
}

#define FABRIC_START \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"

static void
links_by_name(void **state)
{
	struct config *c =
		load_good(FABRIC_START
			  "  links: {fabric: {rate: 400G, cable: 10m}, super-spine: {delay: 1us},\n"
			  "    leaf1-spine2: {rate: 40G}, spine1-leaf2: {cable: 3m, mtu: "
			  "1500}}\n");
	const struct config_named_link *named = c->fabric.named_links;
	struct config_link link;

	(void)state;
	assert_int_equal(c->fabric.named_link_count, 2);
	assert_string_equal(named[0].name.text, "leaf1-spine2");
	link = config_link_over(&c->fabric.fabric_link, &named[0].written);
	assert_int_equal(link.rate_bps, UINT64_C(40000000000));
	assert_int_equal(link.cable_mm, 10000);
	assert_int_equal(link.pos.line, 4);
	link = config_link_over(&c->fabric.fabric_link, &named[1].written);
	assert_int_equal(link.rate_bps, UINT64_C(400000000000));
	assert_int_equal(link.cable_mm, 3000);
	assert_int_equal(link.mtu, 1500);
	link = config_link_over(&c->fabric.fabric_link, &c->fabric.super_link);
	assert_int_equal(link.rate_bps, UINT64_C(400000000000));
	assert_int_equal(link.delay_ps, 1000000);
	config_free(c);
	expect_messages(FABRIC_START "  links: {supes: {rate: 1G}, leaf1-spine1: {rat: 1G, delay: "
				     "1us, cable: 3m}}\n",
			"f.yaml:3:11: fabric.links.supes: unknown key, and no link such as "
			"leaf1-spine1; did you mean \"super-spine\"?\n"
			"f.yaml:3:45: fabric.links.leaf1-spine1.rat: unknown key; did you mean "
			"\"rate\"?\n"
			"f.yaml:3:66: fabric.links.leaf1-spine1: delay and cable exclude each "
			"other: the other is at line 3\n");
}

static void
links_and_framing(void **state)
{
	static const char start[] = "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
				    "hosts-per-leaf: 2}\n";
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
		"f.yaml:3:36: fabric.links.host.delay: 2s is out of range: 0ps to 1s\n"
		"f.yaml:3:40: fabric.links.host.mtu: unknown key\n"
		"f.yaml:3:73: fabric.links.fabric: delay and cable exclude each other: the other "
		"is "
		"at line 3\n"
		"f.yaml:4:25: fabric.links.framing.preamble: 8 has no unit: write it with B, KB, "
		"MB, GB, KiB, "
		"MiB or GiB, or auto\n"
		"f.yaml:4:33: fabric.links.framing.gap: 2KB is out of range: 0B to 1024B, or auto\n"
		"f.yaml:5:9: fabric.name: \"a.b\" is not a name: letters, digits, - and _, a "
		"letter or digit "
		"first\n"
		"f.yaml:6:13: fabric.dilation: 0 is out of range: 1 to 1000000000\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explicit_topology),    cmocka_unit_test(explicit_mistakes),
		cmocka_unit_test(leaf_spine_mistakes),  cmocka_unit_test(other_kinds),
		cmocka_unit_test(other_kinds_mistakes), cmocka_unit_test(links_by_name),
		cmocka_unit_test(links_and_framing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
