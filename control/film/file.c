// SPDX-License-Identifier: BSD-3-Clause
#include "film.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 1 // the series are small already: level 6 takes twice as long for a tenth less

// ---- blocks -------------------------------------------------------------------------------------

static void
put_u32(uint8_t *to, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t
get_u32(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

uint32_t
film_data_bytes(const uint8_t *head)
{
	return get_u32(head + 4);
}

bool
film_read_head(struct film_block *block, const uint8_t *bytes, size_t size)
{
	*block = (struct film_block){.bytes = bytes, .size = size};
	if (size < FILM_HEAD_BYTES || film_data_bytes(bytes) != size - FILM_HEAD_BYTES)
		return false;
	memcpy(block->type, bytes, 4);
	block->first = get_u32(bytes + 8);
	block->count = get_u32(bytes + 12);
	return true;
}

void
film_set_first(struct film_block *block, uint8_t *bytes, uint32_t first)
{
	block->first = first;
	put_u32(bytes + 8, first);
}

void
film_make_block(struct film_block *block, const void *data, size_t size)
{
	uLongf room = data != NULL ? compressBound(size) : 0;
	uint8_t *bytes = memory_array(FILM_HEAD_BYTES + room, 1, "bytes of a film");

	if (data != NULL && compress2(bytes + FILM_HEAD_BYTES, &room, data, size, LEVEL) != Z_OK)
		memory_exhausted(1, size, "a block of a film");
	memcpy(bytes, block->type, 4);
	put_u32(bytes + 4, (uint32_t)room);
	put_u32(bytes + 8, block->first);
	put_u32(bytes + 12, block->count);
	block->bytes = bytes;
	block->size = FILM_HEAD_BYTES + room;
}

// ---- the file -----------------------------------------------------------------------------------

struct film_file {
	FILE *to;
	uint64_t size;
	uint64_t limit;
	json_t *index; // of INDX: [offset, type, first, count] of each block
	int error;     // the first, as -errno
	bool full;
};

struct film_file *
film_file_create(FILE *to, uint64_t limit)
{
	struct film_file *file = memory_new(sizeof(*file), "film");

	file->to = to;
	file->limit = limit;
	file->index = json_array();
	return file;
}

bool
film_file_full(const struct film_file *file)
{
	return file->full;
}

static void
put(struct film_file *file, const struct film_block *block)
{
	errno = 0;
	if (file->error == 0 && fwrite(block->bytes, 1, block->size, file->to) != block->size)
		file->error = errno != 0 ? -errno : -EIO;
	file->size += block->size;
}

bool
film_file_take(void *context, const struct film_block *block)
{
	struct film_file *file = context;
	bool chunk = strcmp(block->type, "CHNK") == 0;

	if (chunk && file->size + block->size > file->limit)
		file->full = true;
	if (file->full && chunk)
		return false;
	if (chunk || strcmp(block->type, "META") == 0)
		json_array_append_new(file->index, json_pack("[I,s,I,I]", (json_int_t)file->size,
							     block->type, (json_int_t)block->first,
							     (json_int_t)block->count));
	put(file, block);
	// It can be read while it is written, and a full disk shows here.
	if (fflush(file->to) != 0 && file->error == 0)
		file->error = -errno;
	return file->error == 0;
}

int
film_file_close(struct film_file *file, json_t *keys)
{
	struct film_block index = {.type = "INDX"}, tail = {.type = "TAIL"};
	json_t *document;
	char *text;
	int rc;

	if (file == NULL)
		return 0;
	document = keys != NULL ? json_incref(keys) : json_object();
	tail.first = (uint32_t)file->size;
	tail.count = (uint32_t)(file->size >> 32);
	json_object_set(document, "blocks", file->index);
	text = json_dumps(document, JSON_COMPACT);
	film_make_block(&index, text, strlen(text));
	film_make_block(&tail, NULL, 0);
	put(file, &index);
	put(file, &tail);
	if (fflush(file->to) != 0 && file->error == 0)
		file->error = -errno;
	rc = file->error;
	free((void *)index.bytes);
	free((void *)tail.bytes);
	free(text);
	json_decref(document);
	json_decref(file->index);
	free(file);
	return rc;
}
