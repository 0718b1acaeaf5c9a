// SPDX-License-Identifier: BSD-3-Clause
#include "control/edit/edit.h"

#include "tests/unit/control/config/expect.h"

#include <errno.h>

static void
lists_keep_copies(void **state)
{
	struct edit_list list = {0}, other = {0};
	char key[] = "a.b", text[32];

	(void)state;
	edit_list_add(&list, CONFIG_EDIT_SET, key, "1");
	key[0] = 'x';
	for (int i = 0; i < 20; i++)
		edit_list_add(&list, CONFIG_EDIT_UNSET, key, NULL);
	edit_list_append(&other, &list);
	edit_list_free(&list);
	assert_int_equal(other.count, 21);
	assert_string_equal(other.edits[0].key, "a.b");
	assert_string_equal(other.edits[20].key, "x.b");
	assert_null(other.edits[20].value);
	assert_string_equal(edit_list_describe(&other, text, sizeof(text)),
			    "set a.b 1; unset x.b; unset ...");
	other.count = 2;
	assert_string_equal(edit_list_describe(&other, text, sizeof(text)), "set a.b 1; unset x.b");
	edit_list_free(&other);
	assert_int_equal(list.count, 0);
}

// A character of several bytes that has no room goes whole.
static void
a_cut_is_between_characters(void **state)
{
	static const char *const values[] = {"\u00e9", "\u20ac", "\U0001f600"};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (size_t size = 12; size < 28; size++) {
			const size_t bytes = strlen(values[i]);
			struct edit_list list = {0};
			char text[32], value[48] = "";
			size_t whole = (size - 4 - strlen("set a ")) / bytes * bytes;

			while (strlen(value) < 32)
				strcat(value, values[i]);
			edit_list_add(&list, CONFIG_EDIT_SET, "a", value);
			edit_list_describe(&list, text, size);
			assert_int_equal(strlen(text), strlen("set a ") + whole + 3);
			assert_memory_equal(text + 6, value, whole);
			assert_string_equal(text + 6 + whole, "...");
			edit_list_free(&list);
		}
}

static void
differences_become_edits(void **state)
{
	struct config_difference items[] = {
		{.key = "a", .from = "1"},
		{.key = "b", .to = "2"},
		{.key = "c", .from = "1", .to = "2"},
		{.key = "d", .from = "on", .to = "{x: 1}", .replaced = true}};
	const struct config_differences found = {items, 4};
	struct edit_list list = {0};
	char text[128];

	(void)state;
	edit_list_add_differences(&list, &found);
	assert_string_equal(edit_list_describe(&list, text, sizeof(text)),
			    "unset a; set b 2; set c 2; unset d; set d {x: 1}");
	edit_list_free(&list);
}

// The edits that are added to those given, each "KIND KEY VALUE", for a fabric with these tenants.
static void
expect_given(const char *tenants, const char *keys, const char *wanted)
{
	char file[1024], text[512], copy[256], *rest = copy;
	struct diag diag = {0};
	struct edit_list list = {0};
	struct config *config;
	unsigned given;

	snprintf(file, sizeof(file), FABRIC "%s", tenants);
	if (config_load_text(&config, file, strlen(file), "f.yaml", &diag) != 0)
		fail_msg("%s", diag.messages[0].text);
	strcpy(copy, keys);
	for (char *one; (one = strsep(&rest, ";")) != NULL;) {
		char *value = strchr(one, '=');

		if (value != NULL)
			*value++ = '\0';
		edit_list_add(&list, value == NULL ? CONFIG_EDIT_UNSET : CONFIG_EDIT_SET, one,
			      value);
	}
	given = list.count;
	edit_list_assign_encap(&list, config);
	list.edits += given;
	list.count -= given;
	assert_string_equal(edit_list_describe(&list, text, sizeof(text)), wanted);
	edit_list_free(&list);
	config_free(config);
	diag_free(&diag);
}

