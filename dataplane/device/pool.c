// SPDX-License-Identifier: BSD-3-Clause
// The live packet pool is built by hand instead of by rte_pktmbuf_pool_create(), because of AF_XDP:
// that driver hands the pool's memory to the kernel as one range of `packets x element size` from
// the first chunk's start. That is the truth only if the pool is one chunk with its elements
// packed. By default elements are kept from crossing pages (with 4 KB pages: one element a page, 42
// % of the packets outside the range and lost silently), so RTE_MEMPOOL_F_NO_IOVA_CONTIG says that
// nobody minds, and the result is checked.
//
// In the mempool an mbuf is as rte_pktmbuf_init() left it: one segment, reference count 1. The
// dataplane never writes these fields and drivers restore them, so mbufs go back to the mempool as
// they are.
//
// The mempool's packets are for receiving and sending: drivers hold many of them (AF_XDP's fill
// ring), and a port whose driver gets none receives nothing. Received frames may wait in them while
// enough are free. When they become scarce, arriving frames are copied into the store, which has a
// packet for every cell.
#include "pool.h"

#include "pool_loan.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define POOL_CACHE 256 // per lcore: the transfers of drivers and LIFOs mostly stay within it
#define POOL_DATA_ROOM_MAX UINT16_MAX
#define POOL_CHUNK_SLACK 4096 // alignment of the first element, malloc's own header

static unsigned
pool_element_size(const struct pool_options *o)
{
	return sizeof(struct rte_mbuf) + o->private_bytes + RTE_PKTMBUF_HEADROOM + o->room;
}

// Without huge pages no NIC reads the packets from memory either, and keeping them from crossing
// pages of 4 KB would double the pool.
static unsigned
pool_flags(const struct pool_options *o)
{
	return o->one_chunk || !rte_eal_has_hugepages() ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
}

size_t
pool_planned_element_bytes(const struct pool_options *o)
{
	struct rte_mempool_objsz size;

	return rte_mempool_calc_obj_size(pool_element_size(o), pool_flags(o), &size);
}

size_t
pool_bytes(const struct pool_options *o)
{
	return pool_planned_element_bytes(o) * o->packets + POOL_CHUNK_SLACK;
}

size_t
pool_element_bytes(const struct rte_mempool *pool)
{
	return (size_t)pool->header_size + pool->elt_size + pool->trailer_size;
}

bool
pool_is_packed(const struct rte_mempool *pool)
{
	const struct rte_mempool_memhdr *chunk = STAILQ_FIRST(&pool->mem_list);

	// The elements fill the chunk but for alignment and the rest of the last one.
	return pool->nb_mem_chunks == 1 && chunk != NULL &&
	       chunk->len <= pool->populated_size * pool_element_bytes(pool) + POOL_CHUNK_SLACK;
}

int
pool_create(struct rte_mempool **out, const struct pool_options *o, char *err, size_t err_bytes)
{
	struct rte_pktmbuf_pool_private private = {
		.mbuf_data_room_size = (uint16_t)(RTE_PKTMBUF_HEADROOM + o->room),
		.mbuf_priv_size = (uint16_t)o->private_bytes,
	};
	struct rte_mempool *pool;
	int error;

	if (o->private_bytes % RTE_MBUF_PRIV_ALIGN != 0 ||
	    o->room > POOL_DATA_ROOM_MAX - RTE_PKTMBUF_HEADROOM || o->packets < 2 * POOL_CACHE) {
		snprintf(err, err_bytes, "a packet pool of %u packets of %u bytes cannot be made",
			 o->packets, o->room);
		return -EINVAL;
	}
	pool = rte_mempool_create_empty(o->name, o->packets, pool_element_size(o), POOL_CACHE,
					sizeof(private), SOCKET_ID_ANY, pool_flags(o));
	if (pool == NULL) {
		error = -rte_errno;
		goto fail;
	}
	error = pool_loan_prepare(pool);
	if (error != 0)
		goto fail;
	rte_pktmbuf_pool_init(pool, &private);
	error = rte_mempool_populate_default(pool);
	if (error < 0)
		goto fail;
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	error = o->one_chunk && !pool_is_packed(pool) ? -ENOMEM : 0;
	if (error != 0)
		goto fail;
	*out = pool;
	return 0;
fail:
	rte_mempool_free(pool);
	snprintf(err, err_bytes,
		 "no memory%s for %u packets of %u bytes (%zu MB): smaller buffers need fewer",
		 o->one_chunk ? " in one piece" : "", o->packets, o->room, pool_bytes(o) >> 20);
	return error;
}

void
pool_destroy(struct rte_mempool *pool)
{
	rte_mempool_free(pool);
}

struct pool_lifo {
	struct packet_pool packets; // first: of small ones
	struct rte_mbuf **large;
	uint32_t large_count;
	unsigned reserve;
	struct packet_store *store;
	struct rte_mempool *pool;
};

