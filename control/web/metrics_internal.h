// SPDX-License-Identifier: BSD-3-Clause
// What metrics consist of: metrics_text.c writes lines, metrics_counters.c what counters say,
// metrics_fabric.c the rest.
#pragma once

#include "control/fabric/counters.h"
#include "metrics.h"

#include <stdio.h>

#define METRICS_NAME_MAX 96
#define METRICS_LABELS_MAX 4

struct metrics {
	struct metrics_form form;
	json_t *counters;    // the method's answer
	json_t *fabric;      // `show fabric`
	const json_t *nodes; // of counters
	json_int_t time_ns;
	size_t family; // whose samples come next
	void *node;    // that they are of; NULL: the first
	bool headed;   // the family's first lines are written
	bool ended;
	FILE *to; // into text
	char *text;
	size_t size, taken;
};

// One metric and its help. Its name stands without the ending that samples of a total have.
struct family {
	const char *name, *help, *unit; // unit: NULL: none
	bool total, nanoseconds;
};

struct label {
	const char *key, *value; // value NULL: left out
};

// ---- metrics_text.c -----------------------------------------------------------------------------

bool metrics_ends_in(const char *text, const char *end);
// Writes a sample; before the first of a family, what the family is.
void metrics_write(struct metrics *m, const struct family *f,
		   const struct label labels[METRICS_LABELS_MAX], json_int_t value);

// ---- metrics_counters.c: of one node ------------------------------------------------------------

void metrics_write_counter(struct metrics *m, const struct counter *c, const char *name,
			   const json_t *node);
// How many families there are of counters by reason or kind, and what one of them says.
size_t metrics_kinds(struct metrics_form form);
void metrics_write_kind(struct metrics *m, size_t kind, const char *name, const json_t *node);

// ---- metrics_fabric.c ---------------------------------------------------------------------------

void metrics_write_fabric(struct metrics *m);
