// SPDX-License-Identifier: BSD-3-Clause
// The pools of a switch's buffer, and the tenants' parts of them. Ingress and egress each count the
// whole buffer once. Headroom is taken off first; a pool's percentage is of what that leaves. What
// a pool's consumers and tenants have set aside is taken off the pool; the rest is shared.
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define POOLS POOL_HEADROOM // those with consumers: all before it

struct pool_sums {
	uint64_t headroom;        // cells, of all groups of all ports
	uint64_t reserved[POOLS]; // cells, of all ports' groups or queues
};

static const char *const keys[POOLS] = {
	[POOL_INGRESS_LOSSLESS] = "buffer.pools.ingress-lossless",
	[POOL_INGRESS_LOSSY] = "buffer.pools.ingress-lossy",
	[POOL_EGRESS_LOSSLESS] = "buffer.pools.egress-lossless",
	[POOL_EGRESS_LOSSY] = "buffer.pools.egress-lossy",
};

_Static_assert((int)CONFIG_POOL_EGRESS_LOSSY == (int)POOL_EGRESS_LOSSY &&
		       (int)CONFIG_POOL_INGRESS_LOSSY == (int)POOL_INGRESS_LOSSY,
	       "pools are numbered alike");

// A share in parts per million, rounded down; no size overflows it.
static uint64_t
part_of(uint64_t whole, uint64_t ppm)
{
	return whole / CONFIG_PPM * ppm + whole % CONFIG_PPM * ppm / CONFIG_PPM;
}

static void
sum_ports(const struct tables *t, struct pool_sums *sums)
{
	for (uint16_t p = 0; p < t->port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;

		for (unsigned i = 0; i < PRIORITIES; i++) {
			const struct threshold *pg = &profile->pg[i].threshold;
			const struct threshold *tc = &profile->tc[i].threshold;

			sums->headroom += profile->pg[i].headroom;
			sums->reserved[pg->pool] += pg->reserved;
			sums->reserved[tc->pool] += tc->reserved;
		}
	}
}

// Reserved space and headroom must fit the buffer as a whole, whatever the pools are.
static int
check_whole(const struct tables_draft *draft, const struct pool_sums *sums)
{
	const struct tables *t = draft->t;
	uint64_t size = draft->settings->buffer_bytes, cell = t->cell;
	uint64_t ingress = sums->reserved[POOL_INGRESS_LOSSLESS] +
			   sums->reserved[POOL_INGRESS_LOSSY];
	uint64_t egress = sums->reserved[POOL_EGRESS_LOSSLESS] + sums->reserved[POOL_EGRESS_LOSSY];

	if (size / cell > TABLES_CELLS_MAX) {
		tables_error(draft, buffer_bytes, "buffer.size",
			     "%" PRIu64 " B are more than %u cells of %u B: make cells larger",
			     size, TABLES_CELLS_MAX, t->cell);
		return -EINVAL;
	}
	if ((sums->headroom + ingress) * cell > size) {
		tables_error(draft, buffer_bytes, "buffer.size",
			     "%" PRIu64 " B do not hold the %" PRIu64 " B of headroom and %" PRIu64
			     " B reserved for the priority groups of %u ports",
			     size, sums->headroom * cell, ingress * cell, t->port_count);
		return -EINVAL;
	}
	if (egress * cell > size) {
		tables_error(draft, buffer_bytes, "buffer.size",
			     "%" PRIu64 " B do not hold the %" PRIu64
			     " B reserved for the queues of %u ports",
			     size, egress * cell, t->port_count);
		return -EINVAL;
	}
	return 0;
}

// Two pools of a side, from `first`, that are larger together than what headroom leaves. (That
// their percentages add up has been seen when the file was read.)
static void
check_side(const struct tables_draft *draft, unsigned first, uint64_t room_bytes)
{
	const struct config_amount *pools = &draft->settings->pools[first];
	uint64_t bytes = 0;
	bool sized = false;

	for (unsigned i = 0; i < 2; i++) {
		sized |= pools[i].kind == CONFIG_AMOUNT_BYTES;
		if (pools[i].kind == CONFIG_AMOUNT_PERCENT)
			bytes += part_of(room_bytes, pools[i].value);
		else if (pools[i].kind == CONFIG_AMOUNT_BYTES)
			bytes += pools[i].value;
	}
	if (sized && bytes > room_bytes)
		tables_warning(
			draft, pools[first + 1], "buffer.pools",
			"the %s pools are %" PRIu64 " B together where headroom leaves %" PRIu64
			" B: the buffer is oversubscribed",
			first == POOL_INGRESS_LOSSLESS ? "ingress" : "egress", bytes, room_bytes);
}

