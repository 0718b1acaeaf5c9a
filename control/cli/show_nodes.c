// SPDX-License-Identifier: BSD-3-Clause
// What belongs to nodes as a whole: drops by reason, pools, tenants, routes; and the fabric
// itself.
#include "show_print.h"

#include "control/report/text_table.h"
#include "show_values.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))

static const struct text_column pool_columns[] = {
	{"node", TEXT_LEFT},  {"pool", TEXT_LEFT}, {"size", TEXT_RIGHT},
	{"used", TEXT_RIGHT}, {"max", TEXT_RIGHT}, {"max/size", TEXT_RIGHT},
};

static const struct text_column tenant_columns[] = {
	{"node", TEXT_LEFT},        {"tenant", TEXT_LEFT},   {"packets", TEXT_RIGHT},
	{"bytes", TEXT_RIGHT},      {"used", TEXT_RIGHT},    {"max", TEXT_RIGHT},
	{"guaranteed", TEXT_RIGHT}, {"dropped", TEXT_RIGHT},
};

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
	{"node", TEXT_LEFT}, {"vrf", TEXT_LEFT},       {"prefix", TEXT_LEFT},
	{"mode", TEXT_LEFT}, {"next hops", TEXT_LEFT},
};

// One reason: how many, where, what to do.
static void
print_reason(const json_t *answer, const char *reason, const char *advice, FILE *to)
{
	const char *node_name, *port_name;
	json_t *node, *port;
	uint64_t total = 0;
	const char *separator = "";

	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
			total += value_get(json_object_get(port, "drops"), reason);
	fprintf(to, "%s  %ju packets, came in by ", reason, (uintmax_t)total);
	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
	{
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
		{
			uint64_t count = value_get(json_object_get(port, "drops"), reason);

			if (count == 0)
				continue;
			fprintf(to, "%s%s.%s (%ju)", separator, node_name, port_name,
				(uintmax_t)count);
			separator = ", ";
		}
	}
	fprintf(to, "\n    %s\n", advice);
}

int
show_print_drops(const json_t *answer, FILE *to)
{
	json_t *reasons = json_object_get(answer, "advice");
	const char *reason;
	json_t *advice;

	if (json_object_size(reasons) == 0)
		fputs("no packet has been dropped\n", to);
	json_object_foreach(reasons, reason, advice) print_reason(
		answer, reason, json_is_string(advice) ? json_string_value(advice) : "", to);
	return 0;
}

static void
add_pool(struct text_table *t, const char *node, const char *name, const json_t *pool)
{
	uint64_t size = value_get(pool, "size");
	bool unlimited = json_is_true(json_object_get(pool, "unlimited"));

	text_table_cell(t, "%s", node);
	text_table_cell(t, "%s", name);
	if (unlimited)
		text_table_cell(t, "unlimited");
	else
		value_bytes(t, pool, "size");
	value_bytes(t, pool, "used");
	value_bytes(t, pool, "used_max");
	if (unlimited || size == 0)
		text_table_cell(t, "-");
	else
		text_table_cell(t, "%.1f %%",
				100.0 * (double)value_get(pool, "used_max") / (double)size);
}

static void
add_tenant(struct text_table *t, const char *node, const char *name, const json_t *tenant)
{
	text_table_cell(t, "%s", node);
	text_table_cell(t, "%s", name);
	value_count(t, tenant, "packets");
	value_bytes(t, tenant, "bytes");
	value_bytes(t, tenant, "used");
	value_bytes(t, tenant, "used_max");
	value_bytes(t, tenant, "guaranteed");
	value_count(t, tenant, "dropped");
}

// A table of what every node has under `key`.
static int
print_members(const json_t *answer, const char *key, const struct text_column *columns,
	      unsigned int count,
	      void (*add)(struct text_table *t, const char *node, const char *name,
			  const json_t *member),
	      const char *before, FILE *to)
{
	const char *node_name, *name;
	json_t *node, *member;
	struct text_table *t;
	int status = text_table_create(&t, columns, count);

	if (status != 0)
		return status;
	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
		json_object_foreach(json_object_get(node, key), name, member)
			add(t, node_name, name, member);
	if (text_table_rows(t) != 0) {
		fputs(before, to);
		status = text_table_print(t, "", to);
	}
	text_table_destroy(t);
	return status;
}

int
show_print_pool(const json_t *answer, FILE *to)
{
	int status =
		print_members(answer, "pools", pool_columns, COUNT(pool_columns), add_pool, "", to);

	if (status == 0)
		status = print_members(answer, "tenants", tenant_columns, COUNT(tenant_columns),
				       add_tenant, "\n", to);
	return status;
}

// "swp5 spine1, swp6 spine2": a next hop is its port and who is behind it.
static void
append_hop(char *text, size_t size, const json_t *hop)
{
	const char *node = value_string(hop, "node");
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s %s", used != 0 ? ", " : "",
		 value_string(hop, "port"), *node != '\0' ? node : value_string(hop, "mac"));
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
		text_table_cell(t, "%s", node);
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%s", prefix);
		value_text(t, route, "mode");
		text_table_cell(t, "%s", *hops != '\0' ? hops : "none: dropped");
	}
}

int
show_print_route(const json_t *answer, FILE *to)
{
	return print_members(answer, "vrfs", route_columns, COUNT(route_columns), add_vrf, "", to);
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
