// SPDX-License-Identifier: BSD-3-Clause
#include "charge.h"

bool
charge_xon_due(const struct node *n, const struct port *p, unsigned int pg)
{
	const struct priority_group *g = &p->groups[pg];
	const struct pg_profile *profile = &p->profile->pg[pg];
	const struct threshold *threshold = &profile->threshold;
	const struct pool_profile *pool = &n->current->pools[threshold->pool];
	uint64_t free_cells = buffer_free(pool, n->buffer.pools[threshold->pool].shared_use);
	uint64_t bound = profile->xon, limit;

	if (g->headroom != 0)
		return false;
	if (profile->xon_by_offset) {
		if (pool->port_level)
			free_cells =
				buffer_port_free(pool, free_cells, p->shared_use[threshold->pool]);
		limit = buffer_limit(threshold, free_cells);
		if (limit > profile->xon_offset && limit - profile->xon_offset > bound)
			bound = limit - profile->xon_offset;
	}
	return buffer_shared(g->usage.own, threshold->reserved) <= bound;
}

void
charge_release(struct node *n, const struct charge *c, ps_t now)
{
	charge_give(n, c, now, true);
}
