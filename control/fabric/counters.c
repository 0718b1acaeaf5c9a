// SPDX-License-Identifier: BSD-3-Clause
// The JSON of the counters of counter.c. "tenants" names only those in the node's tables. A pool
// without a limit has the size that its counter could reach, and "unlimited": true. "drops" names
// only reasons that occurred; "answers" only kinds that did, and is there only if some did.
#include "counters.h"

#include "dataplane/base/drop.h"
#include "dataplane/roce/nic.h"

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

const char *
counters_packet_kind(enum packet_kind kind)
{
	static const char *const names[PACKET_KINDS] = {
		[PACKET_SMALL] = "small", [PACKET_LARGE] = "large", [PACKET_OF_DEVICE] = "device"};

	return names[kind];
}

const char *
counters_histogram_kind(enum histogram_kind kind)
{
	static const char *const names[] = {
		[HISTOGRAM_QUEUE] = "queue",
		[HISTOGRAM_GROUP] = "group",
		[HISTOGRAM_LATENCY] = "latency",
	};

	return names[kind];
}

static struct counters_pause
pause_at(const struct pause_clock *c, ps_t end, ps_t now)
{
	struct counters_pause out = {
		.total = pause_clock_total(c, time_min(now, end)),
		.last_start = c->last_start,
		.last_end = c->last_end,
		.transitions = c->transitions,
		.paused = c->since != PS_NEVER && end > now,
	};

	if (c->since != PS_NEVER && end <= now)
		out.last_end = end;
	return out;
}

struct counters_pause
counters_rx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->rx_pause[priority], p->pause_until[priority], now);
}

struct counters_pause
counters_tx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->tx_pause[priority], PS_NEVER, now);
}

// ---- ports -------------------------------------------------------------------------------------

static json_t *
drops(const struct port *p)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < DROP_COUNT; i++)
		if (p->drops[i] != 0)
			json_object_set_new(out, drop_name(i),
					    json_integer((json_int_t)p->drops[i]));
	return out;
}

static void
add_answers(json_t *to, const struct port *p)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < ANSWER_COUNT; i++)
		if (p->answers[i] != 0)
			json_object_set_new(out, answer_kind_name(i),
					    json_integer((json_int_t)p->answers[i]));
	if (json_object_size(out) != 0)
		json_object_set(to, "answers", out);
	json_decref(out);
}

// The eight groups, or queues.
static json_t *
eight(enum counter_scope scope, unsigned int parts, struct counter_place at)
{
	json_t *out = json_array();

	for (at.index = 0; at.index < PRIORITIES; at.index++) {
		json_t *one = json_object();

		counter_add(one, scope, parts, &at);
		json_array_append_new(out, one);
	}
	return out;
}

unsigned int
counters_parts_of(const struct report_node *n, unsigned int port)
{
	const struct port *p = &n->node->ports[port];
	const struct nic *nic = n->node->nic;

	return (p->reorder != NULL ? COUNTERS_REORDER : 0u) |
	       (p->credits != NULL ? COUNTERS_CREDITS : 0u) | (p->llr != NULL ? COUNTERS_LLR : 0u) |
	       (nic != NULL && nic_path_counts(nic, port) != NULL ? COUNTERS_PATHS : 0u);
}

json_t *
counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now)
{
	const struct counter_place at = {.n = n, .port = port, .now = now};
	json_t *out = json_object();

	if (parts & COUNTERS_TRAFFIC)
		parts |= counters_parts_of(n, port);
	counter_add(out, COUNTER_OF_PORT, parts, &at);
	if (parts & COUNTERS_DROPS)
		json_object_set_new(out, "drops", drops(&n->node->ports[port]));
	if (parts & COUNTERS_ANSWERS)
		add_answers(out, &n->node->ports[port]);
	if (parts & COUNTERS_GROUPS)
		json_object_set_new(out, "pg", eight(COUNTER_OF_GROUP, parts, at));
	if (parts & COUNTERS_QUEUES)
		json_object_set_new(out, "queue", eight(COUNTER_OF_QUEUE, parts, at));
	return out;
}

// ---- nodes -------------------------------------------------------------------------------------

// A bound in the unit that is reported.
static json_t *
bound(const struct histogram_profile *h, uint64_t value)
{
	return json_integer((json_int_t)(h->kind == HISTOGRAM_LATENCY ? value / PS_PER_NS : value));
}

// The lower edges of the bins.
static json_t *
edges(const struct histogram_profile *h)
{
	json_t *out = json_array();

	json_array_append_new(out, json_integer(0));
	for (unsigned int i = 1; i < h->bins; i++)
		json_array_append_new(out, bound(h, h->min + (i - 1) * h->width));
	return out;
}

static json_t *
counts(const struct histogram_profile *h, const uint64_t bins[HISTOGRAM_BINS_MAX])
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < h->bins; i++)
		json_array_append_new(out, json_integer((json_int_t)bins[i]));
	return out;
}

json_t *
counters_histograms(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_array();

	// Counting begins when the worker has adopted the tables.
	for (unsigned int i = 0; t != NULL && n->node->histograms != NULL && i < t->histogram_count;
	     i++) {
		const struct histogram_profile *h = &t->histograms[i];

		json_array_append_new(
			out,
			json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "kind",
				  counters_histogram_kind(h->kind), "where",
				  json_sprintf("%s.%u", n->ports[h->port].name, h->index), "min",
				  bound(h, h->min), "size", bound(h, h->width * (h->bins - 2u)),
				  "edges", edges(h), "bins", counts(h, n->node->histograms[i])));
	}
	return out;
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

// NULL where any number of packets may wait.
static json_t *
packets(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out;

	if (!counters_limit_packets(t))
		return NULL;
	out = json_object();
	for (unsigned int i = 0; i < PACKET_KINDS; i++) {
		const struct counter_place at = {.n = n, .index = i};
		json_t *one = json_object();

		counter_add(one, COUNTER_OF_MEMORY, COUNTERS_MEMORY, &at);
		if (t->packet_limits[i].most == 0)
			json_object_del(one, "most");
		json_object_set_new(out, counters_packet_kind(i), one);
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
	json_t *in_memory = parts & COUNTERS_MEMORY ? packets(n) : NULL;
	json_t *out = json_object();
	json_t *histograms;

	if (parts & COUNTERS_PORTS)
		json_object_set_new(out, "ports", ports(n, parts, now));
	if (parts & COUNTERS_POOLS)
		json_object_set_new(out, "pools", pools(n));
	if (in_memory != NULL)
		json_object_set_new(out, "packets", in_memory);
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
		if (nodes[i].node != NULL)
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

void
counters_add_log(json_t *document, json_t *log, uint64_t lost)
{
	json_object_set_new(document, "log", log != NULL ? json_incref(log) : json_array());
	json_object_set_new(document, "log_lost", json_integer((json_int_t)lost));
}
