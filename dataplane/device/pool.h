// SPDX-License-Identifier: BSD-3-Clause
// The packets of the live pace: a mempool of mbufs that devices receive into and send from, a store
// of the fabric's own packets (packet_store.h), and for each worker a LIFO of the latter that also
// frees the others. See pool.c.
#pragma once

#include "packet_store.h"

#include <stdbool.h>
#include <stddef.h>

// Declared, not included: <rte_mempool.h> includes all of <immintrin.h>.
struct rte_mempool;

struct pool_options {
	const char *name;
	unsigned packets;
	unsigned private_bytes; // PACKET_META_BYTES
	unsigned room;          // bytes of data behind the headroom (RTE_PKTMBUF_HEADROOM)
	bool one_chunk;         // a device has QUIRK_ONE_CHUNK
};

// Makes the pool. Returns 0, -EINVAL or -ENOMEM (EAL's memory is too small, or in pieces where one
// chunk is wanted) with one line in `err`. Control thread, EAL running.
int pool_create(struct rte_mempool **out, const struct pool_options *options, char *err,
		size_t err_bytes);

// Destroys it; no device and no LIFO uses it any more. NULL is fine. Control thread.
void pool_destroy(struct rte_mempool *pool);

// Bytes of EAL memory that the pool takes. Any thread, EAL need not run.
size_t pool_bytes(const struct pool_options *options);

// Bytes of one element: mempool header, mbuf, private area, headroom, room, trailer. The same of a
// pool that would be made with these options; any thread, EAL need not run.
size_t pool_element_bytes(const struct rte_mempool *pool);
size_t pool_planned_element_bytes(const struct pool_options *options);

// Whether the pool is one chunk with its elements packed, as AF_XDP takes for granted. Any thread.
bool pool_is_packed(const struct rte_mempool *pool);

// Makes a worker's LIFO: packet_alloc() and packet_free() work on it.
// `capacity`: packets of a kind that it keeps at most, at least 2. `reserve`: how many packets of
// the mempool are to stay free for the devices. Returns 0 or -ENOMEM. Control thread.
int pool_lifo_create(struct packet_pool **out, struct packet_store *store, struct rte_mempool *pool,
		     unsigned capacity, unsigned reserve);

// Gives its packets back and destroys it. NULL is fine. Control thread, the worker has stopped.
void pool_lifo_destroy(struct packet_pool *lifo);

// True when so few packets of devices are free that received frames must be copied. The worker.
bool pool_lifo_scarce(const struct packet_pool *lifo);

// Returns a copy of a packet that a device received, in the store, or NULL when that has none left;
// the packet is still the caller's. The worker.
struct rte_mbuf *pool_lifo_copy(struct packet_pool *lifo, const struct rte_mbuf *m);

// Returns an empty packet that devices can send, or NULL when none is free. The worker.
struct rte_mbuf *pool_lifo_alloc_sendable(struct packet_pool *lifo);
