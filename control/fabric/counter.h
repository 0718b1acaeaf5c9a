// SPDX-License-Identifier: BSD-3-Clause
// The rows of counters: what counters.json, result.json and `roost show -o json` say of a node, and
// what doc/counters.md says of that. A new counter is one row in counter.c, and the field of the
// dataplane that it reads.
#pragma once

#include "counters.h"

enum counter_scope {
	COUNTER_OF_PORT,
	COUNTER_OF_PRIORITY, // of a port: an array of eight
	COUNTER_OF_GROUP,    // of a port
	COUNTER_OF_QUEUE,    // of a port
	COUNTER_OF_POOL,     // of a node
	COUNTER_OF_TENANT,   // of a node
	COUNTER_SCOPES,
};

enum counter_kind {
	COUNTER_TOTAL, // only ever grows while a node lives
	COUNTER_GAUGE, // a state, which may also fall: a level, a peak, an instant
	COUNTER_FLAG,  // a gauge that is true or false
};

// Where to read: index is the priority, group, queue, pool or tenant.
struct counter_place {
	const struct report_node *n;
	unsigned int port;
	unsigned int index;
	ps_t now;
};

struct counter {
	const char *name; // as in JSON
	enum counter_scope scope;
	enum counters_part part;
	enum counter_kind kind;
	const char *unit; // "packets", "frames", "bytes", "ns" ...; of a flag ""
	const char *help;
	json_int_t (*read)(const struct counter_place *at);
};

// All rows, those of a scope one after the other but for ports and priorities.
const struct counter *counter_rows(size_t *count);

// The row of a name, or NULL.
const struct counter *counter_find(enum counter_scope scope, const char *name);

// Adds the counters of a scope and part at a place; those of priorities at a place of a port.
void counter_add(json_t *to, enum counter_scope scope, unsigned int parts,
		 const struct counter_place *at);

// Prints the rows as the Markdown tables of doc/counters.md, each with its heading.
void counter_print_markdown(FILE *to);
