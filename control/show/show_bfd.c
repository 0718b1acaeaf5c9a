// SPDX-License-Identifier: BSD-3-Clause
// The BFD sessions that a switch runs for FRR's bfdd.
#include "show_view.h"

static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	return json_incref(json_object_get(s->bfd, n->name));
}

// There is none while the far end is unknown.
static void
detection_cell(struct text_table *t, const struct show_row *row)
{
	if (json_object_get(row->value, "detection_ns") == NULL)
		text_table_cell(t, "-");
	else
		show_cell(t, row, "detection_ns", SHOW_DURATION);
}

static void
bfdd_cell(struct text_table *t, const struct show_row *row)
{
	text_table_cell(t, "%s",
			show_flag(row->value, "connected") ? "connected" : "not connected");
}

static const struct show_column session_columns[] = {
	{"interface", .format = SHOW_FILLED},
	{"peer", .format = SHOW_TEXT},
	{"state", .format = SHOW_TEXT},
	{"for", "since_ns", SHOW_DURATION},
	{"diagnostic", .format = SHOW_TEXT},
	{"interval", "interval_ns", SHOW_DURATION},
	{"detection", "detection_ns", SHOW_DURATION, detection_cell},
	{"sent", .format = SHOW_COUNT},
	{"received", .format = SHOW_COUNT},
	{"note", .format = SHOW_TEXT},
	{0},
};

// Of a switch, and packets that it has ignored.
static const struct show_column bfdd_columns[] = {
	{"node", "1", SHOW_NAME},
	{"bfdd", .format = SHOW_TEXT, .cell = bfdd_cell},
	{"refused", .format = SHOW_COUNT},
	{"malformed", .format = SHOW_COUNT},
	{"routed", .format = SHOW_COUNT},
	{"unknown", .format = SHOW_COUNT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/sessions/*", .columns = session_columns, .empty = "no BFD session"},
	{"nodes/*", .columns = bfdd_columns},
	{0},
};

const struct show_view show_bfd = {
	.name = "bfd",
	.arguments = "[NODE]",
	.help = "BFD sessions that a switch runs for FRR's bfdd",
	.of = "switch that runs BFD sessions",
	.needs = SHOW_NEEDS_BFD,
	.node = node_json,
	.tables = tables,
};
