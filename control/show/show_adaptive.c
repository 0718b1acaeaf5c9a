// SPDX-License-Identifier: BSD-3-Clause
// How switches choose paths: each group of next hops that has several, its members as a choice sees
// them now, the flowlets that go on, and congestion notices sent and believed.
#include "control/fabric/counters.h"
#include "show_view.h"

#include "dataplane/stages/spray_fit.h"
#include "dataplane/stages/path_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
is_listed(const struct tables *t, const struct next_hop_group *group, uint32_t slot)
{
	for (uint32_t i = group->first; i < slot; i++)
		if (t->next_hops[i].port == t->next_hops[slot].port)
			return true;
	return false;
}

static uint32_t
count_slots(const struct tables *t, const struct next_hop_group *group, uint16_t port)
{
	uint32_t count = 0;

	for (uint32_t i = group->first; i < group->first + group->count; i++)
		count += t->next_hops[i].port == port;
	return count;
}

// The share of its link that a port uses, in percent, or null where it is not measured.
static json_t *
utilisation(const struct report_node *n, const struct port *p, ps_t now)
{
	uint64_t level = paths_utilisation(n->node, p, now);

	if (n->node->paths.utilisation == NULL || p->profile->byte_time == 0)
		return json_null();
	return json_real((double)time_of_bytes(p->profile->byte_time, level) * 100 /
			 (double)UTILISATION_WINDOW);
}

// "grade": for each traffic class the grade with all penalties, or null where the class is held.
static json_t *
member_json(const struct report_node *n, const struct next_hop_group *group, uint32_t slot,
	    ps_t now)
{
	const struct node *node = n->node;
	const struct next_hop *hop = &node->current->next_hops[slot];
	const struct port *p = &node->ports[hop->port];
	bool degraded = node->port_penalty[hop->port] & PATH_DEGRADED;
	bool busy = p->profile->busy_bytes != 0 &&
		    paths_utilisation(node, p, now) > p->profile->busy_bytes;
	unsigned int held = node->held[hop->port], congested = 0;
	json_t *grades = json_array();

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		enum spray_notice noticed = spray_noticed(node, hop, tc, now);
		uint32_t load = spray_load(node, hop, tc);

		if (noticed == SPRAY_NOTICE_HELD)
			held |= 1u << tc;
		if (noticed == SPRAY_NOTICE_CONGESTED)
			congested |= 1u << tc;
		json_array_append_new(
			grades, load & SPRAY_HELD || noticed == SPRAY_NOTICE_HELD
					? json_null()
					: json_integer(spray_grade(node->current, load) + degraded +
						       busy + (congested >> tc & 1)));
	}
	return json_pack("{s:s,s:i,s:b,s:b,s:b,s:o,s:o,s:o,s:o,s:I,s:s?}", "port",
			 n->ports[hop->port].name, "weight",
			 (int)count_slots(node->current, group, hop->port), "up", p->up, "degraded",
			 degraded, "busy", busy, "grade", grades, "held", show_bit_list(held),
			 "noticed", show_bit_list(congested), "utilisation", utilisation(n, p, now),
			 "tx_packets", (json_int_t)p->tx_packets, "peer", n->ports[hop->port].peer);
}

static json_t *
group_json(const struct report_node *n, const struct next_hop_group *group, ps_t now)
{
	json_t *members = json_array();

	for (uint32_t i = group->first; i < group->first + group->count; i++)
		if (!is_listed(n->node->current, group, i))
			json_array_append_new(members, member_json(n, group, i, now));
	return json_pack("{s:s,s:b,s:o}", "mode", config_routing_mode_name(group->mode), "pinned",
			 group->pinned, "members", members);
}

// Whether an earlier group has the same next hops: they differ only in the encapsulation.
static bool
is_shared(const struct tables *t, uint32_t group)
{
	for (uint32_t i = 0; i < group; i++)
		if (t->groups[i].first == t->groups[group].first &&
		    t->groups[i].count == t->groups[group].count)
			return true;
	return false;
}

// Groups with one member make no choice. Of groups with the same next hops the first is listed.
static json_t *
groups_json(const struct report_node *n, ps_t now)
{
	const struct tables *t = n->node->current;
	json_t *out = json_object();

	for (uint32_t i = 0; t != NULL && i < t->group_count; i++) {
		char name[16];

		if (t->groups[i].count < 2 || is_shared(t, i))
			continue;
		snprintf(name, sizeof(name), "%u", i);
		json_object_set_new(out, name, group_json(n, &t->groups[i], now));
	}
	return out;
}

