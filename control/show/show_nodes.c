// SPDX-License-Identifier: BSD-3-Clause
// Words about nodes as a whole: buffer pools, tenants, histograms.
#include "control/fabric/counters_part.h"
#include "show_part.h"

#include "dataplane/queueing/buffer.h"

#include <errno.h>

// {"nodes": {NODE: make(...)}} of the nodes that the question means. Returns as a show_fn.
static int
each_node(const struct show_state *s, const struct show_question *q,
	  json_t *(*make)(const struct report_node *n, ps_t now), json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		if (!show_node_meant(&s->nodes[i], q->port))
			continue;
		found = true;
		if (json_object_set_new(nodes, s->nodes[i].name, make(&s->nodes[i], s->now)) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}

static json_t *
node_pools(const struct report_node *n, ps_t now)
{
	return counters_node(n, COUNTERS_POOLS, now);
}

int
show_pool(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return each_node(s, q, node_pools, to);
}

// What a tenant has of one pool. "share": the most that it may hold there now beyond its
// guarantee, in bytes, which moves with what is free where the share is by alpha; null: no limit.
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

	return json_pack("{s:I,s:I,s:I,s:o}", "used", use->used[pool] * cell, "guaranteed",
			 profile->guaranteed[pool] * cell, "guaranteed_used",
			 use->guarantee[pool] * cell, "share",
			 limit >= POOL_UNLIMITED ? json_null()
						 : json_integer((json_int_t)limit * cell));
}

// Where tenants have parts of the buffer, what each holds of every pool too.
static json_t *
node_tenants(const struct report_node *n, ps_t now)
{
	const struct tables *t = report_tables(n);
	json_t *out = counters_node(n, COUNTERS_TENANTS, now);
	json_t *tenants = json_object_get(out, "tenants");
	int status = out != NULL ? 0 : -1;

	if (t == NULL || !t->tenant_buffers || n->node->buffer.tenants == NULL)
		return out;
	for (unsigned int i = 0; i < t->tenant_count; i++) {
		json_t *pools;

		if (n->tenants[i] == NULL) // a place of no tenant, or of one without hosts
			continue;
		pools = show_child(json_object_get(tenants, n->tenants[i]), "pools");
		for (unsigned int pool = 0; pool < POOL_HEADROOM; pool++)
			status |= json_object_set_new(pools, counters_pool_name(pool),
						      tenant_pool(n, i, pool));
	}
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

int
show_tenant(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return each_node(s, q, node_tenants, to);
}

static json_t *
node_histograms(const struct report_node *n, ps_t now)
{
	(void)now;
	return json_pack("{s:o}", "histograms", counters_histograms(n));
}

int
show_histogram(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return each_node(s, q, node_histograms, to);
}

// {"networks": [...]}, as the fabric lists them; it has no node.
int
show_network(const struct show_state *s, const struct show_question *q, json_t *to)
{
	(void)q;
	return json_object_set(to, "networks", s->networks) == 0 ? 0 : -ENOMEM;
}
