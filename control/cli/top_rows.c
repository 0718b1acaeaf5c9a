// SPDX-License-Identifier: BSD-3-Clause
#include "top_rows.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"
#include "control/show/show_view.h"
#include "dataplane/base/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

// ---- views --------------------------------------------------------------------------------------

static const struct top_column port_columns[] = {
	{"rx_bps", "rx Gb/s", TOP_GBPS},
	{"rx_pps", "rx pkt/s", TOP_COUNT},
	{"tx_bps", "tx Gb/s", TOP_GBPS},
	{"tx_pps", "tx pkt/s", TOP_COUNT},
	{"load", "load", TOP_PERCENT},
	{"paused", "paused", TOP_PERCENT},
	{"pausing", "pausing", TOP_PERCENT},
	{"depth_bytes", "depth", TOP_BYTES},
	{"marks_pps", "marks/s", TOP_COUNT},
	{"drops_pps", "drops/s", TOP_COUNT},
	{0},
};

static const struct top_column queue_columns[] = {
	{"tx_bps", "tx Gb/s", TOP_GBPS},
	{"tx_pps", "tx pkt/s", TOP_COUNT},
	{"depth_bytes", "depth", TOP_BYTES},
	{"depth_max_bytes", "max", TOP_BYTES},
	{"marks_pps", "marks/s", TOP_COUNT},
	{"drops_pps", "drops/s", TOP_COUNT},
	{0},
};

static const struct top_column tenant_columns[] = {
	{"rx_bps", "rx Gb/s", TOP_GBPS},
	{"rx_pps", "rx pkt/s", TOP_COUNT},
	{"used_bytes", "used", TOP_BYTES},
	{"drops_pps", "drops/s", TOP_COUNT},
	{0},
};

static const struct view {
	const char *name, *word;
	const struct top_column *columns;
	size_t count;
} views[] = {
	[TOP_PORTS] = {"port", "interface", port_columns,
		       sizeof(port_columns) / sizeof(port_columns[0]) - 1},
	[TOP_QUEUES] = {"queue", "queue", queue_columns,
			sizeof(queue_columns) / sizeof(queue_columns[0]) - 1},
	[TOP_TENANTS] = {"tenant", "tenant", tenant_columns,
			 sizeof(tenant_columns) / sizeof(tenant_columns[0]) - 1},
};

const struct top_column *
top_columns(enum top_view view, size_t *count)
{
	*count = views[view].count;
	return views[view].columns;
}

const char *
top_name_of(enum top_view view)
{
	return views[view].name;
}

const char *
top_show_word(enum top_view view)
{
	return views[view].word;
}

int
top_find_column(enum top_view view, const char *key)
{
	if (strcmp(key, "name") == 0)
		return -1;
	for (size_t i = 0; i < views[view].count; i++)
		if (strcmp(key, views[view].columns[i].key) == 0)
			return (int)i;
	return -2;
}

// ---- differences --------------------------------------------------------------------------------

// A node of both answers.
struct pair {
	const char *node;
	const json_t *before, *now;
	uint64_t interval_ns;
};

// How much a counter has grown. One that begins anew, as of a host that was attached again, has
// grown from 0.
static double
grown(uint64_t before, uint64_t now)
{
	return (double)(now >= before ? now - before : now);
}

static double
grown_key(const json_t *before, const json_t *now, const char *key)
{
	return grown(show_number(before, key), show_number(now, key));
}

static double
grown_drops(const json_t *before, const json_t *now)
{
	const json_t *was = json_object_get(before, "drops");
	const char *reason;
	json_t *count;
	double sum = 0;

	json_object_foreach(json_object_get(now, "drops"), reason, count)
		sum += grown(show_number(was, reason), (uint64_t)json_integer_value(count));
	return sum;
}

// Of eight priorities the one of which a counter has grown the most.
static double
grown_most(const json_t *before, const json_t *now, const char *key)
{
	double most = 0;

	for (size_t i = 0; i < PRIORITIES; i++)
		most = fmax(most,
			    grown(show_number_at(before, key, i), show_number_at(now, key, i)));
	return most;
}

