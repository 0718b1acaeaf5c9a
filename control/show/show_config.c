// SPDX-License-Identifier: BSD-3-Clause
// Every key of a switch with its value and where that came from, in the order of a file.
// Consecutive members of a map with the same value and origin are one row,
// "qos.dscp-to-priority.24-31". Groups and classes that nothing maps to are left out except for
// their overridden keys. Then what is attached: "attach.h1.netns".
#include "show_qos.h"

#include "settings.h"

#include <ctype.h>
#include <string.h>

// {"values": {KEY: ...}, "preset", "mode", ...}.
static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	const struct show_switch *w = show_find_switch(s, n);
	json_t *out;

	if (w == NULL)
		return NULL;
	out = json_pack("{s:o}", "values",
			settings_list(&w->settings, &w->marks, w->revision, &w->preset));
	show_add_preset(out, w);
	return out;
}

// ---- printing ----------------------------------------------------------------------------------

// Consecutive members of a map that print the same: NAME.FIRST to NAME.LAST.
struct range {
	const char *key; // of the first
	int name;        // length of NAME in it
	unsigned int first, last;
	const json_t *one; // NULL: none has begun
};

// The cells behind the key.
static void
add_value(struct text_table *t, const json_t *one)
{
	const char *preset = show_string(one, "preset");

	text_table_cell(t, "%s", show_string(one, "value"));
	text_table_cell(t, "%s", show_is_overridden(one) && *preset != '\0' ? preset : "-");
	show_origin_cell(t, one);
}

static void
end_range(struct text_table *t, struct range *r)
{
	if (r->one == NULL)
		return;
	text_table_cell(t, "%.*s.%u", r->name, r->key, r->first);
	if (r->first != r->last)
		text_table_append(t, "-%u", r->last);
	add_value(t, r->one);
	r->one = NULL;
}

// Whether two values print the same.
static bool
alike(const json_t *one, const json_t *other)
{
	static const char *const keys[] = {"value", "origin", "preset", "where"};
	size_t shown = show_is_overridden(one) ? 4 : 2;

	for (size_t i = 0; i < shown; i++)
		if (strcmp(show_string(one, keys[i]), show_string(other, keys[i])) != 0)
			return false;
	return true;
}

// "qos.tc.4.weight" is idle if nothing maps to class 4 and the key is not overridden.
static bool
is_idle(const json_t *values, const char *key, const json_t *one)
{
	static const struct {
		const char *prefix, *map;
	} kinds[] = {{"qos.pg.", "qos.priority-to-pg"}, {"qos.tc.", "qos.priority-to-tc"}};

	if (show_is_overridden(one))
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
		// Trimmed packets go to a class that nothing else may map to.
		return strcmp(kinds[i].prefix, "qos.tc.") != 0 ||
		       *show_string(json_object_get(values, "qos.trim.tc"), "value") != key[length];
	}
	return false;
}

static void
add_key(struct text_table *t, struct range *r, const char *key, const json_t *one)
{
	const char *last = strrchr(key, '.');
	int name = last != NULL ? (int)(last - key) : 0, length = 0;
	unsigned int number;

	if (last == NULL || !isdigit((unsigned char)last[1]) ||
	    sscanf(last + 1, "%3u%n", &number, &length) != 1 || last[1 + length] != '\0') {
		end_range(t, r);
		text_table_cell(t, "%s", key);
		add_value(t, one);
		return;
	}
	if (r->one != NULL && r->name == name && strncmp(r->key, key, (size_t)name) == 0 &&
	    number == r->last + 1 && alike(r->one, one)) {
		r->last = number;
		return;
	}
	end_range(t, r);
	*r = (struct range){.key = key, .name = name, .first = number, .last = number, .one = one};
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

static const struct show_column columns[] = {{"key"}, {"value"}, {"preset"}, {"set by"}, {0}};

static const struct show_table tables[] = {
	{"values", .columns = columns, .add = add_keys},
	{0},
};

// "preset sonic (live)".
static void
print_choice(const json_t *node, const char *key, const char *where_key, FILE *to)
{
	const char *where = show_string(node, where_key);

	fprintf(to, ", %s %s", key, show_string(node, key));
	if (*where != '\0')
		fprintf(to, " (%s)", where);
}

static void
print_heading(const char *name, const json_t *node, FILE *to)
{
	fputs(name, to);
	print_choice(node, "preset", "preset-where", to);
	print_choice(node, "mode", "mode-where", to);
	fputc('\n', to);
}

// ---- what is attached ---------------------------------------------------------------------------

static const struct show_view switches = {
	.node = node_json, .heading = print_heading, .tables = tables};

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = show_each_node(&switches, s, q, to);
	json_t *hosts = show_child(to, "attach"), *entry;
	const char *host;

	json_object_foreach(s->attach, host, entry)
	{
		size_t length = strcspn(host, "."); // of "h1.eth2"

		if (q->port != NULL && strcmp(q->port, host) != 0 &&
		    (strncmp(q->port, host, length) != 0 || q->port[length] != '\0'))
			continue;
		json_object_set(hosts, host, entry);
		found = true;
	}
	return found;
}

static void
attach_cell(struct text_table *t, const struct show_row *row)
{
	text_table_cell(t, "%s.%s", row->names[0], row->names[1]);
}

static const struct show_column attach_columns[] = {
	{"key", .format = SHOW_TEXT, .cell = attach_cell},
	{"value", .format = SHOW_TEXT},
	{"set by", "where", SHOW_TEXT},
	{0},
};

static const struct show_table attached = {"attach/*/*", .title = "attach\n",
					   .columns = attach_columns};

static void
print(const json_t *answer, FILE *to)
{
	bool has_switches = json_object_size(json_object_get(answer, "nodes")) != 0;

	show_print_view(&switches, answer, to);
	show_print_table(&attached, answer, has_switches ? "\n" : "", "  ", to);
}

const struct show_view show_config = {
	.name = "config",
	.arguments = "[NODE]",
	.help = "every setting of switches, what is attached, and where each value comes from",
	.of = "switch or attached host",
	.needs = SHOW_NEEDS_SETTINGS,
	.collect = collect,
	.node = node_json,
	.print = print,
};
