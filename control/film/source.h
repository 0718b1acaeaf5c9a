// SPDX-License-Identifier: BSD-3-Clause
// The data of a block, inflated piece by piece: numbers and series. The bytes come from outside.
#pragma once

#include "film.h"

#include <zlib.h>

#define SOURCE_PIECE_BYTES 4096

// What a film from outside may have at most: no number in it takes memory or time for nothing.
#define FILM_COLUMNS_MOST 256
#define FILM_GAP_MOST (1u << 24) // intervals in a row that were lost

struct film_source {
	z_stream z;
	uint8_t piece[SOURCE_PIECE_BYTES];
	size_t at, count; // of the piece
	uint64_t read;    // inflated bytes
	bool ended;       // nothing follows the piece
	bool wrong;       // the data is not what it must be
	bool too_large;   // so wrong that it inflates to more than a block may have
};

// Equal values of a series: those of the intervals `from` to `to` - 1 of the chunk.
struct film_run {
	uint32_t from, to;
	uint64_t value;
};

void film_source_open(struct film_source *from, const struct film_block *block);
void film_source_close(struct film_source *from);
// Whether there is another byte.
bool film_source_more(struct film_source *from);
uint64_t film_source_number(struct film_source *from);
// Reads the next run of a series of `count` values into `run`, which is all 0 before the first one.
// Returns false at the end of the series, or if it is wrong.
bool film_source_run(struct film_source *from, struct film_run *run, uint32_t count);
