// SPDX-License-Identifier: BSD-3-Clause
// The buffer pools of a switch for `show qos roce`: who is charged to each, and how full it is.
#include "show_qos.h"

// In NVUE's order, with the names in Cumulus Linux and in SONiC.
static const struct qos_pool {
	enum config_pool pool;
	enum pool_id id;
	const char *cumulus, *sonic;
} pools[CONFIG_POOLS] = {
	{CONFIG_POOL_INGRESS_LOSSY, POOL_INGRESS_LOSSY, "lossy-default-ingress",
	 "ingress_lossy_pool"},
	{CONFIG_POOL_INGRESS_LOSSLESS, POOL_INGRESS_LOSSLESS, "roce-reserved-ingress",
	 "ingress_lossless_pool"},
	{CONFIG_POOL_EGRESS_LOSSY, POOL_EGRESS_LOSSY, "lossy-default-egress", "egress_lossy_pool"},
	{CONFIG_POOL_EGRESS_LOSSLESS, POOL_EGRESS_LOSSLESS, "roce-reserved-egress",
	 "egress_lossless_pool"},
};

// Who is charged to a pool, and whether by dynamic or static thresholds.
struct pool_users {
	unsigned int priorities; // bit each: of an ingress pool
	unsigned int classes;    // of an egress pool
	bool dynamic, fixed;
};

static void
note_limit(struct pool_users *u, const struct config_limit *limit)
{
	if (limit->kind == CONFIG_LIMIT_STATIC)
		u->fixed = true;
	else
		u->dynamic = true;
}

static struct pool_users
pool_users(const struct switch_config *c, enum config_pool pool)
{
	struct pool_users u = {0};

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++) {
		const struct config_group *group = &c->groups[c->priority_to_group[i]];
		const struct config_class *class = &c->classes[i];

		if (group->pool == pool) {
			u.priorities |= 1u << i;
			note_limit(&u, &group->limit);
		}
		if (config_used_classes(c) & 1u << i && class->pool == pool) {
			u.classes |= 1u << i;
			note_limit(&u, &class->limit);
		}
	}
	return u;
}

// "name" is the pool's in counters.json, and so are the counters' names.
static json_t *
pool_json(const struct switch_config *c, const struct report_node *n, const struct qos_pool *pool)
{
	const struct pool_users u = pool_users(c, pool->pool);
	json_t *counters = counters_node(n, COUNTERS_POOLS, 0);
	json_t *one =
		json_object_get(json_object_get(counters, "pools"), counters_pool_name(pool->id));
	json_t *out =
		json_pack("{s:s,s:s,s:s,s:o,s:o}", "name", config_pool_name(pool->pool), "known-as",
			  c->preset == CONFIG_PRESET_SONIC ? pool->sonic : pool->cumulus, "mode",
			  u.fixed && u.dynamic ? "Mixed"
			  : u.fixed            ? "Static"
					       : "Dynamic",
			  "switch-priorities", show_bit_list(u.priorities), "traffic-class",
			  show_bit_list(u.classes));

	json_object_update(out, one);
	json_decref(counters);
	return out;
}

json_t *
show_qos_pools(const struct switch_config *c, const struct report_node *n)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < CONFIG_POOLS; i++)
		json_array_append_new(out, pool_json(c, n, &pools[i]));
	return out;
}
