// SPDX-License-Identifier: BSD-3-Clause
// Buffer pools. `max` is the peak since the watermarks were last cleared, `max-persistent` since
// the persistent ones were.
#include "show_view.h"

static json_t *
node_pools(const struct show_state *s, const struct report_node *n)
{
	return counters_node(n, COUNTERS_POOLS, s->now);
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_node(s, q, node_pools, to);
}

static void
size_cell(struct text_table *t, const struct show_row *row)
{
	if (show_flag(row->value, "unlimited"))
		text_table_cell(t, "unlimited");
	else
		show_cell(t, row, "size", SHOW_BYTES);
}

static void
share_cell(struct text_table *t, const struct show_row *row)
{
	uint64_t size = show_number(row->value, "size");

	if (show_flag(row->value, "unlimited") || size == 0)
		text_table_cell(t, "-");
	else
		text_table_cell(t, "%.1f %%",
				100.0 * (double)show_number(row->value, "used_max") / (double)size);
}

static const struct show_column columns[] = {
	{"node", "1", .format = SHOW_NAME},
	{"pool", "2", .format = SHOW_NAME},
	{"size", .format = SHOW_BYTES, .cell = size_cell},
	{"used", "used", .format = SHOW_BYTES},
	{"max", "used_max", .format = SHOW_BYTES},
	{"max/size", .format = SHOW_COUNT, .cell = share_cell},
	{"max-persistent", "used_max_persistent", .format = SHOW_BYTES},
	{0},
};

const struct show_view show_pool = {
	.name = "pool",
	.arguments = "[NODE]",
	.help = "buffer pools: size, use and peak",
	.of = "node",
	.collect = collect,
	.tables =
		(const struct show_table[]){
			{.rows = "nodes/*/pools/*", .columns = columns, .empty = "no pool"}, {0}},
};