static struct pool_lifo *
pool_lifo_of(const struct packet_pool *packets)
{
	return packets->owner;
}

static int
pool_lifo_refill(struct packet_pool *packets)
{
	packets->count = packet_store_take(pool_lifo_of(packets)->store, PACKET_SMALL,
					   packets->stack, packets->capacity / 2);
	return packets->count > 0 ? 0 : -ENOMEM;
}

// Gives half of a stack back; the oldest: the youngest are the ones in the CPU's caches. Returns
// how many stay.
static uint32_t
pool_lifo_spill_kind(struct pool_lifo *lifo, enum packet_kind kind, struct rte_mbuf **stack,
		     uint32_t count)
{
	uint32_t given = count / 2;

	packet_store_put(lifo->store, kind, stack, given);
	memmove(stack, stack + given, (count - given) * sizeof(stack[0]));
	return count - given;
}

static void
pool_lifo_spill(struct packet_pool *packets)
{
	packets->count = pool_lifo_spill_kind(pool_lifo_of(packets), PACKET_SMALL, packets->stack,
					      packets->count);
}

static void
pool_lifo_free_other(struct packet_pool *packets, struct rte_mbuf *m)
{
	struct pool_lifo *lifo = pool_lifo_of(packets);

	if (packet_kind(packets, m) == PACKET_OF_DEVICE) {
		rte_mempool_put(lifo->pool, m);
		return;
	}
	if (lifo->large_count == packets->capacity)
		lifo->large_count =
			pool_lifo_spill_kind(lifo, PACKET_LARGE, lifo->large, lifo->large_count);
	lifo->large[lifo->large_count++] = m;
}

static struct rte_mbuf *
pool_lifo_alloc_large(struct packet_pool *packets)
{
	struct pool_lifo *lifo = pool_lifo_of(packets);

	if (lifo->large_count == 0)
		lifo->large_count = packet_store_take(lifo->store, PACKET_LARGE, lifo->large,
						      lifo->packets.capacity / 2);
	return lifo->large_count != 0 ? lifo->large[--lifo->large_count] : NULL;
}

// Packets of the mempool in lcores' caches do not count as free, because other workers cannot get
// them.
bool
pool_lifo_scarce(const struct packet_pool *packets)
{
	const struct pool_lifo *lifo = pool_lifo_of(packets);

	return rte_mempool_get_ops(lifo->pool->ops_index)->get_count(lifo->pool) < lifo->reserve;
}

struct rte_mbuf *
pool_lifo_copy(struct packet_pool *packets, const struct rte_mbuf *m)
{
	const struct packet_meta *meta = (const struct packet_meta *)(m + 1);
	const uint8_t *data = (const uint8_t *)meta + PACKET_META_BYTES + meta->data_off;
	bool small = meta->data_len <= PACKET_STORE_SMALL_FRAME;
	struct rte_mbuf *copy = small ? packet_alloc(packets) : pool_lifo_alloc_large(packets);

	if (copy == NULL)
		return NULL;
	*packet_meta(copy) = *meta;
	if (small)
		packet_meta(copy)->data_off = 0;
	memcpy(packet_data(copy), data, meta->data_len);
	return copy;
}

struct rte_mbuf *
pool_lifo_alloc_sendable(struct packet_pool *packets)
{
	void *m;

	return rte_mempool_get(pool_lifo_of(packets)->pool, &m) == 0 ? m : NULL;
}

int
pool_lifo_create(struct packet_pool **out, struct packet_store *store, struct rte_mempool *pool,
		 unsigned capacity, unsigned reserve)
{
	struct pool_lifo *lifo = calloc(1, sizeof(*lifo));

	if (lifo == NULL)
		return -ENOMEM;
	*lifo = (struct pool_lifo){
		.packets = {.stack = calloc(capacity, sizeof(struct rte_mbuf *)),
			    .capacity = capacity,
			    .refill = pool_lifo_refill,
			    .spill = pool_lifo_spill,
			    .alloc_large = pool_lifo_alloc_large,
			    .free_other = pool_lifo_free_other,
			    .owner = lifo},
		.large = calloc(capacity, sizeof(struct rte_mbuf *)),
		.reserve = reserve,
		.store = store,
		.pool = pool,
	};
	packet_store_describe(store, &lifo->packets);
	if (lifo->packets.stack == NULL || lifo->large == NULL) {
		free(lifo->packets.stack);
		free(lifo->large);
		free(lifo);
		return -ENOMEM;
	}
	*out = &lifo->packets;
	return 0;
}

void
pool_lifo_destroy(struct packet_pool *packets)
{
	struct pool_lifo *lifo;

	if (packets == NULL)
		return;
	lifo = pool_lifo_of(packets);
	packet_store_put(lifo->store, PACKET_SMALL, packets->stack, packets->count);
	packet_store_put(lifo->store, PACKET_LARGE, lifo->large, lifo->large_count);
	free(packets->stack);
	free(lifo->large);
	free(lifo);
}
