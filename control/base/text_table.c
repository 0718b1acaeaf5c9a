// SPDX-License-Identifier: BSD-3-Clause
#include "text_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_GAP 2

struct text_table {
	const struct text_column *columns;
	unsigned int column_count;
	char **cells;
	unsigned int cell_count;
	unsigned int cell_capacity;
	bool failed; // a cell is missing
};

int
text_table_create(struct text_table **out, const struct text_column *columns, unsigned int count)
{
	struct text_table *t = calloc(1, sizeof(*t));

	*out = t;
	if (t == NULL)
		return -ENOMEM;
	t->columns = columns;
	t->column_count = count;
	return 0;
}

void
text_table_destroy(struct text_table *t)
{
	if (t == NULL)
		return;
	for (unsigned int i = 0; i < t->cell_count; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}

static int
table_reserve(struct text_table *t)
{
	unsigned int capacity = t->cell_capacity == 0 ? 64 : 2 * t->cell_capacity;
	char **cells;

	if (t->cell_count < t->cell_capacity)
		return 0;
	cells = reallocarray(t->cells, capacity, sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	t->cells = cells;
	t->cell_capacity = capacity;
	return 0;
}

void
text_table_cell(struct text_table *t, const char *format, ...)
{
	char *cell = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&cell, format, arguments) < 0)
		cell = NULL;
	va_end(arguments);
	if (cell == NULL || table_reserve(t) != 0) {
		free(cell);
		t->failed = true;
		return;
	}
	for (char *c = cell; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	t->cells[t->cell_count++] = cell;
}

unsigned int
text_table_rows(const struct text_table *t)
{
	return (t->cell_count + t->column_count - 1) / t->column_count;
}

static int
column_width(const struct text_table *t, unsigned int column)
{
	size_t width = strlen(t->columns[column].heading);

	for (unsigned int i = column; i < t->cell_count; i += t->column_count)
		if (strlen(t->cells[i]) > width)
			width = strlen(t->cells[i]);
	return (int)width;
}

// Blanks that only a right-hand cell would need are kept back until there is one.
static void
print_cell(FILE *to, const struct text_column *column, const char *text, int width, int *blanks)
{
	int pad = width - (int)strlen(text);

	if (*text == '\0') {
		*blanks += width + TABLE_GAP;
		return;
	}
	if (column->align == TEXT_RIGHT)
		*blanks += pad;
	fprintf(to, "%*s%s", *blanks, "", text);
	*blanks = TABLE_GAP + (column->align == TEXT_LEFT ? pad : 0);
}

int
text_table_print(const struct text_table *t, const char *indent, FILE *to)
{
	int *widths;

	if (t->failed)
		return -ENOMEM;
	widths = calloc(t->column_count, sizeof(*widths));
	if (widths == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->column_count; i++)
		widths[i] = column_width(t, i);
	for (unsigned int row = 0; row <= text_table_rows(t); row++) {
		int blanks = 0;

		fputs(indent, to);
		for (unsigned int i = 0; i < t->column_count; i++) {
			unsigned int cell = (row - 1) * t->column_count + i;
			const char *text = row == 0               ? t->columns[i].heading
					   : cell < t->cell_count ? t->cells[cell]
								  : "";

			print_cell(to, &t->columns[i], text, widths[i], &blanks);
		}
		fputc('\n', to);
	}
	free(widths);
	return 0;
}

// Three significant digits of value / scale in the largest of `count` units, each `step` times
// the one before, that leaves at least 1.
static void
scale(char text[static TEXT_VALUE_MAX], uint64_t value, uint64_t step, const char *const *units,
      unsigned int count)
{
	double scaled = (double)value;
	unsigned int unit = 0;
	int digits;

	// 999.5 would round to 1000.
	while (unit + 1 < count && scaled >= (unit == 0 ? (double)step : (double)step - 0.5)) {
		scaled /= (double)step;
		unit++;
	}
	digits = unit == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
	snprintf(text, TEXT_VALUE_MAX, "%.*f", digits, scaled);
	if (digits != 0) {
		char *end = text + strlen(text) - 1;

		while (*end == '0')
			*end-- = '\0';
		if (*end == '.')
			*end = '\0';
	}
	strncat(text, units[unit], TEXT_VALUE_MAX - strlen(text) - 1);
}

const char *
text_bytes(char text[static TEXT_VALUE_MAX], uint64_t bytes)
{
	static const char *const units[] = {" B", " KB", " MB", " GB", " TB", " PB"};

	scale(text, bytes, 1000, units, sizeof(units) / sizeof(*units));
	return text;
}

const char *
text_rate(char text[static TEXT_VALUE_MAX], uint64_t bits_per_s)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};

	// 1600G, not 1.6T: ports are sold by gigabits.
	scale(text, bits_per_s, 1000, units, bits_per_s >= UINT64_C(10000000000000) ? 5 : 4);
	return text;
}

const char *
text_duration(char text[static TEXT_VALUE_MAX], uint64_t ps)
{
	static const char *const units[] = {" ps", " ns", " us", " ms", " s"};

	scale(text, ps, 1000, units, sizeof(units) / sizeof(*units));
	return text;
}
