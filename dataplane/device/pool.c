// SPDX-License-Identifier: BSD-3-Clause
// The live packet pool is built by hand instead of by rte_pktmbuf_pool_create(), because of AF_XDP:
// that driver hands the pool's memory to the kernel as one range of `packets x element size` from
// the first chunk's start. That is the truth only if the pool is one chunk with its elements
// packed. By default elements are kept from crossing pages (with 4 KB pages: one element a page, 42
// % of the packets outside the range and lost silently), so RTE_MEMPOOL_F_NO_IOVA_CONTIG says that
// nobody minds, and the result is checked.
//
// In the mempool an mbuf is as rte_pktmbuf_init() left it: one segment, reference count 1. The
// dataplane never writes these fields and drivers restore them, so a LIFO exchanges mbufs with the
// mempool as they are.
#include "pool.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

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
	error = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
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

static int
pool_lifo_refill(struct packet_pool *lifo)
{
	unsigned count = lifo->capacity / 2;

	// Near the end of the pool a smaller bite may still be had.
	while (count > 0 && rte_mempool_get_bulk(lifo->owner, (void **)lifo->stack, count) != 0)
		count /= 2;
	lifo->count = count;
	return count > 0 ? 0 : -ENOMEM;
}

static void
pool_lifo_spill(struct packet_pool *lifo)
{
	unsigned count = lifo->count / 2;

	// The oldest go: the youngest are the ones in the CPU's caches.
	rte_mempool_put_bulk(lifo->owner, (void **)lifo->stack, count);
	memmove(lifo->stack, lifo->stack + count, (lifo->count - count) * sizeof(lifo->stack[0]));
	lifo->count -= count;
}

int
pool_lifo_create(struct packet_pool **out, struct rte_mempool *pool, unsigned capacity)
{
	struct packet_pool *lifo =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN(sizeof(*lifo), RTE_CACHE_LINE_SIZE));

	if (lifo == NULL)
		return -ENOMEM;
	*lifo = (struct packet_pool){
		.stack = calloc(capacity, sizeof(lifo->stack[0])),
		.capacity = capacity,
		.data_room = rte_pktmbuf_data_room_size(pool),
		.refill = pool_lifo_refill,
		.spill = pool_lifo_spill,
		.owner = pool,
	};
	if (lifo->stack == NULL) {
		free(lifo);
		return -ENOMEM;
	}
	*out = lifo;
	return 0;
}

void
pool_lifo_destroy(struct packet_pool *lifo)
{
	if (lifo == NULL)
		return;
	if (lifo->count > 0)
		rte_mempool_put_bulk(lifo->owner, (void **)lifo->stack, lifo->count);
	free(lifo->stack);
	free(lifo);
}
