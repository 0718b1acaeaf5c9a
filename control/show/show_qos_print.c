// SPDX-License-Identifier: BSD-3-Clause
// `qos roce` of switches and ports, laid out as NVUE does: settings, then maps, scheduling, pools
// and the exception list (show_qos_tables.c), each line marked with where it comes from.
#include "show_qos.h"

#include <inttypes.h>
#include <string.h>

// ---- where a value comes from ----------------------------------------------------------------

const char *
show_mark_value(char text[static SHOW_MARK_MAX], const json_t *value)
{
	const char *where = show_string(value, "where");

	if (strcmp(show_string(value, "origin"), "overridden") == 0 && *where != '\0')
		snprintf(text, SHOW_MARK_MAX, "overridden (%.20s)", where);
	else
		snprintf(text, SHOW_MARK_MAX, "%.20s", show_string(value, "origin"));
	return text;
}

const char *
show_mark(char text[static SHOW_MARK_MAX], const json_t *settings, const char *key)
{
	return show_mark_value(text, json_object_get(json_object_get(settings, "values"), key));
}

bool
show_mark_overridden(const char *mark)
{
	return strncmp(mark, "overridden", 10) == 0;
}

static unsigned int
mark_rank(const char *mark)
{
	if (show_mark_overridden(mark))
		return 3;
	return strcmp(mark, "preset") == 0 ? 2 : *mark != '\0';
}

void
show_mark_join(char text[static SHOW_MARK_MAX], const json_t *settings, const char *prefix,
	       uint64_t bits, const char *suffix)
{
	for (; bits != 0; bits &= bits - 1) {
		char key[96], one[SHOW_MARK_MAX];

		snprintf(key, sizeof(key), "%s%d%s", prefix, __builtin_ctzll(bits), suffix);
		if (mark_rank(show_mark(one, settings, key)) > mark_rank(text))
			strcpy(text, one);
	}
}

const char *
show_mark_all(char text[static SHOW_MARK_MAX], const json_t *settings, const char *prefix,
	      uint64_t bits, const char *suffix)
{
	*text = '\0';
	show_mark_join(text, settings, prefix, bits, suffix);
	return text;
}

// ---- settings --------------------------------------------------------------------------------

static void
add_line(struct text_table *t, const char *name, const char *value, const char *by)
{
	text_table_cell(t, "%s", name);
	text_table_cell(t, "%s", value);
	text_table_cell(t, "%s", by);
}

static const char *
yes_no(const json_t *of, const char *key)
{
	return show_flag(of, key) ? "yes" : "no";
}

// The classes' values of a threshold: one where all have the same, else each with its class.
static void
add_threshold(struct text_table *t, const json_t *settings, const char *name, const char *key,
	      bool bytes)
{
	const json_t *classes =
		json_object_get(json_object_get(settings, "congestion-control"), "tc");
	char text[SHOW_LIST_MAX] = "", by[SHOW_MARK_MAX], line[32];
	uint64_t bits = 0;
	bool same = true;
	const json_t *one;
	size_t i;

	json_array_foreach(classes, i, one)
		same &= json_equal(json_object_get(one, name),
				   json_object_get(json_array_get(classes, 0), name)) != 0;
	json_array_foreach(classes, i, one)
	{
		uint64_t tc = show_number(one, "traffic-class");
		size_t used = strlen(text);
		char value[TEXT_VALUE_MAX];

		if (tc < 64)
			bits |= UINT64_C(1) << tc;
		if (same && i != 0)
			continue;
		if (bytes)
			text_bytes(value, show_number(one, name));
		else
			snprintf(value, sizeof(value), "%g",
				 json_number_value(json_object_get(one, name)));
		snprintf(text + used, sizeof(text) - used, "%s%s", used != 0 ? ", " : "", value);
		used = strlen(text);
		if (!same)
			snprintf(text + used, sizeof(text) - used, " (tc %" PRIu64 ")", tc);
	}
	snprintf(line, sizeof(line), "  %s", name);
	if (*text != '\0')
		add_line(t, line, text, show_mark_all(by, settings, "qos.tc.", bits, key));
}

