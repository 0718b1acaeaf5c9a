// SPDX-License-Identifier: BSD-3-Clause
#include "spare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct spare {
	struct spare *next;
	size_t bytes; // behind this
} __attribute__((aligned(64)));

static struct spare *
allocate(size_t bytes)
{
	const size_t rounded = (bytes + 63) / 64 * 64;
	struct spare *block = aligned_alloc(64, sizeof(*block) + rounded);

	if (block == NULL)
		abort(); // as when the tables themselves find no memory
	memset(block, 0, sizeof(*block) + rounded);
	block->bytes = rounded;
	return block;
}

static struct spare *
spare_of(void *memory)
{
	return (struct spare *)memory - 1;
}

static void
free_list(struct spare *block)
{
	for (struct spare *next; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
}

static struct spare *
take_list(struct spare **list)
{
	return __atomic_exchange_n(list, NULL, __ATOMIC_ACQ_REL);
}

void
spare_leave(struct spares *s, size_t bytes)
{
	struct spare *block = allocate(bytes), *first = take_list(&s->left), **at = &first;

	// In this order the worker takes them.
	while (*at != NULL)
		at = &(*at)->next;
	*at = block;
	__atomic_store_n(&s->left, first, __ATOMIC_RELEASE);
}

void
spare_free_returned(struct spares *s)
{
	free_list(take_list(&s->returned));
}

void
spare_begin(struct spares *s)
{
	struct spare **at = &s->taken;

	while (*at != NULL)
		at = &(*at)->next;
	*at = take_list(&s->left);
}

void *
spare_take(struct spares *s, size_t bytes)
{
	for (struct spare **at = &s->taken, *block; (block = *at) != NULL; at = &block->next) {
		if (block->bytes < bytes)
			continue;
		*at = block->next;
		block->next = NULL;
		return block + 1;
	}
	// Only where tables are adopted that were not left by node_set_tables(), as tests do.
	s->missed++;
	return allocate(bytes) + 1;
}

void
spare_return(struct spares *s, void *memory)
{
	struct spare *block;

	if (memory == NULL)
		return;
	block = spare_of(memory);
	block->next = __atomic_load_n(&s->returned, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&s->returned, &block->next, block, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void
spare_end(struct spares *s)
{
	while (s->taken != NULL) {
		struct spare *block = s->taken;

		s->taken = block->next;
		spare_return(s, block + 1);
	}
}

void
spare_free(void *memory)
{
	if (memory != NULL)
		free(spare_of(memory));
}

void
spare_destroy(struct spares *s)
{
	free_list(take_list(&s->left));
	free_list(take_list(&s->returned));
	free_list(s->taken);
	free(s->fair);
}