static int
set_pool(const struct tables_draft *draft, unsigned pool, uint64_t room_bytes, uint64_t set_aside)
{
	const struct config_amount *amount = &draft->settings->pools[pool];
	struct pool_profile *p = &draft->t->pools[pool];
	uint64_t bytes = amount->kind == CONFIG_AMOUNT_PERCENT ? part_of(room_bytes, amount->value)
							       : amount->value;

	if (amount->kind == CONFIG_AMOUNT_UNLIMITED) {
		*p = (struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
		return 0;
	}
	p->size = tables_cells_down(draft->t, bytes);
	if (set_aside > p->size) {
		tables_report(draft, false,
			      offsetof(struct switch_config, pools) +
				      pool * sizeof(struct config_amount),
			      keys[pool],
			      "%" PRIu64 " B do not hold the %" PRIu64
			      " B reserved and guaranteed from it",
			      (uint64_t)p->size * draft->t->cell, set_aside * draft->t->cell);
		return -EINVAL;
	}
	p->shared = p->size - (uint32_t)set_aside;
	return 0;
}

// True when the node has a port of the tenant: only there are its packets known.
static bool
tenant_here(const struct tables_draft *draft, uint16_t tenant)
{
	for (uint16_t p = 0; p < draft->t->port_count; p++)
		if (draft->t->ports[p].tenant == tenant)
			return true;
	return false;
}

static uint64_t
sum_guarantees(const struct tables_draft *draft)
{
	uint64_t sum = 0;

	for (uint16_t i = 0; i < draft->topology->tenant_count; i++) {
		const struct config_tenant *settings = draft->topology->tenants[i].settings;

		if (settings != NULL && settings->buffer_set && tenant_here(draft, i))
			sum += tables_cells_up(draft->t, settings->guaranteed_bytes);
	}
	return sum;
}

int
tables_add_pools(struct tables_draft *draft)
{
	struct tables *t = draft->t;
	struct pool_sums sums = {0};
	uint64_t guaranteed = sum_guarantees(draft), room;
	int error = 0;

	sum_ports(t, &sums);
	if (check_whole(draft, &sums) != 0)
		return -EINVAL;
	room = draft->settings->buffer_bytes - sums.headroom * t->cell;
	check_side(draft, POOL_INGRESS_LOSSLESS, room);
	check_side(draft, POOL_EGRESS_LOSSLESS, room);
	for (unsigned i = 0; i < POOLS; i++)
		if (set_pool(draft, i, room, sums.reserved[i] + guaranteed) != 0)
			error = -EINVAL;
	t->pools[POOL_HEADROOM] = (struct pool_profile){
		.size = (uint32_t)sums.headroom,
		.shared = (uint32_t)sums.headroom,
	};
	return error;
}

static void
set_tenant(struct tables *t, struct tenant_profile *profile, const struct config_tenant *settings)
{
	for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
		struct threshold *share = &profile->share[pool];
		uint32_t shared = t->pools[pool].shared;

		*share = tables_unlimited(pool, 0);
		if (settings == NULL || !settings->buffer_set || pool == POOL_HEADROOM ||
		    t->pools[pool].size == POOL_UNLIMITED)
			continue;
		profile->guaranteed[pool] = tables_cells_up(t, settings->guaranteed_bytes);
		if (settings->share.kind == CONFIG_AMOUNT_PERCENT)
			share->fixed = part_of(shared, settings->share.value);
		else if (settings->share.kind == CONFIG_AMOUNT_ALPHA)
			*share = tables_alpha(pool, 0, (int)settings->share.value - 7);
	}
}

int
tables_add_tenants(struct tables_draft *draft)
{
	const struct topology *topology = draft->topology;
	struct tables *t = draft->t;
	bool any = false;

	for (uint16_t p = 0; p < t->port_count; p++)
		any |= t->ports[p].tenant != TENANT_NONE;
	if (!any)
		return 0;
	t->tenants = calloc(topology->tenant_count, sizeof(*t->tenants));
	if (t->tenants == NULL)
		return -ENOMEM;
	t->tenant_count = topology->tenant_count;
	for (uint16_t i = 0; i < t->tenant_count; i++) {
		const struct config_tenant *settings = topology->tenants[i].settings;

		set_tenant(t, &t->tenants[i], settings);
		t->tenant_buffers |= settings != NULL && settings->buffer_set &&
				     tenant_here(draft, i);
	}
	return 0;
}
