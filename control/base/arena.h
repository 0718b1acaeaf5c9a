// SPDX-License-Identifier: BSD-3-Clause
// Memory that is freed all at once: a configuration's tree, strings and arrays. Running out of it
// ends the process (memory.h).
#pragma once

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t room; // bytes left in the newest block
};

// Zeroed memory aligned for any type. Lives until arena_free().
void *arena_alloc(struct arena *arena, size_t size);
// A NUL-terminated copy of length bytes.
char *arena_text(struct arena *arena, const char *text, size_t length);
// Makes room for one more item in an array of the arena, as memory_grow() does; the array that it
// leaves behind lives as long as the arena.
void *arena_grow(struct arena *arena, void *items, size_t count, size_t size);
void arena_free(struct arena *arena);
