// SPDX-License-Identifier: BSD-3-Clause
#include "reduce.h"

#include "chunk.h"
#include "control/base/memory.h"
#include "points.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MOST (UINT32_C(256) << 20) // bytes in the file
#define INTERVALS_MOST (1u << 20)        // of a chunk
#define EVENTS_MOST 100000

const struct film_reduce_limits film_reduce_report = {
	.file_bytes = 3 << 20, // a report with it stays below 5 MB
	.chunk_bytes = 12 << 20,
	.work = UINT64_C(8) << 30,
	.values = 32 << 20,
};

struct reduction {
	const struct film_reduce_limits *limits;
	struct points points;
	unsigned int columns; // 0: not known yet
	json_t *meta;
	json_t *events;
	uint64_t begin, end; // ns
	uint64_t lost;       // intervals
	uint64_t inflated;   // bytes of chunks
	const char *wrong;
};

static int
invalid(struct reduction *r, const char *wrong)
{
	r->wrong = wrong;
	return -EINVAL;
}

// ---- chunks -------------------------------------------------------------------------------------

// A series, of the last `count` intervals.
static int
take_series(struct reduction *r, struct film_source *from, uint32_t number, uint32_t count)
{
	const uint64_t first = r->points.next - count;
	struct film_run run = {.to = 0};

	while (film_source_run(from, &run, count)) {
		if (run.value > POINT_VALUE_MOST)
			return invalid(r, "a value is too large");
		if (points_spend(&r->points, 1 + (run.to - run.from) / r->points.every) != 0)
			return -EFBIG;
		points_add(&r->points, number, first, &run);
	}
	return from->wrong ? invalid(r, "a chunk cannot be read") : 0;
}

static int
take_columns(struct reduction *r, struct film_source *from, uint32_t count)
{
	while (film_source_more(from)) {
		const uint64_t column = film_source_number(from);
		const uint64_t series = film_source_number(from);
		uint64_t place = 0;

		if (column >= r->columns)
			return invalid(r, "a chunk has a column that META does not list");
		for (uint64_t i = 0; i < series; i++) {
			uint32_t number;
			int rc;

			place += film_source_number(from);
			if (from->wrong || place > UINT32_MAX)
				return invalid(r, "a chunk cannot be read");
			rc = points_find(&r->points, (uint32_t)column, (uint32_t)place, &number);
			if (rc == 0)
				rc = take_series(r, from, number, count);
			if (rc != 0)
				return rc;
		}
	}
	return from->wrong || !from->ended ? invalid(r, "a chunk cannot be read") : 0;
}

// The intervals between the last chunk and one that begins at `begin`, which were lost.
static int
skip_lost(struct reduction *r, uint64_t begin, uint32_t count)
{
	const uint64_t first = r->points.next, length = begin - r->end;
	const struct film_run each = {.to = count, .value = length / count};
	const struct film_run rest = {.from = count - 1, .to = count, .value = length % count};
	int rc = points_begin(&r->points, count);

	if (rc != 0)
		return rc;
	r->lost += count;
	points_add_lengths(&r->points, first, &each);
	points_add_lengths(&r->points, first, &rest);
	return 0;
}

static int
read_chunk(struct reduction *r, struct film_source *from, const struct film_block *block)
{
	const uint64_t begin = film_source_number(from);
	struct film_run run = {.to = 0};
	int rc = 0;

	if (r->points.next == 0)
		r->begin = r->end = begin;
	if (from->wrong || begin < r->end || begin > POINT_VALUE_MOST)
		return invalid(r, "the start time of a chunk is missing or out of range");
	if (block->first != r->points.next)
		rc = skip_lost(r, begin, block->first - (uint32_t)r->points.next);
	if (rc == 0)
		rc = points_begin(&r->points, block->count);
	if (rc != 0)
		return rc;
	r->end = begin;
	while (film_source_run(from, &run, block->count)) {
		if (run.value > POINT_VALUE_MOST)
			return invalid(r, "a value is too large");
		points_add_lengths(&r->points, block->first, &run);
		r->end = point_sum(r->end, point_product(run.value, run.to - run.from));
	}
	return from->wrong ? invalid(r, "a chunk cannot be read")
			   : take_columns(r, from, block->count);
}

