// SPDX-License-Identifier: BSD-3-Clause
#include "columns.h"

#include "control/base/memory.h"
#include "dataplane/base/drop.h"

// clang-format off

// Name, whether it is of ports, whether hosts have it, width, and which indexes can have values that
// are not 0: no packet and no pause has ever met the others, which need not be read. Tenants can be
// more than there are bits, and are all read.
#define SCOPES(ROW)                                                        \
	ROW(PORT,     "port",     true,  true,  1,          ~UINT64_C(0))   \
	ROW(PRIORITY, "priority", true,  true,  PAUSES,     stopped_met(p)) \
	ROW(QUEUE,    "queue",    true,  false, PRIORITIES, n->queues_met)  \
	ROW(GROUP,    "group",    true,  false, PRIORITIES, n->groups_met)  \
	ROW(DROP,     "drop",     true,  true,  DROP_COUNT, p->drops_met)   \
	ROW(POOL,     "pool",     false, false, POOL_COUNT, ~UINT64_C(0))   \
	ROW(TENANT,   "tenant",   false, false, 0,          ~UINT64_C(0))

// Name, scope, kind, unit, whether only ports with a device have it, where it is read, help.
// `where` may use the node `n`, the port `p`, the index `i`, `now`, and `CELL`, its bytes; of
// tenants `use`. Those of a scope are read together, and so stand together.
#define COLUMNS(ROW) \
	ROW(tx_bytes, PORT, SUM, "bytes", false, p->tx_bytes, "sent, without FCS") \
	ROW(tx_packets, PORT, SUM, "packets", false, p->tx_packets, "sent") \
	ROW(rx_bytes, PORT, SUM, "bytes", true, p->rx_bytes, \
	    "received; only at ports with a `device`") \
	ROW(rx_packets, PORT, SUM, "packets", true, p->rx_packets, \
	    "received; only at ports with a `device`") \
	ROW(down, PORT, LEVEL, "", false, !p->up, "1 if the link is down") \
	ROW(paused, PRIORITY, SUM, "ns", false, counters_stopped(p, i, now) / PS_PER_NS, \
	    "time that received pauses stopped the priority; with [credits](credits.md), that the " \
	    "lane had packets and waited for credit") \
	ROW(pausing, PRIORITY, SUM, "ns", false, \
	    pause_clock_total(&p->tx_pause[i], now) / PS_PER_NS, \
	    "time that the port paused the other side; 0 with credits: see `paused` of the peer") \
	ROW(depth, QUEUE, LEVEL, "bytes", false, n->depth[i * n->port_count + at->port] * CELL, \
	    "waiting, without the packet being sent") \
	ROW(depth_max, QUEUE, PEAK, "bytes", false, p->queues[i].depth_max * CELL, \
	    "highest depth") \
	ROW(marked, QUEUE, SUM, "packets", false, p->queues[i].ecn_marked, "marked CE") \
	ROW(refused, QUEUE, SUM, "packets", false, p->queues[i].dropped, \
	    "dropped at the queue") \
	ROW(used, GROUP, LEVEL, "bytes", false, \
	    ((uint64_t)p->groups[i].usage.own + p->groups[i].usage.guaranteed + \
	     p->groups[i].headroom) * CELL, \
	    "buffer held by packets that came in here, headroom included") \
	ROW(headroom, GROUP, LEVEL, "bytes", false, p->groups[i].headroom * CELL, \
	    "part of `used` that is in headroom") \
	ROW(drops, DROP, SUM, "packets", false, p->drops[i], "dropped; came in at this port") \
	ROW(pool_used, POOL, LEVEL, "bytes", false, n->buffer.pools[i].used * CELL, "buffer held") \
	ROW(tenant_bytes, TENANT, SUM, "bytes", false, use->bytes, "received by the switch") \
	ROW(tenant_used, TENANT, LEVEL, "bytes", false, use->used * CELL, "buffer held in the switch") \
	ROW(tenant_dropped, TENANT, SUM, "packets", false, use->dropped, \
	    "dropped by the switch, for any reason") \
	ROW(tenant_marked, TENANT, SUM, "packets", false, use->ecn_marked, "marked CE by the switch")

