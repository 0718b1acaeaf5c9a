// SPDX-License-Identifier: BSD-3-Clause
// Counters are kept in cells and picoseconds where the dataplane needs them and leave here in
// bytes and nanoseconds; what a port counts is in counters_port.c. "tenants" names only those that
// the node's tables know. A pool without an end has the size that its counter could reach, and
// says "unlimited": true.
#include "counters.h"

#include "counters_part.h"

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
	json_int_t cell = counters_cell(n);
	json_t *out = json_object();

	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		const struct pool *pool = &n->node->buffer.pools[i];
		uint32_t size = t != NULL ? t->pools[i].size : 0;
		json_t *one = json_pack(
			"{s:I,s:I,s:I,s:I}", "size", size * cell, "used", pool->used * cell,
			"used_max", watermark_user(&pool->used_before, pool->used_max) * cell,
			"used_max_persistent",
			watermark_persistent(&pool->used_before, pool->used_max) * cell);
		int status = json_object_set_new(out, pool_names[i], one);

		if (status == 0 && size == POOL_UNLIMITED)
			status = json_object_set_new(one, "unlimited", json_true());
		if (status != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

// What a tenant holds is counted once, on the ingress side. A guarantee is set aside in each pool
// that knows tenants; the larger of the two ingress pools' is the tenant's.
static json_t *
tenant(const struct report_node *n, unsigned int index)
{
	const struct tables *t = report_tables(n);
	const struct buffer *buffer = &n->node->buffer;
	const struct tenant_use use = buffer->tenants != NULL ? buffer->tenants[index]
							      : (struct tenant_use){0};
	json_int_t cell = (json_int_t)t->cell;
	uint32_t guaranteed = 0, held = 0;
	uint64_t used = 0;

	for (unsigned int i = POOL_INGRESS_LOSSLESS; i <= POOL_INGRESS_LOSSY; i++) {
		if (t->tenants != NULL && t->tenants[index].guaranteed[i] > guaranteed)
			guaranteed = t->tenants[index].guaranteed[i];
		held += use.guarantee[i];
		used += use.used[i];
	}
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "packets", (json_int_t)use.packets,
			 "bytes", (json_int_t)use.bytes, "used", (json_int_t)used * cell,
			 "used_max", watermark_user(&use.used_before, use.used_max) * cell,
			 "guaranteed", guaranteed * cell, "guaranteed_used", held * cell, "dropped",
			 (json_int_t)use.dropped, "used_max_persistent",
			 watermark_persistent(&use.used_before, use.used_max) * cell);
}

static json_t *
tenants(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_object();

	for (unsigned int i = 0; t != NULL && i < t->tenant_count; i++) {
		if (n->tenants[i] == NULL) // a place of no tenant, or of one without hosts
			continue;
		if (json_object_set_new(out, n->tenants[i], tenant(n, i)) != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *
ports(const struct report_node *n, unsigned int parts, ps_t now)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < n->node->port_count; i++) {
		if (json_object_set_new(out, n->ports[i].name, counters_port(n, i, parts, now)) !=
		    0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static int
add_histograms(json_t *to, const struct report_node *n)
{
	json_t *out = counters_histograms(n);
	int status = out != NULL ? 0 : -1;

	if (json_array_size(out) != 0)
		return json_object_set_new(to, "histograms", out);
	json_decref(out);
	return status;
}

json_t *
counters_node(const struct report_node *n, unsigned int parts, ps_t now)
{
	json_t *out = json_object();
	int status = 0;

	if (parts & COUNTERS_PORTS)
		status |= json_object_set_new(out, "ports", ports(n, parts, now));
	if (parts & COUNTERS_POOLS)
		status |= json_object_set_new(out, "pools", pools(n));
	if (parts & COUNTERS_TENANTS)
		status |= json_object_set_new(out, "tenants", tenants(n));
	if (parts & COUNTERS_HISTOGRAMS)
		status |= add_histograms(out, n);
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

json_t *
counters_nodes(const struct report_node *nodes, unsigned int count, ps_t now)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < count; i++) {
		if (json_object_set_new(out, nodes[i].name,
					counters_node(&nodes[i], COUNTERS_ALL, now)) != 0) {
			json_decref(out);
			return NULL;
		}
	}
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
