// SPDX-License-Identifier: BSD-3-Clause
#include "control/edit/edit.h"
#include "control/config/yaml_emit.h"

#include "tests/unit/control/config/expect.h"

#include <errno.h>

static const char text[] = FABRIC "attach:\n  h1: {netns: a}\n  h2.eth1: {dev: net_null0}\n";

// One edit; value NULL: unset.
static int
edit(struct config *c, const char *key, const char *value, struct diag *diag)
{
	return config_edit_attach(
		c,
		&(struct config_edit){.kind = value != NULL ? CONFIG_EDIT_SET : CONFIG_EDIT_UNSET,
				      .key = key,
				      .value = value},
		1, diag);
}

static void
expect(const struct config *c, const char *wanted)
{
	const struct yaml_node *section = config_attach_section(c);
	char *found = section != NULL ? yaml_emit_value(section) : NULL;

	if (wanted == NULL)
		assert_null(section);
	else
		assert_string_equal(found, wanted);
	free(found);
}

static void
entries_come_change_and_go(void **state)
{
	static const struct {
		const char *key, *value, *after;
	} steps[] = {
		{"attach.h3", "{netns: b, mtu: 1400}",
		 "{h1: {netns: a}, h2.eth1: {dev: net_null0}, h3: {netns: b, mtu: 1400}}"},
		{"attach.h2.eth1.mtu", "1300",
		 "{h1: {netns: a}, h2.eth1: {dev: net_null0, mtu: 1300}, h3: {netns: b, mtu: "
		 "1400}}"},
		{"attach.h2.eth1", NULL, "{h1: {netns: a}, h3: {netns: b, mtu: 1400}}"},
		{"attach.h3.mtu", NULL, "{h1: {netns: a}, h3: {netns: b}}"},
		{"attach.h4.eth2", "{dev: 'net_null1,no-rx=1'}",
		 "{h1: {netns: a}, h3: {netns: b}, h4.eth2: {dev: 'net_null1,no-rx=1'}}"},
		{"attach.h4.eth2", NULL, "{h1: {netns: a}, h3: {netns: b}}"},
		{"attach.h1", NULL, "{h3: {netns: b}}"},
		{"attach.h3", NULL, NULL}, // the section goes with its last entry
		{"attach.h3.netns", "c", "{h3: {netns: c}}"},
		{"attach", NULL, NULL},
		{"attach", "{}", NULL}, // of a file
		{"attach.h3.netns", "c", "{h3: {netns: c}}"},
		{"attach", "{}", NULL},
	};
	struct config *c = load_good(text);

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct diag diag = {0};

		assert_int_equal(edit(c, steps[i].key, steps[i].value, &diag), 0);
		assert_int_equal(diag.count, 0);
		expect(c, steps[i].after);
		config_edit_keep(c);
		expect(c, steps[i].after);
		diag_free(&diag);
	}
	assert_int_equal(c->attach_count, 2); // what the fabric came up with
	config_free(c);
}

static void
what_is_wrong_changes_nothing(void **state)
{
	static const struct {
		const char *key, *value, *error;
	} wrong[] = {
		{"attach.h3", "{nets: b}", "attach.h3.nets: unknown key; did you mean \"netns\"?"},
		{"attach.h1.mtu", "x", "attach.h1.mtu: \"x\" is not a whole number (128 to 16000)"},
		{"attach.h1.pid", "4", "attach.h1: pid cannot be combined with netns"},
		{"attach.h1.netns", NULL, "attach.h1: needs one of netns, pid, container"},
		{"attach.h3", NULL, "attach.h3: is not set"},
		{"attach.h3", "b", "attach.h3: expected a map of keys and values, found one value"},
		{"attach", "{h3: {netns: b}}", "\"attach\" is not a key that can be set"},
		{"attach..netns", "b", "\"attach..netns\" is not a key that can be set"},
		{"attach.h1.eth9.mtu", "1500", "attach.h1.eth9: unknown key"},
		{"attach.h1.eth2.", "b", "\"attach.h1.eth2.\" is not a key that can be set"},
		{"attach.h1.netns.x", "b",
		 "attach.h1.netns: is one value, not a map: it has no \"x\""},
	};
	struct config *c = load_good(text);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag diag = {0};

		assert_int_equal(edit(c, wrong[i].key, wrong[i].value, &diag), -EINVAL);
		if (strstr(diag_first_error(&diag), wrong[i].error) == NULL)
			fail_msg("%s: %s", wrong[i].key, diag_first_error(&diag));
		expect(c, "{h1: {netns: a}, h2.eth1: {dev: net_null0}}");
		diag_free(&diag);
	}
	config_free(c);
}

