// SPDX-License-Identifier: BSD-3-Clause
// What INDX has of a whole film: at most OVERVIEW_POINTS points of each column, and the highest
// value of any place. When all points are used, two become one.
#pragma once

#include "chunk.h"

#include <jansson.h>

#define OVERVIEW_POINTS 1024

struct film_overview;

struct film_overview *film_overview_create(unsigned int columns);
void film_overview_destroy(struct film_overview *o);
// Adds `count` intervals. totals: of each column, with room for them.
void film_overview_add(struct film_overview *o, const struct film_totals *totals, uint32_t count);
// Adds "overview" and "peaks" to the object of an INDX. names, totals: of each column.
void film_overview_write(const struct film_overview *o, const char *const *names,
			 const struct film_totals *totals, json_t *to);
