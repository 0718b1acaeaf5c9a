// SPDX-License-Identifier: BSD-3-Clause
// The pools of a switch's buffer. Ingress and egress each count the entire buffer once. Headroom is
// subtracted first: that of all groups, or, where they share it, the headroom pool. A pool's
// percentage is of the rest. Space that a pool's consumers and tenants have set aside is subtracted
// from the pool; what is left is shared.
#include "build_internal.h"

#include <errno.h>
#include <inttypes.h>

#define POOLS POOL_HEADROOM // those with consumers: all before it

struct pool_sums {
	uint64_t headroom;        // cells, of all groups of all ports
	uint64_t headroom_bytes;  // taken off the buffer: the same, or the headroom pool
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

static void
sum_ports(const struct tables_draft *draft, struct pool_sums *sums)
{
	const struct tables *t = draft->t;

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
	sums->headroom_bytes = draft->settings->headroom_pool_bytes;
	if (sums->headroom_bytes == 0)
		sums->headroom_bytes = sums->headroom * t->cell;
}

// Blames what a file sets aside for groups under `prefix`, of one pool or of both (POOLS).
static void
blame_group_keys(struct tables_draft *draft, struct config_error_origin *cause, unsigned pool,
		 const struct config_group *groups, const char *prefix)
{
	for (unsigned i = 0; i < PRIORITIES; i++) {
		const struct config_group *group = &groups[i];

		if (group->reserved_bytes > 0 && (pool == POOLS || (unsigned)group->pool == pool))
			tables_blame(draft, cause, "%s.%u.reserved", prefix, i);
		if (pool != POOLS || !group->lossless || draft->settings->headroom_pool_bytes != 0)
			continue;
		tables_blame(draft, cause, "%s.%u.headroom", prefix, i);
		tables_blame(draft, cause, "%s.%u.lossless", prefix, i);
	}
}

static void
blame_groups(struct tables_draft *draft, struct config_error_origin *cause, unsigned pool)
{
	const struct switch_config *settings = draft->settings;
	char prefix[32];

	blame_group_keys(draft, cause, pool, settings->groups, "qos.pg");
	for (unsigned i = 0; i < settings->port_count; i++) {
		if (!(settings->ports[i].set & CONFIG_PORT_QOS_GROUPS))
			continue;
		snprintf(prefix, sizeof(prefix), "qos.ports.swp%u.pg", settings->ports[i].number);
		blame_group_keys(draft, cause, pool, settings->ports[i].groups, prefix);
	}
}

static void
blame_queues(struct tables_draft *draft, struct config_error_origin *cause, unsigned pool)
{
	for (unsigned i = 0; i < PRIORITIES; i++) {
		const struct config_class *class = &draft->settings->classes[i];

		if (class->reserved_bytes > 0 && (pool == POOLS || (unsigned)class->pool == pool))
			tables_blame(draft, cause, "qos.tc.%u.reserved", i);
	}
}

// Reserved space and headroom must fit the buffer, whatever the pools are.
static int
check_whole(struct tables_draft *draft, const struct pool_sums *sums)
{
	const struct tables *t = draft->t;
	uint64_t size = draft->settings->buffer_bytes, cell = t->cell;
	uint64_t ingress = sums->reserved[POOL_INGRESS_LOSSLESS] +
			   sums->reserved[POOL_INGRESS_LOSSY];
	uint64_t egress = sums->reserved[POOL_EGRESS_LOSSLESS] + sums->reserved[POOL_EGRESS_LOSSY];
	bool ingress_over = sums->headroom_bytes > size ||
			    ingress * cell > size - sums->headroom_bytes;
	bool too_many = size / cell > TABLES_CELLS_MAX;
	bool shared = draft->settings->headroom_pool_bytes != 0;
	struct config_error_origin cause = {0};

	if (!too_many && !ingress_over && egress * cell <= size)
		return 0;
	tables_blame(draft, &cause, "buffer.size");
	if (too_many)
		return tables_report(draft, false, cause.mark.pos, cause.key,
				     "%" PRIu64
				     " B are more than %u cells of %u B: make cells larger",
				     size, TABLES_CELLS_MAX, t->cell);
	if (ingress_over) {
		blame_groups(draft, &cause, POOLS);
		if (shared)
			tables_blame(draft, &cause, "buffer.headroom-pool.size");
		return tables_report(draft, false, cause.mark.pos, cause.key,
				     "the buffer's %" PRIu64 " B do not hold the %" PRIu64
				     " B of headroom%s and %" PRIu64
				     " B reserved for the priority groups of %u ports",
				     size, sums->headroom_bytes, shared ? " pool" : "",
				     ingress * cell, t->port_count);
	}
	blame_queues(draft, &cause, POOLS);
	return tables_report(draft, false, cause.mark.pos, cause.key,
			     "the buffer's %" PRIu64 " B do not hold the %" PRIu64
			     " B reserved for the queues of %u ports",
			     size, egress * cell, t->port_count);
}

static uint64_t
pool_bytes(const struct config_amount *amount, uint64_t room_bytes)
{
	if (amount->kind == CONFIG_AMOUNT_PERCENT)
		return tables_part(room_bytes, amount->value);
	return amount->kind == CONFIG_AMOUNT_BYTES ? amount->value : 0;
}

// Two pools of a side, from `first`, that are larger together than what headroom leaves: an error
// where the file says so, a warning where a default or preset shows through. (The configuration's
// checks cover percentages that add up to more than 100 and pools larger than the buffer.)
static int
check_side(struct tables_draft *draft, unsigned first, uint64_t room_bytes)
{
	const struct config_amount *pools = &draft->settings->pools[first];
	uint64_t bytes[2] = {pool_bytes(&pools[0], room_bytes), pool_bytes(&pools[1], room_bytes)};
	uint64_t whole = draft->settings->buffer_bytes;
	bool seen = pool_bytes(&pools[0], whole) + pool_bytes(&pools[1], whole) > whole;
	bool sized = pools[0].kind == CONFIG_AMOUNT_BYTES || pools[1].kind == CONFIG_AMOUNT_BYTES;
	struct config_error_origin cause = {0};
	bool written = true;

	if (!sized || bytes[0] + bytes[1] <= room_bytes)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		struct config_error_origin own = {0};

		tables_blame(draft, &cause, "%s.size", keys[first + i]);
		tables_blame(draft, &own, "%s.size", keys[first + i]);
		written &= bytes[i] == 0 || own.mark.origin == CONFIG_ORIGIN_FILE;
	}
	if (!written && seen)
		return 0;
	return tables_report(draft, !written, cause.mark.pos, cause.key,
			     "the %s pools are %" PRIu64 " B together (%" PRIu64
			     " B lossless, %" PRIu64 " B lossy) where headroom leaves %" PRIu64
			     " B of %" PRIu64 " B: the buffer is oversubscribed",
			     first == POOL_INGRESS_LOSSLESS ? "ingress" : "egress",
			     bytes[0] + bytes[1], bytes[0], bytes[1], room_bytes, whole);
}

