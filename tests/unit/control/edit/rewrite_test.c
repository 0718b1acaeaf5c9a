// SPDX-License-Identifier: BSD-3-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/edit/rewrite.h"

#include <errno.h>
#include <string.h>

// What a text becomes; NULL: it stays as it is.
static void
expect_as(const char *way, const char *text, const char *wanted)
{
	struct diag diag = {0};
	struct rewrite out;

	if (rewrite_text(&out, text, strlen(text), "f.yaml", &diag) != 0)
		fail_msg("%s: %s: %s", way, diag_first_error(&diag), text);
	if ((out.text == NULL) != (wanted == NULL) ||
	    (wanted != NULL && strcmp(out.text, wanted) != 0))
		fail_msg("%s: %s: %s", way, text, out.text != NULL ? out.text : "unchanged");
	rewrite_free(&out);
	diag_free(&diag);
}

static void
expect(const char *text, const char *wanted)
{
	expect_as("layout", text, wanted);
}

static void
expect_refused(const char *text, const char *wanted)
{
	struct diag diag = {0};
	struct rewrite out;

	assert_int_equal(rewrite_text(&out, text, strlen(text), "f.yaml", &diag), -EINVAL);
	assert_string_equal(diag_first_error(&diag), wanted);
	rewrite_free(&out);
	diag_free(&diag);
}

static void
layout_stays(void **state)
{
	(void)state;
	expect("# A lab.\n\n"
	       "fabric:   # one\n"
	       "  topology: {kind: leaf-spine,   hosts_per_leaf : 4, # four\n"
	       "             leaves: 2}\n"
	       "    # the end\n",
	       "# A lab.\n\n"
	       "version: 1\n"
	       "fabric:   # one\n"
	       "  topology: {kind: leaf-spine,   hosts-per-leaf : 4, # four\n"
	       "             leaves: 2}\n"
	       "    # the end\n");
	expect("super: {latency: 1us}\nfabric: {links: {super: {rate: 1G}}, topology: {supers: 2}}",
	       "version: 1\nsuper-spine: {latency: 1us}\n"
	       "fabric: {links: {super-spine: {rate: 1G}}, topology: {super-spines: 2}}");
}

