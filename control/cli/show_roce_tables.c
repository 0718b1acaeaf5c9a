// SPDX-License-Identifier: BSD-3-Clause
// The tables of `qos roce`: maps, scheduling, pools, and the exception list, which is what differs
// from the preset.
#include "show_roce.h"

#include "show_print.h"
#include "show_values.h"

#include <inttypes.h>
#include <string.h>

static const struct text_column map_columns[] = {{"", TEXT_LEFT},
						 {"pcp", TEXT_LEFT},
						 {"dscp", TEXT_LEFT},
						 {"switch-prio", TEXT_RIGHT},
						 {"set by", TEXT_LEFT}};

static const struct text_column schedule_columns[] = {{"", TEXT_LEFT},
						      {"switch-prio", TEXT_RIGHT},
						      {"priority-group", TEXT_RIGHT},
						      {"traffic-class", TEXT_RIGHT},
						      {"scheduler-weight", TEXT_LEFT},
						      {"min-rate", TEXT_RIGHT},
						      {"max-rate", TEXT_RIGHT},
						      {"set by", TEXT_LEFT}};

static const struct text_column pool_columns[] = {
	{"name", TEXT_LEFT},           {"pool", TEXT_LEFT},       {"mode", TEXT_LEFT},
	{"switch-prio", TEXT_LEFT},    {"tc", TEXT_LEFT},         {"size", TEXT_RIGHT},
	{"current-usage", TEXT_RIGHT}, {"max-usage", TEXT_RIGHT}, {"set by", TEXT_LEFT}};

static const struct text_column exception_columns[] = {{"", TEXT_RIGHT},
						       {"key", TEXT_LEFT},
						       {"value", TEXT_LEFT},
						       {"preset", TEXT_LEFT},
						       {"set at", TEXT_LEFT}};

// ---- maps and scheduling ---------------------------------------------------------------------

// What a priority is to RoCE: PFC's, or the one of CNPs (DSCP 48).
static const char *
role_of(const json_t *settings, uint64_t priority)
{
	const json_t *pfc = json_object_get(json_object_get(settings, "pfc"), "pfc-priority");
	const json_t *one;
	bool any = false;
	size_t i;

	json_array_foreach(pfc, i, one)
	{
		any = true;
		if ((uint64_t)json_integer_value(one) == priority)
			return "roce";
	}
	if (!any && priority == 3)
		return "roce";
	return value_at(settings, "dscp-to-sp", 48) == priority ? "cnp" : "";
}

int
show_roce_maps(const json_t *settings, FILE *to)
{
	const json_t *pcp = json_object_get(settings, "pcp-to-sp");
	const json_t *dscp = json_object_get(settings, "dscp-to-sp");
	struct text_table *t;
	int status = text_table_create(&t, map_columns, COUNT(map_columns));

	if (status != 0)
		return status;
	for (uint64_t i = 0; i < 8; i++) {
		char text[VALUE_LIST_MAX], by[SHOW_MARK_MAX];

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%s", value_set(text, value_places(pcp, i)));
		text_table_cell(t, "%s", value_set(text, value_places(dscp, i)));
		text_table_cell(t, "%" PRIu64, i);
		show_mark_all(by, settings, "qos.dscp-to-priority.", value_places(dscp, i), "");
		show_mark_join(by, settings, "qos.pcp-to-priority.", value_places(pcp, i), "");
		text_table_cell(t, "%s", by);
	}
	fputs("\n  RoCE PCP/DSCP->SP mapping configurations\n", to);
	status = text_table_print(t, "  ", to);
	text_table_destroy(t);
	return status;
}

static const json_t *
class_of(const json_t *settings, uint64_t tc)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(settings, "traffic-class"), i,
			   one) if (value_get(one, "traffic-class") == tc) return one;
	return NULL;
}

// What a line about a priority tells of its class.
static const char *const class_keys[] = {".scheduler", ".weight", ".min-rate", ".max-rate"};

