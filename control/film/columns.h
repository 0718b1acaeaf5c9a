// SPDX-License-Identifier: BSD-3-Clause
// The columns of a film: what it has of each port and node. The table in columns.c is the only
// place that knows them; the writer, the film's header and the table in doc/film.md derive from it.
#pragma once

#include "control/fabric/counters.h"

#include <stdio.h>

enum film_scope {
	FILM_PORT,
	FILM_PRIORITY, // of a port; PAUSE_LINK is the link as a whole
	FILM_QUEUE,    // of a port
	FILM_GROUP,    // of a port
	FILM_DROP,     // reasons, of a port
	FILM_POOL,     // of a switch
	FILM_TENANT,   // of a switch
	FILM_SCOPES,
};

enum film_kind {
	FILM_SUM,   // what has happened in an interval: the difference of a total
	FILM_LEVEL, // the state at its end
	FILM_PEAK,  // the greatest level within it; a film restarts it when it reads it
	FILM_KINDS,
};

struct film_scope_row {
	const char *name;
	bool of_port; // else of a node
	bool of_host; // hosts have it too
	unsigned int width;
	// Bit per index (the first 64) of a port (at->port) or node that can have other values
	// than 0.
	uint64_t (*met)(const struct counter_place *at);
	// Reads the columns of the scope, in their order, for an index of a port or node: totals
	// and levels.
	void (*read)(const struct counter_place *at, unsigned int index, uint64_t *out);
};

// The row of a scope; of FILM_TENANT the width is the number of tenants, 0 here.
const struct film_scope_row *film_scope_row(enum film_scope scope);
// "sum" ...
const char *film_kind_name(enum film_kind kind);

struct film_column {
	const char *name;
	enum film_scope scope;
	enum film_kind kind;
	const char *unit;
	const char *help;
	bool device; // only of ports with a device behind them
};

// All columns; a film refers to them by their place. Those of a scope stand together.
const struct film_column *film_columns(unsigned int *count);

// Prints the rows as the table of doc/film.md.
void film_columns_print_markdown(FILE *to);
