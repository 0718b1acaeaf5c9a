// SPDX-License-Identifier: BSD-3-Clause
// One range of addresses: first all small packets, then all large ones, so that a comparison of its
// address says which kind a packet is. There may be one for every cell of every buffer, which is
// far more than are ever in use. So the kernel provides memory only when a packet is first touched,
// and packets that have been freed are reused before untouched ones.
//
// Workers take and give many at a time, so the lock is seldom held.
#include "packet_store.h"

#include <rte_spinlock.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STORE_ALIGN (UINT64_C(2) << 20) // of huge pages, which the kernel may use
#define STORE_LINE 64
#define STORE_KINDS 2

struct store_part {
	rte_spinlock_t lock;
	char *first;
	size_t stride;
	uint64_t total;
	uint64_t fresh; // of those, never taken: from this one on
	uint64_t count; // given back
	struct rte_mbuf **stack;
} __attribute__((aligned(STORE_LINE)));

struct packet_store {
	struct store_part parts[STORE_KINDS];
	uint32_t large_room;
	void *memory;
	size_t bytes;
};

static size_t
align(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static size_t
element_bytes(uint32_t room)
{
	return align(sizeof(struct rte_mbuf) + PACKET_META_BYTES + room, STORE_LINE);
}

size_t
packet_store_small_bytes(void)
{
	return element_bytes(PACKET_STORE_SMALL_ROOM);
}

size_t
packet_store_large_bytes(uint32_t large_room)
{
	return element_bytes(large_room);
}

size_t
packet_store_bytes(const struct packet_store_options *o)
{
	return o->small * packet_store_small_bytes() +
	       o->large * packet_store_large_bytes(o->large_room);
}

static void *
map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int
packet_store_create(struct packet_store **out, const struct packet_store_options *o)
{
	struct packet_store *store = aligned_alloc(STORE_LINE, sizeof(*store));
	const uint64_t totals[STORE_KINDS] = {o->small, o->large};
	const size_t strides[STORE_KINDS] = {packet_store_small_bytes(),
					     packet_store_large_bytes(o->large_room)};
	char *first;

	if (store == NULL)
		return -ENOMEM;
	memset(store, 0, sizeof(*store));
	store->large_room = o->large_room;
	store->bytes = packet_store_bytes(o) + (o->small + o->large) * sizeof(struct rte_mbuf *) +
		       3 * STORE_ALIGN;
	store->memory = map(store->bytes);
	if (store->memory == NULL) {
		free(store);
		return -ENOMEM;
	}
	first = (char *)align((uintptr_t)store->memory, STORE_ALIGN);
	// Only a wish: kernels without it are fine.
	madvise(first, packet_store_bytes(o), MADV_HUGEPAGE);
	for (unsigned int i = 0; i < STORE_KINDS; i++) {
		store->parts[i] = (struct store_part){
			.first = first, .stride = strides[i], .total = totals[i]};
		rte_spinlock_init(&store->parts[i].lock);
		first += totals[i] * strides[i];
	}
	first = (char *)align((uintptr_t)first, STORE_ALIGN);
	for (unsigned int i = 0; i < STORE_KINDS; i++) {
		store->parts[i].stack = (struct rte_mbuf **)first;
		first += totals[i] * sizeof(struct rte_mbuf *);
	}
	*out = store;
	return 0;
}

void
packet_store_destroy(struct packet_store *store)
{
	if (store == NULL)
		return;
	munmap(store->memory, store->bytes);
	free(store);
}

const void *
packet_store_memory(const struct packet_store *store, size_t *bytes)
{
	*bytes = store->bytes;
	return store->memory;
}

void
packet_store_describe(const struct packet_store *store, struct packet_pool *pool)
{
	const struct store_part *small = &store->parts[PACKET_SMALL];
	const struct store_part *large = &store->parts[PACKET_LARGE];

	pool->base = (uintptr_t)small->first;
	pool->small_bytes = (uintptr_t)large->first - pool->base;
	pool->store_bytes = pool->small_bytes + large->total * large->stride;
	pool->data_room = PACKET_STORE_SMALL_ROOM;
	pool->large_room = store->large_room;
}

uint32_t
packet_store_take(struct packet_store *store, enum packet_kind kind, struct rte_mbuf **packets,
		  uint32_t count)
{
	struct store_part *part = &store->parts[kind];
	uint32_t taken;

	rte_spinlock_lock(&part->lock);
	taken = part->count < count ? (uint32_t)part->count : count;
	part->count -= taken;
	memcpy(packets, part->stack + part->count, taken * sizeof(packets[0]));
	while (taken < count && part->fresh < part->total)
		packets[taken++] = (struct rte_mbuf *)(part->first + part->fresh++ * part->stride);
	rte_spinlock_unlock(&part->lock);
	return taken;
}

void
packet_store_put(struct packet_store *store, enum packet_kind kind, struct rte_mbuf **packets,
		 uint32_t count)
{
	struct store_part *part = &store->parts[kind];

	rte_spinlock_lock(&part->lock);
	memcpy(part->stack + part->count, packets, count * sizeof(packets[0]));
	part->count += count;
	rte_spinlock_unlock(&part->lock);
}

void
packet_store_count(struct packet_store *store, uint64_t taken[2])
{
	for (unsigned int i = 0; i < STORE_KINDS; i++) {
		struct store_part *part = &store->parts[i];

		rte_spinlock_lock(&part->lock);
		taken[i] = part->fresh - part->count;
		rte_spinlock_unlock(&part->lock);
	}
}
