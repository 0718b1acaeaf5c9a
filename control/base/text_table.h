// SPDX-License-Identifier: BSD-3-Clause
// Tables as text: a heading a column, columns as wide as their widest cell, two blanks between
// them. The unit of a column stands in its heading, or behind every value where values span many
// magnitudes.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum text_align { TEXT_LEFT, TEXT_RIGHT };

struct text_column {
	const char *heading;
	enum text_align align;
};

struct text_table;

// Makes an empty table; columns outlive it. Returns 0 or -ENOMEM.
int text_table_create(struct text_table **out, const struct text_column *columns,
		      unsigned int count);

// NULL is fine.
void text_table_destroy(struct text_table *t);

// Adds the next cell, row by row. Memory that runs out shows in text_table_print(). What would
// steer a terminal is replaced by '?'.
void text_table_cell(struct text_table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

// Rows that have been begun.
unsigned int text_table_rows(const struct text_table *t);

// Prints headings and rows, each behind `indent`. Returns 0 or -ENOMEM.
int text_table_print(const struct text_table *t, const char *indent, FILE *to);

// ---- values for people -----------------------------------------------------------------------

#define TEXT_VALUE_MAX 32

// Each writes its value to text with three significant digits and its unit, and returns text.
// Bytes in decimal units: "960 B", "1.43 MB".
const char *text_bytes(char text[static TEXT_VALUE_MAX], uint64_t bytes);
// Bits per second as files write them: "100G", "12.5G".
const char *text_rate(char text[static TEXT_VALUE_MAX], uint64_t bits_per_s);
// A duration in picoseconds: "960 ps", "1.34 ms", "71.2 s".
const char *text_duration(char text[static TEXT_VALUE_MAX], uint64_t ps);
