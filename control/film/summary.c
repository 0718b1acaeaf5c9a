// SPDX-License-Identifier: BSD-3-Clause
// The overview and the peaks of a film, from its blocks: for who writes a film that another
// process makes. The bytes come from outside.
#include "film.h"

#include "chunk.h"
#include "control/base/memory.h"
#include "overview.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

#define INTERVALS_MOST 4096 // of a chunk

struct film_summary {
	unsigned int count; // of columns; 0: not known yet
	char **names;
	struct film_totals *totals;
	uint32_t room; // of them, in intervals
	struct film_overview *overview;
	uint32_t next; // the first interval that is not in it
	bool wrong;    // a block could not be read
};

struct film_summary *
film_summary_create(void)
{
	return memory_new(sizeof(struct film_summary), "the overview of a film");
}

void
film_summary_destroy(struct film_summary *s)
{
	if (s == NULL)
		return;
	for (unsigned int i = 0; i < s->count; i++) {
		free(s->names[i]);
		free(s->totals[i].values);
	}
	free(s->names);
	free(s->totals);
	film_overview_destroy(s->overview);
	free(s);
}

// ---- chunks -------------------------------------------------------------------------------------

// A series of `count` values; totals: what they are added to, or NULL.
static void
take_series(struct film_source *from, struct film_totals *totals, uint32_t count)
{
	struct film_run run = {.to = 0};

	while (film_source_run(from, &run, count))
		if (totals != NULL)
			film_totals_note(totals, run.from, run.to, run.value);
}

static void
make_room(struct film_summary *s, uint32_t count)
{
	for (unsigned int i = 0; i < s->count; i++) {
		if (count > s->room)
			s->totals[i].values = memory_resize(s->totals[i].values, count,
							    sizeof(uint64_t), "intervals");
		memset(s->totals[i].values, 0, count * sizeof(uint64_t));
	}
	if (count > s->room)
		s->room = count;
}

static void
take_columns(struct film_summary *s, struct film_source *from, uint32_t count)
{
	(void)film_source_number(from); // when it begins
	take_series(from, NULL, count);
	while (!from->wrong && film_source_more(from)) {
		const uint64_t column = film_source_number(from);
		const uint64_t series = film_source_number(from);

		from->wrong |= column >= s->count;
		for (uint64_t i = 0; i < series && !from->wrong; i++) {
			(void)film_source_number(from); // its place
			take_series(from, &s->totals[column], count);
		}
	}
	from->wrong |= !from->ended;
}

static bool
take_chunk(struct film_summary *s, const struct film_block *block)
{
	struct film_source from;

	if (s->count == 0 || block->count > INTERVALS_MOST || block->first < s->next ||
	    block->first - s->next > FILM_GAP_MOST)
		return false;
	make_room(s, 1);
	for (; s->next < block->first; s->next++)
		film_overview_add(s->overview, s->totals, 1);
	make_room(s, block->count);
	film_source_open(&from, block);
	take_columns(s, &from, block->count);
	film_source_close(&from);
	if (from.wrong)
		return false;
	film_overview_add(s->overview, s->totals, block->count);
	s->next += block->count;
	return true;
}

// ---- columns ------------------------------------------------------------------------------------

// The columns of META, which a later one cannot change.
static bool
take_names(struct film_summary *s, const json_t *columns)
{
	const size_t count = json_array_size(columns);

	if (columns == NULL)
		return true;
	if (s->count != 0)
		return count == s->count;
	if (count == 0 || count > FILM_COLUMNS_MOST)
		return false;
	s->count = (unsigned int)count;
	s->names = memory_array(count, sizeof(*s->names), "columns");
	s->totals = memory_array(count, sizeof(*s->totals), "columns");
	s->overview = film_overview_create(s->count);
	for (unsigned int i = 0; i < s->count; i++) {
		const json_t *column = json_array_get(columns, i);
		const char *name = json_string_value(json_object_get(column, "name"));
		const char *kind = json_string_value(json_object_get(column, "kind"));

		if (name == NULL || kind == NULL)
			return false;
		s->names[i] = memory_text(name);
		s->totals[i].most = strcmp(kind, "sum") != 0;
	}
	return true;
}

static bool
take_meta(struct film_summary *s, const struct film_block *block)
{
	struct film_bytes text = {.count = 0};
	struct film_source from;
	json_t *meta = NULL;
	bool ok = false;

	film_source_open(&from, block);
	for (; film_source_more(&from); from.at = from.count)
		film_bytes_add(&text, from.piece, from.count);
	film_source_close(&from);
	if (from.ended && !from.wrong)
		meta = json_loadb((const char *)text.data, text.count, 0, NULL);
	if (meta != NULL)
		ok = take_names(s, json_object_get(meta, "columns"));
	json_decref(meta);
	free(text.data);
	return ok;
}

void
film_summary_take(struct film_summary *s, const struct film_block *block)
{
	if (strcmp(block->type, "CHNK") == 0)
		s->wrong = s->wrong || !take_chunk(s, block);
	else if (strcmp(block->type, "META") == 0)
		s->wrong = s->wrong || !take_meta(s, block);
}

json_t *
film_summary_keys(const struct film_summary *s)
{
	json_t *keys = json_object();

	if (!s->wrong && s->count != 0)
		film_overview_write(s->overview, (const char *const *)s->names, s->totals, keys);
	return keys;
}
