// SPDX-License-Identifier: BSD-3-Clause
#include "overview.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct film_overview {
	unsigned int columns;
	uint64_t (*values)[OVERVIEW_POINTS]; // by column
	uint32_t every;                      // intervals of a point
	uint32_t points;                     // the last one perhaps not complete
	uint32_t last_point;                 // intervals in the last one
};

struct film_overview *
film_overview_create(unsigned int columns)
{
	struct film_overview *o = memory_new(sizeof(*o), "the overview of a film");

	o->columns = columns;
	o->values = memory_array(columns, sizeof(*o->values), "the overview of a film");
	o->every = 1;
	return o;
}

void
film_overview_destroy(struct film_overview *o)
{
	if (o == NULL)
		return;
	free(o->values);
	free(o);
}

static uint64_t
join(bool most, uint64_t a, uint64_t b)
{
	return !most ? a + b : a > b ? a : b;
}

// Makes two points one.
static void
halve(struct film_overview *o, const struct film_totals *totals)
{
	for (unsigned int i = 0; i < o->columns; i++) {
		uint64_t *values = o->values[i];

		for (uint32_t k = 0; k < OVERVIEW_POINTS / 2; k++)
			values[k] = join(totals[i].most, values[2 * k], values[2 * k + 1]);
		memset(values + OVERVIEW_POINTS / 2, 0, OVERVIEW_POINTS / 2 * sizeof(*values));
	}
	o->every *= 2;
	o->points = OVERVIEW_POINTS / 2;
	o->last_point = o->every;
}

void
film_overview_add(struct film_overview *o, const struct film_totals *totals, uint32_t count)
{
	for (uint32_t at = 0; at < count; at++) {
		if (o->points == 0 || o->last_point == o->every) {
			if (o->points == OVERVIEW_POINTS)
				halve(o, totals);
			o->points++;
			o->last_point = 0;
		}
		o->last_point++;
		for (unsigned int i = 0; i < o->columns; i++) {
			uint64_t *point = &o->values[i][o->points - 1];

			*point = join(totals[i].most, *point, totals[i].values[at]);
		}
	}
}

void
film_overview_write(const struct film_overview *o, const char *const *names,
		    const struct film_totals *totals, json_t *to)
{
	json_t *overview = json_pack("{s:I}", "every", (json_int_t)o->every);
	json_t *peaks = json_object();

	for (unsigned int i = 0; i < o->columns; i++) {
		const uint64_t peak = totals[i].peak;
		json_t *points = json_array();

		for (uint32_t k = 0; k < o->points && peak != 0; k++)
			json_array_append_new(points, json_integer((json_int_t)o->values[i][k]));
		json_object_set_new(overview, names[i], points);
		json_object_set_new(peaks, names[i], json_integer((json_int_t)peak));
	}
	json_object_set_new(to, "overview", overview);
	json_object_set_new(to, "peaks", peaks);
}
