// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A line's words; "" as what is expected: they are refused.
static void
expect(const char *line, const char *wanted)
{
	char copy[256], *words[16], *rest = copy, text[512] = "";
	bool unset = strncmp(line, "unset ", 6) == 0;
	const char *kind, *key, *value = NULL;
	struct diag diag = {0};
	json_t *edit;
	int count = 0;

	strcpy(copy, strchr(line, ' ') + 1);
	while ((words[count] = strsep(&rest, " ")) != NULL)
		count++;
	edit = (unset ? edit_read_unset : edit_read_set)(count, words, &diag);
	assert_int_equal(diag.errors, wanted[0] == '\0');
	diag_free(&diag);
	if (wanted[0] == '\0') {
		assert_null(edit);
		return;
	}
	assert_non_null(edit);
	assert_int_equal(
		json_unpack(edit, "{s:s,s:s,s?:s}", "kind", &kind, "key", &key, "value", &value),
		0);
	snprintf(text, sizeof(text), "%s %s %s", kind, key, value != NULL ? value : "-");
	assert_string_equal(text, wanted);
	json_decref(edit);
}

static void
keys_with_dots_and_in_words(void **state)
{
	(void)state;
	expect("set switch.qos.tc.3.ecn.min 100KB", "set switch.qos.tc.3.ecn.min 100KB");
	expect("set switch qos tc 3 ecn min 100KB", "set switch.qos.tc.3.ecn.min 100KB");
	expect("set tenants.green.hosts [h5,h6]", "set tenants.green.hosts [h5,h6]");
	expect("set switch 4", "set switch 4");
	expect("unset switch.qos.tc.3", "unset switch.qos.tc.3 -");
	expect("unset switch qos tc 3", "unset switch.qos.tc.3 -");
	expect("unset leaf1", "unset leaf1 -");
}

static void
lists_of_tenants_item_by_item(void **state)
{
	(void)state;
	expect("set tenant green", "add tenants.green.hosts []");
	expect("set tenant green hosts h5", "add tenants.green.hosts [h5]");
	expect("set tenant green hosts h5,h6", "add tenants.green.hosts [h5, h6]");
	expect("set tenants green leak storage", "add tenants.green.leak [storage]");
	expect("set tenant green border h8 0.0.0.0/0,::/0",
	       "add tenants.green.border.h8 [0.0.0.0/0, '::/0']");
	expect("set tenant green hosts [h5]", "add tenants.green.hosts [h5]");
	expect("set tenant green hosts it's", "add tenants.green.hosts ['it''s']");
	expect("set tenant green vni 5003", "set tenants.green.vni 5003");
	expect("set tenant green buffer share 50%", "set tenants.green.buffer.share 50%");
	expect("set tenant green addresses h1 172.16.0.1",
	       "set tenants.green.addresses.h1 172.16.0.1");
	expect("set tenant green addresses h1 172.16.0.1,fd01::1",
	       "set tenants.green.addresses.h1 [172.16.0.1, 'fd01::1']");
	expect("unset tenant green", "unset tenants.green -");
	expect("unset tenant green vni", "unset tenants.green.vni -");
	expect("unset tenant green hosts", "unset tenants.green.hosts -");
	expect("unset tenant green hosts h5", "remove tenants.green.hosts [h5]");
	expect("unset tenant green border h8", "unset tenants.green.border.h8 -");
	expect("unset tenant green border h8 ::/0", "remove tenants.green.border.h8 ['::/0']");
}

static void
blanks_beside_commas(void **state)
{
	const char *key, *value;
	struct diag diag = {0};
	json_t *edit;

	(void)state;
	edit = edit_read_set(4, (char *[]){"tenant", "red", "hosts", " h5 , h6,h7 "}, &diag);
	assert_non_null(edit);
	assert_int_equal(json_unpack(edit, "{s:s,s:s}", "key", &key, "value", &value), 0);
	assert_string_equal(key, "tenants.red.hosts");
	assert_string_equal(value, "[h5, h6, h7]");
	json_decref(edit);
}

static void
expect_why(bool unset, int count, char *const *words, const char *wanted)
{
	struct diag diag = {0};

	assert_null((unset ? edit_read_unset : edit_read_set)(count, words, &diag));
	assert_string_equal(diag_first_error(&diag), wanted);
	diag_free(&diag);
}

static void
what_is_too_much_or_missing(void **state)
{
	(void)state;
	expect_why(false, 5, (char *[]){"tenant", "red", "hosts", "h5", "h6"},
		   "want one value after hosts, not \"h5 h6\": write a list as h5,h6");
	expect_why(false, 6, (char *[]){"tenant", "green", "hosts", "h5", "vni", "7"},
		   "want one value after hosts, not \"h5 vni\": write a list as h5,h6");
	expect_why(true, 5, (char *[]){"tenant", "red", "hosts", "h5", "h6"},
		   "want one value after hosts, not \"h5 h6\": write a list as h5,h6");
	expect_why(false, 6, (char *[]){"tenant", "red", "border", "h5", "a", "b"},
		   "want one value after border and its host, not \"a b\": write a list as "
		   "10.1.0.0/16,10.2.0.0/16");
	expect_why(false, 3, (char *[]){"tenant", "red", "hosts"},
		   "a value is missing after hosts, such as h5,h6");
	expect_why(false, 4, (char *[]){"tenant", "red", "border", "h1"},
		   "a value is missing after h1, such as 10.1.0.0/16,10.2.0.0/16");
	expect_why(false, 1, (char *[]){"tenants.red"},
		   "a value is missing after tenants.red: want a key and its value: "
		   "switch.qos.tc.3.ecn.min 100KB");
}

static void
what_is_no_edit(void **state)
{
	(void)state;
	expect("set switch.qos.tc.3.ecn.min", "");
	expect("set a.b c d", "");
	expect("set tenant green hosts", "");
	expect("set tenant green border h8.eth1 ::/0", "");
	expect("unset a.b c", "");
	expect_why(false, 0, NULL, "want a key and its value: switch.qos.tc.3.ecn.min 100KB");
	expect_why(true, 0, NULL, "want a key: switch.qos.tc.3.ecn.min");
	expect_why(false, 2, (char *[]){"a.b", "\xff"},
		   "keys, values and names must be UTF-8 text");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_with_dots_and_in_words),
		cmocka_unit_test(lists_of_tenants_item_by_item),
		cmocka_unit_test(blanks_beside_commas),
		cmocka_unit_test(what_is_too_much_or_missing),
		cmocka_unit_test(what_is_no_edit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
