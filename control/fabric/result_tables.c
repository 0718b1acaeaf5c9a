// SPDX-License-Identifier: BSD-3-Clause
// flows.csv, links.csv, counters.csv and snapshots.csv. A column is a row here: its name, unit,
// value and help.
#include "result_internal.h"

#include <string.h>

// clang-format off

#define FLOW_COLUMNS(COLUMN) \
	COLUMN(flow, id, number, "", f->id, "the number of the flow, from 0") \
	COLUMN(flow, item, text, "", f->item, "the name of its workload item, or the kind of one without a name") \
	COLUMN(flow, src, text, "", f->src, "the host that sends") \
	COLUMN(flow, dst, text, "", f->dst, "the host that receives") \
	COLUMN(flow, tenant, text, "", f->tenant, "the tenant; empty without tenants") \
	COLUMN(flow, bytes, number, "bytes", (int64_t)f->bytes, \
	       "its size; for a repeated flow, or a flow of a collective, the size of one execution") \
	COLUMN(flow, start_ps, time, "ps", f->start, "when it first started; empty if it did not") \
	COLUMN(flow, fct_ps, time, "ps", f->fct, \
	       "the flow completion time (FCT), from the start until the last byte was acknowledged; for " \
	       "a repeated flow, the mean; for the messages of a collective, the time for which at least " \
	       "one was under way; empty if the flow did not complete") \
	COLUMN(flow, ideal_ps, number, "ps", (int64_t)f->ideal, \
	       "the time it would take alone on one shortest path, without congestion control " \
	       "([nic.md](nic.md)); 0 if unknown") \
	COLUMN(flow, retransmitted, number, "packets", (int64_t)f->retransmitted, \
	       "sent again, over all executions") \
	COLUMN(flow, reorder_max, number, "packets", f->reorder_max, \
	       "the largest number of packets by which one arrived ahead of a gap")

#define LINK_COLUMNS(COLUMN) \
	COLUMN(link, src, text, "", l->src, "the port that sends") \
	COLUMN(link, dst, text, "", l->port->peer, "the port that receives") \
	COLUMN(link, tier, text, "", l->tier, \
	       "the kinds of node at its ends: `host-leaf`, `leaf-spine`, `spine-leaf` ...") \
	COLUMN(link, rate_bps, number, "bit/s", (int64_t)l->port->rate_bps, "its rate") \
	COLUMN(link, wire_bytes, number, "bytes", (int64_t)l->wire_bytes, \
	       "carried, with preamble, FCS and gap") \
	COLUMN(link, load, real, "", l->load, \
	       "the share of the time until `last_event_ps` for which it was sending; 1 is line rate") \
	COLUMN(link, credit_wait_ns, number, "ns", (int64_t)(l->credit_wait / PS_PER_NS), \
	       "how long packets at the sending port waited for [credit](credits.md) alone, summed over lanes")

#define SNAPSHOT_COLUMNS(COLUMN) \
	COLUMN(counter, time_ns, text, "ns", c->at->time_ns, \
	       "the instant of the snapshot; the three decimals are picoseconds") \
	COLUMN(counter, snapshot, number, "", c->at->number, \
	       "the number of the snapshot, from 0: its place in `snapshots` of result.json")

#define COUNTER_COLUMNS(COLUMN) \
	COLUMN(counter, node, text, "", c->value->node, "the node") \
	COLUMN(counter, port, text, "", c->value->port, "the port; empty for what belongs to the node as a whole") \
	COLUMN(counter, scope, text, "", counter_scope_of(c->value), \
	       "what the counter belongs to: `port`, `priority`, `pg`, `queue`, `drops` or `answers` of a " \
	       "port; `pool`, `packets` or `tenant` of a node") \
	COLUMN(counter, object, text, "", c->value->of, \
	       "the name of the pool, the tenant or the kind of packets; empty for a port") \
	COLUMN(counter, index, index, "", c->value->index, \
	       "the priority, priority group or queue, 0 to 7; empty for others") \
	COLUMN(counter, counter, text, "", c->value->name, \
	       "the field of [counters.md](counters.md); for drops the reason, for answers the kind") \
	COLUMN(counter, value, number, "", c->value->value, "its value, in the unit of the field")

// clang-format on

struct column {
	const char *name;
	const char *unit;
	const char *help;
	void (*put)(struct csv *to, const void *row);
};

// What a column may name.
struct link_row {
	char src[96];
	const char *tier;
	const struct report_port *port;
	uint64_t wire_bytes;
	double load;
	ps_t credit_wait;
};

struct counter_row {
	const struct counter_value *value;
	const struct snapshot_instant *at; // NULL: not of a snapshot
};

#define flow_ROW(row) const struct report_flow *f = row
#define link_ROW(row) const struct link_row *l = row
#define counter_ROW(row) const struct counter_row *c = row

// Kinds of values beside those of csv.h.
static void
csv_time(struct csv *to, ps_t at)
{
	if (at == PS_NEVER)
		csv_empty(to);
	else
		csv_number(to, (int64_t)at);
}

