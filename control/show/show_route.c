// SPDX-License-Identifier: BSD-3-Clause
// The routes of switches.
#include "show_view.h"

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_add_vrfs(s->routes, q, to);
}

// "swp5 spine1, swp6 spine2; vxlan vni 5001 to 172.16.0.2": a next hop is its port and who is
// behind it.
static void
next_hops_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *via = json_object_get(row->value, "via");
	const json_t *encap = json_object_get(row->value, "encap");

	if (json_array_size(via) == 0) {
		text_table_cell(t, "%s",
				show_flag(row->value, "glean") ? "none yet: neighbours are probed"
							       : "none: dropped");
		return;
	}
	text_table_cell(t, "%s", "");
	for (size_t i = 0; i < json_array_size(via); i++) {
		const json_t *hop = json_array_get(via, i);
		const char *node = show_string(hop, "node");

		text_table_append(t, "%s%s %s", i != 0 ? ", " : "", show_string(hop, "port"),
				  *node != '\0' ? node : show_string(hop, "mac"));
	}
	if (json_object_get(encap, "vni") != NULL)
		text_table_append(t, "; vxlan vni %ju to %s", (uintmax_t)show_number(encap, "vni"),
				  show_string(encap, "to"));
	else if (json_object_get(encap, "vlan") != NULL)
		text_table_append(t, "; vlan %ju", (uintmax_t)show_number(encap, "vlan"));
}

static const struct show_column columns[] = {
	{"node", "1", SHOW_NAME},
	{"vrf", "2", SHOW_NAME},
	{"prefix", "3", SHOW_NAME},
	{"mode", .format = SHOW_TEXT},
	{"source", .format = SHOW_TEXT},
	{"next hops", .cell = next_hops_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/vrfs/*/*", .columns = columns, .empty = "no route"},
	{0},
};

const struct show_view show_route = {
	.name = "route",
	.arguments = "[NODE] [vrf VRF]",
	.help = "routes of switches and their next hops",
	.of = "switch",
	.needs = SHOW_NEEDS_ROUTES,
	.collect = collect,
	.tables = tables,
};
