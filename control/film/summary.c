// SPDX-License-Identifier: BSD-3-Clause
// The overview and the peaks of a film, from its blocks: for who writes a film that another
// process makes. The bytes come from outside.
#include "film.h"

#include "chunk.h"
#include "control/base/memory.h"
#include "overview.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define INTERVALS_MOST 4096 // of a chunk
#define COLUMNS_MOST 256
#define GAP_MOST (1u << 24) // intervals that were lost
#define PIECE_BYTES 4096
#define DATA_MOST (UINT64_C(64) << 20) // of a block, inflated

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

// ---- inflated data ------------------------------------------------------------------------------

struct source {
	z_stream z;
	uint8_t piece[PIECE_BYTES];
	size_t at, count; // of the piece
	uint64_t read;
	bool ended; // nothing follows the piece
	bool wrong;
};

static void
open_source(struct source *from, const struct film_block *block)
{
	*from = (struct source){.count = 0};
	from->z.next_in = (Bytef *)(uintptr_t)(block->bytes + FILM_HEAD_BYTES);
	from->z.avail_in = (uInt)(block->size - FILM_HEAD_BYTES);
	if (inflateInit(&from->z) != Z_OK)
		memory_exhausted(1, sizeof(from->z), "a block of a film");
}

// Whether there is another byte.
static bool
has_more(struct source *from)
{
	int rc;

	if (from->at < from->count)
		return true;
	if (from->ended || from->wrong)
		return false;
	from->z.next_out = from->piece;
	from->z.avail_out = sizeof(from->piece);
	rc = inflate(&from->z, Z_NO_FLUSH);
	from->at = 0;
	from->count = sizeof(from->piece) - from->z.avail_out;
	from->read += from->count;
	from->ended = rc == Z_STREAM_END;
	from->wrong = (rc != Z_OK && rc != Z_STREAM_END) || from->read > DATA_MOST;
	if (from->wrong)
		from->count = 0;
	return from->count != 0;
}

static uint64_t
take_varint(struct source *from)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (!has_more(from))
			break;
		byte = from->piece[from->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	from->wrong = true;
	return 0;
}

// ---- chunks -------------------------------------------------------------------------------------

// A series of `count` values; totals: what they are added to, or NULL.
static void
take_series(struct source *from, struct film_totals *totals, uint32_t count)
{
	uint64_t value = 0, run, change;

	for (uint32_t at = 0; at < count && !from->wrong; at += (uint32_t)run) {
		change = take_varint(from);
		run = change == 0 ? take_varint(from) : 1;
		if (run == 0 || run > count - at) {
			from->wrong = true;
			return;
		}
		value += change % 2 == 0 ? change / 2 : -(change / 2 + 1);
		if (totals != NULL)
			film_totals_note(totals, at, at + (uint32_t)run, value);
	}
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
take_columns(struct film_summary *s, struct source *from, uint32_t count)
{
	(void)take_varint(from); // when it begins
	take_series(from, NULL, count);
	while (!from->wrong && has_more(from)) {
		const uint64_t column = take_varint(from);
		const uint64_t series = take_varint(from);

		from->wrong |= column >= s->count;
		for (uint64_t i = 0; i < series && !from->wrong; i++) {
			(void)take_varint(from); // its place
			take_series(from, &s->totals[column], count);
		}
	}
	from->wrong |= !from->ended;
}

static bool
take_chunk(struct film_summary *s, const struct film_block *block)
{
	struct source from;

	if (s->count == 0 || block->count > INTERVALS_MOST || block->first < s->next ||
	    block->first - s->next > GAP_MOST)
		return false;
	make_room(s, 1);
	for (; s->next < block->first; s->next++)
		film_overview_add(s->overview, s->totals, 1);
	make_room(s, block->count);
	open_source(&from, block);
	take_columns(s, &from, block->count);
	inflateEnd(&from.z);
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
	if (count == 0 || count > COLUMNS_MOST)
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
	struct source from;
	json_t *meta = NULL;
	bool ok = false;

	open_source(&from, block);
	for (; has_more(&from); from.at = from.count)
		film_bytes_add(&text, from.piece, from.count);
	inflateEnd(&from.z);
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
