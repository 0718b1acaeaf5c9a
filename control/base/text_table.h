// SPDX-License-Identifier: BSD-3-Clause
// Tables as text: a heading a column, columns as wide as their widest cell, two blanks between
// them. The unit of a column stands in its heading, or behind every value where values span many
// magnitudes.
#pragma once

#include "text.h"

#include <stdio.h>

enum text_align { TEXT_LEFT, TEXT_RIGHT };

struct text_column {
	const char *heading;
	enum text_align align;
};

struct text_table;

// Makes an empty table; columns outlive it.
struct text_table *text_table_create(const struct text_column *columns, unsigned int count);

// NULL is fine.
void text_table_destroy(struct text_table *t);

// Adds the next cell, row by row. Control characters become '?'.
void text_table_cell(struct text_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
// Adds text to the last cell, unless that has TEXT_CELL_MAX bytes or more: lists in answers of
// other processes have no limit.
#define TEXT_CELL_MAX 4096
void text_table_append(struct text_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

// Rows that have been begun.
unsigned int text_table_rows(const struct text_table *t);

// Prints headings and rows, each behind `indent`.
void text_table_print(const struct text_table *t, const char *indent, FILE *to);
