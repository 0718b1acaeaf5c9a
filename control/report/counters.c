// SPDX-License-Identifier: BSD-3-Clause
// Counters are kept in cells and picoseconds where the dataplane needs them and leave here in
// bytes and nanoseconds. An interval of pause that is still open counts up to the instant of the
// report; one that has run out without the node having looked since counts up to its end.
//
// "drops" names only reasons that occurred, "tenants" only those that the node's tables know. A
// pool without an end has the size that its counter could reach, and says "unlimited": true.
#include "counters.h"

#include "dataplane/drop.h"
#include "dataplane/queueing/buffer.h"

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

ps_t
counters_rx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_clock_total(&p->rx_pause[priority], time_min(now, p->pause_until[priority]));
}

static uint64_t
cell_bytes(const struct report_node *n)
{
	const struct tables *t = report_tables(n);

	return t != NULL ? t->cell : 1;
}

static json_t *
integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

// An array of eight, or NULL.
static json_t *
eight(const uint64_t values[PRIORITIES])
{
	return json_pack("[I,I,I,I,I,I,I,I]", (json_int_t)values[0], (json_int_t)values[1],
			 (json_int_t)values[2], (json_int_t)values[3], (json_int_t)values[4],
			 (json_int_t)values[5], (json_int_t)values[6], (json_int_t)values[7]);
}

static json_t *
traffic(const struct port *p)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "rx_packets", (json_int_t)p->rx_packets,
			 "rx_bytes", (json_int_t)p->rx_bytes, "tx_packets",
			 (json_int_t)p->tx_packets, "tx_bytes", (json_int_t)p->tx_bytes,
			 "control_rx", (json_int_t)p->control_rx, "control_tx",
			 (json_int_t)p->control_tx);
}

static json_t *
pfc(const struct port *p, ps_t now)
{
	uint64_t rx_ns[PRIORITIES], tx_ns[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		rx_ns[i] = counters_rx_pause(p, i, now) / PS_PER_NS;
		tx_ns[i] = pause_clock_total(&p->tx_pause[i], now) / PS_PER_NS;
	}
	return json_pack("{s:o,s:o,s:o,s:o,s:I,s:I}", "pfc_rx", eight(p->pfc_rx), "pfc_tx",
			 eight(p->pfc_tx), "pfc_rx_pause_ns", eight(rx_ns), "pfc_tx_pause_ns",
			 eight(tx_ns), "pause_rx", (json_int_t)p->pause_rx, "pause_tx",
			 (json_int_t)p->pause_tx);
}

static json_t *
drops(const struct port *p)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		if (p->drops[i] != 0 &&
		    json_object_set_new(out, drop_name(i), integer(p->drops[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *
group(const struct report_node *n, unsigned int port, unsigned int pg)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct priority_group *g = &n->node->ports[port].groups[pg];
	uint32_t reserved = profile != NULL ? profile->pg[pg].threshold.reserved : 0;
	uint64_t used = (uint64_t)g->usage.own + g->usage.guaranteed + g->headroom;
	json_int_t cell = (json_int_t)cell_bytes(n);

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "packets",
			 (json_int_t)g->packets, "bytes", (json_int_t)g->bytes, "used",
			 (json_int_t)used * cell, "shared",
			 buffer_shared(g->usage.own, reserved) * cell, "headroom",
			 g->headroom * cell, "used_max", g->used_max * cell, "shared_max",
			 g->shared_max * cell, "headroom_max", g->headroom_max * cell, "dropped",
			 (json_int_t)g->dropped, "xoff", (json_int_t)g->xoff_sent);
}

static json_t *
queue(const struct report_node *n, unsigned int port, unsigned int tc, ps_t now)
{
	const struct node *node = n->node;
	const struct port *p = &node->ports[port];
	const struct queue *q = &p->queues[tc];
	json_int_t cell = (json_int_t)cell_bytes(n);
	bool paused = p->paused & 1u << tc && p->queue_paused_until[tc] > now;

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:b,s:b}", "packets", (json_int_t)q->packets,
			 "bytes", (json_int_t)q->bytes, "depth",
			 node->depth[tc * node->port_count + port] * cell, "depth_max",
			 q->depth_max * cell, "dropped", (json_int_t)q->dropped, "ecn_marked",
			 (json_int_t)q->ecn_marked, "paused", paused, "watchdog", false);
}

// Adds the members of `part` to `to`, keeping their order, and lets go of `part`. Returns 0 or
// -1.
static int
add_members(json_t *to, json_t *part)
{
	int status = part == NULL ? -1 : json_object_update(to, part);

	json_decref(part);
	return status;
}

static int
add_groups(json_t *to, const struct report_node *n, unsigned int port)
{
	json_t *out = json_array();
	int status = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		status |= json_array_append_new(out, group(n, port, i));
	return json_object_set_new(to, "pg", out) | status;
}

static int
add_queues(json_t *to, const struct report_node *n, unsigned int port, ps_t now)
{
	json_t *out = json_array();
	int status = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		status |= json_array_append_new(out, queue(n, port, i, now));
	return json_object_set_new(to, "queue", out) | status;
}

json_t *
counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now)
{
	const struct port *p = &n->node->ports[port];
	json_t *out = json_object();
	int status = 0;

	if (parts & COUNTERS_TRAFFIC)
		status |= add_members(out, traffic(p));
	if (parts & COUNTERS_PFC)
		status |= add_members(out, pfc(p, now));
	if (parts & COUNTERS_DROPS)
		status |= json_object_set_new(out, "drops", drops(p));
	if (parts & COUNTERS_GROUPS)
		status |= add_groups(out, n, port);
	if (parts & COUNTERS_QUEUES)
		status |= add_queues(out, n, port, now);
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *
pools(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_int_t cell = (json_int_t)cell_bytes(n);
	json_t *out = json_object();

	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		const struct pool *pool = &n->node->buffer.pools[i];
		uint32_t size = t != NULL ? t->pools[i].size : 0;
		json_t *one = json_pack("{s:I,s:I,s:I}", "size", size * cell, "used",
					pool->used * cell, "used_max", pool->used_max * cell);
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
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "packets", (json_int_t)use.packets,
			 "bytes", (json_int_t)use.bytes, "used", (json_int_t)used * cell,
			 "used_max", use.used_max * cell, "guaranteed", guaranteed * cell,
			 "guaranteed_used", held * cell, "dropped", (json_int_t)use.dropped);
}

static json_t *
tenants(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_object();

	for (unsigned int i = 0; t != NULL && i < t->tenant_count; i++) {
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

json_t *
counters_node(const struct report_node *n, unsigned int parts, ps_t now)
{
	json_t *out = json_object();
	int status = 0;

	if (parts & ~(unsigned int)(COUNTERS_POOLS | COUNTERS_TENANTS))
		status |= json_object_set_new(out, "ports", ports(n, parts, now));
	if (parts & COUNTERS_POOLS)
		status |= json_object_set_new(out, "pools", pools(n));
	if (parts & COUNTERS_TENANTS)
		status |= json_object_set_new(out, "tenants", tenants(n));
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
