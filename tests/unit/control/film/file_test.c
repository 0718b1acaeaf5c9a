// SPDX-License-Identifier: BSD-3-Clause
#include "control/film/film.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

struct written {
	char *bytes;
	size_t size;
	FILE *to;
	struct film_file *file;
};

static void
begin(struct written *w, uint64_t limit)
{
	w->to = open_memstream(&w->bytes, &w->size);
	assert_non_null(w->to);
	w->file = film_file_create(w->to, limit);
}

static bool
add(struct written *w, const char *type, uint32_t first, const char *text)
{
	struct film_block b = {.first = first, .count = 3};
	bool goes_on;

	memcpy(b.type, type, 5);
	film_make_block(&b, text, text != NULL ? strlen(text) : 0);
	goes_on = film_file_take(w->file, &b);
	free((void *)b.bytes);
	return goes_on;
}

static uint32_t
u32(const char *at)
{
	const uint8_t *b = (const uint8_t *)at;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// The JSON of INDX, which TAIL leads to.
static json_t *
index_of(const struct written *w)
{
	const char *tail = w->bytes + w->size - FILM_HEAD_BYTES, *index;
	uLongf room = 4096;
	Bytef text[4096];
	json_t *out;

	assert_memory_equal(tail, "TAIL", 4);
	assert_int_equal(u32(tail + 4), 0);
	assert_int_equal(u32(tail + 12), 0);
	index = w->bytes + u32(tail + 8);
	assert_memory_equal(index, "INDX", 4);
	assert_int_equal(
		uncompress(text, &room, (const Bytef *)index + FILM_HEAD_BYTES, u32(index + 4)),
		Z_OK);
	out = json_loadb((const char *)text, room, 0, NULL);
	assert_non_null(out);
	return out;
}

static void
end(struct written *w, json_t *index)
{
	json_decref(index);
	fclose(w->to);
	free(w->bytes);
}

static void
test_blocks_and_index(void **state)
{
	json_t *keys = json_pack("{s:i}", "extra", 7), *index, *blocks, *at;
	struct written w;
	int i;

	(void)state;
	begin(&w, UINT64_MAX);
	assert_true(add(&w, "FILM", 1, NULL));
	assert_true(add(&w, "META", 0, "{}"));
	assert_true(add(&w, "CHNK", 0, "first"));
	assert_true(add(&w, "CHNK", 3, "second"));
	assert_int_equal(film_file_close(w.file, keys), 0);
	json_decref(keys);
	assert_memory_equal(w.bytes, "FILM\0\0\0\0\1\0\0\0", 12);
	index = index_of(&w);
	assert_int_equal(json_integer_value(json_object_get(index, "extra")), 7);
	blocks = json_object_get(index, "blocks");
	assert_int_equal(json_array_size(blocks), 3);
	for (i = 0; i < 3; i++) {
		const char *type, *head;

		at = json_array_get(blocks, (size_t)i);
		type = json_string_value(json_array_get(at, 1));
		head = w.bytes + json_integer_value(json_array_get(at, 0));
		assert_string_equal(type, i == 0 ? "META" : "CHNK");
		assert_memory_equal(head, type, 4);
		assert_int_equal(u32(head + 8), i == 2 ? 3 : 0);
	}
	end(&w, index);
}

static void
test_a_full_film_takes_no_more_chunks(void **state)
{
	struct written w;
	json_t *index;

	(void)state;
	begin(&w, 100);
	assert_true(add(&w, "FILM", 1, NULL));
	assert_true(add(&w, "META", 0, "{}"));
	assert_true(add(&w, "CHNK", 0, "short"));
	assert_false(film_file_full(w.file));
	assert_false(add(&w, "CHNK", 3, "this is one that does not fit in any more"));
	assert_true(film_file_full(w.file));
	assert_false(add(&w, "CHNK", 6, "s"));
	assert_true(add(&w, "META", 0, "{}")); // it says why
	assert_int_equal(film_file_close(w.file, NULL), 0);
	index = index_of(&w);
	assert_int_equal(json_array_size(json_object_get(index, "blocks")), 3);
	end(&w, index);
}

static void
test_a_full_disk(void **state)
{
	FILE *to = fopen("/dev/full", "w");
	struct written w = {.file = film_file_create(to, UINT64_MAX)};

	(void)state;
	assert_non_null(to);
	setvbuf(to, NULL, _IONBF, 0);
	assert_false(add(&w, "CHNK", 0, "text"));
	assert_int_equal(film_file_close(w.file, NULL), -ENOSPC);
	fclose(to);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_and_index),
		cmocka_unit_test(test_a_full_film_takes_no_more_chunks),
		cmocka_unit_test(test_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
