// SPDX-License-Identifier: BSD-3-Clause
// roost top: rates, from two answers of `show` and the fabric's clock at which each node was read.
#pragma once

#include "control/base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum top_view { TOP_PORTS, TOP_QUEUES, TOP_TENANTS };

#define TOP_VALUES_MAX 10
#define TOP_NAME_MAX 128
#define TOP_CELL_MAX 40

enum top_format { TOP_GBPS, TOP_COUNT, TOP_PERCENT, TOP_BYTES };

struct top_column {
	const char *key;     // in JSON, and of --sort
	const char *heading; // NULL ends a list
	enum top_format format;
};

// The columns of a view behind the name.
const struct top_column *top_columns(enum top_view view, size_t *count);
// What the name is of: "port".
const char *top_name_of(enum top_view view);
// The word of `roost show` that has what a view needs.
const char *top_show_word(enum top_view view);
// The column of a key of --sort, -1 for the name's, or -2: there is none.
int top_find_column(enum top_view view, const char *key);

struct top_row {
	char name[TOP_NAME_MAX];
	uint64_t interval_ns; // of the fabric's clock, between the two readings of the node
	double values[TOP_VALUES_MAX];
};

struct top_rows {
	struct top_row *rows;
	size_t count;
};

// The rates between two answers, sorted by a column, the largest first (-1: by name). A port that
// is in one of the answers only is left out. For top_rows_free().
void top_rows_make(enum top_view view, const json_t *before, const json_t *now, int column,
		   struct top_rows *out);
void top_rows_free(struct top_rows *rows);

// The text of a cell, at most TOP_CELL_MAX with its NUL. Returns text.
const char *top_cell(const struct top_column *column, double value, char text[static TOP_CELL_MAX]);
// The rows as JSON: {"time_ns", "rows": [{"port", "interval_ns", KEY: ...}]}.
json_t *top_rows_json(enum top_view view, const json_t *now, const struct top_rows *rows);
void top_rows_print(enum top_view view, const struct top_rows *rows, FILE *to);
