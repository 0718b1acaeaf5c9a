// SPDX-License-Identifier: BSD-3-Clause
#include "source.h"

#include "control/base/memory.h"

#define DATA_MOST (UINT64_C(64) << 20) // of a block, inflated

void
film_source_open(struct film_source *from, const struct film_block *block)
{
	*from = (struct film_source){.count = 0};
	from->z.next_in = (Bytef *)(uintptr_t)(block->bytes + FILM_HEAD_BYTES);
	from->z.avail_in = (uInt)(block->size - FILM_HEAD_BYTES);
	if (inflateInit(&from->z) != Z_OK)
		memory_exhausted(1, sizeof(from->z), "a block of a film");
}

void
film_source_close(struct film_source *from)
{
	inflateEnd(&from->z);
}

bool
film_source_more(struct film_source *from)
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
	from->too_large = from->read > DATA_MOST;
	from->wrong = (rc != Z_OK && rc != Z_STREAM_END) || from->too_large;
	if (from->wrong)
		from->count = 0;
	return from->count != 0;
}

uint64_t
film_source_number(struct film_source *from)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (!film_source_more(from))
			break;
		byte = from->piece[from->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	from->wrong = true;
	return 0;
}

bool
film_source_run(struct film_source *from, struct film_run *run, uint32_t count)
{
	uint64_t change, length;

	if (run->to == count || from->wrong)
		return false;
	change = film_source_number(from);
	length = change == 0 ? film_source_number(from) : 1;
	from->wrong |= length == 0 || length > count - run->to;
	if (from->wrong)
		return false;
	run->value += change % 2 == 0 ? change / 2 : -(change / 2 + 1);
	run->from = run->to;
	run->to += (uint32_t)length;
	return true;
}
