// SPDX-License-Identifier: BSD-3-Clause
// Tables of ports: a row a port, or a row a queue, or the four tables of `counters qos`. Columns
// are named as operators know them: rx-pause-frames and its like from NVUE's `counters qos`, pg and
// tc from SONiC's watermarks; `max` is the peak of the column before it, wred and watchdog are
// parts of discards.
#include "show_print.h"

#include "show_values.h"

#include <errno.h>
#include <inttypes.h>

static const struct text_column interface_columns[] = {
	{"interface", TEXT_LEFT},   {"state", TEXT_LEFT},     {"rate", TEXT_RIGHT},
	{"mtu", TEXT_RIGHT},        {"peer", TEXT_LEFT},      {"vrf", TEXT_LEFT},
	{"rx-packets", TEXT_RIGHT}, {"rx-bytes", TEXT_RIGHT}, {"tx-packets", TEXT_RIGHT},
	{"tx-bytes", TEXT_RIGHT},   {"dropped", TEXT_RIGHT},
};

static const struct text_column queue_columns[] = {
	{"interface", TEXT_LEFT},       {"tc", TEXT_RIGHT},       {"tx-frames", TEXT_RIGHT},
	{"tx-bytes", TEXT_RIGHT},       {"depth", TEXT_RIGHT},    {"max", TEXT_RIGHT},
	{"max-persistent", TEXT_RIGHT}, {"discards", TEXT_RIGHT}, {"wred", TEXT_RIGHT},
	{"watchdog", TEXT_RIGHT},       {"trimmed", TEXT_RIGHT},  {"trim-sent", TEXT_RIGHT},
	{"ecn-marked", TEXT_RIGHT},     {"state", TEXT_LEFT},
};

static const struct text_column ingress_columns[] = {
	{"interface", TEXT_LEFT},
	{"pg", TEXT_RIGHT},
	{"rx-frames", TEXT_RIGHT},
	{"rx-bytes", TEXT_RIGHT},
	{"used", TEXT_RIGHT},
	{"max", TEXT_RIGHT},
	{"shared", TEXT_RIGHT},
	{"max", TEXT_RIGHT},
	{"headroom", TEXT_RIGHT},
	{"max", TEXT_RIGHT},
	{"rx-buffer-discards", TEXT_RIGHT},
	{"xoff", TEXT_RIGHT},
};

static const struct text_column egress_columns[] = {
	{"interface", TEXT_LEFT},
	{"tc", TEXT_RIGHT},
	{"tx-frames", TEXT_RIGHT},
	{"tx-bytes", TEXT_RIGHT},
	{"depth", TEXT_RIGHT},
	{"max", TEXT_RIGHT},
	{"tx-uc-buffer-discards", TEXT_RIGHT},
	{"wred-discards", TEXT_RIGHT},
	{"ecn-marked", TEXT_RIGHT},
	{"state", TEXT_LEFT},
};

static const struct text_column pause_columns[] = {
	{"interface", TEXT_LEFT},        {"switch-prio", TEXT_RIGHT},
	{"rx-pause-frames", TEXT_RIGHT}, {"rx-pause-duration/us", TEXT_RIGHT},
	{"tx-pause-frames", TEXT_RIGHT}, {"tx-pause-duration/us", TEXT_RIGHT},
};

static const struct text_column port_columns[] = {{"interface", TEXT_LEFT},
						  {"counter", TEXT_LEFT},
						  {"receive", TEXT_RIGHT},
						  {"transmit", TEXT_RIGHT}};

int
show_print_ports(const json_t *answer, const struct text_column *columns, unsigned int count,
		 show_port_rows_fn *add, bool all, const char *nothing, FILE *to)
{
	const char *node_name, *port_name;
	json_t *node, *port;
	struct text_table *t;
	int status = text_table_create(&t, columns, count);

	if (status != 0)
		return status;
	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
	{
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
		{
			char name[VALUE_NAME_MAX];

			snprintf(name, sizeof(name), "%s.%s", node_name, port_name);
			add(t, name, port, all);
		}
	}
	if (text_table_rows(t) == 0)
		fprintf(to, "%s\n", nothing);
	else
		status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}

int
show_print_each_port(const json_t *answer, show_print_fn *print, FILE *to)
{
	const char *node_name, *port_name;
	json_t *node, *port;
	unsigned int printed = 0;
	int status = 0;

	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
	{
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
		{
			char name[VALUE_NAME_MAX];

			snprintf(name, sizeof(name), "%s.%s", node_name, port_name);
			if (printed++ != 0)
				fputc('\n', to);
			status |= print(name, port, to);
		}
	}
	return status != 0 ? -ENOMEM : 0;
}

static void
add_interface(struct text_table *t, const char *name, const json_t *port, bool all)
{
	(void)all;
	text_table_cell(t, "%s", name);
	value_text(t, port, "state");
	value_rate(t, port, "rate_bps");
	value_count(t, port, "mtu");
	value_text(t, port, "peer");
	value_text(t, port, "vrf");
	value_count(t, port, "rx_packets");
	value_bytes(t, port, "rx_bytes");
	value_count(t, port, "tx_packets");
	value_bytes(t, port, "tx_bytes");
	text_table_cell(t, "%ju", (uintmax_t)value_sum(json_object_get(port, "drops")));
}

