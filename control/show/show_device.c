// SPDX-License-Identifier: BSD-3-Clause
// Ports whose far end is a device: the attached host, what it is, and the DPDK device.
#include "show_view.h"

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const json_t *ports = json_object_get(s->devices, n->name);

	return json_incref(json_object_get(ports, n->ports[port].name));
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},
	{"host", .format = SHOW_TEXT},
	{"attached", .format = SHOW_TEXT},
	{"device", .format = SHOW_TEXT},
	{"mtu", .format = SHOW_COUNT},
	{"state", .format = SHOW_TEXT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*", .columns = columns,
	 .empty = "no host is attached, and no port is a device"},
	{0},
};

const struct show_view show_device = {
	.name = "device",
	.arguments = "[PORT]",
	.help = "ports that are devices: the attached host, what it is, the device, the MTU",
	.of = "switch or switch port",
	.needs = SHOW_NEEDS_ATTACHED,
	.port = port_json,
	.tables = tables,
};