static int
take_chunk(struct reduction *r, const struct film_block *block)
{
	struct film_source from;
	int rc;

	if (r->columns == 0)
		return invalid(r, "a chunk comes before META");
	if (block->count == 0 || block->count > INTERVALS_MOST)
		return invalid(r, "a chunk has no intervals, or too many");
	if (block->first < r->points.next || block->first - r->points.next > FILM_GAP_MOST)
		return invalid(r, "the interval number of a chunk is out of range");
	film_source_open(&from, block);
	rc = read_chunk(r, &from, block);
	r->inflated += from.read;
	film_source_close(&from);
	return rc == 0 ? points_spend(&r->points, from.read) : rc;
}

// ---- META ---------------------------------------------------------------------------------------

static int
take_kinds(struct reduction *r, const json_t *columns)
{
	const size_t count = json_array_size(columns);

	if (count == 0 || count > FILM_COLUMNS_MOST || (r->columns != 0 && r->columns != count))
		return invalid(
			r,
			"META has no columns, too many columns, or not the same columns as before");
	for (size_t i = 0; i < count; i++) {
		const char *kind =
			json_string_value(json_object_get(json_array_get(columns, i), "kind"));
		enum film_kind found = 0;

		while (kind != NULL && found < FILM_KINDS &&
		       strcmp(kind, film_kind_name(found)) != 0)
			found++;
		if (kind == NULL || found == FILM_KINDS ||
		    (r->columns != 0 && found != r->points.kinds[i]))
			return invalid(r, "META has a column whose kind is unknown or has changed");
		r->points.kinds[i] = found;
	}
	r->columns = (unsigned int)count;
	return 0;
}

static int
use_meta(struct reduction *r, json_t *meta)
{
	json_t *events = json_object_get(meta, "events"), *columns, *event;
	size_t i;

	if (!json_is_object(meta))
		return invalid(r, "META is not a JSON object");
	json_array_foreach(events, i, event) if (json_array_size(r->events) < EVENTS_MOST)
		json_array_append(r->events, event);
	json_object_update(r->meta, meta);
	columns = json_object_get(meta, "columns");
	return columns != NULL ? take_kinds(r, columns) : 0;
}

static int
take_meta(struct reduction *r, const struct film_block *block)
{
	struct film_bytes text = {.count = 0};
	struct film_source from;
	json_t *meta = NULL;
	int rc;

	film_source_open(&from, block);
	for (; film_source_more(&from); from.at = from.count)
		film_bytes_add(&text, from.piece, from.count);
	film_source_close(&from);
	rc = from.too_large ? -EFBIG : points_spend(&r->points, 8 * from.read);
	if (rc == 0 && from.ended && !from.wrong)
		meta = json_loadb((const char *)text.data, text.count, 0, NULL);
	if (rc == 0)
		rc = use_meta(r, meta);
	json_decref(meta);
	free(text.data);
	return rc;
}

// ---- reading ------------------------------------------------------------------------------------

// Reads the next block, which is valid until the next call. Returns 1, 0 at the end of the film, or
// -EINVAL.
static int
read_block(struct reduction *r, FILE *from, uint8_t **bytes, struct film_block *block)
{
	uint8_t head[FILM_HEAD_BYTES];
	uint32_t length;

	if (fread(head, 1, sizeof(head), from) != sizeof(head))
		return 0;
	length = film_data_bytes(head);
	if (length > BLOCK_MOST)
		return invalid(r, "a block is too large");
	*bytes = memory_resize(*bytes, FILM_HEAD_BYTES + (size_t)length, 1, "a block of a film");
	memcpy(*bytes, head, sizeof(head));
	return fread(*bytes + FILM_HEAD_BYTES, 1, length, from) == length &&
	       film_read_head(block, *bytes, FILM_HEAD_BYTES + (size_t)length);
}

static int
read_film(struct reduction *r, FILE *from)
{
	struct film_block block;
	uint8_t *bytes = NULL;
	int rc = read_block(r, from, &bytes, &block);

	if (rc != 1 || strcmp(block.type, "FILM") != 0 || block.first != FILM_VERSION)
		rc = invalid(r, "it does not begin as a film of version 1");
	while (rc >= 0 && (rc = read_block(r, from, &bytes, &block)) == 1) {
		if (strcmp(block.type, "CHNK") == 0)
			rc = take_chunk(r, &block);
		else if (strcmp(block.type, "META") == 0)
			rc = take_meta(r, &block);
	}
	free(bytes);
	if (rc == 0 && ferror(from))
		rc = -EIO;
	return rc == 0 && r->points.next == 0 ? invalid(r, "it has no intervals") : rc;
}

// ---- writing ------------------------------------------------------------------------------------

