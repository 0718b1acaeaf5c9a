// SPDX-License-Identifier: BSD-3-Clause
#include "control/film/reduce.h"

#include "control/film/film.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define META                                                                              \
	"{\"interval_ns\":5,\"columns\":[{\"name\":\"sent\",\"kind\":\"sum\"},"           \
	"{\"name\":\"most\",\"kind\":\"peak\"},{\"name\":\"depth\",\"kind\":\"level\"}]," \
	"\"events\":[{\"what\":\"x\"}]}"

// Three intervals of 5 ns. "sent" has 2, 2, 0 at place 0 and 0, 3, 3 at place 4; "most" has 7, 1, 9
// at place 1; "depth" has 0, 6, 4 at place 2, or nothing.
static const uint8_t values[] = {10, 0, 2, 0, 2,  0,  4,  0, 1, 3, 4, 0, 1,  6, 0,
				 1,  1, 1, 1, 14, 11, 16, 2, 1, 2, 0, 1, 12, 3};
#define WITHOUT_DEPTH 7 // bytes

static const struct film_reduce_limits none = {
	.file_bytes = 0, .chunk_bytes = 1 << 20, .work = 1 << 20, .values = 1 << 20};

static void
put(FILE *to, const char *type, uint32_t first, uint32_t count, const void *data, size_t size)
{
	struct film_block b = {.first = first, .count = count};

	memcpy(b.type, type, 5);
	film_make_block(&b, data, size);
	fwrite(b.bytes, 1, b.size, to);
	free((void *)b.bytes);
}

static FILE *
begin_film(void)
{
	FILE *film = tmpfile();

	put(film, "FILM", 1, 0, NULL, 0);
	put(film, "META", 0, 0, META, strlen(META));
	return film;
}

// Chunk number `number`, whose times are those of its number.
static void
put_chunk(FILE *film, uint32_t number, size_t size)
{
	uint8_t data[2 + sizeof(values)];

	data[0] = (uint8_t)(0x80 | (15 * number & 0x7f));
	data[1] = (uint8_t)(15 * number >> 7);
	memcpy(data + 2, values, size);
	put(film, "CHNK", 3 * number, 3, data, 2 + size);
}

struct reduced {
	int rc;
	const char *wrong;
	json_t *meta;
	uint32_t count; // of intervals
	uint8_t chunk[4096];
	size_t size;
};

static void
take_block(struct reduced *out, const struct film_block *b)
{
	static char text[65536];
	uLongf size = sizeof(text);

	if (strcmp(b->type, "META") == 0) {
		assert_int_equal(uncompress((Bytef *)text, &size, b->bytes + FILM_HEAD_BYTES,
					    b->size - FILM_HEAD_BYTES),
				 Z_OK);
		out->meta = json_loadb(text, size, 0, NULL);
		assert_non_null(out->meta);
	} else if (strcmp(b->type, "CHNK") == 0) {
		size = sizeof(out->chunk);
		assert_int_equal(uncompress(out->chunk, &size, b->bytes + FILM_HEAD_BYTES,
					    b->size - FILM_HEAD_BYTES),
				 Z_OK);
		assert_int_equal(b->first, 0);
		out->size = size;
		out->count = b->count;
	}
}

static struct reduced
reduce(FILE *film, const struct film_reduce_limits *limits)
{
	struct reduced out = {.rc = 0};
	struct film_block b;
	char *bytes = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&bytes, &size);

	rewind(film);
	out.rc = film_reduce(film, to, limits, &out.wrong);
	fclose(film);
	fclose(to);
	for (size_t at = 0; at < size; at += b.size) {
		const uint8_t *head = (const uint8_t *)bytes + at;

		assert_true(film_read_head(&b, head, FILM_HEAD_BYTES + film_data_bytes(head)));
		take_block(&out, &b);
	}
	free(bytes);
	return out;
}

static json_int_t
number(const struct reduced *r, const char *key)
{
	return json_integer_value(json_object_get(r->meta, key));
}

static void
assert_chunk(const struct reduced *r, const uint8_t *wanted, size_t size)
{
	assert_int_equal(r->size, size);
	assert_memory_equal(r->chunk, wanted, size);
}

// There is room for all: the chunks become one.
static void
test_all_intervals(void **state)
{
	// "sent": 2, 2, 0 twice, and 0, 3, 3 twice; "depth": 0, 6, 4, and 0 in the second chunk
	static const uint8_t wanted[] = {0,  10, 0,  5,  0, 2, 0, 4, 0, 1,  3, 4, 0, 1,  3,
					 4,  0,  1,  6,  0, 1, 5, 6, 0, 1,  1, 1, 1, 14, 11,
					 16, 3,  11, 16, 2, 1, 2, 0, 1, 12, 3, 7, 0, 2};
	static const char later[] = "{\"flows\":[],\"events\":[{\"what\":\"y\"}]}";
	FILE *film = begin_film();
	struct reduced r;

	(void)state;
	put_chunk(film, 0, sizeof(values));
	put(film, "META", 0, 0, later, strlen(later));
	put(film, "JUNK", 0, 0, "any", 3);
	put_chunk(film, 1, sizeof(values) - WITHOUT_DEPTH);
	r = reduce(film, &none);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.count, 6);
	assert_int_equal(number(&r, "every"), 1);
	assert_int_equal(number(&r, "lost"), 0);
	assert_int_equal(number(&r, "interval_ns"), 5);
	assert_int_equal(json_array_size(json_object_get(r.meta, "events")), 2);
	assert_int_equal(json_array_size(json_object_get(r.meta, "columns")), 3);
	assert_non_null(json_object_get(r.meta, "flows"));
	assert_chunk(&r, wanted, sizeof(wanted));
	json_decref(r.meta);
}

