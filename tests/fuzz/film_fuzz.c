// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the blocks of a film, as they come from a fabric: each data as it is, and deflated.
#include "control/film/film.h"

#include <stdlib.h>
#include <string.h>

#define META "{\"columns\":[{\"name\":\"a\",\"kind\":\"sum\"},{\"name\":\"b\",\"kind\":\"peak\"}]}"

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
	return 0;
}
