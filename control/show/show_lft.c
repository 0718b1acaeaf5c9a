// SPDX-License-Identifier: BSD-3-Clause
// The linear forwarding tables of InfiniBand switches.
#include "show_view.h"

static json_t *
collect(const struct show_state *s, const struct report_node *n)
{
	json_t *lft = json_object_get(json_object_get(s->routes, n->name), "lft");

	return lft != NULL ? json_pack("{s:O}", "lft", lft) : NULL;
}

// "swp5 spine1, or swp6 spine2": the table's port, and those that the switch may take instead.
static void
ports_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *via = json_object_get(row->value, "via");

	if (json_array_size(via) == 0) {
		text_table_cell(t, "%s",
				show_flag(row->value, "own") ? "the switch" : "none: dropped");
		return;
	}
	text_table_cell(t, "%s", "");
	for (size_t i = 0; i < json_array_size(via); i++)
		text_table_append(t, "%s%s %s",
				  i == 0   ? ""
				  : i == 1 ? ", or "
					   : ", ",
				  show_string(json_array_get(via, i), "port"),
				  show_string(json_array_get(via, i), "node"));
}

static const struct show_column columns[] = {
	{"node", "1", SHOW_NAME},
	{"lid", "2", SHOW_NAME},
	{"of", .format = SHOW_TEXT},
	{"port", .cell = ports_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/lft/*", .columns = columns, .empty = "no forwarding table"},
	{0},
};

const struct show_view show_lft = {
	.name = "lft",
	.arguments = "[NODE]",
	.help = "forwarding tables of InfiniBand switches: the port of each LID",
	.of = "switch",
	.needs = SHOW_NEEDS_ROUTES,
	.node = collect,
	.tables = tables,
};
