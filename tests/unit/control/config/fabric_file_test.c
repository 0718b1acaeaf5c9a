// SPDX-License-Identifier: BSD-3-Clause
// Topology files: what nodes and links come of one, and every mistake with its place.
#include "expect.h"

#include "control/config/fabric_file.h"

#include <errno.h>
#include <unistd.h>

static int
parse(struct config_fabric *fabric, struct arena *arena, const char *text, struct diag *diag)
{
	const struct diag_pos pos = {3, 4};

	*fabric = (struct config_fabric){.topology = CONFIG_TOPOLOGY_FILE};
	return fabric_file_parse(fabric, arena, text, strlen(text), "t.txt", pos, diag);
}

// Two leaves with two hosts each, a spine that joins them and a super above it.
static void
test_roles_and_ports(void **state)
{
	static const enum config_role roles[] = {
		CONFIG_ROLE_HOST, CONFIG_ROLE_HOST,        CONFIG_ROLE_HOST,  CONFIG_ROLE_HOST,
		CONFIG_ROLE_LEAF, CONFIG_ROLE_SUPER_SPINE, CONFIG_ROLE_SPINE, CONFIG_ROLE_LEAF,
	};
	static const char text[] = "8 4 7  # nodes switches links\n\n4 5\n6 7\n"
				   "6 4 400Gbps 1us 0.000000\n"
				   "0 4 100Gbps 1000ns 0\n"
				   "1 4 100Gb/s 0.001ms 0.000100 # lossy\n"
				   "2 7 100G 1us 1\r\n"
				   "7 3 25000Mbps 1us 0.\n"
				   "6 7 400Gbps 1us 0.000000\n"
				   "\t6  5 400Gbps 1us 0.0000000000";
	const struct config_explicit_link *links;
	struct config_fabric fabric;
	struct diag diag = {0};
	struct arena arena = {0};

	(void)state;
	assert_int_equal(parse(&fabric, &arena, text, &diag), 0);
	assert_int_equal(diag.count, 0);
	assert_int_equal(fabric.node_count, 8);
	for (unsigned n = 0; n < 8; n++)
		assert_int_equal(fabric.nodes[n].role, roles[n]);
	assert_string_equal(fabric.nodes[0].name.text, "h0");
	assert_string_equal(fabric.nodes[4].name.text, "s4");
	assert_int_equal(fabric.link_count, 7);
	links = fabric.links;
	// Towards hosts first, then the others, in the order of the lines.
	assert_string_equal(links[0].a.name.text, "s6.swp1");
	assert_string_equal(links[0].b.name.text, "s4.swp3");
	assert_string_equal(links[1].a.name.text, "h0.eth1");
	assert_string_equal(links[1].b.name.text, "s4.swp1");
	assert_string_equal(links[2].b.name.text, "s4.swp2");
	assert_string_equal(links[6].b.name.text, "s5.swp1");
	assert_int_equal(links[0].written.link.rate_bps, UINT64_C(400000000000));
	assert_int_equal(links[2].written.link.rate_bps, UINT64_C(100000000000));
	assert_int_equal(links[2].written.link.delay_ps, 1000000);
	assert_int_equal(links[2].written.link.cable_mm, 198000);
	assert_int_equal(links[1].written.link.loss_ppm, 0);
	assert_int_equal(links[2].written.link.loss_ppm, 100);
	assert_int_equal(links[3].written.link.loss_ppm, 1000000);
	assert_int_equal(links[4].written.link.rate_bps, UINT64_C(25000000000));
	assert_int_equal(links[4].written.link.pos.line, 3); // the configuration's key
	arena_free(&arena);
}

static void
expect_error(const char *text, const char *wanted)
{
	struct config_fabric fabric;
	struct diag diag = {0};
	struct arena arena = {0};
	char *printed = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&printed, &size);

	assert_non_null(to);
	assert_int_equal(parse(&fabric, &arena, text, &diag), -EINVAL);
	diag_print(&diag, to);
	fclose(to);
	assert_string_equal(printed, wanted);
	free(printed);
	diag_free(&diag);
	arena_free(&arena);
}

static void
test_mistakes_of_the_head(void **state)
{
	(void)state;
	expect_error("", "t.txt:1:1: nodes: is missing: the file ends here\n");
	expect_error("3 1", "t.txt:1:4: links: is missing: the file ends here\n");
	expect_error("65536 1 1\n", "t.txt:1:1: nodes: 65536 is out of range: 1 to 65535\n");
	expect_error("3 4 1\n", "t.txt:1:3: switches: 4 is out of range: 1 to 3\n");
	expect_error("3 -1 1\n", "t.txt:1:3: switches: -1 is out of range: 1 to 3\n");
	expect_error("3 2 2\n1 3\n", "t.txt:2:3: switch: 3 is out of range: 0 to 2\n");
	expect_error("3 2 2\n1 1\n", "t.txt:2:3: switch: 1 is there twice\n");
	expect_error("3 2 9999999\n1 2\n",
		     "t.txt:1:5: links: 9999999 is out of range: 0 to 1000000\n");
	expect_error("3 x\x01y 1\n",
		     "t.txt:1:3: switches: \"x?y\" is not a whole number (1 to 3)\n");
}

