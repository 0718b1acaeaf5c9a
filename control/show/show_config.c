// SPDX-License-Identifier: BSD-3-Clause
// Every key of a switch with its value and where that came from, in the order of a file.
// Members of a map that follow each other with the same value and mark are printed as one row:
// "qos.dscp-to-priority.24-31". Of groups and classes that nothing maps to only what was written is
// printed.
#include "show_qos.h"

#include "settings.h"

#include <ctype.h>
#include <string.h>

// {"values": {KEY: ...}, "preset", "mode", ...}.
static json_t *
switch_json(const struct show_state *s, const struct report_node *n)
{
	const struct show_switch *w = show_find_switch(s, n);
	json_t *out;

	if (w == NULL)
		return NULL;
	out = json_pack("{s:o}", "values", settings_list(w->settings, w->marks, w->preset));
	show_add_preset(out, w);
	return out;
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_node(s, q, switch_json, to);
}

// ---- printing ----------------------------------------------------------------------------------

// Rows of one map that are alike: NAME.FIRST to NAME.LAST.
struct range {
	char name[96];
	unsigned int first, last;
	const json_t *one; // NULL: none has begun
};

static void
add_row(struct text_table *t, const char *key, const json_t *one)
{
	char by[SHOW_MARK_MAX];
	const char *preset = show_string(one, "preset");

	show_mark_value(by, one);
	text_table_cell(t, "%s", key);
	text_table_cell(t, "%s", show_string(one, "value"));
	text_table_cell(t, "%s", show_mark_overridden(by) && *preset != '\0' ? preset : "-");
	text_table_cell(t, "%s", by);
}

static void
end_range(struct text_table *t, struct range *r)
{
	char key[128];

	if (r->one == NULL)
		return;
	if (r->first == r->last)
		snprintf(key, sizeof(key), "%s.%u", r->name, r->first);
	else
		snprintf(key, sizeof(key), "%s.%u-%u", r->name, r->first, r->last);
	add_row(t, key, r->one);
	r->one = NULL;
}

// What `one` and `other` show is the same.
static bool
alike(const json_t *one, const json_t *other)
{
	char by[SHOW_MARK_MAX], other_by[SHOW_MARK_MAX];

	return json_equal(json_object_get(one, "value"), json_object_get(other, "value")) &&
	       strcmp(show_mark_value(by, one), show_mark_value(other_by, other)) == 0 &&
	       (!show_mark_overridden(by) ||
		json_equal(json_object_get(one, "preset"), json_object_get(other, "preset")));
}

// "qos.tc.4.weight" where nothing maps to class 4 and nobody wrote it.
static bool
is_idle(const json_t *values, const char *key, const json_t *one)
{
	static const struct {
		const char *prefix, *map;
	} kinds[] = {{"qos.pg.", "qos.priority-to-pg"}, {"qos.tc.", "qos.priority-to-tc"}};

	if (strcmp(show_string(one, "origin"), "overridden") == 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t length = strlen(kinds[i].prefix);

		if (strncmp(key, kinds[i].prefix, length) != 0)
			continue;
		for (unsigned int k = 0; k < 8; k++) {
			char from[64];

			snprintf(from, sizeof(from), "%s.%u", kinds[i].map, k);
			if (*show_string(json_object_get(values, from), "value") == key[length])
				return false;
		}
		// What trimming cuts goes to a class that nothing else may map to.
		return strcmp(kinds[i].prefix, "qos.tc.") != 0 ||
		       *show_string(json_object_get(values, "qos.trim.tc"), "value") != key[length];
	}
	return false;
}

static void
add_key(struct text_table *t, struct range *r, const char *key, const json_t *one)
{
	const char *last = strrchr(key, '.');
	unsigned int number;
	int length = 0;

	if (last == NULL || !isdigit((unsigned char)last[1]) ||
	    sscanf(last + 1, "%3u%n", &number, &length) != 1 || last[1 + length] != '\0' ||
	    (size_t)(last - key) >= sizeof(r->name)) {
		end_range(t, r);
		add_row(t, key, one);
		return;
	}
	if (r->one != NULL && strlen(r->name) == (size_t)(last - key) &&
	    strncmp(r->name, key, (size_t)(last - key)) == 0 && number == r->last + 1 &&
	    alike(r->one, one)) {
		r->last = number;
		return;
	}
	end_range(t, r);
	snprintf(r->name, sizeof(r->name), "%.*s", (int)(last - key), key);
	r->first = r->last = number;
	r->one = one;
}

// "preset sonic (live)".
static void
print_choice(const json_t *node, const char *key, FILE *to)
{
	char where_key[32];
	const char *where;

	snprintf(where_key, sizeof(where_key), "%s-where", key);
	where = show_string(node, where_key);
	fprintf(to, "%s %s", key, show_string(node, key));
	if (*where != '\0')
		fprintf(to, " (%s)", where);
}

static void
add_keys(struct text_table *t, const struct show_row *row)
{
	json_t *values = (json_t *)(uintptr_t)row->value;
	struct range range = {.one = NULL};
	const char *key;
	json_t *one;

	json_object_foreach(values, key, one)
	{
		if (!is_idle(values, key, one))
			add_key(t, &range, key, one);
	}
	end_range(t, &range);
}

static const struct show_table table = {
	.rows = "values",
	.columns = (const struct show_column[]){{"key", .format = SHOW_TEXT},
						{"value", .format = SHOW_TEXT},
						{"preset", .format = SHOW_TEXT},
						{"set by", .format = SHOW_TEXT},
						{0}},
	.add = add_keys,
};

static void
print_node(const char *name, const json_t *node, FILE *to)
{
	fprintf(to, "%s, ", name);
	print_choice(node, "preset", to);
	fputs(", ", to);
	print_choice(node, "mode", to);
	fputc('\n', to);
	show_print_table(&table, node, "", "  ", to);
}

static void
print(const json_t *answer, FILE *to)
{
	show_print_each(answer, false, print_node, to);
}

const struct show_view show_config = {
	.name = "config",
	.arguments = "[NODE]",
	.help = "every setting of switches, and where its value comes from",
	.of = "switch",
	.needs = SHOW_NEEDS_SETTINGS,
	.collect = collect,
	.print = print,
};