static void
add_congestion(struct text_table *t, const json_t *settings)
{
	const json_t *c = json_object_get(settings, "congestion-control");
	char text[SHOW_LIST_MAX], by[SHOW_MARK_MAX];

	add_line(t, "congestion-control", "", "");
	show_mark_all(by, settings, "qos.tc.", 0xff, ".ecn");
	show_mark_join(by, settings, "qos.tc.", 0xff, ".red");
	add_line(t, "  congestion-mode", show_string(c, "congestion-mode"), by);
	add_line(t, "  enabled-tc", show_numbers(text, json_object_get(c, "enabled-tc")),
		 show_mark_all(by, settings, "qos.tc.", 0xff, ".ecn"));
	add_threshold(t, settings, "max-threshold", ".ecn.max", true);
	add_threshold(t, settings, "min-threshold", ".ecn.min", true);
	add_threshold(t, settings, "probability", ".ecn.probability", false);
}

// Cables in metres: "5 m, 40 m".
static const char *
cable_text(char text[static SHOW_LIST_MAX], const json_t *lengths)
{
	const json_t *one;
	size_t i;

	strcpy(text, "");
	json_array_foreach(lengths, i, one)
	{
		size_t used = strlen(text);

		snprintf(text + used, SHOW_LIST_MAX - used, "%s%g m", used != 0 ? ", " : "",
			 json_number_value(one));
	}
	return text;
}

static void
add_pfc(struct text_table *t, const json_t *settings)
{
	const json_t *pfc = json_object_get(settings, "pfc");
	char text[SHOW_LIST_MAX], by[SHOW_MARK_MAX], all[SHOW_MARK_MAX];

	show_mark(by, settings, "qos.flow-control");
	add_line(t, "pfc", "", "");
	add_line(t, "  flow-control", show_string(pfc, "flow-control"), by);
	add_line(t, "  pfc-priority", show_numbers(text, json_object_get(pfc, "pfc-priority")),
		 show_mark(all, settings, "qos.pfc.priorities"));
	add_line(t, "  rx-enabled", yes_no(pfc, "rx-enabled"), by);
	show_mark_join(by, settings, "qos.pg.", 0xff, ".lossless");
	add_line(t, "  tx-enabled", yes_no(pfc, "tx-enabled"), by);
	add_line(t, "  cable-length", cable_text(text, json_object_get(pfc, "cable-length")),
		 "links");
}

static void
add_trust(struct text_table *t, const json_t *settings)
{
	const json_t *trust = json_object_get(settings, "trust");
	char text[SHOW_LIST_MAX] = "", by[SHOW_MARK_MAX];
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(trust, "trust-mode"), i, one)
	{
		size_t used = strlen(text);
		const char *mode = json_string_value(one);

		snprintf(text + used, sizeof(text) - used, "%s%s", used != 0 ? "," : "",
			 mode != NULL ? mode : "");
	}
	add_line(t, "trust", "", "");
	add_line(t, "  trust-mode", *text != '\0' ? text : "port",
		 show_mark(by, settings, "qos.trust"));
	snprintf(text, sizeof(text), "%" PRIu64, show_number(trust, "port-default-sp"));
	add_line(t, "  port-default-sp", text, show_mark(by, settings, "qos.port-priority"));
}

static void
add_settings(struct text_table *t, const struct show_row *row)
{
	const json_t *settings = row->value;
	char rate[TEXT_VALUE_MAX], by[SHOW_MARK_MAX];
	uint64_t port_rate = show_number(settings, "port-max-rate-bps");

	add_line(t, "enable", show_flag(settings, "enable") ? "on" : "off", "");
	add_line(t, "preset", show_string(settings, "preset"),
		 show_string(settings, "preset-where"));
	add_line(t, "mode", show_string(settings, "mode"), show_string(settings, "mode-where"));
	add_congestion(t, settings);
	add_pfc(t, settings);
	add_trust(t, settings);
	if (port_rate != 0)
		add_line(t, "port-max-rate", text_rate(rate, port_rate),
			 show_mark(by, settings, "qos.port.max-rate"));
}

static const struct show_table table = {
	.rows = "",
	.columns = (const struct show_column[]){{"", .format = SHOW_TEXT},
						{"operational", .format = SHOW_TEXT},
						{"set by", .format = SHOW_TEXT},
						{0}},
	.add = add_settings,
};

void
show_print_qos(const char *name, const json_t *settings, FILE *to)
{
	fprintf(to, "%s\n", name);
	show_print_table(&table, settings, "", "  ", to);
	show_print_maps(settings, to);
	show_print_schedule(settings, to);
	show_print_pools(settings, to);
	show_print_exceptions(settings, to);
}
