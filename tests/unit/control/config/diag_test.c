// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static char *
printed(const struct config_diag *diag)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	config_diag_print(diag, to);
	fclose(to);
	return text;
}

static void
messages_are_sorted_and_kept_once(void **state)
{
	struct config_diag diag = {0};
	char *text;

	(void)state;
	config_error(&diag, "f", (struct config_pos){3, 1}, "a.b", "late %d", 1);
	config_warning(&diag, "f", (struct config_pos){2, 9}, NULL, "middle");
	config_error(&diag, "f", (struct config_pos){2, 5}, "", "early\n\x1b");
	config_error(&diag, "f", (struct config_pos){3, 1}, "a.b", "late %d", 1);
	config_error(&diag, "f", (struct config_pos){0, 0}, NULL, "nowhere");
	assert_int_equal(diag.errors, 3);
	assert_int_equal(diag.warnings, 1);
	assert_string_equal(diag.messages[0].words, "a.b: late 1");
	assert_string_equal(diag.messages[1].words, "middle");
	assert_string_equal(diag.messages[3].words, "nowhere");
	text = printed(&diag);
	assert_string_equal(text, "f: nowhere\nf:2:5: early??\nwarning: f:2:9: middle\n"
				  "f:3:1: a.b: late 1\n");
	free(text);
	config_diag_free(&diag);
	assert_int_equal(diag.count, 0);
}

static void
only_the_first_are_kept(void **state)
{
	struct config_diag diag = {0};
	char *text;

	(void)state;
	for (unsigned i = 1; i <= CONFIG_ERRORS_MAX + 5; i++)
		config_error(&diag, "f", (struct config_pos){i, 1}, NULL, "x");
	assert_int_equal(diag.count, CONFIG_ERRORS_MAX);
	assert_int_equal(diag.errors, CONFIG_ERRORS_MAX + 5);
	text = printed(&diag);
	assert_non_null(strstr(text, "f:20:1: x\nand 5 more errors\n"));
	free(text);
	config_diag_free(&diag);
}

static void
errors_become_warnings(void **state)
{
	struct config_diag from = {0}, told = {0}, to = {0};

	(void)state;
	config_error(&from, "a", (struct config_pos){3, 1}, "k", "old");
	config_error(&from, "b", (struct config_pos){4, 2}, "k", "new");
	config_warning(&told, "a", (struct config_pos){3, 1}, "k", "old");
	config_diag_soften(&from, &told, &to);
	assert_int_equal(to.errors, 0);
	assert_int_equal(to.warnings, 1);
	assert_string_equal(to.messages[0].text, "b:4:2: k: new");
	assert_string_equal(to.messages[0].words, "k: new");
	assert_true(to.messages[0].warning);
	assert_int_equal(to.messages[0].pos.line, 4);
	config_diag_soften(&from, NULL, &to);
	assert_int_equal(to.warnings, 2);
	config_diag_free(&to);

	for (unsigned i = 1; i <= CONFIG_ERRORS_MAX; i++)
		config_warning(&to, "f", (struct config_pos){i, 1}, NULL, "x");
	config_diag_soften(&from, NULL, &to);
	assert_int_equal(to.count, CONFIG_ERRORS_MAX);
	assert_int_equal(to.warnings, CONFIG_ERRORS_MAX + 2);
	config_diag_free(&from);
	config_diag_free(&told);
	config_diag_free(&to);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_sorted_and_kept_once),
		cmocka_unit_test(only_the_first_are_kept),
		cmocka_unit_test(errors_become_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
