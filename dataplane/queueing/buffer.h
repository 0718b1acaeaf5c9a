// SPDX-License-Identifier: BSD-3-Clause
// The shared packet buffer of a node, in cells. Every packet held counts twice: on the ingress
// side, by the priority group of the port it came in by, and on the egress side, by the queue it
// waits in. Each group and queue belongs to a pool. What it holds beyond its reservation is its
// shared use; a pool's shared use is the sum over its users, and its shared size what neither
// reservations nor guarantees set aside. How much one user may take is bounded by alpha times what
// is free of the shared size (Choudhury and Hahne: Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches, IEEE/ACM Transactions on Networking 1998), or by a fixed limit.
// Cells under a tenant's guarantee, and those in headroom, count for no threshold.
//
// Always, per pool: used = the sum of its users' own and guaranteed cells. charge.h has the rule by
// which packets are taken and given back.
#pragma once

#include "dataplane/base/node.h"

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t
buffer_shared(uint32_t own, uint32_t reserved)
{
	return own > reserved ? own - reserved : 0;
}

// What is free of a pool's shared size while `shared_use` cells of it are in use.
static inline uint64_t
buffer_free(const struct pool_profile *profile, uint32_t shared_use)
{
	return profile->shared > shared_use ? profile->shared - shared_use : 0;
}

// The most that a port may use of a pool's shared size where that has a per-port level.
static inline uint64_t
buffer_port_limit(const struct pool_profile *profile, uint64_t free_cells)
{
	return (free_cells << profile->port_up) >> profile->port_down;
}

// What is free to the consumers of a port that uses `port_use` cells of the pool's shared size.
static inline uint64_t
buffer_port_free(const struct pool_profile *profile, uint64_t free_cells, uint32_t port_use)
{
	uint64_t limit = buffer_port_limit(profile, free_cells);

	return limit > port_use ? limit - port_use : 0;
}

// A threshold's limit while so much is free.
static inline uint64_t
buffer_limit(const struct threshold *t, uint64_t free_cells)
{
	return t->fixed + ((free_cells << t->up) >> t->down);
}

// True when `cells` more fit the consumer's own space (step 2 of the charging rule); *shared: how
// many of them would count as shared.
static inline bool
buffer_fits_own(const struct usage *u, const struct threshold *t, const struct pool *pool,
		const struct pool_profile *profile, uint32_t cells, uint32_t *shared)
{
	uint32_t use = pool->shared_use;
	uint32_t after = buffer_shared(u->own + cells, t->reserved);

	*shared = after - buffer_shared(u->own, t->reserved);
	return after == 0 || (after <= buffer_limit(t, buffer_free(profile, use)) &&
			      use + *shared <= profile->shared);
}

// The same in a pool with a per-port level: also, whatever the consumer's limit, the port stays
// within its own.
static inline bool
buffer_fits_port(const struct usage *u, const struct threshold *t, const struct pool *pool,
		 const struct pool_profile *profile, uint32_t port_use, uint32_t cells,
		 uint32_t *shared)
{
	uint64_t free_cells = buffer_free(profile, pool->shared_use);
	uint32_t after = buffer_shared(u->own + cells, t->reserved);

	*shared = after - buffer_shared(u->own, t->reserved);
	return after == 0 ||
	       (after <= buffer_limit(t, buffer_port_free(profile, free_cells, port_use)) &&
		pool->shared_use + *shared <= profile->shared &&
		port_use + *shared <= buffer_port_limit(profile, free_cells));
}

// Notes the peaks of a pool. One branch for both, which is rarely taken.
static inline void
buffer_note_pool(struct pool *pool, uint32_t used, uint32_t shared_use)
{
	if (unlikely((used > pool->used_max) | (shared_use > pool->shared_max))) {
		pool->used_max = watermark_greater(pool->used_max, used);
		pool->shared_max = watermark_greater(pool->shared_max, shared_use);
	}
}

// Takes `cells`, of which `shared` count as shared (buffer_fits_own()).
static inline void
buffer_take_own(struct usage *u, struct pool *pool, uint32_t cells, uint32_t shared)
{
	uint32_t used = pool->used + cells, shared_use = pool->shared_use + shared;

	u->own += cells;
	pool->shared_use = shared_use;
	pool->used = used;
	buffer_note_pool(pool, used, shared_use);
}

// Gives `cells` back; returns how many of them counted as shared.
static inline uint32_t
buffer_return_own(struct usage *u, const struct threshold *t, struct pool *pool, uint32_t cells)
{
	uint32_t own = u->own;
	uint32_t shared = buffer_shared(own, t->reserved) - buffer_shared(own - cells, t->reserved);

	pool->shared_use -= shared;
	pool->used -= cells;
	u->own = own - cells;
	return shared;
}

// True when the tenant's guarantee in the pool takes `cells` more (step 1).
static inline bool
buffer_fits_guarantee(const struct tenant_use *use, const struct tenant_profile *profile,
		      uint8_t pool, uint32_t cells)
{
	return use->guarantee[pool] + cells <= profile->guaranteed[pool];
}

// True when the tenant's share of the pool takes `cells` more beyond its guarantee (end of step 2).
static inline bool
buffer_fits_share(const struct tenant_use *use, const struct tenant_profile *profile, uint8_t pool,
		  const struct pool *state, const struct pool_profile *pool_profile, uint32_t cells)
{
	uint64_t limit =
		buffer_limit(&profile->share[pool], buffer_free(pool_profile, state->shared_use));

	return (uint64_t)use->pool_used[pool] - use->guarantee[pool] + cells <= limit;
}

static inline void
buffer_take_guarantee(struct usage *u, struct tenant_use *use, struct pool *state, uint8_t pool,
		      uint32_t cells)
{
	use->guarantee[pool] += cells;
	u->guaranteed += cells;
	state->used += cells;
	if (state->used > state->used_max)
		state->used_max = state->used;
}

static inline void
buffer_return_guarantee(struct usage *u, struct tenant_use *use, struct pool *state, uint8_t pool,
			uint32_t cells)
{
	use->guarantee[pool] -= cells;
	u->guaranteed -= cells;
	state->used -= cells;
}

// Notes the peaks of a group.
static inline void
buffer_note_group(struct priority_group *g, uint32_t reserved)
{
	uint32_t used = g->usage.own + g->usage.guaranteed + g->headroom;
	uint32_t shared = buffer_shared(g->usage.own, reserved);

	if (used > g->used_max)
		g->used_max = used;
	if (shared > g->shared_max)
		g->shared_max = shared;
}