// Little memory for values leaves few points; whatever is lost counts as zeros, for as long as it
// took.
static void
test_points_become_one(void **state)
{
	static const struct film_reduce_limits little = {
		.file_bytes = 2000, .chunk_bytes = 1 << 20, .work = 1 << 20, .values = 4 * 100};
	FILE *film = begin_film();
	struct reduced r;
	const uint8_t *at;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		if (i != 50)
			put_chunk(film, i, sizeof(values));
	r = reduce(film, &little);
	assert_int_equal(r.rc, 0);
	assert_int_equal(number(&r, "every"), 4);
	assert_int_equal(number(&r, "interval_ns"), 20);
	assert_int_equal(number(&r, "lost"), 3);
	assert_int_equal(r.count, 75);
	at = r.chunk;
	assert_int_equal(*at++, 0); // all points take 20 ns
	assert_memory_equal(at, ((const uint8_t[]){40, 0, 74}), 3);
	// "sent" at place 0: 2 2 0 2, 2 0 2 2, 0 2 2 0 ...
	assert_memory_equal(at + 3, ((const uint8_t[]){0, 2, 0, 12, 0, 1, 3, 4}), 8);
	json_decref(r.meta);
}

static void
test_small_films_stay(void **state)
{
	static const struct film_reduce_limits enough = {
		.file_bytes = 4096, .chunk_bytes = 31, .work = 1 << 20, .values = 1 << 20};
	struct film_reduce_limits less = enough;
	FILE *film = begin_film();
	struct reduced r;

	(void)state;
	put_chunk(film, 0, sizeof(values));
	assert_int_equal(reduce(film, &enough).rc, 1);
	film = begin_film();
	put_chunk(film, 0, sizeof(values));
	less.chunk_bytes = 30;
	r = reduce(film, &less);
	assert_int_equal(r.rc, 0);
	json_decref(r.meta);
}

static void
test_limits(void **state)
{
	static const struct film_reduce_limits no_work = {.work = 500, .values = 1 << 20};
	static const struct film_reduce_limits no_memory = {.work = 1 << 20, .values = 99};
	FILE *film = begin_film();

	(void)state;
	put_chunk(film, 0, sizeof(values));
	assert_int_equal(reduce(film, &no_work).rc, -EFBIG);
	film = begin_film();
	put_chunk(film, 0, sizeof(values));
	assert_int_equal(reduce(film, &no_memory).rc, -EFBIG);
}

static void
test_what_is_wrong(void **state)
{
	static const struct {
		uint8_t data[12];
		uint32_t first, count;
		size_t size;
		const char *wrong;
	} chunks[] = {
		{{0, 10, 0, 3}, 0, 3, 4, "a chunk cannot be read"},
		{{0, 10, 0, 2, 3, 1, 0, 2},
		 0,
		 3,
		 8,
		 "a chunk has a column that META does not list"},
		{{0, 10, 0, 2, 0, 1, 0, 1}, 0, 3, 8, "a value is too large"},
		{{0, 10, 0, 2, 0, 2, 0, 2, 0, 2}, 0, 3, 10, "a chunk cannot be read"},
		{{0, 1}, 0, 1, 2, "a value is too large"},
		{{0}, 0, 0, 1, "a chunk has no intervals, or too many"},
		{{0, 2}, 1u << 25, 1, 2, "the interval number of a chunk is out of range"},
		{{0}, 0, 1, 0, "the start time of a chunk is missing or out of range"},
	};
	struct reduced r;
	FILE *film;

	(void)state;
	for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
		film = begin_film();
		put(film, "CHNK", chunks[i].first, chunks[i].count, chunks[i].data, chunks[i].size);
		r = reduce(film, &none);
		assert_int_equal(r.rc, -EINVAL);
		assert_string_equal(r.wrong, chunks[i].wrong);
	}
	r = reduce(begin_film(), &none);
	assert_int_equal(r.rc, -EINVAL);
	assert_string_equal(r.wrong, "it has no intervals");
	film = tmpfile();
	put(film, "META", 1, 0, META, strlen(META));
	r = reduce(film, &none);
	assert_int_equal(r.rc, -EINVAL);
	assert_string_equal(r.wrong, "it does not begin as a film of version 1");
	film = begin_film();
	put(film, "META", 0, 0, "[]", 2);
	r = reduce(film, &none);
	assert_int_equal(r.rc, -EINVAL);
	assert_string_equal(r.wrong, "META is not a JSON object");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_intervals),    cmocka_unit_test(test_points_become_one),
		cmocka_unit_test(test_small_films_stay), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
