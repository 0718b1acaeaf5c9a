// SPDX-License-Identifier: BSD-3-Clause
// The BFD sessions that a switch runs for FRR's bfdd.
#include "show_view.h"

static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	return json_incref(json_object_get(s->bfd, n->name));
}

static void
print_heading(const char *name, const json_t *part, FILE *to)
{
	fprintf(to,
		"%s: bfdd is %s; ignored packets: %ju malformed, %ju through a router, %ju of no "
		"session\n",
		name, show_flag(part, "connected") ? "connected" : "not connected",
		(uintmax_t)show_number(part, "malformed"), (uintmax_t)show_number(part, "routed"),
		(uintmax_t)show_number(part, "unknown"));
}

static const struct show_column columns[] = {
	{"interface", .format = SHOW_FILLED},
	{"peer", .format = SHOW_TEXT},
	{"state", .format = SHOW_TEXT},
	{"for", "since_ns", SHOW_DURATION},
	{"diagnostic", .format = SHOW_TEXT},
	{"interval", "interval_ns", SHOW_DURATION},
	{"detection", "detection_ns", SHOW_DURATION},
	{"sent", .format = SHOW_COUNT},
	{"received", .format = SHOW_COUNT},
	{0},
};

static const struct show_table tables[] = {
	{"sessions/*", .columns = columns, .empty = "no session"},
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
	.heading = print_heading,
};
