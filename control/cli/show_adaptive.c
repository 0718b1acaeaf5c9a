// SPDX-License-Identifier: BSD-3-Clause
// How switches choose paths.
#include "show_print.h"

#include "show_values.h"

#include <inttypes.h>
#include <string.h>

static const struct text_column columns[] = {
	{"group", TEXT_RIGHT}, {"mode", TEXT_LEFT},    {"port", TEXT_LEFT},
	{"peer", TEXT_LEFT},   {"weight", TEXT_RIGHT}, {"grade", TEXT_RIGHT},
	{"state", TEXT_LEFT},  {"used", TEXT_RIGHT},   {"tx-packets", TEXT_RIGHT},
};

// The worst grade of any class.
static uint64_t
worst_grade(const json_t *member)
{
	const json_t *grade;
	uint64_t worst = 0;
	size_t i;

	json_array_foreach(json_object_get(member, "grade"), i, grade)
	{
		uint64_t value = (uint64_t)json_integer_value(grade);

		worst = value > worst ? value : worst;
	}
	return worst;
}

static void
append(char *text, size_t size, const char *word, const char *classes)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%s%s", used != 0 ? ", " : "", word,
		 *classes != '\0' ? " " : "", classes);
}

static void
add_state(struct text_table *t, const json_t *member)
{
	const json_t *held = json_object_get(member, "held"),
		     *noticed = json_object_get(member, "noticed");
	char state[200] = "", list[VALUE_LIST_MAX];

	if (!json_is_true(json_object_get(member, "up")))
		append(state, sizeof(state), "down", "");
	else if (json_array_size(held) != 0)
		append(state, sizeof(state), "held", value_numbers(list, held));
	if (json_is_true(json_object_get(member, "degraded")))
		append(state, sizeof(state), "degraded", "");
	if (json_is_true(json_object_get(member, "busy")))
		append(state, sizeof(state), "busy", "");
	if (json_array_size(noticed) != 0)
		append(state, sizeof(state), "noticed", value_numbers(list, noticed));
	text_table_cell(t, "%s", *state != '\0' ? state : "open");
}

static void
add_member(struct text_table *t, const char *number, const json_t *group, const json_t *member)
{
	const json_t *used = json_object_get(member, "utilisation");

	text_table_cell(t, "%s", number);
	text_table_cell(t, "%s%s", value_string(group, "mode"),
			json_is_true(json_object_get(group, "pinned")) ? ", pinned" : "");
	value_text(t, member, "port");
	value_text(t, member, "peer");
	value_count(t, member, "weight");
	text_table_cell(t, "%" PRIu64, worst_grade(member));
	add_state(t, member);
	if (json_is_number(used))
		text_table_cell(t, "%.0f %%", json_number_value(used));
	else
		text_table_cell(t, "-");
	value_count(t, member, "tx_packets");
}

static int
print_switch(const char *name, const json_t *node, FILE *to)
{
	const char *number;
	json_t *group, *member;
	struct text_table *t;
	size_t i;
	int status = text_table_create(&t, columns, COUNT(columns));

	if (status != 0)
		return status;
	fprintf(to, "%s: %ju flowlets open, %ju begun; %ju notices sent, %ju received; %ju pins\n",
		name, (uintmax_t)value_get(node, "flowlets"),
		(uintmax_t)value_get(node, "flowlets_begun"),
		(uintmax_t)value_get(node, "notices_tx"), (uintmax_t)value_get(node, "notices_rx"),
		(uintmax_t)value_get(node, "pins"));
	json_object_foreach(json_object_get(node, "groups"), number, group)
		json_array_foreach(json_object_get(group, "members"), i, member)
			add_member(t, number, group, member);
	if (text_table_rows(t) != 0)
		status = text_table_print(t, "  ", to);
	else
		fputs("  no choice of next hops\n", to);
	text_table_destroy(t);
	return status;
}

int
show_print_adaptive(const json_t *answer, FILE *to)
{
	return show_print_each_node(answer, print_switch, to);
}
