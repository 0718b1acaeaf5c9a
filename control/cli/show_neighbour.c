// SPDX-License-Identifier: BSD-3-Clause
// The neighbours that switches know, and below them what they are learned from.
#include "show_print.h"

#include "show_values.h"

static const struct text_column neighbour_columns[] = {
	{"node", TEXT_LEFT},      {"vrf", TEXT_LEFT}, {"address", TEXT_LEFT},
	{"interface", TEXT_LEFT}, {"mac", TEXT_LEFT}, {"state", TEXT_LEFT},
};

static const struct text_column learning_columns[] = {
	{"node", TEXT_LEFT},       {"vrf", TEXT_LEFT},       {"learns from", TEXT_LEFT},
	{"netns", TEXT_LEFT},      {"prefixes", TEXT_RIGHT}, {"messages", TEXT_RIGHT},
	{"published", TEXT_RIGHT}, {"resyncs", TEXT_RIGHT},  {"overruns", TEXT_RIGHT},
};

static void
add_vrf(struct text_table *t, const char *node, const char *vrf, const json_t *neighbours)
{
	const json_t *one;
	size_t i;

	json_array_foreach(neighbours, i, one)
	{
		text_table_cell(t, "%s", node);
		text_table_cell(t, "%s", vrf);
		value_text(t, one, "address");
		value_text(t, one, "interface");
		value_text(t, one, "mac");
		value_text(t, one, "state");
	}
}

static void
add_learning(struct text_table *t, const char *node, const char *vrf, const json_t *l)
{
	uint64_t dumps = value_get(l, "dumps");

	text_table_cell(t, "%s", node);
	text_table_cell(t, "%s", vrf);
	text_table_cell(t, "%s%s", value_string(l, "source"),
			json_is_true(json_object_get(l, "fpm_connected")) ? ", zebra is connected"
									  : "");
	value_text(t, l, "netns");
	value_count(t, l, "prefixes");
	value_count(t, l, "messages");
	value_count(t, l, "published");
	text_table_cell(t, "%ju", (uintmax_t)(dumps != 0 ? dumps - 1 : 0));
	value_count(t, l, "overruns");
}

int
show_print_neighbour(const json_t *answer, FILE *to)
{
	int status = show_print_members(answer, "neighbours", neighbour_columns,
					COUNT(neighbour_columns), add_vrf, "", "no neighbour\n",
					to);

	return status != 0
		       ? status
		       : show_print_members(answer, "learning", learning_columns,
					    COUNT(learning_columns), add_learning, "\n", "", to);
}
