// SPDX-License-Identifier: BSD-3-Clause
// Ports whose far end is a device: the attached host, what it is, and the DPDK device. Below them,
// what datagrams have carried, and how long they took.
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

static bool
has_no_carrier(const struct show_row *row)
{
	return json_object_get(row->value, "carrier") == NULL;
}

// Times are those of the machine's clock.
static const struct show_column carriers[] = {
	{"interface", "12", SHOW_NAME},
	{"sent", "carrier/sent", SHOW_COUNT},
	{"received", "carrier/received", SHOW_COUNT},
	{"lost", "carrier/lost", SHOW_COUNT},
	{"late", "carrier/late", SHOW_COUNT},
	{"duplicate", "carrier/duplicates", SHOW_COUNT},
	{"round-trip", "carrier/round_trip_ns", SHOW_DURATION},
	{"least", "carrier/round_trip_min_ns", SHOW_DURATION},
	{"variation", "carrier/delay_variation_ns", SHOW_DURATION},
	{"most", "carrier/delay_variation_max_ns", SHOW_DURATION},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*", .columns = columns,
	 .empty = "no host is attached, and no port is a device"},
	{"nodes/*/ports/*", .title = "carried by datagrams\n", .columns = carriers,
	 .skip = has_no_carrier},
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