static struct top_row *
add_row(struct top_rows *rows, const struct pair *pair)
{
	struct top_row *row;

	rows->rows = memory_grow(rows->rows, rows->count, sizeof(*rows->rows), "rows");
	row = &rows->rows[rows->count++];
	*row = (struct top_row){.interval_ns = pair->interval_ns};
	return row;
}

static void
add_port(struct top_rows *rows, const struct pair *pair, const char *name, const json_t *before,
	 const json_t *now)
{
	struct top_row *row = add_row(rows, pair);
	const double seconds = (double)pair->interval_ns / NS_PER_S;
	const double rate = (double)show_number(now, "rate_bps");
	const double overhead = (double)show_number(now, "overhead_bytes");
	const double tx_bytes = grown_key(before, now, "tx_bytes");
	const double tx_packets = grown_key(before, now, "tx_packets");
	const json_t *queues = json_object_get(now, "queue"), *queue;
	const json_t *were = json_object_get(before, "queue");
	double depth = 0, marks = 0;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)queues, i, queue)
	{
		depth += (double)show_number(queue, "depth");
		marks += grown_key(json_array_get(were, i), queue, "ecn_marked");
	}
	snprintf(row->name, sizeof(row->name), "%s.%s", pair->node, name);
	row->values[0] = grown_key(before, now, "rx_bytes") * 8 / seconds;
	row->values[1] = grown_key(before, now, "rx_packets") / seconds;
	row->values[2] = tx_bytes * 8 / seconds;
	row->values[3] = tx_packets / seconds;
	row->values[4] = rate > 0 ? (tx_bytes + tx_packets * overhead) * 8 / seconds / rate : 0;
	// A link has one of the three.
	row->values[5] = (grown_most(before, now, "pfc_rx_pause_ns") +
			  grown_key(before, now, "pause_rx_ns") +
			  grown_most(before, now, "credit_wait_ns")) /
			 NS_PER_S / seconds;
	row->values[6] = (grown_most(before, now, "pfc_tx_pause_ns") +
			  grown_key(before, now, "pause_tx_ns")) /
			 NS_PER_S / seconds;
	row->values[7] = depth;
	row->values[8] = marks / seconds;
	row->values[9] = grown_drops(before, now) / seconds;
}

static void
add_queues(struct top_rows *rows, const struct pair *pair, const char *name, const json_t *before,
	   const json_t *now)
{
	const double seconds = (double)pair->interval_ns / NS_PER_S;
	const json_t *were = json_object_get(before, "queue"), *queue;
	size_t i;

	json_array_foreach(json_object_get(now, "queue"), i, queue)
	{
		const json_t *was = json_array_get(were, i);
		struct top_row *row;

		// As `show queue`: those that have carried, held or dropped anything.
		if (show_number(queue, "packets") + show_number(queue, "depth") +
			    show_number(queue, "dropped") ==
		    0)
			continue;
		row = add_row(rows, pair);
		snprintf(row->name, sizeof(row->name), "%s.%s.%zu", pair->node, name, i);
		row->values[0] = grown_key(was, queue, "bytes") * 8 / seconds;
		row->values[1] = grown_key(was, queue, "packets") / seconds;
		row->values[2] = (double)show_number(queue, "depth");
		row->values[3] = (double)show_number(queue, "depth_max");
		row->values[4] = grown_key(was, queue, "ecn_marked") / seconds;
		row->values[5] = grown_key(was, queue, "dropped") / seconds;
	}
}

static void
add_tenant(struct top_rows *rows, const struct pair *pair, const char *name, const json_t *before,
	   const json_t *now)
{
	const double seconds = (double)pair->interval_ns / NS_PER_S;
	struct top_row *row = add_row(rows, pair);

	snprintf(row->name, sizeof(row->name), "%s.%s", pair->node, name);
	row->values[0] = grown_key(before, now, "bytes") * 8 / seconds;
	row->values[1] = grown_key(before, now, "packets") / seconds;
	row->values[2] = (double)show_number(now, "used");
	row->values[3] = grown_key(before, now, "dropped") / seconds;
}

