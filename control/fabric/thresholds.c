// SPDX-License-Identifier: BSD-3-Clause
#include "thresholds.h"

// The cells beyond its reservation; UINT64_MAX: any number.
static uint64_t
limit_alone(const struct tables *t, const struct pg_profile *pg)
{
	const struct threshold *limit = &pg->threshold;
	uint64_t shared = t->pools[limit->pool].shared, parts = UINT64_C(1) << limit->down;
	uint64_t cells = limit->fixed;

	if (!pg->lossless || shared >= POOL_UNLIMITED || limit->fixed >= THRESHOLD_UNLIMITED)
		return UINT64_MAX;
	if (limit->down < 32)
		cells += (shared << limit->up) / (parts + (UINT64_C(1) << limit->up));
	return cells < shared ? cells : shared;
}

uint64_t
threshold_xoff_bytes(const struct tables *t, const struct pg_profile *pg)
{
	uint64_t limit = limit_alone(t, pg);

	return limit == UINT64_MAX ? limit : (pg->threshold.reserved + limit) * t->cell;
}

uint64_t
threshold_xon_bytes(const struct tables *t, const struct pg_profile *pg)
{
	uint64_t limit = limit_alone(t, pg), cells = pg->xon;

	if (pg->xon_by_offset && limit > pg->xon_offset && limit - pg->xon_offset > cells)
		cells = limit - pg->xon_offset;
	return (pg->threshold.reserved + cells) * t->cell;
}