static void
taken_back_as_it_was(void **state)
{
	struct config *c = load_good(text);
	struct diag diag = {0};

	(void)state;
	assert_int_equal(edit(c, "attach.h1", NULL, &diag), 0);
	config_edit_keep(c);
	assert_int_equal(edit(c, "attach.h3", "{netns: b}", &diag), 0);
	expect(c, "{h2.eth1: {dev: net_null0}, h3: {netns: b}}");
	config_set_undo(c);
	expect(c, "{h2.eth1: {dev: net_null0}}");
	diag_free(&diag);
	config_free(c);
}

// Other edits leave the section alone, because nothing would follow them.
static void
others_do_not_attach(void **state)
{
	struct config *c = load_good(text);
	struct diag diag = {0};

	(void)state;
	assert_int_equal(config_edit(c,
				     &(struct config_edit){.key = "attach.h3.netns", .value = "b"},
				     1, &diag),
			 -EINVAL);
	assert_non_null(strstr(diag_first_error(&diag), "events cannot attach or detach hosts"));
	diag_free(&diag);
	config_free(c);
}

static void
lists_are_tried_together(void **state)
{
	struct config *c = load_good(text);
	struct edit_list list = {0}, attach = {0}, others = {0};
	struct diag diag = {0};

	(void)state;
	edit_list_add(&list, CONFIG_EDIT_SET, "switch.latency", "1us");
	edit_list_add(&list, CONFIG_EDIT_SET, "attach.h3", "{netns: b}");
	edit_list_add(&list, CONFIG_EDIT_SET, "attachment", "1");
	edit_list_split(&list, &attach, &others);
	assert_int_equal(attach.count, 1);
	assert_string_equal(attach.edits[0].key, "attach.h3");
	assert_int_equal(others.count, 2);
	assert_int_equal(edit_list_try(&list, c, &diag), -EINVAL);
	expect(c, "{h1: {netns: a}, h2.eth1: {dev: net_null0}}");
	list.count = 2;
	assert_int_equal(edit_list_try(&list, c, &diag), 0);
	expect(c, "{h1: {netns: a}, h2.eth1: {dev: net_null0}, h3: {netns: b}}");
	edit_list_free(&list);
	edit_list_free(&attach);
	edit_list_free(&others);
	diag_free(&diag);
	config_free(c);
}

// What `roost attach` is given, as the value of an edit.
static void
words_become_an_entry(void **state)
{
	static const char *const good[] = {"dev=net_af_packet0,iface=x", "mac=52:54:00:00:00:07",
					   "nic=off"};
	static const char *const bad[] = {"netns", "=x", "netns="};
	struct config *c = load_good(text);
	struct config_attach attach;
	struct arena arena = {0};
	struct diag diag = {0};
	char *value;

	(void)state;
	assert_int_equal(config_read_attach(good, 3, &value, &diag), 0);
	assert_int_equal(edit(c, "attach.h3", value, &diag), 0);
	free(value);
	assert_int_equal(config_decode_attach(&attach, &arena, "h3",
					      yaml_tree_get(config_attach_section(c), "h3")->value,
					      &diag),
			 0);
	assert_string_equal(attach.host.text, "h3");
	assert_string_equal(attach.dev.text, "net_af_packet0,iface=x");
	assert_int_equal(attach.mac.bytes[5], 7);
	assert_false(attach.nic);
	assert_int_equal(attach.reorder_window, 1024);
	assert_int_equal(diag.count, 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(config_read_attach(&bad[i], 1, &value, &diag), -EINVAL);
		assert_null(value);
	}
	assert_non_null(strstr(diag_first_error(&diag), "\"netns\": write KEY=VALUE"));
	arena_free(&arena);
	diag_free(&diag);
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_come_change_and_go),
		cmocka_unit_test(what_is_wrong_changes_nothing),
		cmocka_unit_test(taken_back_as_it_was),
		cmocka_unit_test(others_do_not_attach),
		cmocka_unit_test(lists_are_tried_together),
		cmocka_unit_test(words_become_an_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
