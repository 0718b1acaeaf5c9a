// SPDX-License-Identifier: BSD-3-Clause
// The memory of a live fabric's own packets: packets that its nodes make, and copies of received
// frames whose packets devices need back (pool.h). See packet_store.c.
#pragma once

#include "dataplane/base/packet.h"

#include <stddef.h>
#include <stdint.h>

#define PACKET_STORE_SMALL_ROOM 512
// The longest frame that a small packet takes; a tunnel's headers find room behind it.
#define PACKET_STORE_SMALL_FRAME (PACKET_STORE_SMALL_ROOM - PACKET_TUNNEL_ROOM)

struct packet_store_options {
	uint64_t small;      // packets
	uint64_t large;      // packets
	uint32_t large_room; // bytes of data of a large one
};

struct packet_store;

// Bytes that a small and a large packet take, and all of a store.
size_t packet_store_small_bytes(void);
size_t packet_store_large_bytes(uint32_t large_room);
size_t packet_store_bytes(const struct packet_store_options *options);

// Makes a store: address space, which takes memory as packets are first used. Returns 0 or -ENOMEM.
// Control thread.
int packet_store_create(struct packet_store **out, const struct packet_store_options *options);

// All its packets are gone. NULL is fine. Control thread, no worker runs.
void packet_store_destroy(struct packet_store *store);

// The range of addresses that a store takes. Any thread.
const void *packet_store_memory(const struct packet_store *store, size_t *bytes);

// Sets where the packets are and how large, in a pool that is to take them. Control thread.
void packet_store_describe(const struct packet_store *store, struct packet_pool *pool);

// Takes up to `count` packets of a kind (PACKET_SMALL or PACKET_LARGE); returns how many. Any
// worker.
uint32_t packet_store_take(struct packet_store *store, enum packet_kind kind,
			   struct rte_mbuf **packets, uint32_t count);

// Takes packets back. Any worker.
void packet_store_put(struct packet_store *store, enum packet_kind kind, struct rte_mbuf **packets,
		      uint32_t count);

// Packets that are taken, as any thread may see them; of both kinds by enum packet_kind.
void packet_store_count(struct packet_store *store, uint64_t taken[2]);
