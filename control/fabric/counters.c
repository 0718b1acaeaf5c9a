// SPDX-License-Identifier: BSD-3-Clause
// What a node counts is in counter.c; here its JSON is put together. "tenants" names only those
// that the node's tables know. A pool without a limit has the size that its counter could reach,
// and says "unlimited": true.
#include "counters.h"

#include "counter.h"
#include "counters_internal.h"

static const char *const pool_names[POOL_COUNT] = {
	[POOL_INGRESS_LOSSLESS] = "ingress-lossless",
	[POOL_INGRESS_LOSSY] = "ingress-lossy",
	[POOL_EGRESS_LOSSLESS] = "egress-lossless",
	[POOL_EGRESS_LOSSY] = "egress-lossy",
	[POOL_HEADROOM] = "headroom",
};

const struct tables *
report_tables(const struct report_node *n)
{
	const struct node *node = n->node;

	return node->current != NULL ? node->current
				     : __atomic_load_n(&node->tables, __ATOMIC_ACQUIRE);
}

const struct port_profile *
report_profile(const struct report_node *n, unsigned int port)
{
	const struct tables *t = report_tables(n);

	return t != NULL && port < t->port_count ? t->ports[port].profile : NULL;
}

const char *
counters_pool_name(enum pool_id pool)
{
	return pool_names[pool];
}

json_int_t
counters_cell(const struct report_node *n)
{
	const struct tables *t = report_tables(n);

	return t != NULL ? t->cell : 1;
}

static json_t *
pools(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_object();

	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		const struct counter_place at = {.n = n, .index = i};
		json_t *one = json_object();

		counter_add(one, COUNTER_OF_POOL, COUNTERS_POOLS, &at);
		if (t != NULL && t->pools[i].size == POOL_UNLIMITED)
			json_object_set_new(one, "unlimited", json_true());
		json_object_set_new(out, pool_names[i], one);
	}
	return out;
}

static json_t *
tenants(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_object();

	for (unsigned int i = 0; t != NULL && i < t->tenant_count; i++) {
		const struct counter_place at = {.n = n, .index = i};
		json_t *one;

		if (n->tenants[i] == NULL) // no tenant has this index, or one without hosts
			continue;
		one = json_object();
		counter_add(one, COUNTER_OF_TENANT, COUNTERS_TENANTS, &at);
		json_object_set_new(out, n->tenants[i], one);
	}
	return out;
}

static json_t *
ports(const struct report_node *n, unsigned int parts, ps_t now)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < n->node->port_count; i++)
		json_object_set_new(out, n->ports[i].name, counters_port(n, i, parts, now));
	return out;
}

json_t *
counters_node(const struct report_node *n, unsigned int parts, ps_t now)
{
	json_t *out = json_object();
	json_t *histograms;

	if (parts & COUNTERS_PORTS)
		json_object_set_new(out, "ports", ports(n, parts, now));
	if (parts & COUNTERS_POOLS)
		json_object_set_new(out, "pools", pools(n));
	if (parts & COUNTERS_TENANTS)
		json_object_set_new(out, "tenants", tenants(n));
	if (!(parts & COUNTERS_HISTOGRAMS))
		return out;
	histograms = counters_histograms(n);
	if (json_array_size(histograms) != 0)
		json_object_set(out, "histograms", histograms);
	json_decref(histograms);
	return out;
}

json_t *
counters_nodes(const struct report_node *nodes, unsigned int count, ps_t now)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < count; i++)
		json_object_set_new(out, nodes[i].name,
				    counters_node(&nodes[i], COUNTERS_ALL, now));
	return out;
}

json_t *
counters_snapshot(const struct report_node *nodes, unsigned int count, ps_t now)
{
	return json_pack("{s:I,s:o}", "at_ns", (json_int_t)(now / PS_PER_NS), "nodes",
			 counters_nodes(nodes, count, now));
}

json_t *
counters_document(const struct report_node *nodes, unsigned int count, ps_t now, json_t *snapshots)
{
	return json_pack("{s:I,s:o,s:o}", "time_ns", (json_int_t)(now / PS_PER_NS), "nodes",
			 counters_nodes(nodes, count, now), "snapshots",
			 snapshots != NULL ? json_incref(snapshots) : json_array());
}

int
counters_add_log(json_t *document, json_t *log, uint64_t lost)
{
	return json_object_set_new(document, "log", log != NULL ? json_incref(log) : json_array()) |
	       json_object_set_new(document, "log_lost", json_integer((json_int_t)lost));
}
