// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/host_range.h"

#include "expect.h"
#include "control/config/scalar.h"

#include <errno.h>

static const struct {
	const char *text;
	unsigned count;
	const char *first, *last;
} good[] = {
	{"h1-h8", 8, "h1", "h8"},
	{"h[1-8]", 8, "h1", "h8"},
	{"h3-h3", 1, "h3", "h3"},
	{"gpu-9-gpu-10", 2, "gpu-9", "gpu-10"},
	{"h01-h16", 16, "h01", "h16"},
	{"h[098-101]", 4, "h098", "h101"},
	{"h[1-4].eth2", 4, "h1.eth2", "h4.eth2"},
	{"h1.eth[1-8]", 8, "h1.eth1", "h1.eth8"},
	{"h1-h16384", 16384, "h1", "h16384"},
	// One name each.
	{"h1", 0, "h1", NULL},
	{"rack1-gpu3", 0, "rack1-gpu3", NULL},
	{"h1-8", 0, "h1-8", NULL},
	{"1-2", 0, "1-2", NULL},
	{"leaf-spine", 0, "leaf-spine", NULL},
};

static const struct {
	const char *text, *why;
} bad[] = {
	{"h8-h1", "h8-h1 runs backwards: write the lower number first"},
	{"h[8-1]", "h[8-1] runs backwards: write the lower number first"},
	{"h1-h16385", "h1-h16385 stands for 16385 hosts: 16384 at most"},
	{"h1-h9999999999", "h1-h9999999999: a number has 9 digits at most"},
	{"h[8]", "\"h[8]\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"h[1-]", "\"h[1-]\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"h[1-8", "\"h[1-8\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"[1-8]", "\"[1-8]\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"h]1-8[", "\"h]1-8[\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"h[1-2][3-4]", "\"h[1-2][3-4]\" is not a range of hosts: write h1-h8 or h[1-8]"},
	{"", "\"\" is not a name"},
	{"h 1", "\"h 1\" is not a name"},
	{"-h1", "\"-h1\" is not a name"},
};

static void
ranges_and_names_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char why[SCALAR_WHY] = "", name[64];
		struct host_range range;

		assert_int_equal(host_range_read(&range, good[i].text, why), 0);
		assert_int_equal(range.count, good[i].count);
		host_range_name(&range, 0, name, sizeof(name));
		assert_string_equal(name, good[i].first);
		if (range.count == 0)
			continue;
		host_range_name(&range, range.count - 1, name, sizeof(name));
		assert_string_equal(name, good[i].last);
	}
}

static void
mistakes_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[SCALAR_WHY] = "";
		struct host_range range;

		assert_int_equal(host_range_read(&range, bad[i].text, why), -EINVAL);
		assert_string_equal(why, bad[i].why);
	}
}

static void
a_range_of_ports_is_suggested(void **state)
{
	static const struct {
		const char *text, *hint;
	} rows[] = {
		{"h1-h4.eth1", "; did you mean h[1-4].eth1?"},
		{"h01-h16.eth2", "; did you mean h[01-16].eth2?"},
		{"h1-leaf2", "; write a range as h1-h8 or h[1-8]"},
		{"h1.eth1-h4.eth1", "; write a range as h1-h8 or h[1-8]"},
		{"h1", ""},
		{"leaf-a", ""},
		{"-1", ""},
	};
	char hint[HOST_RANGE_HINT];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(host_range_hint(rows[i].text, hint), rows[i].hint);
}

// One fabric may have hosts h1, h2 and one whose own name is h1-h2.
static void
a_node_wins_over_a_range(void **state)
{
	struct config *config;
	struct diag diag = {0};
	const char *text = "fabric:\n  topology:\n    kind: explicit\n"
			   "    nodes: {leaf1: leaf, h1: host, h2: host, h1-h2: host, h3: host}\n"
			   "    links: [{a: leaf1.swp1, b: h1}]\n"
			   "workload:\n"
			   "- {kind: shift, size: 1KB, hosts: [h1-h2, h1, h2]}\n"
			   "- {kind: shift, size: 1KB, hosts: [\"h[1-2]\", h3]}\n";

	(void)state;
	assert_int_equal(config_load_text(&config, text, strlen(text), "f.yaml", &diag), 0);
	assert_int_equal(config->workload[0].hosts.count, 3);
	assert_string_equal(config->workload[0].hosts.items[0].text, "h1-h2");
	assert_int_equal(config->workload[1].hosts.count, 3);
	assert_string_equal(config->workload[1].hosts.items[1].text, "h2");
	config_free(config);
	diag_free(&diag);
}

// Lists that are each small enough may not be so together.
static void
names_of_a_file_are_bounded(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	fputs(FABRIC "workload:\n", to);
	for (unsigned i = 0; i < 65; i++)
		fputs("- {kind: shift, size: 1KB, hosts: h1-h16384}\n", to);
	fclose(to);
	expect_messages(text, "f.yaml:67:35: workload[64].hosts: the lists of the file have more "
			      "than 1048576 names in total\n");
	free(text);
}

static void
lists_of_hosts_take_ranges(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants:\n"
			       "  red: {hosts: [h1-h4, h3]}\n"
			       "  blue: {hosts: h8-h5}\n"
			       "  grey: {hosts: h[9-10]}\n"
			       "workload:\n"
			       "  - {kind: incast, from: [h1-h4, \"h[6-7]\"], to: h5, size: 1MB}\n",
			"f.yaml:5:18: a range with brackets needs quotes in a list or map: write "
			"\"h[1-8]\", or h1-h8\n");
	expect_messages(
		FABRIC "tenants:\n"
		       "  red: {hosts: [h1-h4, h3]}\n"
		       "  blue: {hosts: h8-h5}\n"
		       "workload:\n"
		       "  - {kind: incast, from: [h1-h4, \"h[4-7]\"], to: h5, size: 1MB}\n"
		       "  - {kind: flow, from: h1-h2, to: h5, size: 1MB}\n"
		       "  - {kind: shift, hosts: [h1-h9000, h9001-h17000], size: 1MB}\n",
		"f.yaml:3:24: tenants.red.hosts: h3 is named twice\n"
		"f.yaml:4:17: tenants.blue.hosts: h8-h5 runs backwards: write the lower number "
		"first\n"
		"f.yaml:6:34: workload[0].from: h4 is named twice\n"
		"f.yaml:7:24: workload[1]: \"from\" is one host here\n"
		"f.yaml:8:26: workload[2].hosts: 17000 names: 16384 at most\n");
	// A list of what is no host has no ranges.
	expect_messages(FABRIC "record: {interval: 1us, queues: \"leaf[1-2].swp1.3\"}\n",
			"f.yaml:2:33: record.queues: \"leaf[1-2].swp1.3\" is not a name\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_and_names_are_read),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(a_range_of_ports_is_suggested),
		cmocka_unit_test(a_node_wins_over_a_range),
		cmocka_unit_test(names_of_a_file_are_bounded),
		cmocka_unit_test(lists_of_hosts_take_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
