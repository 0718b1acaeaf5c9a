// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/diag.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *
printed(const struct diag *diag)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	diag_print(diag, to);
	fclose(to);
	return text;
}

static void
messages_are_sorted_and_kept_once(void **state)
{
	struct diag diag = {0};
	char *text;

	(void)state;
	diag_error(&diag, "f", (struct diag_pos){3, 1}, "a.b", "late %d", 1);
	diag_warning(&diag, "f", (struct diag_pos){2, 9}, NULL, "middle");
	diag_error(&diag, "f", (struct diag_pos){2, 5}, "", "early\n\x1b");
	diag_error(&diag, "f", (struct diag_pos){3, 1}, "a.b", "late %d", 1);
	diag_error(&diag, "f", (struct diag_pos){0, 0}, NULL, "nowhere");
	assert_int_equal(diag.errors, 3);
	assert_int_equal(diag.warnings, 1);
	assert_string_equal(diag.messages[0].words, "a.b: late 1");
	assert_string_equal(diag.messages[1].words, "middle");
	assert_string_equal(diag.messages[3].words, "nowhere");
	text = printed(&diag);
	assert_string_equal(text, "f: nowhere\nf:2:5: early??\nwarning: f:2:9: middle\n"
				  "f:3:1: a.b: late 1\n");
	free(text);
	diag_free(&diag);
	assert_int_equal(diag.count, 0);
}

static void
only_the_first_are_kept(void **state)
{
	struct diag diag = {0};
	char *text;

	(void)state;
	for (unsigned i = 1; i <= DIAG_KEPT_MAX + 5; i++)
		diag_error(&diag, "f", (struct diag_pos){i, 1}, NULL, "x");
	assert_int_equal(diag.count, DIAG_KEPT_MAX);
	assert_int_equal(diag.errors, DIAG_KEPT_MAX + 5);
	text = printed(&diag);
	assert_non_null(strstr(text, "f:20:1: x\nand 5 more errors\n"));
	free(text);
	diag_free(&diag);
}

static void
errors_become_warnings(void **state)
{
	struct diag from = {0}, told = {0}, to = {0};

	(void)state;
	diag_error(&from, "a", (struct diag_pos){3, 1}, "k", "old");
	diag_error(&from, "b", (struct diag_pos){4, 2}, "k", "new");
	diag_warning(&told, "a", (struct diag_pos){3, 1}, "k", "old");
	diag_soften(&from, &told, &to);
	assert_int_equal(to.errors, 0);
	assert_int_equal(to.warnings, 1);
	assert_string_equal(to.messages[0].text, "b:4:2: k: new");
	assert_string_equal(to.messages[0].words, "k: new");
	assert_true(to.messages[0].warning);
	assert_int_equal(to.messages[0].pos.line, 4);
	diag_soften(&from, NULL, &to);
	assert_int_equal(to.warnings, 2);
	diag_free(&to);

	for (unsigned i = 1; i <= DIAG_KEPT_MAX; i++)
		diag_warning(&to, "f", (struct diag_pos){i, 1}, NULL, "x");
	diag_soften(&from, NULL, &to);
	assert_int_equal(to.count, DIAG_KEPT_MAX);
	assert_int_equal(to.warnings, DIAG_KEPT_MAX + 2);
	diag_free(&from);
	diag_free(&told);
	diag_free(&to);
}

static void
an_error_needs_no_place(void **state)
{
	struct diag diag = {0};

	(void)state;
	assert_string_equal(diag_first_error(&diag), "");
	diag_warning(&diag, "f", (struct diag_pos){1, 1}, NULL, "slow");
	assert_int_equal(diag_fail(&diag, ENODEV, "%s: no such device", "eth7"), -ENODEV);
	diag_fail(&diag, EBUSY, "eth8: in use");
	assert_int_equal(diag.errors, 2);
	assert_string_equal(diag_first_error(&diag), "eth7: no such device");
	assert_string_equal(diag.messages[1].words, "eth7: no such device");
	diag_free(&diag);
	for (unsigned i = 0; i < DIAG_KEPT_MAX; i++)
		diag_fail(&diag, EINVAL, "port %u", i);
	assert_int_equal(diag_fail(&diag, EIO, "one more"), -EIO);
	assert_int_equal(diag.count, DIAG_KEPT_MAX);
	assert_int_equal(diag.errors, DIAG_KEPT_MAX + 1);
	diag_free(&diag);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_sorted_and_kept_once),
		cmocka_unit_test(only_the_first_are_kept),
		cmocka_unit_test(errors_become_warnings),
		cmocka_unit_test(an_error_needs_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
