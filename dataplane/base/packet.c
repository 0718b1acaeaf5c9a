// SPDX-License-Identifier: BSD-3-Clause
// The packet pool of virtual time. Packets are carved from slabs of plain memory, 64-byte aligned;
// a slab is asked to be of huge pages, because packets are touched at random and their TLB misses
// show. The pool only grows: a run's high-water mark is its memory. No device sees these packets,
// so nobody looks at the mbuf in front of the metadata, and it has no memory of its own: it lies in
// the packet before, which makes a packet 192 bytes instead of 320.
#include "packet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_BYTES (UINT64_C(2) << 20)

static bool lacked;

bool
packet_memory_lacked(void)
{
	return __atomic_load_n(&lacked, __ATOMIC_RELAXED);
}

void
packet_memory_note_lack(void)
{
	__atomic_store_n(&lacked, true, __ATOMIC_RELAXED);
}

struct slab {
	struct slab *next;
	void *memory;
};

struct slab_pool {
	struct packet_pool pool;
	struct slab *slabs;
	uint64_t packets;
	uint64_t bytes;
	uint32_t stride;
};

static int
slab_pool_refill(struct packet_pool *pool)
{
	struct slab_pool *owner = pool->owner;
	uint32_t count = (SLAB_BYTES - sizeof(struct rte_mbuf)) / owner->stride;
	struct slab *slab = malloc(sizeof(*slab));
	struct rte_mbuf **stack;

	stack = realloc(pool->stack, (owner->packets + count) * sizeof(*stack));
	if (stack != NULL)
		pool->stack = stack;
	if (slab == NULL || stack == NULL)
		goto fail;
	slab->memory = aligned_alloc(SLAB_BYTES, SLAB_BYTES);
	if (slab->memory == NULL)
		goto fail;
	// Only a wish: kernels without it are fine.
	madvise(slab->memory, SLAB_BYTES, MADV_HUGEPAGE);
	slab->next = owner->slabs;
	owner->slabs = slab;
	owner->packets += count;
	owner->bytes += SLAB_BYTES;
	pool->capacity = owner->packets;
	for (uint32_t i = 0; i < count; i++) {
		char *element = (char *)slab->memory + (uint64_t)(count - 1 - i) * owner->stride;
		pool->stack[pool->count++] = (struct rte_mbuf *)element;
	}
	return 0;
fail:
	free(slab);
	packet_memory_note_lack();
	return -ENOMEM;
}

// Never called: the stack holds every packet that was ever made.
static void
slab_pool_spill(struct packet_pool *pool)
{
	(void)pool;
	abort();
}

int
packet_pool_create(struct packet_pool **out, uint32_t data_room)
{
	uint32_t stride = PACKET_META_BYTES + data_room;
	struct slab_pool *owner = calloc(1, sizeof(*owner));

	if (owner == NULL)
		return -ENOMEM;
	__atomic_store_n(&lacked, false, __ATOMIC_RELAXED);
	owner->stride = (stride + 63) / 64 * 64;
	owner->pool.data_room = owner->stride - PACKET_META_BYTES;
	owner->pool.small_bytes = UINTPTR_MAX; // any address is that of a small packet
	owner->pool.store_bytes = UINTPTR_MAX;
	owner->pool.refill = slab_pool_refill;
	owner->pool.spill = slab_pool_spill;
	owner->pool.owner = owner;
	*out = &owner->pool;
	return 0;
}

void
packet_pool_destroy(struct packet_pool *pool)
{
	struct slab_pool *owner;

	if (pool == NULL)
		return;
	owner = pool->owner;
	while (owner->slabs != NULL) {
		struct slab *slab = owner->slabs;

		owner->slabs = slab->next;
		free(slab->memory);
		free(slab);
	}
	free(pool->stack);
	free(owner);
}

uint64_t
packet_pool_size(const struct packet_pool *pool)
{
	return ((const struct slab_pool *)pool->owner)->packets;
}

uint64_t
packet_pool_bytes(const struct packet_pool *pool)
{
	return ((const struct slab_pool *)pool->owner)->bytes;
}
