// SPDX-License-Identifier: BSD-3-Clause
#include "hash.h"

#include "control/base/memory.h"
#include "dataplane/base/random.h"

#include <stdlib.h>
#include <string.h>

#define HASH_SIZE_MIN 64u

static void
grow(struct hash *h)
{
	uint32_t size = h->size == 0 ? HASH_SIZE_MIN : 2 * h->size;
	struct hash_link **buckets =
		memory_array(size, sizeof(struct hash_link *), "buckets of learned facts");

	for (uint32_t i = 0; i < h->size; i++) {
		for (struct hash_link *l = h->buckets[i], *next; l != NULL; l = next) {
			struct hash_link **to = &buckets[l->hash & (size - 1)];

			next = l->next;
			l->next = *to;
			*to = l;
		}
	}
	free(h->buckets);
	h->buckets = buckets;
	h->size = size;
}

void
hash_put(struct hash *h, struct hash_link *link)
{
	struct hash_link **to;

	if (h->count >= h->size)
		grow(h);
	to = &h->buckets[link->hash & (h->size - 1)];
	link->next = *to;
	*to = link;
	h->count++;
}

void
hash_remove(struct hash *h, struct hash_link *link)
{
	struct hash_link **at = &h->buckets[link->hash & (h->size - 1)];

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	h->count--;
}

void
hash_free(struct hash *h)
{
	for (uint32_t i = 0; i < h->size; i++) {
		for (struct hash_link *l = h->buckets[i], *next; l != NULL; l = next) {
			next = l->next;
			free(l);
		}
	}
	free(h->buckets);
	*h = (struct hash){0};
}

uint64_t
hash_bytes(uint64_t seed, const void *bytes, uint32_t count)
{
	const char *at = bytes;
	uint64_t hash = random_mix(seed ^ count);

	for (uint32_t left = count; left != 0;) {
		uint32_t part = left < 8 ? left : 8;
		uint64_t word = 0;

		memcpy(&word, at, part);
		hash = random_mix(hash ^ word);
		at += part;
		left -= part;
	}
	return hash;
}
