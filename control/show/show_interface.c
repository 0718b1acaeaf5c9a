// SPDX-License-Identifier: BSD-3-Clause
// Ports and their traffic, a line each; or the four tables of `counters qos`.
// Columns are named as operators know them: rx-pause-frames and so on from NVUE's `counters
// qos`, pg and tc from SONiC's watermarks; `max` is the peak of the column before it.
#include "show_view.h"

#include <string.h>

// ---- what a port is, and all of its counters ---------------------------------------------------

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *profile = report_profile(n, port);
	const struct report_port *names = &n->ports[port];
	json_t *link = json_object_get(json_object_get(s->links, n->name), names->name);
	json_t *out = json_pack("{s:s,s:I,s:s?}", "state", n->node->ports[port].up ? "up" : "down",
				"rate_bps", (json_int_t)names->rate_bps, "peer", names->peer);

	if (link != NULL) {
		json_object_set(out, "rate_bps", json_object_get(link, "rate_bps"));
		json_object_set_new(out, "link",
				    json_pack("{s:O,s:O}", "name", json_object_get(link, "link"),
					      "changed", json_object_get(link, "changed")));
	}

	if (profile != NULL) {
		const struct port_tables *own = &t->ports[port];

		json_object_set_new(out, "mtu", json_integer(profile->mtu));
		json_object_set_new(
			out, "overhead_bytes",
			json_integer((json_int_t)profile->preamble + profile->fcs + profile->gap));
		show_set_mac(out, own->mac);
		show_set_text(out, "vrf", own->vrf < t->vrf_count ? n->vrfs[own->vrf] : NULL);
		show_set_text(out, "tenant",
			      own->tenant < t->tenant_count ? n->tenants[own->tenant] : NULL);
	}
	json_object_update_new(out, counters_port(n, port, COUNTERS_PORTS, s->now));
	return out;
}

// "up", "up, tx off" or "up, queue 3 off".
static void
state_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *queues = json_object_get(row->value, "queue");
	size_t count = json_array_size(queues), off = 0;
	const char *before = ", queue ";

	text_table_cell(t, "%s", show_string(row->value, "state"));
	for (size_t i = 0; i < count; i++)
		off += show_flag(json_array_get(queues, i), "tx_off");
	if (off == 0)
		return;
	if (off == count) {
		text_table_append(t, ", tx off");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!show_flag(json_array_get(queues, i), "tx_off"))
			continue;
		text_table_append(t, "%s%zu", before, i);
		before = ",";
	}
	text_table_append(t, " off");
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},  {"state", .cell = state_cell},
	{"rate", "rate_bps", SHOW_RATE}, {"mtu", .format = SHOW_COUNT},
	{"peer", .format = SHOW_TEXT},   {"vrf", .format = SHOW_TEXT},
	{"rx-packets", "rx_packets"},    {"rx-bytes", "rx_bytes"},
	{"tx-packets", "tx_packets"},    {"tx-bytes", "tx_bytes"},
	{"dropped", "drops", SHOW_SUM},  {0},
};

// ---- links that are not as in the file ----

void
show_changed_link_cell(struct text_table *t, const struct show_row *row)
{
	const char *key, *before = "";
	json_t *value;

	text_table_cell(t, "%s", "");
	json_object_foreach(json_object_get(row->value, "changed"), key, value)
	{
		bool state = strcmp(key, "state") == 0;

		text_table_append(t, "%s%s%s%s", before, state ? "" : key, state ? "" : " ",
				  show_text(value));
		before = ", ";
	}
}