static void
test_mistakes_of_links(void **state)
{
	(void)state;
	// Each bad line is an error.
	expect_error("4 1 9\n3\n"
		     "0 3 100Gbps 1us 0\n"
		     "0 4 100Gbps 1us 0\n"
		     "0 1 100Gbps 1us 0\n"
		     "3 3 100Gbps 1us 0\n"
		     "1 3 100 1us 0\n"
		     "1 3 100Gbps 1 0\n"
		     "1 3 100Gbps 1us 2\n"
		     "1 3 100Gbps 1us\n"
		     "1 3 100Gbps 1us 0 0\n",
		     "t.txt:4:3: b: 4 is out of range: 0 to 3\n"
		     "t.txt:5:1: both ends are hosts; a host hangs on a switch\n"
		     "t.txt:6:1: both ends are of one node\n"
		     "t.txt:7:5: rate: 100 has no unit: write it with K, M, G or T (bits per "
		     "second)\n"
		     "t.txt:8:13: delay: 1 has no unit: write it with ps, ns, us, ms or s\n"
		     "t.txt:9:17: error: is not a share from 0 to 1, such as 0.000100\n"
		     "t.txt:10:16: error: is missing on this line\n"
		     "t.txt:11:19: one word too many: a link is \"a b rate delay error\"\n");
	expect_error("2 1 1\n1\n0 1 1Kbps 1us 0\n",
		     "t.txt:3:5: rate: is out of range: 10M to 8T\n");
	expect_error("2 1 1\n1\n0 1 1Gbps 2s 0\n",
		     "t.txt:3:11: delay: is out of range: 0ns to 1s\n");
	expect_error("2 1 1\n1\n0 1 1Gbps 1us 0.0000001\n",
		     "t.txt:3:15: error: is finer than a millionth\n");
	expect_error("2 1 1\n1\n0 1 1Gbps 1us 1.1\n",
		     "t.txt:3:15: error: is not a share from 0 to 1, such as 0.000100\n");
	expect_error("2 1 2\n1\n0 1 1Gbps 1us 0\n",
		     "t.txt:4:1: links: the file ends after 1 of 2 links\n");
	expect_error("2 1 1\n1\n0 1 1Gbps 1us 0\n0 1 1Gbps 1us 0\n",
		     "t.txt:4:1: links: the file has more lines than the first one says\n");
	expect_error("3 1 1\n1\n0 1 1Gbps 1us 0\n",
		     "t.txt:1:1: nodes: 2 is no switch, so it is a host, and no link is its "
		     "own\n");
}

static void
test_too_many_links_of_a_node(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_non_null(to);
	fprintf(to, "2 1 9\n1\n");
	for (unsigned i = 0; i < 9; i++)
		fprintf(to, "0 1 1Gbps 1us 0\n");
	fclose(to);
	expect_error(text, "t.txt:11:1: node 0 has more than 8 links\n");
	free(text);
}

// Beside the configuration's own file, with sections of the nodes that it has.
static void
test_in_a_configuration(void **state)
{
	char folder[] = "/tmp/roost-topology-XXXXXX", path[128], config[128];
	struct diag diag = {0};
	struct config *c = NULL;
	FILE *to;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/t.txt", folder);
	snprintf(config, sizeof(config), "%s/f.yaml", folder);
	to = fopen(path, "w");
	assert_non_null(to);
	fprintf(to, "3 1 2\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n");
	fclose(to);
	to = fopen(config, "w");
	assert_non_null(to);
	fprintf(to, "fabric: {topology: {kind: file, file: t.txt}}\nh2: {rto: 2ms}\ns1: {latency: "
		    "1us}\n");
	fclose(to);
	assert_int_equal(config_load(&c, config, &diag), 0);
	assert_int_equal(c->fabric.node_count, 3);
	config_free(c);
	to = fopen(config, "a");
	assert_non_null(to);
	fprintf(to, "h1: {rto: 2ms}\n");
	fclose(to);
	assert_int_equal(config_load(&c, config, &diag), -EINVAL);
	assert_non_null(strstr(diag.messages[0].text, "f.yaml:4:1: h1: unknown key, and no node's "
						      "name"));
	diag_free(&diag);
	unlink(path);
	unlink(config);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roles_and_ports),
		cmocka_unit_test(test_mistakes_of_the_head),
		cmocka_unit_test(test_mistakes_of_links),
		cmocka_unit_test(test_too_many_links_of_a_node),
		cmocka_unit_test(test_in_a_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
