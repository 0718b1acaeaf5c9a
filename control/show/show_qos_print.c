// SPDX-License-Identifier: BSD-3-Clause
// `qos roce` of switches and ports, laid out as NVUE does: settings, then maps, scheduling, pools
// and the exception list, which is what differs from the preset. Each line says where its value
// comes from.
#include "show_qos.h"

#include <inttypes.h>
#include <string.h>

// ---- where a value comes from ------------------------------------------------------------------

bool
show_is_overridden(const json_t *value)
{
	return strcmp(show_string(value, "origin"), "overridden") == 0;
}

void
show_origin_cell(struct text_table *t, const json_t *value)
{
	const char *where = show_string(value, "where");

	text_table_cell(t, "%s", show_string(value, "origin"));
	if (show_is_overridden(value) && *where != '\0')
		text_table_append(t, " (%s)", where);
}

const json_t *
show_setting(const json_t *settings, const char *key)
{
	return json_object_get(json_object_get(settings, "values"), key);
}

static unsigned int
strength(const json_t *value)
{
	if (show_is_overridden(value))
		return 3;
	return strcmp(show_string(value, "origin"), "preset") == 0 ? 2 : value != NULL;
}

const json_t *
show_strongest(const json_t *settings, const json_t *best, const char *keys, uint64_t bits)
{
	int length = (int)strcspn(keys, "*");

	for (; bits != 0; bits &= bits - 1) {
		const json_t *one;
		char key[96];

		snprintf(key, sizeof(key), "%.*s%d%s", length, keys, __builtin_ctzll(bits),
			 keys + length + 1);
		one = show_setting(settings, key);
		if (strength(one) > strength(best))
			best = one;
	}
	return best;
}

// ---- settings ----------------------------------------------------------------------------------

struct line;

typedef void add_line_fn(struct text_table *t, const json_t *settings, const struct line *line);

struct line {
	const char *name;
	const char *path; // of the value in the settings; NULL: a heading
	enum show_format format;
	const char *key;  // where the value comes from, in "values"
	const char *keys; // or the strongest of these and `others`, of all classes or groups
	const char *others;
	add_line_fn *add; // instead
};

static const json_t *
classes_of(const json_t *settings)
{
	return json_object_get(json_object_get(settings, "congestion-control"), "tc");
}

// The classes' values of a threshold: one where all have the same, else each with its class.
static void
add_threshold(struct text_table *t, const json_t *settings, const struct line *line)
{
	const json_t *classes = classes_of(settings), *one;
	const char *key = line->path;
	uint64_t bits = 0;
	bool same = true;
	size_t i;

	if (json_array_size(classes) == 0)
		return;
	json_array_foreach(classes, i, one)
		same &= json_equal(json_object_get(one, key),
				   json_object_get(json_array_get(classes, 0), key)) != 0;
	text_table_cell(t, "%s", line->name);
	text_table_cell(t, "%s", "");
	json_array_foreach(classes, i, one)
	{
		uint64_t tc = show_number(one, "traffic-class");
		char value[TEXT_VALUE_MAX];

		if (tc < 64)
			bits |= UINT64_C(1) << tc;
		if (same && i != 0)
			continue;
		if (line->format == SHOW_BYTES)
			text_bytes(value, show_number(one, key));
		else
			snprintf(value, sizeof(value), "%g",
				 json_number_value(json_object_get(one, key)));
		text_table_append(t, "%s%s", i != 0 ? ", " : "", value);
		if (!same)
			text_table_append(t, " (tc %ju)", (uintmax_t)tc);
	}
	show_origin_cell(t, show_strongest(settings, NULL, line->keys, bits));
}

// Cables in metres: "5 m, 40 m".
static void
add_cables(struct text_table *t, const json_t *settings, const struct line *line)
{
	const json_t *one;
	size_t i;

	text_table_cell(t, "%s", line->name);
	text_table_cell(t, "%s", "");
	json_array_foreach(json_object_get(json_object_get(settings, "pfc"), "cable-length"), i,
			   one)
		text_table_append(t, "%s%g m", i != 0 ? ", " : "", json_number_value(one));
	text_table_cell(t, "links");
}

static void
add_trust(struct text_table *t, const json_t *settings, const struct line *line)
{
	const json_t *modes = json_object_get(json_object_get(settings, "trust"), "trust-mode");
	const json_t *one;
	size_t i;

	text_table_cell(t, "%s", line->name);
	text_table_cell(t, "%s", json_array_size(modes) == 0 ? "port" : "");
	json_array_foreach(modes, i, one)
		text_table_append(t, "%s%s", i != 0 ? "," : "", show_text(one));
	show_origin_cell(t, show_setting(settings, line->key));
}

// A preset or mode, which has its origin beside it.
static void
add_choice(struct text_table *t, const json_t *settings, const struct line *line)
{
	text_table_cell(t, "%s", line->name);
	text_table_cell(t, "%s", show_string(settings, line->name));
	text_table_cell(t, "%s", show_string(settings, line->path));
}

// A port has no rate of its own mostly.
static void
add_rate(struct text_table *t, const json_t *settings, const struct line *line)
{
	const struct show_row row = {.value = settings};

	if (show_number(settings, line->path) == 0)
		return;
	text_table_cell(t, "%s", line->name);
	show_cell(t, &row, line->path, SHOW_RATE);
	show_origin_cell(t, show_setting(settings, line->key));
}

