// SPDX-License-Identifier: BSD-3-Clause
// The state of a film, for the files of this folder.
#pragma once

#include "chunk.h"
#include "columns.h"
#include "film.h"
#include "overview.h"

// What a film keeps of one value in each interval: of an index of a column at a port or node.
struct film_value {
	uint64_t last; // of a sum: the total
	struct film_series series;
};

struct column {
	const struct film_column *row;
	struct film_value **places; // by port or node, then by index; NULL: always 0 until now
	uint32_t count;             // of them
	struct film_totals *totals;
};

struct scope {
	const struct film_scope_row *row;
	unsigned int width;
	unsigned int first;  // of its columns
	unsigned int count;  // of them
	uint32_t places;     // ports or nodes
	uint64_t mask;       // bit per index (the first 64) that there is
	unsigned int beyond; // indexes from 64 on
};

// What there is to read of a scope at a port or node.
struct site {
	uint32_t node;
	uint32_t port;  // of the node
	uint32_t place; // number among all ports or nodes
	uint32_t scope;
	uint64_t met;   // bit per index (the first 64) that the rows have
	uint64_t grown; // those that the next rows have too
};

struct film {
	struct film_options options;
	const struct topology *topology;
	uint32_t *first_port;
	struct scope scopes[FILM_SCOPES];
	struct column *columns;
	unsigned int column_count;
	struct gather *gather;
	ps_t begun;                 // the present interval
	ps_t next;                  // its end
	uint32_t first;             // interval of the chunk
	uint32_t count;             // of intervals in it
	uint32_t room;              // for them
	ps_t chunk_begun;           // the first of them
	struct film_series ends;    // lengths of the intervals
	struct film_totals *totals; // of each column
	struct film_totals no_totals;
	struct film_overview *overview;
	ps_t end; // of the last chunk that was handed over
	bool ended;

	// Reading (sample.c).
	struct site *sites;
	uint32_t site_count;
	bool *here;          // by node: it is read
	uint64_t *noted;     // peaks of copies, by port and queue; NULL: nodes are read themselves
	uint64_t *rows;      // what was read in the last intervals, by interval and site
	size_t row_values;   // of one
	uint32_t row_count;  // intervals
	uint32_t row_first;  // the first of them, in the chunk
	bool grown;          // sites have more than the rows
	bool primes;         // the first reading, of what was counted before
	uint64_t *one_index; // the values of one, while they are put
};

// ---- sample.c -----------------------------------------------------------------------------------

void film_sample_create(struct film *film);
void film_sample_destroy(struct film *film);
// Reads all nodes, at the end of interval film->count of the chunk.
void film_sample_read(struct film *film, ps_t now);
// Puts what was read into the series.
void film_sample_put(struct film *film);

// ---- peaks.c ------------------------------------------------------------------------------------

void film_create_noted_peaks(struct film *film);
// Puts the greatest noted peak among the values of a queue.
void film_use_noted_peaks(struct film *film, const struct site *site, unsigned int index,
			  uint64_t *values);

// ---- compose.c ----------------------------------------------------------------------------------

// Composes the chunk of all series, of all ranks at the first one, and empties them.
void film_compose(struct film *film, struct film_bytes *chunk);
