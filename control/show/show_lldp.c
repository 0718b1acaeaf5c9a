// SPDX-License-Identifier: BSD-3-Clause
// LLDP neighbours behind ports that have a device or an attached host, and what their DCBX says
// about RoCE.
#include "show_view.h"

#include <string.h>

#define UDP_ROCE 4791

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const json_t *ports = json_object_get(s->lldp, n->name);

	return json_incref(json_object_get(ports, n->ports[port].name));
}

static void
list_cell(struct text_table *t, const json_t *texts)
{
	text_table_cell(t, "%s", json_array_size(texts) == 0 ? "-" : "");
	for (size_t i = 0; i < json_array_size(texts); i++)
		text_table_append(t, "%s%s", i == 0 ? "" : ", ",
				  show_text(json_array_get(texts, i)));
}

static void
capabilities_cell(struct text_table *t, const struct show_row *row)
{
	list_cell(t, json_object_get(row->value, "capabilities"));
}

static void
management_cell(struct text_table *t, const struct show_row *row)
{
	list_cell(t, json_object_get(row->value, "management"));
}

// The priorities; "off": DCBX says that there are none.
static void
pfc_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *pfc = json_object_get(row->value, "pfc");
	uint64_t bits = show_bits(json_object_get(pfc, "priorities"));

	text_table_cell(t, "%s", pfc != NULL && bits == 0 ? "off" : "");
	if (pfc == NULL || bits != 0)
		show_append_set(t, bits);
}

// The priority of RoCEv2, by UDP.
static void
roce_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *applications = json_object_get(row->value, "applications");

	for (size_t i = 0; i < json_array_size(applications); i++) {
		const json_t *a = json_array_get(applications, i);
		const char *selector = show_string(a, "selector");

		if (show_number(a, "protocol") == UDP_ROCE &&
		    (strcmp(selector, "udp") == 0 || strcmp(selector, "tcp-udp") == 0)) {
			text_table_cell(t, "%ju", (uintmax_t)show_number(a, "priority"));
			return;
		}
	}
	text_table_cell(t, "-");
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},
	{"system", .format = SHOW_FILLED},
	{"port", .format = SHOW_FILLED},
	{"chassis", .format = SHOW_FILLED},
	{"capabilities", .format = SHOW_TEXT, .cell = capabilities_cell},
	{"management", .format = SHOW_TEXT, .cell = management_cell},
	{"pfc", .format = SHOW_TEXT, .cell = pfc_cell},
	{"roce", .format = SHOW_COUNT, .cell = roce_cell},
	{"ttl", .format = SHOW_COUNT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/neighbours/*", .columns = columns, .empty = "no neighbour has sent LLDP"},
	{0},
};

const struct show_view show_lldp = {
	.name = "lldp",
	.arguments = "[PORT]",
	.help = "neighbours behind devices and attached hosts, by LLDP, and their DCBX",
	.of = "switch or switch port",
	.needs = SHOW_NEEDS_LLDP,
	.port = port_json,
	.tables = tables,
};
