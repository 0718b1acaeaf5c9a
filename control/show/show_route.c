// SPDX-License-Identifier: BSD-3-Clause
// The routes of switches.
#include "show_view.h"

#include <string.h>

// {"kind": "vxlan", "vni", "to"}, {"kind": "vlan", "vlan"}, or null.
static json_t *
encap_json(const struct show_encap *e)
{
	if (e->id == 0)
		return json_null();
	return e->vxlan ? json_pack("{s:s,s:I,s:s}", "kind", "vxlan", "vni", (json_int_t)e->id,
				    "to", e->to)
			: json_pack("{s:s,s:I}", "kind", "vlan", "vlan", (json_int_t)e->id);
}

static json_t *
route_json(const struct show_route *r)
{
	json_t *via = json_array();

	for (unsigned int i = 0; i < r->next_hop_count; i++) {
		json_t *hop = json_pack("{s:s,s:s?}", "port", r->next_hops[i].port, "node",
					r->next_hops[i].node);

		show_set_mac(hop, r->next_hops[i].mac);
		json_array_append_new(via, hop);
	}
	return json_pack("{s:s,s:s,s:b,s:o,s:o}", "mode", r->mode, "source", r->source, "glean",
			 r->glean, "via", via, "encap", encap_json(&r->encap));
}

// {"nodes": {NODE: {"vrfs": {VRF: {PREFIX: {"mode", "source", "glean", "via": [...], "encap"}}}}}}.
static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL && q->vrf == NULL;

	show_child(to, "nodes");
	for (unsigned int i = 0; i < s->route_count; i++) {
		const struct show_route *r = &s->routes[i];

		if ((q->port != NULL && strcmp(q->port, r->node) != 0) ||
		    (q->vrf != NULL && strcmp(q->vrf, r->vrf) != 0))
			continue;
		found = true;
		json_object_set_new(show_child(show_child(show_node(to, r->node), "vrfs"), r->vrf),
				    r->prefix, route_json(r));
	}
	return found;
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