// ---- rows ---------------------------------------------------------------------------------------

static int
compare_rows(const void *a, const void *b, void *context)
{
	const struct top_row *x = a, *y = b;
	const int column = *(const int *)context;

	if (column >= 0 && x->values[column] != y->values[column])
		return x->values[column] > y->values[column] ? -1 : 1;
	return strverscmp(x->name, y->name);
}

void
top_rows_make(enum top_view view, const json_t *before, const json_t *now, int column,
	      struct top_rows *out)
{
	const char *part = view == TOP_TENANTS ? "tenants" : "ports";
	const json_t *were = json_object_get(before, "nodes");
	const json_t *then = json_object_get(before, "node_time_ns");
	const json_t *times = json_object_get(now, "node_time_ns");
	const char *node, *name;
	json_t *value, *one;

	*out = (struct top_rows){0};
	json_object_foreach(json_object_get(now, "nodes"), node, value)
	{
		const json_t *was = json_object_get(json_object_get(were, node), part);
		const struct pair pair = {.node = node,
					  .interval_ns = show_number(times, node) -
							 show_number(then, node)};

		if (show_number(times, node) <= show_number(then, node))
			continue; // not both are known, or the node has not run since
		json_object_foreach(json_object_get(value, part), name, one)
		{
			const json_t *old = json_object_get(was, name);

			if (old == NULL)
				continue;
			if (view == TOP_PORTS)
				add_port(out, &pair, name, old, one);
			else if (view == TOP_QUEUES)
				add_queues(out, &pair, name, old, one);
			else
				add_tenant(out, &pair, name, old, one);
		}
	}
	if (out->count != 0)
		qsort_r(out->rows, out->count, sizeof(*out->rows), compare_rows, &column);
}

void
top_rows_free(struct top_rows *rows)
{
	free(rows->rows);
	*rows = (struct top_rows){0};
}

// ---- text and JSON ------------------------------------------------------------------------------

const char *
top_cell(const struct top_column *column, double value, char text[static TOP_CELL_MAX])
{
	char bytes[TEXT_VALUE_MAX];

	if (column->format == TOP_GBPS)
		snprintf(text, TOP_CELL_MAX, "%.3f", value / 1e9);
	else if (column->format == TOP_PERCENT)
		snprintf(text, TOP_CELL_MAX, "%.1f %%", value * 100);
	else if (column->format == TOP_BYTES)
		snprintf(text, TOP_CELL_MAX, "%s", text_bytes(bytes, (uint64_t)value));
	else
		snprintf(text, TOP_CELL_MAX, "%.0f", value);
	return text;
}

json_t *
top_rows_json(enum top_view view, const json_t *now, const struct top_rows *rows)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->count; i++) {
		const struct top_row *row = &rows->rows[i];
		json_t *out = json_pack("{s:s, s:I}", views[view].name, row->name, "interval_ns",
					(json_int_t)row->interval_ns);

		for (size_t k = 0; k < views[view].count; k++)
			json_object_set_new(out, views[view].columns[k].key,
					    json_real(row->values[k]));
		json_array_append_new(list, out);
	}
	return json_pack("{s:I, s:o}", "time_ns", (json_int_t)show_number(now, "time_ns"), "rows",
			 list);
}

void
top_rows_print(enum top_view view, const struct top_rows *rows, FILE *to)
{
	struct text_column columns[TOP_VALUES_MAX + 1] = {{views[view].name, TEXT_LEFT}};
	struct text_table *t;
	char cell[TOP_CELL_MAX];

	for (size_t k = 0; k < views[view].count; k++)
		columns[k + 1] = (struct text_column){views[view].columns[k].heading, TEXT_RIGHT};
	t = text_table_create(columns, (unsigned)views[view].count + 1);
	for (size_t i = 0; i < rows->count; i++) {
		text_table_cell(t, "%s", rows->rows[i].name);
		for (size_t k = 0; k < views[view].count; k++)
			text_table_cell(
				t, "%s",
				top_cell(&views[view].columns[k], rows->rows[i].values[k], cell));
	}
	text_table_print(t, "", to);
	text_table_destroy(t);
}
