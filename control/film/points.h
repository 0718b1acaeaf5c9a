// SPDX-License-Identifier: BSD-3-Clause
// Series of numbers over more intervals than are kept: the intervals of each point of time become
// one, and when the points run out, two of them do. Sums, peaks and the last levels are exact.
#pragma once

#include "columns.h"
#include "source.h"

// One series: a column at a place.
struct point_series {
	uint64_t key; // the column's number in the high half, the place in the low one
	uint64_t *values;
};

struct points {
	enum film_kind kinds[FILM_COLUMNS_MOST]; // of the columns
	struct point_series *series;
	uint32_t count;              // of series
	uint32_t *slots;             // a hash table of their numbers, from 1; 0: free
	uint32_t slot_count;         // a power of 2
	struct point_series lengths; // of the points, ns
	uint32_t room;               // points
	uint64_t every;              // intervals of a point
	uint64_t next;               // the first interval that is not in them
	uint64_t values_most;        // of all series
	uint64_t work;               // that is left: about a byte or a value each
};

#define POINTS_MOST 800 // in memory, of a series
#define POINTS_LEAST 25 // however many series there are
#define POINT_VALUE_MOST ((uint64_t)INT64_MAX)

// Sums and products, of which none is above POINT_VALUE_MOST.
static inline uint64_t
point_sum(uint64_t a, uint64_t b)
{
	return a > POINT_VALUE_MOST - b ? POINT_VALUE_MOST : a + b;
}

static inline uint64_t
point_product(uint64_t value, uint64_t count)
{
	return count != 0 && value > POINT_VALUE_MOST / count ? POINT_VALUE_MOST : value * count;
}

void points_init(struct points *p, uint64_t values_most, uint64_t work);
void points_free(struct points *p);

// Returns 0, or -EFBIG if that much work is not left.
int points_spend(struct points *p, uint64_t work);

// Begins `count` more intervals, in which all levels are 0 until a series says otherwise. Returns 0
// or -EFBIG.
int points_begin(struct points *p, uint64_t count);
// How many points there are.
uint32_t points_begun(const struct points *p);
// Makes two points one.
void points_halve(struct points *p);

// Finds or makes a series. Returns 0 with its number, or -EFBIG.
int points_find(struct points *p, uint32_t column, uint32_t place, uint32_t *number);
// Adds a run of a series, in intervals after interval `first`, which have begun.
void points_add(struct points *p, uint32_t number, uint64_t first, const struct film_run *run);
// The same of the intervals' lengths.
void points_add_lengths(struct points *p, uint64_t first, const struct film_run *run);