// clang-format on

#define UNUSED __attribute__((unused))
#define INLINE inline __attribute__((always_inline))

// With credits, any lane may have waited.
static INLINE uint64_t
stopped_met(const struct port *p)
{
	return p->credits != NULL ? (1u << PRIORITIES) - 1 : p->pauses_met;
}

#define SCOPE_MET(scope, name, of_port, of_host, width, met)        \
	static uint64_t met_##scope(const struct counter_place *at) \
	{                                                           \
		UNUSED const struct node *n = at->n->node;          \
		UNUSED const struct port *p = &n->ports[at->port];  \
                                                                    \
		return (met);                                       \
	}

SCOPES(SCOPE_MET)

// Tables that the worker is about to adopt may have tenants that it does not count yet.
static INLINE const struct tenant_use *
tenant_use(const struct counter_place *at, unsigned int i)
{
	static const struct tenant_use none;
	const struct tenant_use *use = at->n->node->buffer.tenants;
	const struct tables *t = report_tables(at->n);

	return use != NULL && t != NULL && i < t->tenant_count ? &use[i] : &none;
}

#define CELL ((uint64_t)counters_cell(at->n))
#define COLUMN_READ(name, of, kind, unit, device, where, help) \
	if (scope == FILM_##of)                                \
		*out++ = (where);

// Inlined once for each scope, where its columns are all that is left.
static INLINE void
read_columns(enum film_scope scope, const struct counter_place *at, unsigned int i, uint64_t *out)
{
	const struct node *n = at->n->node;
	const struct port *p = &n->ports[at->port];
	const struct tenant_use *use = scope == FILM_TENANT ? tenant_use(at, i) : NULL;
	const ps_t now = at->now;

	COLUMNS(COLUMN_READ)
}

#define SCOPE_READ(scope, name, of_port, of_host, width, met)                                   \
	static void read_##scope(const struct counter_place *at, unsigned int i, uint64_t *out) \
	{                                                                                       \
		read_columns(FILM_##scope, at, i, out);                                         \
	}

SCOPES(SCOPE_READ)

#define SCOPE_ROW(scope, name, of_port, of_host, width, met) \
	[FILM_##scope] = {name, of_port, of_host, width, met_##scope, read_##scope},

static const struct film_scope_row scopes[FILM_SCOPES] = {SCOPES(SCOPE_ROW)};

const struct film_scope_row *
film_scope_row(enum film_scope scope)
{
	return &scopes[scope];
}

const char *
film_kind_name(enum film_kind kind)
{
	static const char *const names[FILM_KINDS] = {
		[FILM_SUM] = "sum", [FILM_LEVEL] = "level", [FILM_PEAK] = "peak"};

	return names[kind];
}

#define COLUMN_ROW(name, scope, kind, unit, device, where, help) \
	{#name, FILM_##scope, FILM_##kind, unit, help, device},

static const struct film_column columns[] = {COLUMNS(COLUMN_ROW)};

const struct film_column *
film_columns(unsigned int *count)
{
	*count = sizeof(columns) / sizeof(*columns);
	return columns;
}

void
film_columns_print_markdown(FILE *to)
{
	unsigned int count;
	const struct film_column *c = film_columns(&count);

	fputs("| Column | Scope | Kind | Unit | Meaning |\n| --- | --- | --- | --- | --- |\n", to);
	for (unsigned int i = 0; i < count; i++)
		fprintf(to, "| `%s` | `%s` | `%s` | %s | %s |\n", c[i].name,
			scopes[c[i].scope].name, film_kind_name(c[i].kind), c[i].unit, c[i].help);
}