// {"groups": {NUMBER: {"mode", "pinned", "members": [...]}}, "pins", ...}.
static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	const struct node *node = n->node;
	uint64_t sent = 0, received = 0;

	if (node->role == NODE_NIC)
		return NULL;
	for (unsigned int i = 0; i < node->port_count; i++) {
		sent += node->ports[i].notices_tx;
		received += node->ports[i].notices_rx;
	}
	return json_pack("{s:o,s:I,s:I,s:I,s:I,s:I}", "groups", groups_json(n, s->now), "pins",
			 (json_int_t)(node->current != NULL && node->current->pins != NULL
					      ? node->current->pins->count
					      : 0),
			 "flowlets", (json_int_t)paths_flowlets_open(node, s->now),
			 "flowlets_begun", (json_int_t)node->paths.flowlets_begun, "notices_tx",
			 (json_int_t)sent, "notices_rx", (json_int_t)received);
}

// ---- printing ----------------------------------------------------------------------------------

// The worst grade of any class.
static void
grade_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *grades = json_object_get(row->value, "grade");
	json_int_t worst = 0;

	for (size_t i = 0; i < json_array_size(grades); i++) {
		json_int_t value = json_integer_value(json_array_get(grades, i));

		worst = value > worst ? value : worst;
	}
	text_table_cell(t, "%" JSON_INTEGER_FORMAT, worst);
}

// Adds a word, and the classes that it concerns, to a list in the last cell.
static void
append_state(struct text_table *t, const char **between, const char *word, const json_t *classes)
{
	text_table_append(t, "%s%s", *between, word);
	*between = ", ";
	if (classes == NULL)
		return;
	text_table_append(t, " ");
	show_append_set(t, show_bits(classes));
}

static void
state_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *held = json_object_get(row->value, "held");
	const json_t *noticed = json_object_get(row->value, "noticed");
	const char *between = "";

	text_table_cell(t, "%s", "");
	if (!show_flag(row->value, "up"))
		append_state(t, &between, "down", NULL);
	else if (json_array_size(held) != 0)
		append_state(t, &between, "held", held);
	if (show_flag(row->value, "degraded"))
		append_state(t, &between, "degraded", NULL);
	if (show_flag(row->value, "busy"))
		append_state(t, &between, "busy", NULL);
	if (json_array_size(noticed) != 0)
		append_state(t, &between, "noticed", noticed);
	if (*between == '\0')
		text_table_append(t, "open");
}

static void
mode_cell(struct text_table *t, const struct show_row *row)
{
	text_table_cell(t, "%s%s", show_string(row->members[0], "mode"),
			show_flag(row->members[0], "pinned") ? ", pinned" : "");
}

static void
used_cell(struct text_table *t, const struct show_row *row)
{
	const json_t *used = json_object_get(row->value, "utilisation");

	if (json_is_number(used))
		text_table_cell(t, "%.0f %%", json_number_value(used));
	else
		text_table_cell(t, "-");
}

static const struct show_column columns[] = {
	{"group", "1", SHOW_INDEX},       {"mode", .cell = mode_cell},
	{"port", .format = SHOW_TEXT},    {"peer", .format = SHOW_TEXT},
	{"weight", .format = SHOW_COUNT}, {"grade", .format = SHOW_COUNT, .cell = grade_cell},
	{"state", .cell = state_cell},    {"used", .format = SHOW_COUNT, .cell = used_cell},
	{"tx-packets", "tx_packets"},     {0},
};

static const struct show_table tables[] = {
	{"groups/*/members/*", COUNTER_OF_PORT, .columns = columns,
	 .empty = "no choice of next hops"},
	{0},
};

static void
print_heading(const char *name, const json_t *node, FILE *to)
{
	fprintf(to, "%s: %ju flowlets open, %ju begun; %ju notices sent, %ju received; %ju pins\n",
		name, (uintmax_t)show_number(node, "flowlets"),
		(uintmax_t)show_number(node, "flowlets_begun"),
		(uintmax_t)show_number(node, "notices_tx"),
		(uintmax_t)show_number(node, "notices_rx"), (uintmax_t)show_number(node, "pins"));
}

const struct show_view show_adaptive = {
	.name = "adaptive",
	.arguments = "[NODE]",
	.help = "how switches choose among next hops now",
	.of = "switch",
	.node = node_json,
	.heading = print_heading,
	.tables = tables,
};