static void
csv_index(struct csv *to, int index)
{
	if (index < 0)
		csv_empty(to);
	else
		csv_number(to, index);
}

static const char *
counter_scope_of(const struct counter_value *v)
{
	if (v->group == NULL)
		return v->index < 0 ? "port" : "priority";
	if (v->of == NULL)
		return v->group;
	return strcmp(v->group, "pools") == 0     ? "pool"
	       : strcmp(v->group, "tenants") == 0 ? "tenant"
						  : v->group;
}

#define COLUMN_PUT(table, name, kind, unit, value, help)                  \
	static void put_##table##_##name(struct csv *to, const void *row) \
	{                                                                 \
		table##_ROW(row);                                         \
		csv_##kind(to, value);                                    \
	}

FLOW_COLUMNS(COLUMN_PUT)
LINK_COLUMNS(COLUMN_PUT)
SNAPSHOT_COLUMNS(COLUMN_PUT)
COUNTER_COLUMNS(COLUMN_PUT)

#define COLUMN_ROW(table, name, kind, unit, value, help) {#name, unit, help, put_##table##_##name},

static const struct column flow_columns[] = {FLOW_COLUMNS(COLUMN_ROW){NULL}};
static const struct column link_columns[] = {LINK_COLUMNS(COLUMN_ROW){NULL}};
static const struct column snapshot_columns[] = {SNAPSHOT_COLUMNS(COLUMN_ROW){NULL}};
static const struct column counter_columns[] = {COUNTER_COLUMNS(COLUMN_ROW){NULL}};

static void
put_columns(struct csv *to, const struct column *columns, const void *row)
{
	for (; columns->name != NULL; columns++)
		columns->put(to, row);
}

static void
put_row(struct csv *to, const struct column *columns, const void *row)
{
	put_columns(to, columns, row);
	csv_end_row(to);
}

// ---- rows ---------------------------------------------------------------------------------------

void
result_put_link(struct csv *to, const struct report_node *n, unsigned int port,
		const struct report_result *r)
{
	char tier[REPORT_TIER_MAX];
	struct link_row row = {.tier = tier, .port = &n->ports[port]};

	if (!report_tier(n, port, tier))
		return;
	snprintf(row.src, sizeof(row.src), "%s.%s", n->name, n->ports[port].name);
	row.wire_bytes = report_wire_bytes(n, port);
	row.load = report_load(n, port, r->last_event);
	row.credit_wait = report_credit_wait(n, port, r->now);
	put_row(to, link_columns, &row);
}

// Histograms stand in result.json, with the edges of their bins.
void
result_put_counter(struct csv *to, const struct counter_value *value)
{
	const struct counter_row row = {.value = value};

	if (value->group == NULL || strcmp(value->group, "histograms") != 0)
		put_row(to, counter_columns, &row);
}

void
result_put_snapshot(struct csv *to, const struct snapshot_instant *at,
		    const struct counter_value *value)
{
	const struct counter_row row = {.value = value, .at = at};

	put_columns(to, snapshot_columns, &row);
	put_row(to, counter_columns, &row);
}

// ---- tables -------------------------------------------------------------------------------------

static const struct table {
	const char *name;
	const struct column *columns;
	// Columns that follow these, and the table that they are of; NULL: none.
	const struct column *further;
	const char *further_of;
} tables[RESULT_TABLES] = {
	[RESULT_FLOWS] = {"flows.csv", flow_columns},
	[RESULT_LINKS] = {"links.csv", link_columns},
	[RESULT_COUNTERS] = {"counters.csv", counter_columns},
	[RESULT_SNAPSHOTS] = {"snapshots.csv", snapshot_columns, counter_columns,
			      "[counters.csv](#counterscsv)"},
};

const char *
result_table_name(enum result_table table)
{
	return tables[table].name;
}

static void
put_names(struct csv *to, const struct column *columns)
{
	for (; columns != NULL && columns->name != NULL; columns++)
		csv_text(to, columns->name);
}

struct csv *
result_table_begin(enum result_table table, FILE *to)
{
	struct csv *csv = csv_create(to);

	put_names(csv, tables[table].columns);
	put_names(csv, tables[table].further);
	csv_end_row(csv);
	return csv;
}

void
result_flows_write(const struct report_result *r, FILE *to)
{
	struct csv *csv = result_table_begin(RESULT_FLOWS, to);

	for (uint32_t i = 0; i < r->flow_count; i++)
		put_row(csv, flow_columns, &r->flows[i]);
	csv_destroy(csv);
}

void
result_tables_print_markdown(FILE *to)
{
	for (const struct table *t = tables; t < tables + RESULT_TABLES; t++) {
		fprintf(to, "### %s\n\n| Column | Unit | Meaning |\n| --- | --- | --- |\n",
			t->name);
		for (const struct column *c = t->columns; c->name != NULL; c++)
			fprintf(to, "| `%s` | %s | %s |\n", c->name, c->unit, c->help);
		if (t->further_of != NULL)
			fprintf(to, "| ... |  | the columns of %s |\n", t->further_of);
		fputc('\n', to);
	}
}
