// SPDX-License-Identifier: BSD-3-Clause
// What belongs to nodes as a whole: drops by reason, pools, tenants, histograms. `max` is the peak
// since the watermarks were last cleared, `max-persistent` since the persistent ones were.
#include "show_print.h"

#include "control/base/text_table.h"
#include "show_values.h"

#include <errno.h>
#include <inttypes.h>

static const struct text_column pool_columns[] = {
	{"node", TEXT_LEFT},
	{"pool", TEXT_LEFT},
	{"size", TEXT_RIGHT},
	{"used", TEXT_RIGHT},
	{"max", TEXT_RIGHT},
	{"max/size", TEXT_RIGHT},
	{"max-persistent", TEXT_RIGHT},
};

static const struct text_column tenant_columns[] = {
	{"node", TEXT_LEFT},        {"tenant", TEXT_LEFT},
	{"packets", TEXT_RIGHT},    {"bytes", TEXT_RIGHT},
	{"used", TEXT_RIGHT},       {"max", TEXT_RIGHT},
	{"guaranteed", TEXT_RIGHT}, {"guaranteed-used", TEXT_RIGHT},
	{"dropped", TEXT_RIGHT},    {"max-persistent", TEXT_RIGHT},
};

static const struct text_column share_columns[] = {
	{"node", TEXT_LEFT},   {"tenant", TEXT_LEFT},      {"pool", TEXT_LEFT},
	{"used", TEXT_RIGHT},  {"guaranteed", TEXT_RIGHT}, {"guaranteed-used", TEXT_RIGHT},
	{"share", TEXT_RIGHT},
};

static const struct text_column bin_columns[] = {
	{"bin", TEXT_RIGHT}, {"range", TEXT_RIGHT}, {"count", TEXT_RIGHT}, {"share", TEXT_RIGHT}};

int
show_print_each_node(const json_t *answer, show_print_fn *print, FILE *to)
{
	const char *name;
	json_t *node;
	unsigned int printed = 0;
	int status = 0;

	json_object_foreach(json_object_get(answer, "nodes"), name, node)
	{
		if (printed++ != 0)
			fputc('\n', to);
		status |= print(name, node, to);
	}
	return status != 0 ? -ENOMEM : 0;
}

int
show_print_members(const json_t *answer, const char *key, const struct text_column *columns,
		   unsigned int count, show_member_fn *add, const char *before, const char *nothing,
		   FILE *to)
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
	} else {
		fputs(nothing, to);
	}
	text_table_destroy(t);
	return status;
}

// ---- drops -----------------------------------------------------------------------------------

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

// ---- pools and tenants -----------------------------------------------------------------------

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
	value_bytes(t, pool, "used_max_persistent");
}

int
show_print_pool(const json_t *answer, FILE *to)
{
	return show_print_members(answer, "pools", pool_columns, COUNT(pool_columns), add_pool, "",
				  "no pool\n", to);
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
	value_bytes(t, tenant, "guaranteed_used");
	value_count(t, tenant, "dropped");
	value_bytes(t, tenant, "used_max_persistent");
}

// A row a pool in which the tenant has a part.
static void
add_shares(struct text_table *t, const char *node, const char *name, const json_t *tenant)
{
	const char *pool_name;
	json_t *pool;

	json_object_foreach(json_object_get(tenant, "pools"), pool_name, pool)
	{
		bool limited = json_is_integer(json_object_get(pool, "share"));

		if (!limited && value_get(pool, "used") == 0 && value_get(pool, "guaranteed") == 0)
			continue;
		text_table_cell(t, "%s", node);
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%s", pool_name);
		value_bytes(t, pool, "used");
		value_bytes(t, pool, "guaranteed");
		value_bytes(t, pool, "guaranteed_used");
		if (limited)
			value_bytes(t, pool, "share");
		else
			text_table_cell(t, "-");
	}
}

int
show_print_tenant(const json_t *answer, FILE *to)
{
	int status = show_print_members(answer, "tenants", tenant_columns, COUNT(tenant_columns),
					add_tenant, "", "no tenant is known here\n", to);

	if (status == 0)
		status = show_print_members(answer, "tenants", share_columns, COUNT(share_columns),
					    add_shares, "\n", "", to);
	return status;
}

// ---- histograms ------------------------------------------------------------------------------

static void
add_bin(struct text_table *t, const json_t *h, size_t bin, size_t bins, uint64_t total)
{
	uint64_t from = value_at(h, "edges", bin), count = value_at(h, "bins", bin);

	text_table_cell(t, "%zu", bin);
	if (bin + 1 == bins)
		text_table_cell(t, "%" PRIu64 ":*", from);
	else
		text_table_cell(t, "%" PRIu64 ":%" PRIu64, from, value_at(h, "edges", bin + 1) - 1);
	text_table_cell(t, "%" PRIu64, count);
	text_table_cell(t, "%.1f %%", total != 0 ? 100.0 * (double)count / (double)total : 0.0);
}

static int
print_histogram(const char *node, const json_t *h, FILE *to)
{
	const char *kind = value_string(h, "kind");
	size_t bins = json_array_size(json_object_get(h, "bins"));
	struct text_table *t;
	uint64_t total = 0;
	int status = text_table_create(&t, bin_columns, COUNT(bin_columns));

	if (status != 0)
		return status;
	for (size_t i = 0; i < bins; i++)
		total += value_at(h, "bins", i);
	for (size_t i = 0; i < bins; i++)
		add_bin(t, h, i, bins, total);
	fprintf(to, "%s.%s %s, %s\n", node, value_string(h, "where"), kind,
		*kind == 'l' ? "ns" : "bytes");
	status = text_table_print(t, "  ", to);
	text_table_destroy(t);
	return status;
}

int
show_print_histogram(const json_t *answer, FILE *to)
{
	const char *node_name;
	json_t *node, *histogram;
	unsigned int printed = 0;
	int status = 0;
	size_t i;

	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
	{
		json_array_foreach(json_object_get(node, "histograms"), i, histogram)
		{
			if (printed++ != 0)
				fputc('\n', to);
			status |= print_histogram(node_name, histogram, to);
		}
	}
	if (printed == 0)
		fputs("no histogram is configured\n", to);
	return status;
}
