// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/shell/usage.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// What may follow `words` in a form: "FILE, b, end", in the form's order.
static const char *
after(const char *form, const char *words)
{
	static char out[512];
	static struct usage usage;
	char copy[256], *rest = copy, *word;

	assert_int_equal(usage_parse(&usage, form, strlen(form)), 0);
	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			usage_take(&usage, word);
	out[0] = '\0';
	for (unsigned i = 0; i < usage.count; i++)
		if (usage.here[i])
			snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s",
				 out[0] != '\0' ? ", " : "",
				 usage.states[i].kind == USAGE_END ? "end" : usage.states[i].token);
	return out;
}

static void
forms(void **state)
{
	static const char interface[] =
		"interface [PORT] [counters qos | qos roce [status | counters]]";

	(void)state;
	assert_string_equal(after("", ""), "end");
	assert_string_equal(after("", "x"), "");
	assert_string_equal(after("FILE", ""), "FILE");
	assert_string_equal(after("FILE", "x"), "end");
	assert_string_equal(after("FILE", "x y"), "");
	assert_string_equal(after("[NAME]", ""), "NAME, end");
	assert_string_equal(after("pfc|queue [PORT]", ""), "pfc|queue");
	assert_string_equal(after("pfc|queue [PORT]", "queue"), "PORT, end");
	assert_string_equal(after("pfc|queue [PORT]", "que"), "");
	assert_string_equal(after("HOST -- WORD...", "h1"), "--");
	assert_string_equal(after("HOST -- WORD...", "h1 --"), "WORD");
	assert_string_equal(after("HOST -- WORD...", "h1 -- a b"), "WORD, end");
	assert_string_equal(after("[a | b | c d]", ""), "a, b, c, end");
	assert_string_equal(after("[a | b | c d]", "c"), "d");
	assert_string_equal(after("[A b]... c", "x b"), "A, c");
	assert_string_equal(after(interface, "interface"), "PORT, counters, qos, end");
	assert_string_equal(after(interface, "interface swp1"), "counters, qos, end");
	assert_string_equal(after(interface, "interface qos"), "roce");
	assert_string_equal(after(interface, "interface qos roce"), "status, counters, end");
	assert_string_equal(after("route [NODE] [vrf VRF]", "route vrf"), "VRF");
}

static void
options_may_stand_anywhere(void **state)
{
	(void)state;
	assert_string_equal(after("FILE [-o DIR] [--json]", ""), "FILE");
	assert_string_equal(after("FILE [-o DIR] [--json]", "x"), "end");
	assert_string_equal(after("FILE --in A=B [--in A=B...] --out DIR", "x"), "end");
	assert_string_equal(after("[FILE] [--confirm TIME]", ""), "FILE, end");
	assert_string_equal(after("--yes | --no", ""), "end");
}

static void
what_is_no_form(void **state)
{
	static const char *const wrong[] = {"[a", "a]", "a [b | c", "]", "[[[[[[[[[[a]]]]]]]]]]"};
	static struct usage usage;
	char long_form[1200] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(usage_parse(&usage, wrong[i], strlen(wrong[i])), -EINVAL);
	for (int i = 0; i < 200; i++)
		strcat(long_form, "a b ");
	assert_int_equal(usage_parse(&usage, long_form, strlen(long_form)), -E2BIG);
}

static void
take_token(void **state)
{
	static struct usage usage;

	(void)state;
	assert_int_equal(usage_parse(&usage, "KEY VALUE", 9), 0);
	usage_take_token(&usage, "VALUE");
	assert_false(memchr(usage.here, true, sizeof(usage.here)) != NULL);
	assert_int_equal(usage_parse(&usage, "KEY VALUE", 9), 0);
	usage_take_token(&usage, "KEY");
	assert_true(memchr(usage.here, true, sizeof(usage.here)) != NULL);
}

static void
options(void **state)
{
	static const struct cli_command command = {
		"try", "FILE [-o DIR] [--until T]\n[--in A=B...]", "tries",
		"Words -x that tell nothing.\n\n"
		"  -o, --output json|text  the form of it\n"
		"  --until T               ends then\n"
		"  KEY --help              of a key\n"
		"  -q                      says less\n",
		NULL};
	struct usage_option found[USAGE_OPTIONS_MAX];
	const struct usage_option *one;
	bool joined;

	(void)state;
	assert_int_equal(usage_options(&command, found), 4);
	assert_string_equal(found[0].names[0], "-o");
	assert_string_equal(found[0].names[1], "--output");
	assert_string_equal(found[0].argument, "json|text");
	assert_int_equal(found[0].help_length, strlen("the form of it"));
	assert_memory_equal(found[0].help, "the form of it", found[0].help_length);
	assert_string_equal(found[1].argument, "T");
	assert_string_equal(found[2].names[0], "-q");
	assert_string_equal(found[2].argument, "");
	assert_string_equal(found[3].names[0], "--in");
	assert_string_equal(found[3].argument, "A=B...");
	one = usage_find_option(found, 4, "--until=3", &joined);
	assert_ptr_equal(one, &found[1]);
	assert_true(joined);
	assert_null(usage_find_option(found, 4, "--unti", &joined));
	assert_null(usage_find_option(found, 4, "", &joined));
}

// The usage of every command can be read, so that every command is completed.
static void
every_command(void **state)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);
	static struct usage usage;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct usage_option found[USAGE_OPTIONS_MAX];

		assert_true(usage_options(&commands[i], found) < USAGE_OPTIONS_MAX);
		for (const char *form = commands[i].arguments; *form != '\0';) {
			size_t length = strcspn(form, "\n");

			if (usage_parse(&usage, form, length) != 0)
				fail_msg("%s: %.*s", commands[i].name, (int)length, form);
			form += length + (form[length] == '\n');
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),           cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(what_is_no_form), cmocka_unit_test(take_token),
		cmocka_unit_test(options),         cmocka_unit_test(every_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