static const struct show_column link_columns[] = {
	{"interface", "12", SHOW_NAME},
	{"link", "name", SHOW_TEXT},
	{"changed", .cell = show_changed_link_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*", COUNTER_OF_PORT, .columns = columns, .empty = "no interface"},
	{"nodes/*/ports/*/link", .columns = link_columns},
	{0},
};

const struct show_view show_interface = {
	.name = "interface",
	.arguments = "[PORT]",
	.help = "ports: state, rate, peer, traffic",
	.of = "node or port",
	.needs = SHOW_NEEDS_DEVICES | SHOW_NEEDS_LINKS | SHOW_NEEDS_TIMES,
	.port = port_json,
	.tables = tables,
};

// ---- counters qos ------------------------------------------------------------------------------

static const struct show_column ingress_columns[] = {
	{"interface", "12", SHOW_NAME},
	{"pg", "3", SHOW_INDEX},
	{"rx-frames", "packets"},
	{"rx-bytes", "bytes"},
	{"used"},
	{"max", "used_max"},
	{"shared"},
	{"max", "shared_max"},
	{"headroom"},
	{"max", "headroom_max"},
	{"rx-buffer-discards", "dropped"},
	{"xoff"},
	{0},
};

static const struct show_column egress_columns[] = {
	{"interface", "12", SHOW_NAME},
	{"tc", "3", SHOW_INDEX},
	{"tx-frames", "packets"},
	{"tx-bytes", "bytes"},
	{"depth"},
	{"max", "depth_max"},
	{"tx-uc-buffer-discards", "dropped"},
	{"wred-discards", "red_dropped"},
	{"ecn-marked", "ecn_marked"},
	{"state", .cell = show_queue_state_cell},
	{0},
};

static const struct show_column pause_columns[] = {
	{"interface", "12", SHOW_NAME},
	{"switch-prio", "3", SHOW_INDEX},
	{"rx-pause-frames", "pfc_rx"},
	{"rx-pause-duration/us", "pfc_rx_pause_ns"},
	{"tx-pause-frames", "pfc_tx"},
	{"tx-pause-duration/us", "pfc_tx_pause_ns"},
	{0},
};

static const struct show_column port_columns[] = {
	{"interface"},
	{"counter"},
	{"receive", .format = SHOW_COUNT},
	{"transmit", .format = SHOW_COUNT},
	{0},
};

// What does not belong to one priority.
static void
add_port(struct text_table *t, const struct show_row *row)
{
	const json_t *queues = json_object_get(row->value, "queue");
	uint64_t marked = 0;

	for (size_t i = 0; i < json_array_size(queues); i++)
		marked += show_number(json_array_get(queues, i), "ecn_marked");
	show_cell(t, row, "12", SHOW_NAME);
	text_table_cell(t, "ecn-marked-packets");
	text_table_cell(t, "n/a");
	text_table_cell(t, "%ju", (uintmax_t)marked);
	show_cell(t, row, "12", SHOW_NAME);
	text_table_cell(t, "pause-frames");
	show_cell(t, row, "pause_rx", SHOW_COUNT);
	show_cell(t, row, "pause_tx", SHOW_COUNT);
	show_cell(t, row, "12", SHOW_NAME);
	text_table_cell(t, "pause-duration/us");
	show_cell(t, row, "pause_rx_ns", SHOW_US);
	show_cell(t, row, "pause_tx_ns", SHOW_US);
}

static const struct show_table counter_tables[] = {
	{"nodes/*/ports/*/pg/*", COUNTER_OF_GROUP, "Ingress Buffer Statistics\n",
	 .columns = ingress_columns},
	{"nodes/*/ports/*/queue/*", COUNTER_OF_QUEUE, "Egress Queue Statistics\n",
	 .columns = egress_columns},
	{"nodes/*/ports/*/pfc_rx/*", COUNTER_OF_PRIORITY, "PFC Statistics\n",
	 .columns = pause_columns},
	{"nodes/*/ports/*", COUNTER_OF_PORT, "QoS Port Statistics\n", .columns = port_columns,
	 .add = add_port},
	{0},
};

const struct show_view show_interface_counters = {
	.name = "interface",
	.view = "counters-qos",
	.arguments = "[PORT] counters [qos]",
	.help = "priority groups, queues and pauses of ports",
	.tables = counter_tables,
};
