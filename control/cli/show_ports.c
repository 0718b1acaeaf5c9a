// SPDX-License-Identifier: BSD-3-Clause
// Tables of ports: a row a port, or a row a priority group, queue or priority. Columns are named
// as operators know them: rx-pause-frames and its like from NVUE's `counters qos`, pg and tc from
// SONiC's watermarks; `max` is the peak of the column before it.
#include "show_print.h"

#include "control/report/text_table.h"
#include "show_values.h"

#include <inttypes.h>

#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))

static const struct text_column interface_columns[] = {
	{"interface", TEXT_LEFT},   {"state", TEXT_LEFT},     {"rate", TEXT_RIGHT},
	{"mtu", TEXT_RIGHT},        {"peer", TEXT_LEFT},      {"vrf", TEXT_LEFT},
	{"rx-packets", TEXT_RIGHT}, {"rx-bytes", TEXT_RIGHT}, {"tx-packets", TEXT_RIGHT},
	{"tx-bytes", TEXT_RIGHT},   {"dropped", TEXT_RIGHT},
};

static const struct text_column group_columns[] = {
	{"interface", TEXT_LEFT}, {"pg", TEXT_RIGHT},       {"rx-frames", TEXT_RIGHT},
	{"rx-bytes", TEXT_RIGHT}, {"used", TEXT_RIGHT},     {"max", TEXT_RIGHT},
	{"shared", TEXT_RIGHT},   {"max", TEXT_RIGHT},      {"headroom", TEXT_RIGHT},
	{"max", TEXT_RIGHT},      {"discards", TEXT_RIGHT}, {"xoff", TEXT_RIGHT},
};

static const struct text_column queue_columns[] = {
	{"interface", TEXT_LEFT}, {"tc", TEXT_RIGHT},         {"tx-frames", TEXT_RIGHT},
	{"tx-bytes", TEXT_RIGHT}, {"depth", TEXT_RIGHT},      {"max", TEXT_RIGHT},
	{"discards", TEXT_RIGHT}, {"ecn-marked", TEXT_RIGHT}, {"state", TEXT_LEFT},
};

static const struct text_column pfc_columns[] = {
	{"interface", TEXT_LEFT},        {"priority", TEXT_RIGHT},
	{"rx-pause-frames", TEXT_RIGHT}, {"rx-pause-duration", TEXT_RIGHT},
	{"tx-pause-frames", TEXT_RIGHT}, {"tx-pause-duration", TEXT_RIGHT},
};

// A port of an answer, and its rows of a table.
typedef void port_fn(struct text_table *t, const char *name, const json_t *port, bool all);

// Prints a table of all ports of an answer. `all`: rows too in which nothing has happened.
// `nothing`: what to say when no row came of it.
static int
print_ports(const json_t *answer, const struct text_column *columns, unsigned int count,
	    port_fn *add, bool all, const char *nothing, FILE *to)
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

static void
add_groups(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *groups = json_object_get(port, "pg");
	const json_t *g;
	size_t i;

	json_array_foreach(groups, i, g)
	{
		if (!all && value_get(g, "packets") == 0 && value_get(g, "xoff") == 0)
			continue;
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
add_queues(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const json_t *queues = json_object_get(port, "queue");
	const json_t *q;
	size_t i;

	json_array_foreach(queues, i, q)
	{
		bool paused = json_is_true(json_object_get(q, "paused"));

		if (!all && !paused && value_get(q, "packets") == 0 && value_get(q, "depth") == 0 &&
		    value_get(q, "dropped") == 0)
			continue;
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		value_count(t, q, "packets");
		value_bytes(t, q, "bytes");
		value_bytes(t, q, "depth");
		value_bytes(t, q, "depth_max");
		value_count(t, q, "dropped");
		value_count(t, q, "ecn_marked");
		text_table_cell(t, "%s", paused ? "paused" : "");
	}
}

static void
add_pauses(struct text_table *t, const char *name, const json_t *port, bool all)
{
	for (size_t i = 0; i < 8; i++) {
		uint64_t rx = value_at(port, "pfc_rx", i), tx = value_at(port, "pfc_tx", i);

		if (!all && rx == 0 && tx == 0)
			continue;
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%zu", i);
		text_table_cell(t, "%ju", (uintmax_t)rx);
		value_duration(t, value_at(port, "pfc_rx_pause_ns", i));
		text_table_cell(t, "%ju", (uintmax_t)tx);
		value_duration(t, value_at(port, "pfc_tx_pause_ns", i));
	}
}

int
show_print_interface(const json_t *answer, FILE *to)
{
	return print_ports(answer, interface_columns, COUNT(interface_columns), add_interface, true,
			   "no interface", to);
}

int
show_print_pfc(const json_t *answer, FILE *to)
{
	return print_ports(answer, pfc_columns, COUNT(pfc_columns), add_pauses, false,
			   "no PFC frame has been sent or received", to);
}

int
show_print_queue(const json_t *answer, FILE *to)
{
	return print_ports(answer, queue_columns, COUNT(queue_columns), add_queues, false,
			   "no queue has carried anything", to);
}

int
show_print_qos(const json_t *answer, FILE *to)
{
	int status =
		print_ports(answer, group_columns, COUNT(group_columns), add_groups, true, "", to);

	fputc('\n', to);
	if (status == 0)
		status = print_ports(answer, queue_columns, COUNT(queue_columns), add_queues, true,
				     "", to);
	fputc('\n', to);
	if (status == 0)
		status = print_ports(answer, pfc_columns, COUNT(pfc_columns), add_pauses, true, "",
				     to);
	return status;
}
