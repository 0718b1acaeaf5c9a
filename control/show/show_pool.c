// SPDX-License-Identifier: BSD-3-Clause
// Buffer pools, and in a live fabric the packets in memory that wait in them. `max` is the peak
// since the watermarks were last cleared, `max-persistent` since the persistent ones were.
#include "show_view.h"

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
	{"node", "1", SHOW_NAME},
	{"pool", "2", SHOW_NAME},
	{"size", .format = SHOW_BYTES, .cell = size_cell},
	{"used"},
	{"max", "used_max"},
	{"max/size", .format = SHOW_COUNT, .cell = share_cell},
	{"max-persistent", "used_max_persistent"},
	{"shared"},
	{"shared-max", "shared_max"},
	{0},
};

static const struct show_column packet_columns[] = {
	{"node", "1", SHOW_NAME},
	{"packets", "2", SHOW_NAME},
	{"most", .format = SHOW_KNOWN},
	{"used"},
	{"max", "used_max"},
	{"max-persistent", "used_max_persistent"},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/pools/*", COUNTER_OF_POOL, .columns = columns, .empty = "no pool"},
	{"nodes/*/packets/*", COUNTER_OF_MEMORY, .columns = packet_columns},
	{0},
};

const struct show_view show_pool = {
	.name = "pool",
	.arguments = "[NODE]",
	.help = "buffer pools and packets in memory: size, use and peak",
	.of = "node",
	.node_counters = COUNTERS_POOLS | COUNTERS_MEMORY,
	.tables = tables,
};
