// SPDX-License-Identifier: BSD-3-Clause
// The networks of tenants: their hosts, which networks are joined, and the prefixes outside that
// they reach.
#include "show_view.h"

#define HOSTS_SHOWN 8

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_object_set(to, "networks", s->networks);
	return q->port == NULL;
}

// "h1 h2" in one cell; of many, the first ones and the count.
static void
names_cell(struct text_table *t, const json_t *names, size_t most)
{
	size_t count = json_array_size(names);

	text_table_cell(t, "%s", count == 0 ? "-" : "");
	for (size_t i = 0; i < count && i < most; i++)
		text_table_append(t, "%s%s", i != 0 ? " " : "",
				  json_string_value(json_array_get(names, i)));
	if (count > most)
		text_table_append(t, " ... (%zu)", count);
}

static void
joins_cell(struct text_table *t, const struct show_row *row)
{
	names_cell(t, json_object_get(row->value, "joins"), SIZE_MAX);
}

static void
hosts_cell(struct text_table *t, const struct show_row *row)
{
	names_cell(t, json_object_get(row->value, "hosts"), HOSTS_SHOWN);
}

static void
encap_cell(struct text_table *t, const struct show_row *row)
{
	uint64_t id = show_number(row->value, "id");

	show_cell(t, row, "encap", SHOW_TEXT);
	if (id != 0)
		text_table_append(t, " %ju", (uintmax_t)id);
}

static void
border_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *border = json_object_get(row->value, "border");

	text_table_cell(t, "%s", json_array_size(border) == 0 ? "-" : "");
	for (size_t i = 0; i < json_array_size(border); i++) {
		const json_t *one = json_array_get(border, i);

		text_table_append(t, "%s%s by %s", i != 0 ? ", " : "", show_string(one, "prefix"),
				  show_string(one, "host"));
	}
}

static const struct show_column columns[] = {
	{"tenant", .format = SHOW_TEXT},
	{"network", .format = SHOW_TEXT},
	{"between switches", .cell = encap_cell},
	{"dscp", .format = SHOW_TEXT},
	{"joins", .cell = joins_cell},
	{"border", .cell = border_cell},
	{"hosts", .cell = hosts_cell},
	{0},
};

static const struct show_table tables[] = {
	{"networks/*", .columns = columns, .empty = "no tenants: all hosts are in the VRF default"},
	{0},
};

const struct show_view show_network = {
	.name = "network",
	.arguments = "",
	.help = "networks of tenants, their hosts, and which networks are joined",
	.of = "fabric",
	.needs = SHOW_NEEDS_NETWORKS,
	.collect = collect,
	.tables = tables,
};