static int
by_key(const void *a, const void *b)
{
	const struct point_series *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

// Returns whether any point is not 0.
static bool
fill_series(struct film_series *series, const struct point_series *s, uint32_t count)
{
	uint64_t unused[POINTS_MOST] = {0};
	struct film_totals totals = {.values = unused, .most = true};

	film_series_clear(series);
	for (uint32_t i = 0; i < count; i++)
		film_series_put(series, &totals, i, s->values[i]);
	return film_series_end(series, &totals, count);
}

static void
compose(const struct reduction *r, struct film_bytes *chunk)
{
	const struct points *p = &r->points;
	const uint32_t count = points_begun(p);
	struct film_series series = {.next = 0};
	struct film_bytes column = {.count = 0};

	film_put_varint(chunk, r->begin);
	if (!fill_series(&series, &p->lengths, count)) {
		film_put_varint(&series.bytes, 0);
		film_put_varint(&series.bytes, count);
	}
	film_bytes_add(chunk, series.bytes.data, series.bytes.count);
	for (uint32_t i = 0, k; i < p->count; i = k) {
		const uint64_t number = p->series[i].key >> 32;
		uint32_t last = 0, written = 0;

		column.count = 0;
		for (k = i; k < p->count && p->series[k].key >> 32 == number; k++) {
			const uint32_t place = (uint32_t)p->series[k].key;

			if (!fill_series(&series, &p->series[k], count))
				continue;
			film_put_varint(&column, place - last);
			film_bytes_add(&column, series.bytes.data, series.bytes.count);
			last = place;
			written++;
		}
		if (written == 0)
			continue;
		film_put_varint(chunk, number);
		film_put_varint(chunk, written);
		film_bytes_add(chunk, column.data, column.count);
	}
	free(column.data);
	free(series.bytes.data);
}

// The chunk that is within the limits, if there can be one.
static void
make_chunk(struct reduction *r, struct film_block *block)
{
	struct film_bytes chunk = {.count = 0};
	struct points *p = &r->points;

	if (p->count != 0) // without a series there is no array
		qsort(p->series, p->count, sizeof(*p->series), by_key);
	for (;; points_halve(p)) {
		chunk.count = 0;
		compose(r, &chunk);
		block->count = points_begun(p);
		film_make_block(block, chunk.data, chunk.count);
		if (block->count < 2 * POINTS_LEAST ||
		    (block->size <= r->limits->file_bytes && chunk.count <= r->limits->chunk_bytes))
			break;
		free((void *)block->bytes);
	}
	free(chunk.data);
}

static void
make_meta(struct reduction *r, struct film_block *block)
{
	const uint64_t interval =
		(uint64_t)json_integer_value(json_object_get(r->meta, "interval_ns"));
	char *text;

	json_object_set(r->meta, "events", r->events);
	json_object_set_new(r->meta, "every", json_integer((json_int_t)r->points.every));
	json_object_set_new(r->meta, "lost", json_integer((json_int_t)r->lost));
	json_object_set_new(r->meta, "interval_ns",
			    json_integer((json_int_t)point_product(interval & POINT_VALUE_MOST,
								   r->points.every)));
	text = json_dumps(r->meta, JSON_COMPACT);
	film_make_block(block, text, strlen(text));
	free(text);
}

static int
write_film(struct reduction *r, FILE *to)
{
	struct film_block head = {.type = "FILM", .first = FILM_VERSION}, meta = {.type = "META"};
	struct film_block chunk = {.type = "CHNK"};
	struct film_file *file = film_file_create(to, UINT64_MAX);

	make_chunk(r, &chunk);
	make_meta(r, &meta);
	film_make_block(&head, NULL, 0);
	film_file_take(file, &head);
	film_file_take(file, &meta);
	film_file_take(file, &chunk);
	free((void *)head.bytes);
	free((void *)meta.bytes);
	free((void *)chunk.bytes);
	return film_file_close(file, NULL);
}

int
film_reduce(FILE *from, FILE *to, const struct film_reduce_limits *limits, const char **wrong)
{
	struct reduction r = {
		.limits = limits,
		.meta = json_object(),
		.events = json_array(),
	};
	int rc;

	points_init(&r.points, limits->values, limits->work);
	rc = read_film(&r, from);
	*wrong = r.wrong;
	if (rc == 0 && (uint64_t)ftello(from) <= limits->file_bytes &&
	    r.inflated <= limits->chunk_bytes)
		rc = 1;
	if (rc == 0)
		rc = write_film(&r, to);
	points_free(&r.points);
	json_decref(r.events);
	json_decref(r.meta);
	return rc;
}