static void
every_way_to_write(void **state)
{
	static const struct {
		const char *way, *text, *wanted;
	} cases[] = {
		{"CRLF", "a: 1\r\nsuper:\r\n  x: 1\r\n",
		 "version: 1\r\na: 1\r\nsuper-spine:\r\n  x: 1\r\n"},
		{"CR", "a: 1\rsuper:\r  x: 1\r", "version: 1\ra: 1\rsuper-spine:\r  x: 1\r"},
		{"mark of UTF-8", "\xef\xbb\xbfsuper: 1\n",
		 "\xef\xbb\xbfversion: 1\nsuper-spine: 1\n"},
		{"letters of several bytes",
		 "{\"\xc3\xa9\xe2\x82\xac\": \xf0\x9f\x98\x80, super: 1}",
		 "{\"version\": 1, \"\xc3\xa9\xe2\x82\xac\": \xf0\x9f\x98\x80, super-spine: 1}"},
		{"line separator", "a: \"x\xe2\x80\xa8y\"\nsuper: 1\n",
		 "version: 1\na: \"x\xe2\x80\xa8y\"\nsuper-spine: 1\n"},
		{"flow style", "{super: {x: 1}, b: 2}", "{version: 1, super-spine: {x: 1}, b: 2}"},
		{"flow style in lines", "{\n  super: 1\n}\n",
		 "{version: 1,\n  super-spine: 1\n}\n"},
		{"JSON", "{\"super\": {\"x\": 1}}",
		 "{\"version\": 1, \"super-spine\": {\"x\": 1}}"},
		{"quotes", "'super': 1\n", "version: 1\n'super-spine': 1\n"},
		{"anchors", "&m\n&top super: &s {x: 1}\n",
		 "&m\nversion: 1\n&top super-spine: &s {x: 1}\n"},
		{"a key with a mark", "? super\n: 1\n", "? super-spine\n: 1\n"},
		{"a document's mark", "---\nsuper: 1\n...\n",
		 "---\nversion: 1\nsuper-spine: 1\n...\n"},
		{"indentation", "  super: 1\n  b: 2\n", "  version: 1\n  super-spine: 1\n  b: 2\n"},
		{"no end of the line", "super: 1", "version: 1\nsuper-spine: 1"},
		{"a version", "super: 1\nversion: 1\n", "super-spine: 1\nversion: 1\n"},
		{"words", "fabric: {topology: {nodes: {s: super, t: {role: 'super'}}}}\n",
		 "version: 1\nfabric: {topology: {nodes: {s: super-spine, t: {role: "
		 "'super-spine'}}}}\n"},
		{"beginnings of keys",
		 "events:\n- set: super.ttl\n- unset: \"super.x\"\n- set: superb\n",
		 "version: 1\nevents:\n- set: super-spine.ttl\n- unset: \"super-spine.x\"\n"
		 "- set: superb\n"},
		{"a comment alike", "# super\nb: super # super:\nsuper: 1\n",
		 "# super\nversion: 1\nb: super # super:\nsuper-spine: 1\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_as(cases[i].way, cases[i].text, cases[i].wanted);
}

static void
nothing_to_do(void **state)
{
	(void)state;
	expect("fabric: {topology: {hosts-per-leaf: 2}}\n", NULL);
	expect("version: 1\nattach: {h1: {netns: a}}\n", NULL);
}

static void
a_default_that_changed_is_noted(void **state)
{
	static const char text[] =
		"attach: {h1: {netns: a}, h2: {nic: off}}\n"
		"switch: {ports: {swp1: {dev: x}, swp2: {dev: y, mac: z}, swp3: {}}}\n";
	struct diag diag = {0};
	struct rewrite out;

	(void)state;
	assert_int_equal(rewrite_text(&out, text, strlen(text), "f.yaml", &diag), 0);
	assert_int_equal(out.changes.count, 2);
	assert_string_equal(out.changes.items[0].path, "attach.h1.nic");
	assert_string_equal(out.changes.items[1].path, "switch.ports.swp1.mac");
	assert_int_equal(out.renamed, 0);
	assert_true(out.marked);
	rewrite_free(&out);
	diag_free(&diag);
}

static void
what_cannot_be_replaced(void **state)
{
	(void)state;
	expect_refused("a: 1\n\"s\\x75per\": 1\n",
		       "f.yaml:2:1: super: cannot be replaced here: write "
		       "super-spine instead of super");
	expect_refused("fabric: {topology: {nodes: {s: &a # of it\n  super}}}\n",
		       "f.yaml:1:32: fabric.topology.nodes.s: cannot be replaced here: write "
		       "super-spine instead of super");
	expect_refused("fabric:\n  topology:\n    nodes:\n      s: >-\n        super\n",
		       "f.yaml:4:10: fabric.topology.nodes.s: cannot be replaced here: write "
		       "super-spine instead of super");
	expect_refused(
		"super: 1\nsuper-spine: 2\n",
		"f.yaml:1:1: super: is the old name of super-spine, which line 2 has: remove "
		"one of the two");
	expect_refused("version: 2\nsuper: 1\n",
		       "f.yaml:1:10: version: a newer version of Roost wrote this file: its format "
		       "is 2, and this version reads up to 1: install a newer one");
	expect_refused("- a\n", "f.yaml:1:1: is no configuration: it must begin with keys such as "
				"\"fabric:\"");
	expect_refused("a: *b\n", "f.yaml:1:4: aliases (*name) are not used here");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_stays),
		cmocka_unit_test(every_way_to_write),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(a_default_that_changed_is_noted),
		cmocka_unit_test(what_cannot_be_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
