// SPDX-License-Identifier: BSD-3-Clause
// What each tenant holds of a node's buffer, and of each pool where tenants have shares.
#include "control/fabric/counters.h"
#include "show_view.h"

#include "dataplane/queueing/buffer.h"

// "share": the most that the tenant may hold of the pool now beyond its guarantee, in bytes, which
// moves with what is free where the share is by alpha; null: no limit.
static json_t *
tenant_pool(const struct report_node *n, unsigned int tenant, unsigned int pool)
{
	const struct tables *t = report_tables(n);
	const struct tenant_profile *profile = &t->tenants[tenant];
	const struct tenant_use *use = &n->node->buffer.tenants[tenant];
	const struct pool *state = &n->node->buffer.pools[pool];
	json_int_t cell = counters_cell(n);
	uint64_t limit = buffer_limit(&profile->share[pool],
				      buffer_free(&t->pools[pool], state->shared_use));

	return json_pack("{s:I,s:I,s:I,s:o}", "used", use->pool_used[pool] * cell, "guaranteed",
			 profile->guaranteed[pool] * cell, "guaranteed_used",
			 use->guarantee[pool] * cell, "share",
			 limit >= POOL_UNLIMITED ? json_null()
						 : json_integer((json_int_t)limit * cell));
}

static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = counters_node(n, COUNTERS_TENANTS, s->now);
	json_t *tenants = json_object_get(out, "tenants");

	if (t == NULL || !t->tenant_buffers || n->node->buffer.tenants == NULL)
		return out;
	for (unsigned int i = 0; i < t->tenant_count; i++) {
		json_t *pools;

		if (n->tenants[i] == NULL) // no tenant has this index, or one without hosts
			continue;
		pools = show_child(json_object_get(tenants, n->tenants[i]), "pools");
		for (unsigned int pool = 0; pool < POOL_HEADROOM; pool++)
			json_object_set_new(pools, counters_pool_name(pool),
					    tenant_pool(n, i, pool));
	}
	return out;
}

static const struct show_column columns[] = {
	{"node", "1", SHOW_NAME},
	{"tenant", "2", SHOW_NAME},
	{"packets"},
	{"bytes"},
	{"used"},
	{"max", "used_max"},
	{"guaranteed"},
	{"guaranteed-used", "guaranteed_used"},
	{"dropped"},
	{"ecn-marked", "ecn_marked"},
	{"max-persistent", "used_max_persistent"},
	{0},
};

static bool
is_limited(const struct show_row *row)
{
	return json_is_integer(json_object_get(row->value, "share"));
}

static bool
has_no_part(const struct show_row *row)
{
	return !is_limited(row) && show_number(row->value, "used") == 0 &&
	       show_number(row->value, "guaranteed") == 0;
}

static void
share_cell(struct text_table *t, const struct show_row *row)
{
	if (is_limited(row))
		show_cell(t, row, "share", SHOW_BYTES);
	else
		text_table_cell(t, "-");
}

static const struct show_column share_columns[] = {
	{"node", "1", SHOW_NAME},
	{"tenant", "2", SHOW_NAME},
	{"pool", "3", SHOW_NAME},
	{"used"},
	{"guaranteed"},
	{"guaranteed-used", "guaranteed_used"},
	{"share", .format = SHOW_BYTES, .cell = share_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/tenants/*", COUNTER_OF_TENANT, .columns = columns,
	 .empty = "no tenant is known here"},
	{"nodes/*/tenants/*/pools/*", COUNTER_OF_TENANT, .columns = share_columns,
	 .skip = has_no_part},
	{0},
};

const struct show_view show_tenant = {
	.name = "tenant",
	.arguments = "[NODE]",
	.help = "what tenants hold of the buffer",
	.of = "node",
	.needs = SHOW_NEEDS_TIMES,
	.node = node_json,
	.tables = tables,
};
