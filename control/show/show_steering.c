// SPDX-License-Identifier: BSD-3-Clause
// Who got the frames of ports that share their interface with the kernel: what the XDP program of
// each counted, by class.
#include "show_view.h"

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const json_t *ports = json_object_get(s->steering, n->name);

	return json_incref(json_object_get(ports, n->ports[port].name));
}

static bool
is_empty(const struct show_row *row)
{
	return show_number(row->value, "packets") == 0;
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},
	{"netdev", "@2/netdev", SHOW_TEXT},
	{"class", "3", SHOW_NAME},
	{"to", .format = SHOW_TEXT},
	{"packets", .format = SHOW_COUNT},
	{"bytes", .format = SHOW_BYTES},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/classes/*", .columns = columns, .skip = is_empty,
	 .empty = "no frame has come in at a port that the kernel shares (netdev:)"},
	{0},
};

const struct show_view show_steering = {
	.name = "steering",
	.arguments = "[PORT]",
	.help = "frames passed to the kernel or the dataplane, at ports with a netdev",
	.of = "switch or switch port",
	.needs = SHOW_NEEDS_STEERING,
	.port = port_json,
	.tables = tables,
};
