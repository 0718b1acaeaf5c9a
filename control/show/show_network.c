// SPDX-License-Identifier: BSD-3-Clause
// The networks of tenants: who is in them, which join, and what they reach outside.
#include "show_view.h"

#define HOSTS_SHOWN 8

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_object_set(to, "networks", s->networks);
	return q->port == NULL;
}

// As one cell: "h1 h2", of many the first and how many there are.
static void
add_names(struct text_table *t, const json_t *names, size_t most)
{
	size_t count = json_array_size(names), shown = count > most ? most : count, used = 0;
	char text[512] = "-";

	for (size_t i = 0; i < shown && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i != 0 ? " " : "",
					 json_string_value(json_array_get(names, i)));
	if (shown < count && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, " ... (%zu)", count);
	text_table_cell(t, "%s", text);
}

static void
joins_cell(struct text_table *t, const struct show_row *row)
{
	add_names(t, json_object_get(row->value, "joins"), SIZE_MAX);
}

static void
hosts_cell(struct text_table *t, const struct show_row *row)
{
	add_names(t, json_object_get(row->value, "hosts"), HOSTS_SHOWN);
}

static void
encap_cell(struct text_table *t, const struct show_row *row)
{
	uint64_t id = show_number(row->value, "id");

	if (id != 0)
		text_table_cell(t, "%s %ju", show_string(row->value, "encap"), (uintmax_t)id);
	else
		show_cell(t, row, "encap", SHOW_TEXT);
}

static void
border_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *border = json_object_get(row->value, "border");
	char text[512] = "-";
	size_t used = 0;

	for (size_t i = 0; i < json_array_size(border) && used < sizeof(text); i++) {
		const json_t *one = json_array_get(border, i);

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s by %s",
					 i != 0 ? ", " : "", show_string(one, "prefix"),
					 show_string(one, "host"));
	}
	text_table_cell(t, "%s", text);
}

static const struct show_column columns[] = {
	{"tenant", "tenant", .format = SHOW_TEXT},
	{"network", "network", .format = SHOW_TEXT},
	{"between switches", .cell = encap_cell},
	{"dscp", "dscp", .format = SHOW_TEXT},
	{"joins", .cell = joins_cell},
	{"border", .cell = border_cell},
	{"hosts", .cell = hosts_cell},
	{0},
};

const struct show_view show_network = {
	.name = "network",
	.arguments = "",
	.help = "networks of tenants, their hosts, and which networks are joined",
	.of = "fabric",
	.collect = collect,
	.tables =
		(const struct show_table[]){
			{.rows = "networks/*",
			 .columns = columns,
			 .empty = "no tenants: all hosts are in the VRF default"},
			{0},
		},
};