// clang-format off
static const struct line lines[] = {
	{"enable", "enable", SHOW_ON},
	{"preset", "preset-where", .add = add_choice},
	{"mode", "mode-where", .add = add_choice},
	{"congestion-control"},
	{"  congestion-mode", "congestion-control/congestion-mode", SHOW_TEXT,
	 .keys = "qos.tc.*.ecn", .others = "qos.tc.*.red"},
	{"  enabled-tc", "congestion-control/enabled-tc", SHOW_SET, .keys = "qos.tc.*.ecn"},
	{"  max-threshold", "max-threshold", SHOW_BYTES, .keys = "qos.tc.*.ecn.max",
	 .add = add_threshold},
	{"  min-threshold", "min-threshold", SHOW_BYTES, .keys = "qos.tc.*.ecn.min",
	 .add = add_threshold},
	{"  probability", "probability", .keys = "qos.tc.*.ecn.probability", .add = add_threshold},
	{"pfc"},
	{"  flow-control", "pfc/flow-control", SHOW_TEXT, "qos.flow-control"},
	{"  pfc-priority", "pfc/pfc-priority", SHOW_SET, "qos.pfc.priorities"},
	{"  rx-enabled", "pfc/rx-enabled", SHOW_YES, "qos.flow-control"},
	{"  tx-enabled", "pfc/tx-enabled", SHOW_YES, "qos.flow-control",
	 .keys = "qos.pg.*.lossless"},
	{"  cable-length", .add = add_cables},
	{"trust"},
	{"  trust-mode", .key = "qos.trust", .add = add_trust},
	{"  port-default-sp", "trust/port-default-sp", SHOW_COUNT, "qos.port-priority"},
	{"port-max-rate", "port-max-rate-bps", .key = "qos.port.max-rate", .add = add_rate},
};
// clang-format on

static void
add_line(struct text_table *t, const struct show_row *row, const struct line *line)
{
	const json_t *origin = line->key != NULL ? show_setting(row->value, line->key) : NULL;

	if (line->keys != NULL)
		origin = show_strongest(row->value, origin, line->keys, 0xff);
	if (line->others != NULL)
		origin = show_strongest(row->value, origin, line->others, 0xff);
	text_table_cell(t, "%s", line->name);
	if (line->path != NULL)
		show_cell(t, row, line->path, line->format);
	else
		text_table_cell(t, "%s", "");
	show_origin_cell(t, origin);
}

static void
add_lines(struct text_table *t, const struct show_row *row)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (lines[i].add != NULL)
			lines[i].add(t, row->value, &lines[i]);
		else
			add_line(t, row, &lines[i]);
}

// ---- pools and exceptions ----------------------------------------------------------------------

static void
pool_size_cell(struct text_table *t, const struct show_row *row)
{
	if (show_flag(row->value, "unlimited"))
		text_table_cell(t, "inf");
	else
		show_cell(t, row, "size", SHOW_BYTES);
}

static void
pool_origin_cell(struct text_table *t, const struct show_row *row)
{
	char key[96];

	snprintf(key, sizeof(key), "buffer.pools.%.40s.size", show_string(row->value, "name"));
	show_origin_cell(t, show_setting(row->of, key));
}

static void
number_cell(struct text_table *t, const struct show_row *row)
{
	(void)row;
	text_table_cell(t, "%u", text_table_rows(t) + 1);
}

// ---- the tables --------------------------------------------------------------------------------

static const struct show_column setting_columns[] = {{""}, {"operational"}, {"set by"}, {0}};

static const struct show_column map_columns[] = {
	{""}, {"pcp"}, {"dscp"}, {"switch-prio", .format = SHOW_COUNT}, {"set by"}, {0},
};

static const struct show_column schedule_columns[] = {
	{""},
	{"switch-prio", .format = SHOW_COUNT},
	{"priority-group", .format = SHOW_COUNT},
	{"traffic-class", .format = SHOW_COUNT},
	{"scheduler-weight"},
	{"min-rate", .format = SHOW_RATE},
	{"max-rate", .format = SHOW_RATE},
	{"set by"},
	{0},
};

static const struct show_column pool_columns[] = {
	{"name", "known-as", SHOW_TEXT},
	{"pool", "name", SHOW_TEXT},
	{"mode", .format = SHOW_TEXT},
	{"switch-prio", "switch-priorities", SHOW_SET},
	{"tc", "traffic-class", SHOW_SET},
	{"size", .format = SHOW_BYTES, .cell = pool_size_cell},
	{"current-usage", "used"},
	{"max-usage", "used_max"},
	{"set by", .cell = pool_origin_cell},
	{0},
};

static const struct show_column exception_columns[] = {
	{"", .format = SHOW_COUNT, .cell = number_cell},
	{"key", "1", SHOW_NAME},
	{"value", .format = SHOW_TEXT},
	{"preset", .format = SHOW_FILLED},
	{"set at", "where", SHOW_FILLED},
	{0},
};

const struct show_table show_qos_tables[] = {
	{"", .columns = setting_columns, .add = add_lines},
	{"", .title = "  RoCE PCP/DSCP->SP mapping configurations\n", .columns = map_columns,
	 .add = show_add_maps},
	{"", .title = "  RoCE SP->TC mapping and ETS configurations\n", .columns = schedule_columns,
	 .add = show_add_schedule},
	{"pools/*", COUNTER_OF_POOL, "  RoCE pool config\n", .columns = pool_columns},
	{"exceptions/*", .title = "  Exception List\n", .columns = exception_columns,
	 .empty = "none"},
	{0},
};
