// SPDX-License-Identifier: BSD-3-Clause
#include "xon.h"

#include "buffer.h"
#include "packet_memory.h"

#define XON_NEVER UINT64_MAX

// The fewest free cells of which alpha times is `cells`; XON_NEVER for a limit without an alpha.
static uint64_t
xon_free_for(uint64_t cells, unsigned int up, unsigned int down)
{
	if (cells == 0)
		return 0;
	if (down >= 32)
		return XON_NEVER;
	return ((cells << down) + (UINT64_C(1) << up) - 1) >> up;
}

// The limit that a group with so many shared cells needs; `moved` of them come from headroom.
static uint64_t
xon_limit(const struct pg_profile *profile, uint32_t shared, uint32_t moved)
{
	if (shared <= profile->xon)
		return moved != 0 ? shared : 0;
	return profile->xon_by_offset ? (uint64_t)shared + profile->xon_offset : XON_NEVER;
}

// The fewest cells of the pool that must be free, after `moved` cells of headroom have become
// shared use, for a group's limit to be that high.
static uint64_t
xon_free_for_limit(const struct port *p, const struct threshold *t, const struct pool_profile *pool,
		   uint64_t limit, uint32_t moved)
{
	uint64_t free_cells;

	if (limit == XON_NEVER)
		return XON_NEVER;
	free_cells = xon_free_for(limit > t->fixed ? limit - t->fixed : 0, t->up, t->down);
	if (free_cells == 0 || free_cells == XON_NEVER || !pool->port_level)
		return free_cells;
	return xon_free_for(free_cells + p->shared_use[t->pool] + moved, pool->port_up,
			    pool->port_down);
}

uint32_t
xon_below(const struct node *n, const struct port *p, unsigned int pg)
{
	const struct priority_group *g = &p->groups[pg];
	const struct pg_profile *profile = &p->profile->pg[pg];
	const struct threshold *t = &profile->threshold;
	const struct pool_profile *pool = &n->current->pools[t->pool];
	const uint32_t shared = buffer_shared(g->usage.own + g->headroom, t->reserved);
	const uint32_t moved = shared - buffer_shared(g->usage.own, t->reserved);
	uint64_t free_cells;

	if (g->headroom != 0 && n->current->tenant_buffers)
		return 0;
	free_cells = xon_free_for_limit(p, t, pool, xon_limit(profile, shared, moved), moved);
	if (moved != 0 && pool->port_level) {
		uint64_t port = xon_free_for(p->shared_use[t->pool] + (uint64_t)moved,
					     pool->port_up, pool->port_down);

		free_cells = free_cells > port ? free_cells : port;
	}
	if (free_cells == 0 && moved == 0)
		return UINT32_MAX;
	if (free_cells == XON_NEVER || free_cells + moved > pool->shared)
		return 0;
	return (uint32_t)(pool->shared - free_cells - moved + 1);
}

bool
xon_due(const struct node *n, const struct port *p, unsigned int pg)
{
	const struct pool *pool = &n->buffer.pools[p->profile->pg[pg].threshold.pool];

	return pool->shared_use < xon_below(n, p, pg) && !packet_memory_tight(n);
}

void
xon_expect(struct node *n, const struct port *p, unsigned int groups)
{
	for (unsigned int bits = groups; bits != 0; bits &= bits - 1) {
		const unsigned int pg = (unsigned int)__builtin_ctz(bits);
		struct pool *pool = &n->buffer.pools[p->profile->pg[pg].threshold.pool];
		const uint32_t below = xon_below(n, p, pg);

		if (below > pool->xon_below)
			pool->xon_below = below;
	}
}