static int
report_reserved(struct tables_draft *draft, unsigned pool, uint64_t reserved)
{
	uint64_t cell = draft->t->cell;
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "%s.size", keys[pool]);
	blame_groups(draft, &cause, pool);
	blame_queues(draft, &cause, pool);
	return tables_report(
		draft, false, cause.mark.pos, cause.key,
		"pool %s of %" PRIu64 " B does not hold the %" PRIu64 " B reserved in it",
		config_pool_name(pool), draft->t->pools[pool].size * cell, reserved * cell);
}

// What is guaranteed is set aside in every pool: the one that lacks most is named.
static int
check_guarantees(const struct tables_draft *draft, const struct pool_sums *sums)
{
	const struct config_tenant *last = tables_last_guaranteed(draft);
	uint64_t cell = draft->t->cell, most = 0, wanted = 0;
	unsigned worst = POOLS;

	for (unsigned i = 0; i < POOLS; i++) {
		uint64_t size = draft->t->pools[i].size;
		uint64_t guaranteed = tables_sum_guarantees(draft, i);
		uint64_t lacking = sums->reserved[i] + guaranteed;

		if (size == POOL_UNLIMITED || lacking <= size + most)
			continue;
		most = lacking - size;
		wanted = guaranteed;
		worst = i;
	}
	if (worst == POOLS)
		return 0;
	return tables_report(draft, false, last->buffer_pos, "tenants",
			     "pool %s of %" PRIu64 " B does not hold the %" PRIu64
			     " B guaranteed to tenants and %" PRIu64 " B reserved in it",
			     config_pool_name(worst), draft->t->pools[worst].size * cell,
			     wanted * cell, sums->reserved[worst] * cell);
}

