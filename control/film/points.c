// SPDX-License-Identifier: BSD-3-Clause
#include "points.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 1024

void
points_init(struct points *p, uint64_t values_most, uint64_t work)
{
	*p = (struct points){
		.room = POINTS_MOST, .every = 1, .values_most = values_most, .work = work};
	p->lengths.values = memory_array(p->room, sizeof(uint64_t), "values of a film");
}

void
points_free(struct points *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		free(p->series[i].values);
	free(p->series);
	free(p->slots);
	free(p->lengths.values);
}

int
points_spend(struct points *p, uint64_t work)
{
	if (work > p->work)
		return -EFBIG;
	p->work -= work;
	return 0;
}

// ---- points -------------------------------------------------------------------------------------

uint32_t
points_begun(const struct points *p)
{
	return (uint32_t)((p->next + p->every - 1) / p->every);
}

static void
halve_series(const struct points *p, struct point_series *s, enum film_kind kind)
{
	const uint32_t begun = points_begun(p);
	uint64_t *v = s->values;

	for (uint32_t i = 0; i < begun; i += 2) {
		const uint64_t a = v[i], b = i + 1 < begun ? v[i + 1] : 0;

		if (kind == FILM_SUM)
			v[i / 2] = point_sum(a, b);
		else if (kind == FILM_PEAK)
			v[i / 2] = a > b ? a : b;
		else
			v[i / 2] = i + 1 < begun ? b : a;
	}
	memset(v + (begun + 1) / 2, 0, (p->room - (begun + 1) / 2) * sizeof(*v));
}

static enum film_kind
kind_of(const struct points *p, const struct point_series *s)
{
	return p->kinds[s->key >> 32];
}

void
points_halve(struct points *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		halve_series(p, &p->series[i], kind_of(p, &p->series[i]));
	halve_series(p, &p->lengths, FILM_SUM);
	p->every *= 2;
}

int
points_begin(struct points *p, uint64_t count)
{
	const uint64_t first = p->next;

	while (first + count > p->every * p->room)
		points_halve(p);
	p->next += count;
	if (points_spend(p, p->count) != 0)
		return -EFBIG;
	for (uint32_t i = 0; i < p->count; i++)
		if (kind_of(p, &p->series[i]) == FILM_LEVEL)
			p->series[i].values[first / p->every] = 0;
	return 0;
}

// ---- series -------------------------------------------------------------------------------------

static uint32_t *
slot_of(struct points *p, uint64_t key)
{
	uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

	for (;; at++) {
		uint32_t *slot = &p->slots[at & (p->slot_count - 1)];

		p->work -= p->work != 0;
		if (*slot == 0 || p->series[*slot - 1].key == key)
			return slot;
	}
}

static void
grow_slots(struct points *p)
{
	free(p->slots);
	p->slot_count = p->slot_count != 0 ? 2 * p->slot_count : SLOTS_LEAST;
	p->slots = memory_array(p->slot_count, sizeof(*p->slots), "series of a film");
	for (uint32_t i = 0; i < p->count; i++)
		*slot_of(p, p->series[i].key) = i + 1;
}

// Makes room for one more series, at the cost of points.
static int
make_room(struct points *p)
{
	if (2 * (p->count + 1) > p->slot_count)
		grow_slots(p);
	while ((uint64_t)(p->count + 1) * p->room > p->values_most) {
		if (p->room / 2 < POINTS_LEAST)
			return -EFBIG;
		while (points_begun(p) > p->room / 2)
			points_halve(p);
		p->room /= 2;
		for (uint32_t i = 0; i < p->count; i++)
			p->series[i].values = memory_resize(p->series[i].values, p->room,
							    sizeof(uint64_t), "values of a film");
	}
	return 0;
}

int
points_find(struct points *p, uint32_t column, uint32_t place, uint32_t *number)
{
	const uint64_t key = (uint64_t)column << 32 | place;
	uint32_t *slot = p->slot_count != 0 ? slot_of(p, key) : NULL;
	int rc;

	if (slot == NULL || *slot == 0) {
		rc = make_room(p);
		if (rc != 0)
			return rc;
		p->series =
			memory_grow(p->series, p->count, sizeof(*p->series), "series of a film");
		p->series[p->count] = (struct point_series){
			.key = key,
			.values = memory_array(p->room, sizeof(uint64_t), "values of a film"),
		};
		p->count++;
		slot = slot_of(p, key);
		*slot = p->count;
	}
	*number = *slot - 1;
	return 0;
}

// Adds the value of a run to the points that its intervals are in.
static void
add_run(const struct points *p, struct point_series *s, enum film_kind kind,
	const struct film_run *run, uint64_t first)
{
	const uint64_t to = first + run->to;

	for (uint64_t at = first + run->from, end; at < to; at = end) {
		uint64_t *point = &s->values[at / p->every];

		end = (at / p->every + 1) * p->every;
		end = end < to ? end : to;
		if (kind == FILM_SUM)
			*point = point_sum(*point, point_product(run->value, end - at));
		else if (kind == FILM_LEVEL || run->value > *point)
			*point = run->value;
	}
}

void
points_add(struct points *p, uint32_t number, uint64_t first, const struct film_run *run)
{
	struct point_series *s = &p->series[number];
	const enum film_kind kind = kind_of(p, s);

	if (run->value != 0 || kind == FILM_LEVEL)
		add_run(p, s, kind, run, first);
}

void
points_add_lengths(struct points *p, uint64_t first, const struct film_run *run)
{
	add_run(p, &p->lengths, FILM_SUM, run, first);
}