static void
new_tenants_are_given_a_way(void **state)
{
	(void)state;
	expect_given("", "tenants.green.hosts=[h1]", "set tenants.green.vni 10001");
	expect_given("tenants: {red: {hosts: [h1], vni: 10001}}\n", "tenants.green.hosts=[h2]",
		     "set tenants.green.vni 10002");
	expect_given("tenants: {red: {hosts: [h1], vni: 10002}}\n",
		     "tenants.green.hosts=[h2];tenants.blue.hosts=[h3]",
		     "set tenants.green.vni 10001; set tenants.blue.vni 10003");
	expect_given("tenants: {red: {hosts: [h1], vlan: 101}}\n", "tenants.green.hosts=[h2]",
		     "set tenants.green.vlan 102");
	expect_given("tenants: {red: {hosts: [h1]}}\n", "tenants.green.hosts=[h2]",
		     "set tenants.green.encap plain");
	expect_given("tenants: {red: {hosts: [h1], vlan: 7}, blue: {hosts: [h2], vni: 7}}\n",
		     "tenants.green={hosts: [h3]}", "set tenants.green.vni 10001");
	expect_given("tenants: {red: {hosts: [h1], vni: 5}}\n",
		     "tenants.green.hosts=[h2];tenants.blue.vni=10001",
		     "set tenants.green.vni 10002");
	// Numbers that a whole tenant brings are taken.
	expect_given("tenants: {red: {hosts: [h1], vni: 5}}\n",
		     "tenants.blue={hosts: [h2], vni: 10001};tenants.green={hosts: [h3]}",
		     "set tenants.green.vni 10002");
	expect_given("tenants: {red: {hosts: [h1], vni: 5}}\n",
		     "tenants.green={hosts: [h3], encap: auto}", "set tenants.green.vni 10001");
}

// One that is set as a whole does not become plain for want of a word.
static void
tenants_set_as_a_whole_keep_their_way(void **state)
{
	static const char two[] = "tenants: {red: {hosts: [h1], vni: 5}, blue: {hosts: [h2], vni: "
				  "10001}}\n";

	(void)state;
	expect_given(two, "tenants.red={hosts: [h1, h3]}", "set tenants.red.vni 5");
	expect_given(two, "tenants.red;tenants.red.hosts=[h1]", "set tenants.red.vni 10002");
	expect_given("tenants: {red: {hosts: [h1], vni: 5, vlan: 6, encap: vlan}}\n",
		     "tenants.red={hosts: [h2]}",
		     "set tenants.red.encap vlan; set tenants.red.vni 5; set tenants.red.vlan 6");
	expect_given("tenants: {red: {hosts: [h1]}}\n", "tenants.red={hosts: [h2]}", "");
	expect_given(two, "tenants.red={hosts: [h1], encap: plain}", "");
	expect_given(two, "tenants.red={hosts: [h1]};tenants.red", "");
}

static void
others_are_left_alone(void **state)
{
	(void)state;
	expect_given("tenants: {red: {hosts: [h1], vni: 5}}\n", "tenants.red.hosts=[h2]", "");
	expect_given("", "tenants.green.hosts=[h1];tenants.green.vni=7", "");
	expect_given("", "tenants.green.vlan=7;tenants.green.hosts=[h1]", "");
	expect_given("", "tenants.green={hosts: [h1], encap: plain}", "");
	expect_given("", "tenants.green.hosts=[h1];tenants.green", "");
	expect_given("", "tenants.green", "");
	expect_given("", "switch.qos.tc.3.weight=3", "");
	expect_given("", "tenants.rest.vni=9999", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_keep_copies),
		cmocka_unit_test(a_cut_is_between_characters),
		cmocka_unit_test(differences_become_edits),
		cmocka_unit_test(new_tenants_are_given_a_way),
		cmocka_unit_test(tenants_set_as_a_whole_keep_their_way),
		cmocka_unit_test(others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