static int
set_pool(struct tables_draft *draft, unsigned pool, uint64_t room_bytes, uint64_t reserved)
{
	const struct config_amount *amount = &draft->settings->pools[pool];
	const struct config_amount *alpha = &draft->settings->port_alpha[pool];
	struct pool_profile *p = &draft->t->pools[pool];
	uint64_t guaranteed = tables_sum_guarantees(draft, pool);

	if (amount->kind == CONFIG_AMOUNT_UNLIMITED) {
		*p = (struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
		return 0;
	}
	p->size = tables_cells_down(draft->t, pool_bytes(amount, room_bytes));
	if (reserved > p->size)
		return report_reserved(draft, pool, reserved);
	if (reserved + guaranteed <= p->size)
		p->shared = p->size - (uint32_t)(reserved + guaranteed);
	if (alpha->kind == CONFIG_AMOUNT_ALPHA) {
		struct threshold level =
			tables_alpha(pool, 0, (int)alpha->value - CONFIG_ALPHA_ONE);

		p->port_level = true;
		p->port_up = level.up;
		p->port_down = level.down;
		draft->t->port_levels = true;
	}
	return 0;
}

// Headroom of their own, or one pool that the groups share.
static void
set_headroom(const struct tables_draft *draft, const struct pool_sums *sums)
{
	struct pool_profile *p = &draft->t->pools[POOL_HEADROOM];

	p->size = (uint32_t)sums->headroom;
	p->shared = POOL_UNLIMITED;
	if (draft->settings->headroom_pool_bytes != 0) {
		p->size = tables_cells_down(draft->t, draft->settings->headroom_pool_bytes);
		p->shared = p->size;
	}
}

int
tables_add_pools(struct tables_draft *draft)
{
	struct pool_sums sums = {0};
	uint64_t room;
	int error;

	sum_ports(draft, &sums);
	if (check_whole(draft, &sums) != 0)
		return -EINVAL;
	room = draft->settings->buffer_bytes - sums.headroom_bytes;
	error = check_side(draft, POOL_INGRESS_LOSSLESS, room);
	if (error == 0)
		error = check_side(draft, POOL_EGRESS_LOSSLESS, room);
	for (unsigned i = 0; i < POOLS; i++)
		error |= set_pool(draft, i, room, sums.reserved[i]);
	if (error == 0)
		error = check_guarantees(draft, &sums);
	set_headroom(draft, &sums);
	return error;
}

uint64_t
tables_excess_bytes(const struct tables *t, const struct switch_config *settings)
{
	uint64_t most = 0;

	for (unsigned first = POOL_INGRESS_LOSSLESS; first < POOLS; first += 2) {
		uint64_t cells = t->pools[POOL_HEADROOM].size;

		for (unsigned i = first; i < first + 2; i++)
			cells += t->pools[i].size != POOL_UNLIMITED ? t->pools[i].size : 0;
		most = cells * t->cell > most ? cells * t->cell : most;
	}
	return most > settings->buffer_bytes ? most - settings->buffer_bytes : 0;
}