int
show_print_interface(const json_t *answer, FILE *to)
{
	return show_print_ports(answer, interface_columns, COUNT(interface_columns), add_interface,
				true, "no interface", to);
}

// ---- queues ----------------------------------------------------------------------------------

static void
add_state(struct text_table *t, const json_t *q)
{
	bool paused = json_is_true(json_object_get(q, "paused"));

	if (json_is_true(json_object_get(q, "watchdog")))
		text_table_cell(t, "%s", paused ? "paused, STORM" : "STORM");
	else
		text_table_cell(t, "%s", paused ? "paused" : "");
}

static bool
queue_idle(const json_t *q)
{
	return !json_is_true(json_object_get(q, "paused")) && value_get(q, "packets") == 0 &&
	       value_get(q, "depth") == 0 && value_get(q, "dropped") == 0 &&
	       value_get(q, "trimmed") == 0 && value_get(q, "watchdog_storms") == 0;
}

static void
add_queues(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *q;
	size_t i;

	json_array_foreach(json_object_get(port, "queue"), i, q)
	{
		if (!all && queue_idle(q))
			continue;
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		value_count(t, q, "packets");
		value_bytes(t, q, "bytes");
		value_bytes(t, q, "depth");
		value_bytes(t, q, "depth_max");
		value_bytes(t, q, "depth_max_persistent");
		value_count(t, q, "dropped");
		value_count(t, q, "red_dropped");
		value_count(t, q, "watchdog_dropped");
		value_count(t, q, "trimmed");
		value_count(t, q, "trim_sent");
		value_count(t, q, "ecn_marked");
		add_state(t, q);
	}
}

int
show_print_queue(const json_t *answer, FILE *to)
{
	return show_print_ports(answer, queue_columns, COUNT(queue_columns), add_queues, false,
				"no queue has carried anything", to);
}

// ---- counters qos ----------------------------------------------------------------------------

static void
add_ingress(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *g;
	size_t i;

	(void)all;
	json_array_foreach(json_object_get(port, "pg"), i, g)
	{
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		value_count(t, g, "packets");
		value_bytes(t, g, "bytes");
		value_bytes(t, g, "used");
		value_bytes(t, g, "used_max");
		value_bytes(t, g, "shared");
		value_bytes(t, g, "shared_max");
		value_bytes(t, g, "headroom");
		value_bytes(t, g, "headroom_max");
		value_count(t, g, "dropped");
		value_count(t, g, "xoff");
	}
}

static void
add_egress(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *q;
	size_t i;

	(void)all;
	json_array_foreach(json_object_get(port, "queue"), i, q)
	{
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		value_count(t, q, "packets");
		value_bytes(t, q, "bytes");
		value_bytes(t, q, "depth");
		value_bytes(t, q, "depth_max");
		value_count(t, q, "dropped");
		value_count(t, q, "red_dropped");
		value_count(t, q, "ecn_marked");
		add_state(t, q);
	}
}

static void
add_pauses(struct text_table *t, const char *name, const json_t *port, bool all)
{
	(void)all;
	for (size_t i = 0; i < 8; i++) {
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		text_table_cell(t, "%" PRIu64, value_at(port, "pfc_rx", i));
		value_us(t, value_at(port, "pfc_rx_pause_ns", i));
		text_table_cell(t, "%" PRIu64, value_at(port, "pfc_tx", i));
		value_us(t, value_at(port, "pfc_tx_pause_ns", i));
	}
}

// What is not of one priority.
static void
add_port(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *q;
	uint64_t marked = 0;
	size_t i;

	(void)all;
	json_array_foreach(json_object_get(port, "queue"), i, q)
		marked += value_get(q, "ecn_marked");
	text_table_cell(t, "%s", name);
	text_table_cell(t, "ecn-marked-packets");
	text_table_cell(t, "n/a");
	text_table_cell(t, "%" PRIu64, marked);
	text_table_cell(t, "%s", name);
	text_table_cell(t, "pause-frames");
	value_count(t, port, "pause_rx");
	value_count(t, port, "pause_tx");
	text_table_cell(t, "%s", name);
	text_table_cell(t, "pause-duration/us");
	value_us(t, value_get(port, "pause_rx_ns"));
	value_us(t, value_get(port, "pause_tx_ns"));
}

int
show_print_counters(const json_t *answer, FILE *to)
{
	int status;

	fputs("Ingress Buffer Statistics\n", to);
	status = show_print_ports(answer, ingress_columns, COUNT(ingress_columns), add_ingress,
				  true, "", to);
	fputs("\nEgress Queue Statistics\n", to);
	status |= show_print_ports(answer, egress_columns, COUNT(egress_columns), add_egress, true,
				   "", to);
	fputs("\nPFC Statistics\n", to);
	status |= show_print_ports(answer, pause_columns, COUNT(pause_columns), add_pauses, true,
				   "", to);
	fputs("\nQoS Port Statistics\n", to);
	status |=
		show_print_ports(answer, port_columns, COUNT(port_columns), add_port, true, "", to);
	return status != 0 ? -ENOMEM : 0;
}
