// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the blocks of a film, as they come from a fabric or a file: each data as it is, and
// deflated.
#include "control/film/film.h"
#include "control/film/reduce.h"

#include <stdlib.h>
#include <string.h>

#define META                                                                                  \
	"{\"columns\":[{\"name\":\"a\",\"kind\":\"sum\"},{\"name\":\"b\",\"kind\":\"peak\"}," \
	"{\"name\":\"c\",\"kind\":\"level\"}]}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
take_deflated(struct film_summary *s, const char *type, const void *data, size_t size)
{
	struct film_block block = {.count = 10};

	memcpy(block.type, type, 5);
	film_make_block(&block, data, size);
	film_summary_take(s, &block);
	free((void *)block.bytes);
}

static void
put_block(FILE *to, const char *type, const void *data, size_t size)
{
	struct film_block block = {.first = strcmp(type, "FILM") == 0, .count = 10};

	memcpy(block.type, type, 5);
	film_make_block(&block, data, size);
	fwrite(block.bytes, 1, block.size, to);
	free((void *)block.bytes);
}

// A film whose chunk has the data, and a film that begins right and goes on with any bytes.
static void
reduce(const uint8_t *data, size_t size, bool deflated)
{
	static const struct film_reduce_limits limits = {.work = 1 << 20, .values = 4096};
	char *film = NULL, *reduced = NULL;
	size_t film_size, reduced_size;
	FILE *from = open_memstream(&film, &film_size);
	FILE *to = open_memstream(&reduced, &reduced_size);
	const char *wrong;

	put_block(from, "FILM", NULL, 0);
	put_block(from, "META", META, strlen(META));
	if (deflated)
		put_block(from, "CHNK", data, size);
	else
		fwrite(data, 1, size, from);
	fclose(from);
	from = fmemopen(film, film_size, "rb");
	(void)film_reduce(from, to, &limits, &wrong);
	fclose(from);
	fclose(to);
	free(film);
	free(reduced);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct film_summary *chunk = film_summary_create(), *any = film_summary_create();
	struct film_block block;

	take_deflated(chunk, "META", META, strlen(META));
	take_deflated(chunk, "CHNK", data, size);
	take_deflated(any, "META", data, size);
	if (film_read_head(&block, data, size)) {
		film_summary_take(any, &block);
		film_summary_take(chunk, &block);
	}
	json_decref(film_summary_keys(chunk));
	json_decref(film_summary_keys(any));
	film_summary_destroy(chunk);
	film_summary_destroy(any);
	reduce(data, size, true);
	reduce(data, size, false);
	return 0;
}
