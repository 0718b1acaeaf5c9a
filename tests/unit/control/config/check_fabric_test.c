// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
nodes_are_named_once(void **state)
{
	(void)state;
	expect_messages("fabric: {topology: {kind: explicit, links: [],\n"
			"  nodes: [leaf1, hosts, leaf1]}}\n",
			"f.yaml:2:18: fabric.topology.nodes: \"hosts\" is a section's name\n"
			"f.yaml:2:25: fabric.topology.nodes: leaf1 is already given at line 2\n");
}

static void
sections_are_of_the_nodes_that_are_there(void **state)
{
	struct config *c = load_good("fabric: {topology: {kind: explicit, links: [],\n"
				     "  nodes: {tor: leaf, s9: {role: spine}, h1: , gpu: host}}}\n"
				     "tor: {latency: 1us}\ns9: {latency: 2us}\ngpu: {rto: 7ms}\n");
	struct switch_config tor, s9;
	struct host_config gpu;

	(void)state;
	assert_int_equal(c->fabric.node_count, 4);
	assert_int_equal(c->fabric.nodes[0].role, CONFIG_ROLE_LEAF);
	assert_int_equal(c->fabric.nodes[1].role, CONFIG_ROLE_SPINE);
	assert_int_equal(c->fabric.nodes[2].role, CONFIG_ROLE_HOST);
	assert_int_equal(c->fabric.nodes[3].role, CONFIG_ROLE_HOST);
	assert_int_equal(config_switch(c, "tor", CONFIG_ROLE_LEAF, &tor), 0);
	assert_int_equal(config_switch(c, "s9", CONFIG_ROLE_SPINE, &s9), 0);
	assert_int_equal(config_host(c, "gpu", &gpu), 0);
	assert_int_equal(tor.latency_ps, 1000000);
	assert_int_equal(s9.latency_ps, 2000000);
	assert_int_equal(gpu.rto_ps, 7000000000);
	config_free(c);
	expect_messages(
		FABRIC "h1: {latency: 1us}\nleaf1: {rto: 1ms}\n",
		"f.yaml:2:6: h1.latency: unknown key\nf.yaml:3:9: leaf1.rto: unknown key\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_named_once),
		cmocka_unit_test(sections_are_of_the_nodes_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
