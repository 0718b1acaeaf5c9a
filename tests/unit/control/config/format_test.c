// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

#include "control/config/format.h"

#define OLD                                                                           \
	"fabric: {topology: {kind: clos3, pods: 2, leaves: 2, spines: 2, supers: 2, " \
	"hosts_per_leaf: 2},\n"                                                       \
	"         links: {super: {rate: 200G}}}\n"
#define NEW                                                                                 \
	"fabric: {topology: {kind: clos3, pods: 2, leaves: 2, spines: 2, super-spines: 2, " \
	"hosts-per-leaf: 2},\n"                                                             \
	"         links: {super-spine: {rate: 200G}}}\n"
#define EXPLICIT "fabric: {topology: {kind: explicit, nodes: "

static void
the_number_and_its_text_agree(void **state)
{
	char text[16];

	(void)state;
	snprintf(text, sizeof(text), "%d", FORMAT_VERSION);
	assert_string_equal(text, FORMAT_VERSION_TEXT);
}

// Each row applies to a file of its own.
static void
old_names_are_read_with_a_warning(void **state)
{
	static const struct {
		const char *text, *messages;
	} cases[] = {
		{OLD, "warning: f.yaml:1:65: fabric.topology.supers: is called super-spines now: "
		      "`roost migrate` rewrites the file\n"
		      "warning: f.yaml:1:76: fabric.topology.hosts_per_leaf: is called "
		      "hosts-per-leaf now: `roost migrate` rewrites the file\n"
		      "warning: f.yaml:2:18: fabric.links.super: is called super-spine now: "
		      "`roost migrate` rewrites the file\n"},
		{NEW "super: {latency: 1us}\n",
		 "warning: f.yaml:3:1: super: is called super-spine now: `roost migrate` rewrites "
		 "the file\n"},
		{NEW "events: [{at: 1us, set: super.routing.mode, to: spray}]\n",
		 "warning: f.yaml:3:25: events[0].set: super. is called super-spine. now: `roost "
		 "migrate` rewrites the file\n"},
		{EXPLICIT
		 "{h1: host, h2: host, s1: {role: leaf}, s2: super}, links: [{a: h1, b: s1}, "
		 "{a: h2, b: s1}, {a: s1, b: s2}]}}\n",
		 "warning: f.yaml:1:87: fabric.topology.nodes.s2: super is called super-spine now: "
		 "`roost migrate` rewrites the file\n"},
		{EXPLICIT
		 "{h1: host, h2: host, s1: leaf, s2: {role: super}}, links: [{a: h1, b: s1}, "
		 "{a: h2, b: s1}, {a: s1, b: s2}]}}\n",
		 "warning: f.yaml:1:86: fabric.topology.nodes.s2.role: super is called super-spine "
		 "now: `roost migrate` rewrites the file\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_messages(cases[i].text, cases[i].messages);
}

static void
they_mean_what_the_new_ones_mean(void **state)
{
	struct diag diag = {0};
	struct config *was, *now;
	char *old_text, *new_text;
	size_t old_length, new_length;

	(void)state;
	assert_int_equal(config_load_text(&was, OLD, strlen(OLD), "f.yaml", &diag), 0);
	assert_int_equal(config_load_text(&now, NEW, strlen(NEW), "f.yaml", &diag), 0);
	assert_int_equal(was->fabric.hosts_per_leaf, 2);
	assert_int_equal(was->fabric.supers, 2);
	config_emit(was, &old_text, &old_length);
	config_emit(now, &new_text, &new_length);
	assert_string_equal(old_text, new_text);
	assert_memory_equal(new_text, "version: 1\n", strlen("version: 1\n"));
	free(old_text);
	free(new_text);
	config_free(was);
	config_free(now);
	diag_free(&diag);
}

static void
a_node_may_have_an_old_name(void **state)
{
	(void)state;
	expect_messages(EXPLICIT "{h1: host, h2: host, super: leaf}, links: [{a: h1, b: super}, "
				 "{a: h2, b: super}]}}\n"
				 "super: {latency: 1us}\n",
			"");
}

static void
both_names_are_refused(void **state)
{
	(void)state;
	expect_messages("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2,\n"
			"  hosts-per-leaf: 2,\n"
			"  hosts_per_leaf: 3}}\n",
			"f.yaml:3:3: fabric.topology.hosts_per_leaf: is the old name of "
			"hosts-per-leaf, which line 2 has: remove one of the two\n");
}

static void
a_revision_is_no_file_to_rewrite(void **state)
{
	struct diag diag = {0};
	struct config *config;

	(void)state;
	assert_int_equal(config_load_revision(&config, OLD, strlen(OLD), "3.yaml", "f.yaml", &diag),
			 0);
	assert_int_equal(diag.warnings, 3);
	assert_non_null(strstr(diag.messages[0].text, "the next revision has that name"));
	config_free(config);
	diag_free(&diag);
}

static void
versions(void **state)
{
	static const char newer[] =
		": a newer version of Roost wrote this file: its format is %s, and this version "
		"reads up to 1: install a newer one\n";
	static const char *const numbers[] = {"2", "10", "99999999999999999999"};
	char text[400], wanted[400];

	(void)state;
	expect_messages("version: 1\n" FABRIC, "");
	expect_messages(FABRIC "version: 1\n", "");
	expect_messages("version: 1\n" SINGLE, "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		// What else a newer version may write is not reported.
		snprintf(text, sizeof(text), "version: %s\nswarm: {}\n" FABRIC, numbers[i]);
		snprintf(wanted, sizeof(wanted), "f.yaml:1:10: version");
		snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted), newer,
			 numbers[i]);
		expect_messages(text, wanted);
	}
	expect_messages("version: 0\n" FABRIC, "f.yaml:1:10: version: 0 is out of range: 1 to 1\n");
	expect_messages("version: new\n" FABRIC,
			"f.yaml:1:10: version: \"new\" is not a whole number (1 to 1)\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_and_its_text_agree),
		cmocka_unit_test(old_names_are_read_with_a_warning),
		cmocka_unit_test(they_mean_what_the_new_ones_mean),
		cmocka_unit_test(a_node_may_have_an_old_name),
		cmocka_unit_test(both_names_are_refused),
		cmocka_unit_test(a_revision_is_no_file_to_rewrite),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
