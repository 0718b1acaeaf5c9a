// SPDX-License-Identifier: BSD-3-Clause
// The hosts, a line for each NIC: its addresses, its place, and what it is.
#include "show_view.h"

#include <string.h>

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *out = json_array(), *nic;
	size_t i;

	json_array_foreach(s->hosts, i, nic)
	{
		if (q->port == NULL || strcmp(show_string(nic, "host"), q->port) == 0)
			json_array_append(out, nic);
	}
	json_object_set_new(to, "hosts", out);
	return q->port == NULL || json_array_size(out) != 0;
}

static void
addresses_cell(struct text_table *t, const struct show_row *row)
{
	const char *ip6 = show_string(row->value, "address6");

	show_cell(t, row, "address", SHOW_TEXT);
	if (*ip6 != '\0')
		text_table_append(t, " %s", ip6);
}

static const struct show_column columns[] = {
	{"host", .format = SHOW_TEXT},       {"nic", .format = SHOW_TEXT},
	{"address", .cell = addresses_cell}, {"mac", .format = SHOW_TEXT},
	{"tenant", .format = SHOW_FILLED},   {"port", .format = SHOW_TEXT},
	{"is", .format = SHOW_TEXT},         {0},
};

static const struct show_table tables[] = {
	{"hosts/*", .columns = columns, .empty = "no hosts"},
	{0},
};

const struct show_view show_hosts = {
	.name = "hosts",
	.arguments = "[HOST]",
	.help = "hosts: addresses, tenant, switch port, and what each is: simulated or attached",
	.of = "host",
	.needs = SHOW_NEEDS_HOSTS,
	.collect = collect,
	.tables = tables,
};
