// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of switches, and the sources that they learn routes from.
#include "show_view.h"

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_add_vrfs(s->learned, q, to);
}

static void
source_cell(struct text_table *t, const struct show_row *row)
{
	text_table_cell(t, "%s%s", show_string(row->value, "source"),
			show_flag(row->value, "fpm_connected") ? ", zebra is connected" : "");
}

// The first dump is no resync.
static void
resyncs_cell(struct text_table *t, const struct show_row *row)
{
	uintmax_t dumps = show_number(row->value, "dumps");

	text_table_cell(t, "%ju", dumps != 0 ? dumps - 1 : 0);
}

static const struct show_column neighbour_columns[] = {
	{"node", "1", SHOW_NAME},
	{"vrf", "2", SHOW_NAME},
	{"address", .format = SHOW_TEXT},
	{"interface", .format = SHOW_TEXT},
	{"mac", .format = SHOW_TEXT},
	{"state", .format = SHOW_TEXT},
	{0},
};

static const struct show_column learning_columns[] = {
	{"node", "1", SHOW_NAME},
	{"vrf", "2", SHOW_NAME},
	{"learns from", .cell = source_cell},
	{"netns", .format = SHOW_TEXT},
	{"prefixes", .format = SHOW_COUNT},
	{"messages", .format = SHOW_COUNT},
	{"published", .format = SHOW_COUNT},
	{"resyncs", .format = SHOW_COUNT, .cell = resyncs_cell},
	{"overruns", .format = SHOW_COUNT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/neighbours/*/*", .columns = neighbour_columns, .empty = "no neighbour"},
	{"nodes/*/learning/*", .columns = learning_columns},
	{0},
};

const struct show_view show_neighbour = {
	.name = "neighbour",
	.arguments = "[NODE] [vrf VRF]",
	.help = "neighbours of switches that learn, and what they learn from",
	.of = "switch that learns",
	.needs = SHOW_NEEDS_LEARNED,
	.collect = collect,
	.tables = tables,
};
