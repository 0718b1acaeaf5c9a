// SPDX-License-Identifier: BSD-3-Clause
// Values over time as the series of a chunk (doc/film.md): each series grows by a few bytes when
// its value changes and by nothing while it does not.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that grow; free(data).
struct film_bytes {
	uint8_t *data;
	size_t count, room;
};

void film_bytes_add(struct film_bytes *b, const void *data, size_t count);
void film_put_varint(struct film_bytes *b, uint64_t value);

// One series; zero is an empty one. What it held is written by film_series_end().
struct film_series {
	struct film_bytes bytes;
	uint64_t value; // of the last interval
	uint32_t next;  // the first interval that is not in `bytes`
};

// What all series of a column come to in each interval of the chunk: sums, or the greatest value.
struct film_totals {
	uint64_t *values; // by interval
	bool most;
	uint64_t peak; // of one place in one interval, ever
};

// Adds the value that a series has in the intervals `from` to `to` - 1.
void film_totals_note(struct film_totals *t, uint32_t from, uint32_t to, uint64_t value);

// The value of interval `at` (from 0 in the chunk), where it differs from the last one.
void film_series_put(struct film_series *s, struct film_totals *t, uint32_t at, uint64_t value);
// Completes a series of `count` values. Returns whether any of them is not 0.
bool film_series_end(struct film_series *s, struct film_totals *t, uint32_t count);
// Empties it for the next chunk, where it begins from 0 again.
void film_series_clear(struct film_series *s);
