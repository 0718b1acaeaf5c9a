// SPDX-License-Identifier: BSD-3-Clause
// ECN marking should slow senders before PFC pauses them. If one group alone is congested, it sends
// XOFF at its limit, and the queue that it feeds seldom grows beyond that. So a queue that marks
// every packet only above that depth marks too late.
#include "advice_internal.h"

#include <inttypes.h>
#include <stdio.h>

struct finding {
	uint64_t max, depth; // bytes
	unsigned class, group;
	uint32_t node;
	uint32_t count; // switches
};

static double
factor(unsigned up, unsigned down)
{
	return (double)(UINT64_C(1) << up) / (double)(UINT64_C(1) << down);
}

// Bytes that one group alone can hold before its packets do not fit: x = a (S - x) for a dynamic
// threshold, x = a (p (S - x) - x) with a per-port level p, and x = p (S - x) whatever the group's
// threshold is.
static uint64_t
depth_of_xoff(const struct tables *t, const struct threshold *limit)
{
	const struct pool_profile *pool = &t->pools[limit->pool];
	double shared = pool->shared, depth = shared;
	bool dynamic = limit->fixed == 0 && limit->down != 63;
	double alpha = dynamic ? factor(limit->up, limit->down) : 0;
	double port = factor(pool->port_up, pool->port_down);

	if (!dynamic && (double)limit->fixed < depth)
		depth = (double)limit->fixed;
	else if (dynamic && pool->port_level)
		depth = shared * alpha * port / (1 + alpha * port + alpha);
	else if (dynamic)
		depth = shared * alpha / (1 + alpha);
	if (pool->port_level && shared * port / (1 + port) < depth)
		depth = shared * port / (1 + port);
	return (uint64_t)(depth + limit->reserved) * t->cell;
}

// The least depth at which a lossless group of the profile's ports, whose packets wait in the
// class, sends XOFF.
static uint64_t
least_depth(const struct tables *t, const struct port_profile *profile, unsigned class,
	    unsigned *group)
{
	uint8_t lossless = advice_lossless(profile) & t->tc_priorities[class];
	uint64_t least = UINT64_MAX;

	for (; lossless != 0; lossless &= (uint8_t)(lossless - 1)) {
		unsigned of = t->priority_to_pg[__builtin_ctz(lossless)];
		const struct threshold *limit = &profile->pg[of].threshold;
		uint64_t depth = depth_of_xoff(t, limit);

		// Another warning covers a pool without cells.
		if (depth == 0 && t->pools[limit->pool].shared == 0)
			continue;
		if (depth >= least)
			continue;
		least = depth;
		*group = of;
	}
	return least;
}

static void
check_class(const struct fabric *f, uint32_t node, unsigned class, struct finding *found)
{
	const struct config_ecn *ecn = &f->switches[node].classes[class].ecn;
	const struct tables *t = f->tables[node];
	uint64_t depth = UINT64_MAX;
	unsigned group = 0;

	if (!ecn->on || t->credits != NULL) // with credits no group sends XOFF
		return;
	for (uint32_t i = 0; i < t->profile_count; i++) {
		unsigned of = 0;
		uint64_t one = least_depth(t, &t->profiles[i], class, &of);

		group = one < depth ? of : group;
		depth = one < depth ? one : depth;
	}
	if (ecn->max_bytes <= depth)
		return;
	if (found->count++ == 0 || depth < found->depth) {
		found->max = ecn->max_bytes;
		found->depth = depth;
		found->class = class;
		found->group = group;
		found->node = node;
	}
}

// Where the file sets the marking, or the limit of the group.
static struct diag_pos
find_pos(const struct fabric *f, const struct finding *found)
{
	unsigned class = found->class, group = found->group;
	const char *pool = config_pool_name(f->switches[found->node].groups[group].pool);
	struct diag_pos pos = advice_pos(f, found->node, ADVICE_FIRST_SET,
					 "qos.tc.%u.ecn.max qos.tc.%u.ecn", class, class);

	return pos.line != 0 ? pos
			     : advice_pos(f, found->node, ADVICE_LAST_IN_FILE,
					  "qos.pg.%u.alpha qos.pg.%u.pool qos.pg.%u.headroom "
					  "buffer.pools.%s.size buffer.pools.%s.port-alpha "
					  "buffer.headroom-pool.size buffer.size",
					  group, group, group, pool, pool);
}

static void
report(const struct fabric *f, const struct finding *found, struct diag *diag)
{
	char key[32], others[ADVICE_OTHERS];

	snprintf(key, sizeof(key), "qos.tc.%u.ecn.max", found->class);
	diag_warning(diag, f->config->file, find_pos(f, found), key,
		     "%" PRIu64 " B is above the %" PRIu64
		     " B at which group %u, congested alone, sends XOFF on %s%s: PFC acts first "
		     "(lower max or give the group more buffer)",
		     found->max, found->depth, found->group, f->topology->nodes[found->node].name,
		     advice_others(found->count - 1, "switch", "switches", others));
}

void
advice_late_marking(const struct fabric *f, struct diag *diag)
{
	const struct topology *t = f->topology;
	const uint32_t first[] = {0, t->leaf_count, t->leaf_count + t->spine_count, t->first_host};

	for (unsigned tier = 0; tier < 3; tier++)
		for (unsigned class = 0; class < PRIORITIES; class ++) {
			struct finding found = {0};

			for (uint32_t n = first[tier]; n < first[tier + 1]; n++)
				check_class(f, n, class, &found);
			if (found.count != 0)
				report(f, &found, diag);
		}
}
