// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of switches, and the sources that they learn routes from.
#include "show_view.h"

#include <string.h>

static bool
is_meant(const struct show_question *q, const char *node, const char *vrf)
{
	return (q->port == NULL || strcmp(q->port, node) == 0) &&
	       (q->vrf == NULL || strcmp(q->vrf, vrf) == 0);
}

static json_t *
neighbour_json(const struct show_neighbour *n)
{
	json_t *out = json_pack("{s:s,s:s,s:s,s:b,s:n}", "address", n->address, "interface",
				n->interface, "state", n->state, "usable", n->usable, "mac");

	if (n->usable)
		show_set_mac(out, n->mac);
	return out;
}

static json_t *
learning_json(const struct show_learning *l)
{
	return json_pack("{s:s?,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b}", "netns", l->netns, "source",
			 l->source, "prefixes", (json_int_t)l->prefixes, "messages",
			 (json_int_t)l->messages, "dumps", (json_int_t)l->dumps, "overruns",
			 (json_int_t)l->overruns, "refused", (json_int_t)l->refused, "asked",
			 (json_int_t)l->asked, "published", (json_int_t)l->published,
			 "fpm_connected", l->fpm_connected);
}

// The list of a VRF's neighbours, made when it is missing.
static json_t *
list_of(json_t *to, const struct show_neighbour *n)
{
	json_t *vrfs = show_child(show_node(to, n->node), "neighbours");

	if (json_object_get(vrfs, n->vrf) == NULL)
		json_object_set_new(vrfs, n->vrf, json_array());
	return json_object_get(vrfs, n->vrf);
}

// {"nodes": {NODE: {"neighbours": {VRF: [{"address", "interface", "state", "usable", "mac"}]},
// "learning": {VRF: {"netns", "source", "prefixes", ...}}}}}.
static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL && q->vrf == NULL;

	show_child(to, "nodes");
	for (unsigned int i = 0; i < s->learning_count; i++) {
		const struct show_learning *l = &s->learnings[i];

		if (!is_meant(q, l->node, l->vrf))
			continue;
		found = true;
		json_object_set_new(show_child(show_node(to, l->node), "learning"), l->vrf,
				    learning_json(l));
	}
	for (unsigned int i = 0; i < s->neighbour_count; i++) {
		const struct show_neighbour *n = &s->neighbours[i];

		if (is_meant(q, n->node, n->vrf))
			json_array_append_new(list_of(to, n), neighbour_json(n));
	}
	return found;
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
	.collect = collect,
	.tables = tables,
};
