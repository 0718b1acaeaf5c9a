// SPDX-License-Identifier: BSD-3-Clause
#include "glean.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
glean_create(struct glean **out)
{
	struct glean *g = aligned_alloc(64, (sizeof(*g) + 63) / 64 * 64);

	if (g == NULL)
		return -ENOMEM;
	memset(g, 0, sizeof(*g));
	*out = g;
	return 0;
}

void
glean_destroy(struct glean *g)
{
	free(g);
}

static bool
same(const struct glean_entry *a, const struct glean_entry *b)
{
	return a->vrf == b->vrf && a->version == b->version &&
	       memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

void
glean_put(struct glean *g, const struct glean_entry *entry)
{
	uint32_t waiting = g->tail - __atomic_load_n(&g->head, __ATOMIC_ACQUIRE);

	if (waiting == GLEAN_ENTRIES ||
	    (waiting != 0 && same(&g->entries[(g->tail - 1) % GLEAN_ENTRIES], entry)))
		return;
	g->entries[g->tail % GLEAN_ENTRIES] = *entry;
	__atomic_store_n(&g->tail, g->tail + 1, __ATOMIC_RELEASE);
}

bool
glean_take(struct glean *g, struct glean_entry *entry)
{
	if (g->head == __atomic_load_n(&g->tail, __ATOMIC_ACQUIRE))
		return false;
	*entry = g->entries[g->head % GLEAN_ENTRIES];
	__atomic_store_n(&g->head, g->head + 1, __ATOMIC_RELEASE);
	return true;
}
