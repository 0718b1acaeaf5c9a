// SPDX-License-Identifier: BSD-3-Clause
// A chained hash table of things that hold their own link. The caller computes the hash. The table
// grows as things are added and never shrinks.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash_link {
	struct hash_link *next;
	uint64_t hash;
};

struct hash {
	struct hash_link **buckets;
	uint32_t size; // buckets, a power of 2; 0 before the first is put
	uint32_t count;
};

void hash_put(struct hash *h, struct hash_link *link);
// Removes a link that is in it.
void hash_remove(struct hash *h, struct hash_link *link);
// Frees the table and the things in it, each of which begins with its link.
void hash_free(struct hash *h);

// A hash of bytes; a sender who does not know the seed cannot cause collisions.
uint64_t hash_bytes(uint64_t seed, const void *bytes, uint32_t count);

// The first link of its chain, or NULL; the chain may have links of other hashes too.
static inline struct hash_link *
hash_chain(const struct hash *h, uint64_t hash)
{
	return h->size == 0 ? NULL : h->buckets[hash & (h->size - 1)];
}
