// SPDX-License-Identifier: BSD-3-Clause
// The tables of `qos roce`: maps, scheduling, pools, and the exception list, which is what differs
// from the preset.
#include "show_qos.h"

#include <inttypes.h>
#include <string.h>

#define PRIORITY_COUNT 8

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
	return show_number_at(settings, "dscp-to-sp", 48) == priority ? "cnp" : "";
}

// A bit for each place, up to 63, of an array that holds `value`.
static uint64_t
places(const json_t *of, uint64_t value)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < json_array_size(of) && i < 64; i++) {
		const json_t *one = json_array_get(of, i);

		if (json_is_integer(one) && (uint64_t)json_integer_value(one) == value)
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

static void
add_maps(struct text_table *t, const struct show_row *row)
{
	const json_t *settings = row->value;
	const json_t *pcp = json_object_get(settings, "pcp-to-sp");
	const json_t *dscp = json_object_get(settings, "dscp-to-sp");

	for (uint64_t i = 0; i < PRIORITY_COUNT; i++) {
		char text[SHOW_LIST_MAX], by[SHOW_MARK_MAX];

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%s", show_set(text, places(pcp, i)));
		text_table_cell(t, "%s", show_set(text, places(dscp, i)));
		text_table_cell(t, "%" PRIu64, i);
		show_mark_all(by, settings, "qos.dscp-to-priority.", places(dscp, i), "");
		show_mark_join(by, settings, "qos.pcp-to-priority.", places(pcp, i), "");
		text_table_cell(t, "%s", by);
	}
}

static const struct show_table maps = {
	.rows = "",
	.title = "  RoCE PCP/DSCP->SP mapping configurations\n",
	.columns = (const struct show_column[]){{"", .format = SHOW_TEXT},
						{"pcp", .format = SHOW_TEXT},
						{"dscp", .format = SHOW_TEXT},
						{"switch-prio", .format = SHOW_COUNT},
						{"set by", .format = SHOW_TEXT},
						{0}},
	.add = add_maps,
};

void
show_print_maps(const json_t *settings, FILE *to)
{
	show_print_table(&maps, settings, "\n", "  ", to);
}

static const json_t *
class_of(const json_t *settings, uint64_t tc)
{
	const json_t *classes = json_object_get(settings, "traffic-class");

	for (size_t i = 0; i < json_array_size(classes); i++)
		if (show_number(json_array_get(classes, i), "traffic-class") == tc)
			return json_array_get(classes, i);
	return NULL;
}

// What a line about a priority tells of its class.
static const char *const class_keys[] = {".scheduler", ".weight", ".min-rate", ".max-rate"};

static void
add_limit(struct text_table *t, const json_t *class, const char *key)
{
	char text[TEXT_VALUE_MAX];
	uint64_t limit = show_number(class, key);

	text_table_cell(t, "%s", limit != 0 ? text_rate(text, limit) : "-");
}

static void
add_schedule(struct text_table *t, const struct show_row *row)
{
	const json_t *settings = row->value;

	for (size_t i = 0; i < PRIORITY_COUNT; i++) {
		uint64_t tc = show_number_at(settings, "sp-to-tc", i) & 63;
		const json_t *class = class_of(settings, tc);
		char by[SHOW_MARK_MAX];

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%zu", i);
		text_table_cell(t, "%" PRIu64, show_number_at(settings, "sp-to-pg", i));
		text_table_cell(t, "%" PRIu64, tc);
		if (strcmp(show_string(class, "scheduler"), "strict") == 0)
			text_table_cell(t, "strict-priority");
		else
			text_table_cell(t, "DWRR-%.4g%%",
					json_number_value(json_object_get(class, "share")));
		add_limit(t, class, "min-rate-bps");
		add_limit(t, class, "max-rate-bps");
		show_mark_all(by, settings, "qos.priority-to-tc.", UINT64_C(1) << i, "");
		show_mark_join(by, settings, "qos.priority-to-pg.", UINT64_C(1) << i, "");
		for (size_t k = 0; k < sizeof(class_keys) / sizeof(*class_keys); k++)
			show_mark_join(by, settings, "qos.tc.", UINT64_C(1) << tc, class_keys[k]);
		text_table_cell(t, "%s", by);
	}
}

static const struct show_table schedule = {
	.rows = "",
	.title = "  RoCE SP->TC mapping and ETS configurations\n",
	.columns = (const struct show_column[]){{"", .format = SHOW_TEXT},
						{"switch-prio", .format = SHOW_COUNT},
						{"priority-group", .format = SHOW_COUNT},
						{"traffic-class", .format = SHOW_COUNT},
						{"scheduler-weight", .format = SHOW_TEXT},
						{"min-rate", .format = SHOW_RATE},
						{"max-rate", .format = SHOW_RATE},
						{"set by", .format = SHOW_TEXT},
						{0}},
	.add = add_schedule,
};

void
show_print_schedule(const json_t *settings, FILE *to)
{
	show_print_table(&schedule, settings, "\n", "  ", to);
}

// ---- pools and exceptions ----------------------------------------------------------------------

static void
add_pools(struct text_table *t, const struct show_row *row)
{
	const json_t *settings = row->value, *pools = json_object_get(settings, "pools");

	for (size_t i = 0; i < json_array_size(pools); i++) {
		const json_t *pool = json_array_get(pools, i);
		char text[SHOW_LIST_MAX], by[SHOW_MARK_MAX], key[96];
		struct show_row one = {.value = pool};

		snprintf(key, sizeof(key), "buffer.pools.%.40s.size", show_string(pool, "name"));
		show_cell(t, &one, "known-as", SHOW_TEXT);
		show_cell(t, &one, "name", SHOW_TEXT);
		show_cell(t, &one, "mode", SHOW_TEXT);
		text_table_cell(t, "%s",
				show_numbers(text, json_object_get(pool, "switch-priorities")));
		text_table_cell(t, "%s",
				show_numbers(text, json_object_get(pool, "traffic-class")));
		if (show_flag(pool, "unlimited"))
			text_table_cell(t, "inf");
		else
			show_cell(t, &one, "size", SHOW_BYTES);
		show_cell(t, &one, "used", SHOW_BYTES);
		show_cell(t, &one, "used_max", SHOW_BYTES);
		text_table_cell(t, "%s", show_mark(by, settings, key));
	}
}

static const struct show_table pools = {
	.rows = "",
	.title = "  RoCE pool config\n",
	.columns = (const struct show_column[]){{"name", .format = SHOW_TEXT},
						{"pool", .format = SHOW_TEXT},
						{"mode", .format = SHOW_TEXT},
						{"switch-prio", .format = SHOW_TEXT},
						{"tc", .format = SHOW_TEXT},
						{"size", .format = SHOW_BYTES},
						{"current-usage", .format = SHOW_BYTES},
						{"max-usage", .format = SHOW_BYTES},
						{"set by", .format = SHOW_TEXT},
						{0}},
	.add = add_pools,
};

void
show_print_pools(const json_t *settings, FILE *to)
{
	show_print_table(&pools, settings, "\n", "  ", to);
}

static void
add_exceptions(struct text_table *t, const struct show_row *row)
{
	unsigned int number = 0;
	const char *key;
	json_t *one;

	json_object_foreach(json_object_get(row->value, "exceptions"), key, one)
	{
		const char *preset = show_string(one, "preset"), *where = show_string(one, "where");

		text_table_cell(t, "%u", ++number);
		text_table_cell(t, "%s", key);
		text_table_cell(t, "%s", show_string(one, "value"));
		text_table_cell(t, "%s", *preset != '\0' ? preset : "-");
		text_table_cell(t, "%s", *where != '\0' ? where : "-");
	}
}

static const struct show_table exceptions = {
	.rows = "",
	.title = "  Exception List\n",
	.empty = "none",
	.columns = (const struct show_column[]){{"", .format = SHOW_COUNT},
						{"key", .format = SHOW_TEXT},
						{"value", .format = SHOW_TEXT},
						{"preset", .format = SHOW_TEXT},
						{"set at", .format = SHOW_TEXT},
						{0}},
	.add = add_exceptions,
};

void
show_print_exceptions(const json_t *settings, FILE *to)
{
	show_print_table(&exceptions, settings, "\n", "  ", to);
}