static void
add_limit(struct text_table *t, const json_t *class, const char *key)
{
	char text[TEXT_VALUE_MAX];
	uint64_t limit = value_get(class, key);

	text_table_cell(t, "%s", limit != 0 ? text_rate(text, limit) : "-");
}

int
show_roce_schedule(const json_t *settings, FILE *to)
{
	struct text_table *t;
	int status = text_table_create(&t, schedule_columns, COUNT(schedule_columns));

	if (status != 0)
		return status;
	for (size_t i = 0; i < 8; i++) {
		uint64_t tc = value_at(settings, "sp-to-tc", i) & 63;
		const json_t *class = class_of(settings, tc);
		char by[SHOW_MARK_MAX];

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%zu", i);
		text_table_cell(t, "%" PRIu64, value_at(settings, "sp-to-pg", i));
		text_table_cell(t, "%" PRIu64, tc);
		if (strcmp(value_string(class, "scheduler"), "strict") == 0)
			text_table_cell(t, "strict-priority");
		else
			text_table_cell(t, "DWRR-%.4g%%",
					json_number_value(json_object_get(class, "share")));
		add_limit(t, class, "min-rate-bps");
		add_limit(t, class, "max-rate-bps");
		show_mark_all(by, settings, "qos.priority-to-tc.", UINT64_C(1) << i, "");
		show_mark_join(by, settings, "qos.priority-to-pg.", UINT64_C(1) << i, "");
		for (size_t k = 0; k < COUNT(class_keys); k++)
			show_mark_join(by, settings, "qos.tc.", UINT64_C(1) << tc, class_keys[k]);
		text_table_cell(t, "%s", by);
	}
	fputs("\n  RoCE SP->TC mapping and ETS configurations\n", to);
	status = text_table_print(t, "  ", to);
	text_table_destroy(t);
	return status;
}

// ---- pools and exceptions --------------------------------------------------------------------

int
show_roce_pools(const json_t *settings, FILE *to)
{
	const json_t *pool;
	struct text_table *t;
	int status = text_table_create(&t, pool_columns, COUNT(pool_columns));
	size_t i;

	if (status != 0)
		return status;
	json_array_foreach(json_object_get(settings, "pools"), i, pool)
	{
		char text[VALUE_LIST_MAX], by[SHOW_MARK_MAX], key[96];

		snprintf(key, sizeof(key), "buffer.pools.%.40s.size", value_string(pool, "name"));
		value_text(t, pool, "known-as");
		value_text(t, pool, "name");
		value_text(t, pool, "mode");
		text_table_cell(t, "%s",
				value_numbers(text, json_object_get(pool, "switch-priorities")));
		text_table_cell(t, "%s",
				value_numbers(text, json_object_get(pool, "traffic-class")));
		if (json_is_true(json_object_get(pool, "unlimited")))
			text_table_cell(t, "inf");
		else
			value_bytes(t, pool, "size");
		value_bytes(t, pool, "used");
		value_bytes(t, pool, "used_max");
		text_table_cell(t, "%s", show_mark(by, settings, key));
	}
	fputs("\n  RoCE pool config\n", to);
	status = text_table_print(t, "  ", to);
	text_table_destroy(t);
	return status;
}

int
show_roce_exceptions(const json_t *settings, FILE *to)
{
	const char *key;
	json_t *one;
	unsigned int number = 0;
	struct text_table *t;
	int status = text_table_create(&t, exception_columns, COUNT(exception_columns));

	if (status != 0)
		return status;
	json_object_foreach(json_object_get(settings, "exceptions"), key, one)
	{
		const char *preset = value_string(one, "preset"),
			   *where = value_string(one, "where");

		text_table_cell(t, "%u", ++number);
		text_table_cell(t, "%s", key);
		value_text(t, one, "value");
		text_table_cell(t, "%s", *preset != '\0' ? preset : "-");
		text_table_cell(t, "%s", *where != '\0' ? where : "-");
	}
	fputs("\n  Exception List\n", to);
	if (number != 0)
		status = text_table_print(t, "  ", to);
	else
		fputs("  none\n", to);
	text_table_destroy(t);
	return status;
}
