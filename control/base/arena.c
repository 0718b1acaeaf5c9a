// SPDX-License-Identifier: BSD-3-Clause
#include "arena.h"

#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK 16384
#define ARENA_ALIGN 16

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(ARENA_ALIGN) unsigned char bytes[];
};

void *
arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block;
	size_t offset;

	if (size > SIZE_MAX / 2)
		memory_exhausted(1, size, "configuration");
	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (size > arena->room || arena->blocks == NULL) {
		size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;

		block = memory_new(sizeof(*block) + room, "configuration");
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->room = room;
	}
	block = arena->blocks;
	offset = block->size - arena->room;
	arena->room -= size;
	return block->bytes + offset;
}

char *
arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

void *
arena_grow(struct arena *arena, void *items, size_t count, size_t size)
{
	void *grown;

	if ((count & (count - 1)) != 0)
		return items;
	if (count > SIZE_MAX / 2 / size)
		memory_exhausted(2 * count, size, "configuration");
	grown = arena_alloc(arena, (count > 0 ? 2 * count : 1) * size);
	if (count > 0)
		memcpy(grown, items, count * size);
	return grown;
}

void
arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block != NULL) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	arena->blocks = NULL;
	arena->room = 0;
}
