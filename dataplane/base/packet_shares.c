// SPDX-License-Identifier: BSD-3-Clause
// In an incast one thread may take all packets and another free them, so the LIFOs are bounded, and
// what one cannot hold is there for the others: memory grows no faster than with one thread. The
// lock is taken once in thousands of packets.
#include "packet_shares.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_PACKETS 4096
#define SHARE_BATCH (SHARE_PACKETS / 2) // that change hands at once

struct share {
	struct packet_pool pool;
	struct rte_mbuf *stack[SHARE_PACKETS];
} __attribute__((aligned(128))); // adjacent lines are fetched in pairs

struct packet_shares {
	struct packet_pool *from;
	pthread_mutex_t lock; // of `from`
	uint32_t count;
	struct share shares[];
};

static int
share_refill(struct packet_pool *pool)
{
	struct packet_shares *s = pool->owner;
	struct rte_mbuf *m;

	pthread_mutex_lock(&s->lock);
	while (pool->count < SHARE_BATCH && (m = packet_alloc(s->from)) != NULL)
		pool->stack[pool->count++] = m;
	pthread_mutex_unlock(&s->lock);
	return pool->count != 0 ? 0 : -ENOMEM;
}

// The oldest go: the youngest are in the CPU's caches.
static void
give_back(struct packet_shares *s, struct packet_pool *pool, uint32_t count)
{
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < count; i++)
		packet_free(s->from, pool->stack[i]);
	pthread_mutex_unlock(&s->lock);
	pool->count -= count;
	memmove(pool->stack, pool->stack + count, pool->count * sizeof(pool->stack[0]));
}

static void
share_spill(struct packet_pool *pool)
{
	give_back(pool->owner, pool, SHARE_BATCH);
}

int
packet_shares_create(struct packet_shares **out, struct packet_pool *from, uint32_t count)
{
	size_t bytes = sizeof(struct packet_shares) + count * sizeof(struct share);
	struct packet_shares *s = aligned_alloc(128, (bytes + 127) / 128 * 128);

	if (s == NULL)
		return -ENOMEM;
	s->from = from;
	s->count = count;
	pthread_mutex_init(&s->lock, NULL);
	for (uint32_t i = 0; i < count; i++)
		s->shares[i].pool = (struct packet_pool){
			.stack = s->shares[i].stack,
			.capacity = SHARE_PACKETS,
			.small_bytes = from->small_bytes,
			.store_bytes = from->store_bytes,
			.data_room = from->data_room,
			.refill = share_refill,
			.spill = share_spill,
			.owner = s,
		};
	*out = s;
	return 0;
}

struct packet_pool *
packet_shares_get(struct packet_shares *s, uint32_t thread)
{
	return &s->shares[thread].pool;
}

void
packet_shares_destroy(struct packet_shares *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->count; i++)
		give_back(s, &s->shares[i].pool, s->shares[i].pool.count);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
