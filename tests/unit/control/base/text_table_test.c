// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/text_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct text_column columns[] = {
	{"name", TEXT_LEFT}, {"bytes", TEXT_RIGHT}, {"state", TEXT_LEFT}};

static char *
printed(const struct text_table *t, const char *indent)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	text_table_print(t, indent, to);
	fclose(to);
	return text;
}

static void
test_columns_line_up(void **state)
{
	struct text_table *t = text_table_create(columns, 3);
	char *text;

	(void)state;
	text_table_cell(t, "leaf%d", 1);
	text_table_cell(t, "%d", 7);
	text_table_cell(t, "u");
	text_table_append(t, "%c", 'p');
	text_table_cell(t, "a-longer-name");
	text_table_cell(t, "1234567");
	text_table_cell(t, "%s", "");
	text_table_cell(t, "x");
	text_table_cell(t, "%s", "");
	text_table_cell(t, "down");
	assert_int_equal(text_table_rows(t), 3);
	text = printed(t, "  ");
	assert_string_equal(text, "  name             bytes  state\n"
				  "  leaf1                7  up\n"
				  "  a-longer-name  1234567\n"
				  "  x                       down\n");
	free(text);
	text_table_destroy(t);
}

// What others send cannot make a cell grow without end.
static void
test_a_cell_has_a_limit(void **state)
{
	struct text_table *t = text_table_create(columns, 1);
	char *text;

	(void)state;
	text_table_cell(t, "%s", "");
	for (unsigned int i = 0; i < TEXT_CELL_MAX; i++)
		text_table_append(t, "%s", "0123");
	text = printed(t, "");
	assert_int_equal(strlen(text), strlen("name\n") + TEXT_CELL_MAX + strlen("\n"));
	free(text);
	text_table_destroy(t);
}

static void
test_a_row_that_is_not_complete(void **state)
{
	struct text_table *t = text_table_create(columns, 3);
	char *text;

	(void)state;
	text_table_cell(t, "x");
	assert_int_equal(text_table_rows(t), 1);
	text = printed(t, "");
	assert_string_equal(text, "name  bytes  state\nx\n");
	free(text);
	text_table_destroy(t);
}

static void
test_nothing_steers_the_terminal(void **state)
{
	struct text_table *t = text_table_create(columns, 1);
	char *text;

	(void)state;
	text_table_cell(t, "a\033[2Jb\nc\x7f");
	text = printed(t, "");
	assert_string_equal(text, "name\na?[2Jb?c?\n");
	free(text);
	text_table_destroy(t);
	text_table_destroy(NULL);
}

static void
test_bytes(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{0, "0 B"},         {999, "999 B"},      {1000, "1 KB"},
		{1430, "1.43 KB"},  {1500000, "1.5 MB"}, {146480, "146 KB"},
		{999499, "999 KB"}, {999500, "1 MB"},    {64000000, "64 MB"},
		{9995, "10 KB"},    {99950, "100 KB"},   {UINT64_C(1000000000000000), "1 PB"},
	};
	char text[TEXT_VALUE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_bytes(text, cases[i].value), cases[i].text);
	text_bytes(text, UINT64_MAX);
	assert_string_equal(text, "18447 PB");
}

static void
test_rates_and_durations(void **state)
{
	char text[TEXT_VALUE_MAX];

	(void)state;
	assert_string_equal(text_rate(text, UINT64_C(100000000000)), "100G");
	assert_string_equal(text_rate(text, UINT64_C(12500000000)), "12.5G");
	assert_string_equal(text_rate(text, UINT64_C(1600000000000)), "1600G");
	assert_string_equal(text_rate(text, 10000000), "10M");
	assert_string_equal(text_duration(text, 0), "0 ps");
	assert_string_equal(text_duration(text, 960), "960 ps");
	assert_string_equal(text_duration(text, UINT64_C(1342177280)), "1.34 ms");
	assert_string_equal(text_duration(text, UINT64_C(500000)), "500 ns");
	assert_string_equal(text_duration(text, UINT64_C(71200000000000)), "71.2 s");
	assert_string_equal(text_duration(text, UINT64_C(7200000000000000)), "7200 s");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_line_up),
		cmocka_unit_test(test_a_cell_has_a_limit),
		cmocka_unit_test(test_a_row_that_is_not_complete),
		cmocka_unit_test(test_nothing_steers_the_terminal),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_rates_and_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
