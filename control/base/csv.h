// SPDX-License-Identifier: BSD-3-Clause
// Comma-separated values (RFC 4180, with newlines alone between rows), written field by field: one
// table whatever its size, in the memory of one block. Texts are quoted where they need it, so that
// pandas, DuckDB and gnuplot read them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct csv;

// Writes to an open stream, which outlives the table.
struct csv *csv_create(FILE *to);

// One more field of the row. NULL: an empty one.
void csv_text(struct csv *c, const char *text);
void csv_number(struct csv *c, int64_t number);
// With 15 significant digits.
void csv_real(struct csv *c, double number);
void csv_empty(struct csv *c);

void csv_end_row(struct csv *c);

// Rows as they are, which another csv has made.
void csv_copy(struct csv *c, const void *rows, size_t length);

// Hands what there is to the stream.
void csv_flush(struct csv *c);

// Hands the rest to the stream, whose error indicator tells whether all was written. NULL is fine.
void csv_destroy(struct csv *c);
