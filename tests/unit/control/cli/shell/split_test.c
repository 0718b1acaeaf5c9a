// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/shell/split.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The words of a line as "a|b|c", with what is open behind it.
static const char *
split(const char *line)
{
	static char out[SHELL_LINE_MAX];
	static struct shell_words words;

	assert_int_equal(shell_split(&words, line), 0);
	assert_null(words.words[words.count]);
	out[0] = '\0';
	for (unsigned i = 0; i < words.count; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s", i > 0 ? "|" : "",
			 words.words[i]);
	if (words.quote != 0)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), " open %c", words.quote);
	else if (!words.open && words.count > 0)
		strcat(out, " done");
	if (words.comment)
		strcat(out, " comment");
	return out;
}

static void
words_and_quotes(void **state)
{
	(void)state;
	assert_string_equal(split(""), "");
	assert_string_equal(split("  \t "), "");
	assert_string_equal(split("show  pfc"), "show|pfc");
	assert_string_equal(split("\tshow pfc "), "show|pfc done");
	assert_string_equal(split("set k '{a: 1, b: \"2\"}'"), "set|k|{a: 1, b: \"2\"}");
	assert_string_equal(split("set k \"it's [3]\""), "set|k|it's [3]");
	assert_string_equal(split("a\\ b c\\\\ \\\"d"), "a b|c\\|\"d");
	assert_string_equal(split("\"a\\\"b\\$\\n\""), "a\"b$\\n");
	assert_string_equal(split("'a\\'b"), "a\\b");
	assert_string_equal(split("a''b \"\" ''"), "ab||");
	assert_string_equal(split("show # pfc"), "show done comment");
	assert_string_equal(split("show a#b '#c'"), "show|a#b|#c");
	assert_string_equal(split("$HOME *.c ~ | > x;"), "$HOME|*.c|~|||>|x;");
}

static void
what_is_open(void **state)
{
	(void)state;
	assert_string_equal(split("set 'a b"), "set|a b open '");
	assert_string_equal(split("set \"a b"), "set|a b open \"");
	assert_string_equal(split("set a\\"), "set|a open \\");
	assert_string_equal(split("set 'a\\"), "set|a\\ open '");
}

static void
what_is_too_much(void **state)
{
	static struct shell_words words;
	char line[SHELL_LINE_MAX + 2];

	(void)state;
	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(shell_split(&words, line), -E2BIG);
	line[SHELL_LINE_MAX] = '\0';
	assert_int_equal(shell_split(&words, line), 0);
	assert_int_equal(strlen(words.words[0]), SHELL_LINE_MAX);
	for (unsigned i = 0; i < SHELL_LINE_MAX; i += 2)
		line[i] = ' ';
	assert_int_equal(shell_split(&words, line), -E2BIG);
	line[2 * SHELL_WORDS_MAX] = '\0';
	assert_int_equal(shell_split(&words, line), 0);
	assert_int_equal(words.count, SHELL_WORDS_MAX);
}

// What is quoted is read as what it was, in each of the places that it can stand in.
static void
quoting(void **state)
{
	static const char *const texts[] = {"a",           "a b", "it's",   "\"x\"",
					    "back\\slash", "#c",  "$a `b`", "{a: '1', \"b\": [2]}"};
	static const char *const quotes[] = {"", "'", "\""};
	char quoted[128], line[160];
	static struct shell_words words;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t j = 0; j < 3; j++) {
			assert_int_equal(
				shell_quote(quoted, sizeof(quoted), texts[i], quotes[j][0]), 0);
			snprintf(line, sizeof(line), "%s%s%s", quotes[j], quoted, quotes[j]);
			assert_int_equal(shell_split(&words, line), 0);
			assert_int_equal(words.count, 1);
			assert_string_equal(words.words[0], texts[i]);
		}
	}
	assert_int_equal(shell_quote(quoted, 4, "abc", 0), 0);
	assert_int_equal(shell_quote(quoted, 3, "abc", 0), -E2BIG);
	assert_int_equal(shell_quote(quoted, 4, "a c", 0), -E2BIG);
	assert_int_equal(shell_quote(quoted, 4, "'", '\''), -E2BIG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_quotes),
		cmocka_unit_test(what_is_open),
		cmocka_unit_test(what_is_too_much),
		cmocka_unit_test(quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
