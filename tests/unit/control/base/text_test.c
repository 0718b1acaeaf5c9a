// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
what_is_no_utf8_is_replaced(void **state)
{
	static const struct {
		const char *text, *repaired;
	} cases[] = {
		{"", ""},
		{"plain", "plain"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"cut \xe2\x82", "cut ??"},            // by a limit of bytes
		{"cut \xf0\x9f\x98", "cut ???"},       //
		{"\xc3(", "?("},                       // no second byte
		{"\x80 alone", "? alone"},             // a second byte alone
		{"\xc0\xaf", "??"},                    // "/" in two bytes
		{"\xed\xa0\x80", "???"},               // half of a UTF-16 pair
		{"\xf4\x90\x80\x80\xff", "?????"},     // above U+10FFFF; no byte of UTF-8
		{"\xe2\x82\xac\xe2", "\xe2\x82\xac?"}, // only what is wrong
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		utf8_repair(text);
		assert_string_equal(text, cases[i].repaired);
	}
}

static void
text_ends_with_a_whole_character(void **state)
{
	static const char all[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
	static const size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};

	(void)state;
	for (size_t length = 0; length < sizeof(ends) / sizeof(ends[0]); length++) {
		char text[sizeof(all)];

		memcpy(text, all, sizeof(all));
		text[length] = '\0';
		assert_int_equal(utf8_end(text, length), ends[length]);
		assert_int_equal(strlen(text), ends[length]);
		assert_memory_equal(text, all, ends[length]);
	}
}

static void
control_characters_steer_no_terminal(void **state)
{
	char text[] = "a\x1b[2Jb\r\n\t\x7f";

	(void)state;
	text_hide_controls(text);
	for (const char *c = text; *c != '\0'; c++)
		assert_true(*c >= ' ' && *c != 0x7f);
	assert_int_equal(strlen(text), sizeof(text) - 1);
	assert_memory_equal(text, "a?[2Jb", 6);
}

static void
mac_addresses(void **state)
{
	static const char *const wrong[] = {"",
					    "02:00:00:00:00",
					    "02:00:00:00:00:01:02",
					    "02-00-00-00-00-01",
					    "02:00:00:00:00:0g",
					    "02:00:00:00:00:1 "};
	uint8_t mac[6];

	(void)state;
	assert_true(text_mac("02:00:5e:AB:cd:0f", mac));
	assert_memory_equal(mac, ((uint8_t[]){0x02, 0, 0x5e, 0xab, 0xcd, 0x0f}), 6);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(text_mac(wrong[i], mac));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_utf8_is_replaced),
		cmocka_unit_test(text_ends_with_a_whole_character),
		cmocka_unit_test(control_characters_steer_no_terminal),
		cmocka_unit_test(mac_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
