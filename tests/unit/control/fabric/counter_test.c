// SPDX-License-Identifier: BSD-3-Clause
// The rows of counters are fit for JSON and for OpenMetrics.
#include "control/fabric/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
test_names_are_words_of_metrics(void **state)
{
	size_t count;
	const struct counter *rows = counter_rows(&count);

	(void)state;
	assert_true(count > 50);
	for (size_t i = 0; i < count; i++)
		if (strspn(rows[i].name, "abcdefghijklmnopqrstuvwxyz_0123456789") !=
		    strlen(rows[i].name))
			fail_msg("%s is no name of a metric", rows[i].name);
}

// A port's counters and those of its priorities are members of one object.
static void
test_names_are_unique_in_their_object(void **state)
{
	size_t count;
	const struct counter *rows = counter_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (rows[i].part == rows[k].part && strcmp(rows[i].name, rows[k].name) == 0)
				fail_msg("%s stands twice", rows[i].name);
}

static void
test_every_row_has_unit_and_help(void **state)
{
	size_t count;
	const struct counter *rows = counter_rows(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct counter *c = &rows[i];
		size_t length = strlen(c->name);
		bool ns = length > 3 && strcmp(c->name + length - 3, "_ns") == 0;

		if ((*c->unit == '\0') != (c->kind == COUNTER_FLAG) || *c->help == '\0')
			fail_msg("%s lacks its unit or its help", c->name);
		if (ns != (strcmp(c->unit, "ns") == 0))
			fail_msg("%s is in %s", c->name, c->unit);
	}
}

static void
test_markdown_has_a_line_each(void **state)
{
	size_t count, lines = 0, length;
	char *text = NULL;
	FILE *to = open_memstream(&text, &length);

	(void)state;
	counter_rows(&count);
	counter_print_markdown(to);
	fclose(to);
	for (const char *at = strstr(text, "\n| `"); at != NULL; at = strstr(at + 1, "\n| `"))
		lines++;
	assert_int_equal(lines, count);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_words_of_metrics),
		cmocka_unit_test(test_names_are_unique_in_their_object),
		cmocka_unit_test(test_every_row_has_unit_and_help),
		cmocka_unit_test(test_markdown_has_a_line_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
