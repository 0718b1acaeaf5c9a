// SPDX-License-Identifier: BSD-3-Clause
// Who is who among the tenants, and who joins whom.
#include "show_print.h"

#include "show_values.h"

#define HOSTS_SHOWN 8

static const struct text_column network_columns[] = {
	{"tenant", TEXT_LEFT}, {"network", TEXT_LEFT}, {"between switches", TEXT_LEFT},
	{"dscp", TEXT_LEFT},   {"joins", TEXT_LEFT},   {"border", TEXT_LEFT},
	{"hosts", TEXT_LEFT},
};

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
add_border(struct text_table *t, const json_t *border)
{
	char text[512] = "-";
	size_t used = 0, i;
	const json_t *one;

	json_array_foreach(border, i, one) if (used < sizeof(text)) used +=
		(size_t)snprintf(text + used, sizeof(text) - used, "%s%s by %s", i != 0 ? ", " : "",
				 value_string(one, "prefix"), value_string(one, "host"));
	text_table_cell(t, "%s", text);
}

int
show_print_network(const json_t *answer, FILE *to)
{
	const json_t *networks = json_object_get(answer, "networks"), *one;
	struct text_table *t;
	int status;
	size_t i;

	if (json_array_size(networks) == 0) {
		fputs("no tenants: all hosts are in the VRF default\n", to);
		return 0;
	}
	status = text_table_create(&t, network_columns, COUNT(network_columns));
	if (status != 0)
		return status;
	json_array_foreach(networks, i, one)
	{
		uint64_t id = value_get(one, "id");

		value_text(t, one, "tenant");
		value_text(t, one, "network");
		if (id != 0)
			text_table_cell(t, "%s %ju", value_string(one, "encap"), (uintmax_t)id);
		else
			value_text(t, one, "encap");
		value_text(t, one, "dscp");
		add_names(t, json_object_get(one, "joins"), SIZE_MAX);
		add_border(t, json_object_get(one, "border"));
		add_names(t, json_object_get(one, "hosts"), HOSTS_SHOWN);
	}
	status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}
