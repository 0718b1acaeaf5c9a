// SPDX-License-Identifier: BSD-3-Clause
#include "text_table.h"

#include "memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_GAP 2

struct text_table {
	const struct text_column *columns;
	unsigned int column_count;
	char **cells;
	unsigned int cell_count;
};

struct text_table *
text_table_create(const struct text_column *columns, unsigned int count)
{
	struct text_table *t = memory_new(sizeof(*t), "table");

	t->columns = columns;
	t->column_count = count;
	return t;
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

void
text_table_cell(struct text_table *t, const char *format, ...)
{
	va_list arguments;

	t->cells = memory_grow(t->cells, t->cell_count, sizeof(*t->cells), "table cells");
	va_start(arguments, format);
	t->cells[t->cell_count] = memory_vformat(format, arguments);
	va_end(arguments);
	text_hide_controls(t->cells[t->cell_count++]);
}

void
text_table_append(struct text_table *t, const char *format, ...)
{
	char **last = &t->cells[t->cell_count - 1], *before = *last, *more;
	va_list arguments;

	if (strlen(before) >= TEXT_CELL_MAX)
		return;
	va_start(arguments, format);
	more = memory_vformat(format, arguments);
	va_end(arguments);
	*last = memory_format("%s%s", before, more);
	text_hide_controls(*last);
	free(before);
	free(more);
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

void
text_table_print(const struct text_table *t, const char *indent, FILE *to)
{
	int *widths = memory_array(t->column_count, sizeof(*widths), "table columns");

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
}
