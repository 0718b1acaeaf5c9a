// SPDX-License-Identifier: BSD-3-Clause
// The fabric itself, and the routes of its switches.
#include "show_print.h"

#include "control/base/text_table.h"
#include "show_values.h"

#include <inttypes.h>
#include <string.h>

static const struct text_column node_columns[] = {
	{"node", TEXT_LEFT},     {"role", TEXT_LEFT},        {"ports", TEXT_RIGHT},
	{"up", TEXT_RIGHT},      {"rx-packets", TEXT_RIGHT}, {"tx-packets", TEXT_RIGHT},
	{"dropped", TEXT_RIGHT},
};

static const struct text_column link_columns[] = {
	{"link", TEXT_LEFT},   {"", TEXT_LEFT},      {"rate", TEXT_RIGHT},
	{"delay", TEXT_RIGHT}, {"state", TEXT_LEFT},
};

static const struct text_column worker_columns[] = {
	{"worker on cpu", TEXT_RIGHT}, {"nodes", TEXT_RIGHT}, {"lag", TEXT_RIGHT},
	{"max", TEXT_RIGHT},           {"slips", TEXT_RIGHT},
};

static const struct text_column route_columns[] = {
	{"node", TEXT_LEFT}, {"vrf", TEXT_LEFT},    {"prefix", TEXT_LEFT},
	{"mode", TEXT_LEFT}, {"source", TEXT_LEFT}, {"next hops", TEXT_LEFT},
};

// ---- routes -----------------------------------------------------------------------------------

// "swp5 spine1, swp6 spine2": a next hop is its port and who is behind it.
static void
append_hop(char *text, size_t size, const json_t *hop)
{
	const char *node = value_string(hop, "node");
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s %s", used != 0 ? ", " : "",
		 value_string(hop, "port"), *node != '\0' ? node : value_string(hop, "mac"));
}

// "; vxlan vni 5001 to 172.16.0.2" or "; vlan 101".
static void
append_encap(char *text, size_t size, const json_t *route)
{
	const json_t *encap = json_object_get(route, "encap");
	size_t used = strlen(text);

	if (json_object_get(encap, "vni") != NULL)
		snprintf(text + used, size - used, "; vxlan vni %" JSON_INTEGER_FORMAT " to %s",
			 json_integer_value(json_object_get(encap, "vni")),
			 value_string(encap, "to"));
	else if (json_object_get(encap, "vlan") != NULL)
		snprintf(text + used, size - used, "; vlan %" JSON_INTEGER_FORMAT,
			 json_integer_value(json_object_get(encap, "vlan")));
}

static void
add_vrf(struct text_table *t, const char *node, const char *name, const json_t *routes)
{
	const char *prefix;
	json_t *route;

	json_object_foreach((json_t *)(uintptr_t)routes, prefix, route)
	{
		char hops[4096] = "";
		const json_t *hop;
		size_t i;

		json_array_foreach(json_object_get(route, "via"), i, hop)
			append_hop(hops, sizeof(hops), hop);
		if (*hops != '\0')
			append_encap(hops, sizeof(hops), route);
		text_table_cell(t, "%s", node);
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%s", prefix);
		value_text(t, route, "mode");
		value_text(t, route, "source");
		text_table_cell(t, "%s",
				*hops != '\0' ? hops
				: json_is_true(json_object_get(route, "glean"))
					? "none yet: neighbours are asked for"
					: "none: dropped");
	}
}

int
show_print_route(const json_t *answer, FILE *to)
{
	return show_print_members(answer, "vrfs", route_columns, COUNT(route_columns), add_vrf, "",
				  "no route\n", to);
}

// ---- fabric ----------------------------------------------------------------------------------

static void
add_node(struct text_table *t, const char *name, const json_t *node)
{
	text_table_cell(t, "%s", name);
	value_text(t, node, "role");
	value_count(t, node, "ports");
	value_count(t, node, "ports_up");
	value_count(t, node, "rx_packets");
	value_count(t, node, "tx_packets");
	value_count(t, node, "dropped");
}

static void
add_link(struct text_table *t, const json_t *link)
{
	char text[TEXT_VALUE_MAX];

	value_text(t, link, "a");
	value_text(t, link, "b");
	value_rate(t, link, "rate_bps");
	text_table_cell(t, "%s", text_duration(text, value_get(link, "delay_ps")));
	value_text(t, link, "state");
}

static void
add_worker(struct text_table *t, const json_t *worker)
{
	value_count(t, worker, "cpu");
	value_count(t, worker, "nodes");
	value_duration(t, value_get(worker, "lag_ns"));
	value_duration(t, value_get(worker, "lag_max_ns"));
	value_count(t, worker, "slips");
}

// A table of an array's elements.
static int
print_elements(const json_t *elements, const struct text_column *columns, unsigned int count,
	       void (*add)(struct text_table *t, const json_t *element), FILE *to)
{
	const json_t *element;
	struct text_table *t;
	size_t i;
	int status = text_table_create(&t, columns, count);

	if (status != 0)
		return status;
	json_array_foreach(elements, i, element) add(t, element);
	if (text_table_rows(t) != 0) {
		fputc('\n', to);
		status = text_table_print(t, "", to);
	}
	text_table_destroy(t);
	return status;
}

static int
print_nodes(const json_t *nodes, FILE *to)
{
	const char *name;
	json_t *node;
	struct text_table *t;
	int status = text_table_create(&t, node_columns, COUNT(node_columns));

	if (status != 0)
		return status;
	json_object_foreach((json_t *)(uintptr_t)nodes, name, node) add_node(t, name, node);
	fputc('\n', to);
	status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}

int
show_print_fabric(const json_t *answer, FILE *to)
{
	char text[TEXT_VALUE_MAX];
	int status;

	fprintf(to, "fabric    %s, %s\n", value_string(answer, "name"),
		value_string(answer, "state"));
	fprintf(to, "file      %s\n", value_string(answer, "file"));
	fprintf(to, "time      %s of fabric time, dilation %ju, idle workers %s\n",
		text_duration(text, value_get(answer, "time_ns") * 1000),
		(uintmax_t)value_get(answer, "dilation"), value_string(answer, "idle"));
	status = print_elements(json_object_get(answer, "workers"), worker_columns,
				COUNT(worker_columns), add_worker, to);
	if (status == 0)
		status = print_nodes(json_object_get(answer, "nodes"), to);
	if (status == 0)
		status = print_elements(json_object_get(answer, "links"), link_columns,
					COUNT(link_columns), add_link, to);
	return status;
}
