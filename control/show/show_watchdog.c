// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog: its settings in force (those that most ports have, and the ports that have
// others), the queues that it watches, which are those of classes that a received pause can hold,
// and its log. What it calls STORM is Cumulus's DEADLOCK (its deadlock-count is `storms`) and
// SONiC's "stormed".
#include "control/fabric/counters.h"
#include "show_view.h"

#define LOG_ROWS 20

extern const struct show_view show_watchdog;

static const char *const actions[] = {
	[WATCHDOG_DROP] = "drop",
	[WATCHDOG_FORWARD] = "forward",
	[WATCHDOG_ALERT] = "alert",
};

// The watchdog watches it, or has found storms there.
static bool
queue_watched(const struct report_node *n, unsigned int port, unsigned int tc)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *profile = report_profile(n, port);

	if (profile == NULL)
		return false;
	if (port_watchdog(&n->node->ports[port], tc)->storms != 0)
		return true;
	return profile->watchdog.on &&
	       (profile->link_pause || (profile->obeyed & t->tc_priorities[tc]) != 0);
}

// No pause comes at the very start: 0 is none.
static json_t *
queue_json(const struct port *p, unsigned int tc)
{
	const struct watchdog_queue *w = port_watchdog(p, tc);
	const ps_t last_xoff = p->queue_cold[tc].last_xoff;

	return json_pack("{s:s,s:b,s:I,s:I,s:I,s:I}", "status", w->storm ? "STORM" : "OK",
			 "watchdog", w->storm, "watchdog_storms", (json_int_t)w->storms,
			 "watchdog_dropped", (json_int_t)w->dropped, "stuck_since_ns",
			 counters_instant(w->stuck_since), "last_xoff_ns",
			 last_xoff != 0 ? counters_instant(last_xoff) : -1);
}

static bool
same_settings(const struct watchdog_profile *a, const struct watchdog_profile *b)
{
	return a->on == b->on && a->detect == b->detect && a->restore == b->restore &&
	       a->action == b->action && a->flush == b->flush && a->ingress == b->ingress;
}

// The settings that most ports have.
static const struct watchdog_profile *
common_settings(const struct tables *t)
{
	static const struct watchdog_profile off;
	const struct watchdog_profile *common = &off;
	unsigned int most = 0;

	for (uint16_t p = 0; p < t->port_count; p++) {
		const struct watchdog_profile *one = &t->ports[p].profile->watchdog;
		unsigned int count = 0;

		for (uint16_t k = p; k < t->port_count; k++)
			count += same_settings(one, &t->ports[k].profile->watchdog);
		if (count > most)
			common = one;
		most = count > most ? count : most;
	}
	return common;
}

static json_t *
settings_json(const struct tables *t, const struct watchdog_profile *w)
{
	return json_pack("{s:b,s:I,s:I,s:I,s:s,s:b,s:b}", "enabled", w->on, "poll_ns",
			 (json_int_t)(w->on ? t->watchdog_poll / PS_PER_NS : 0), "detect_ns",
			 (json_int_t)(w->detect / PS_PER_NS), "restore_ns",
			 (json_int_t)(w->restore / PS_PER_NS), "action", actions[w->action],
			 "flush", w->flush, "ingress", w->ingress);
}

// {"queue": {TC: ...}} with the queues that are watched, and "watchdog" if the port has settings of
// its own.
static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct tables *t = report_tables(n);
	json_t *queues = json_object(), *out;

	(void)s;
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		char name[4];

		if (!queue_watched(n, port, tc))
			continue;
		snprintf(name, sizeof(name), "%u", tc);
		json_object_set_new(queues, name, queue_json(&n->node->ports[port], tc));
	}
	out = json_pack("{s:o}", "queue", queues);
	if (profile != NULL && !same_settings(&profile->watchdog, common_settings(t)))
		json_object_set_new(out, "watchdog", settings_json(t, &profile->watchdog));
	return out;
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = show_each_port(&show_watchdog, s, q, to);
	json_t *nodes = json_object_get(to, "nodes");

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct tables *t = report_tables(&s->nodes[i]);
		json_t *node = json_object_get(nodes, s->nodes[i].name);

		if (node != NULL && t != NULL)
			json_object_set_new(node, "watchdog", settings_json(t, common_settings(t)));
	}
	if (found)
		show_add_log(s, q->port, true, to);
	return found;
}

#define SETTING_COLUMNS                                                                           \
	{"watchdog", "enabled", SHOW_ON}, {"polling-interval", "poll_ns", SHOW_DURATION},         \
		{"detect", "detect_ns", SHOW_DURATION}, {"restore", "restore_ns", SHOW_DURATION}, \
		{"action", "action", SHOW_TEXT}, {"flush", "flush", SHOW_ON},                     \
		{"ingress", "ingress", SHOW_ON}, {0},

static const struct show_column setting_columns[] = {{"node", "1", SHOW_NAME}, SETTING_COLUMNS};
static const struct show_column port_setting_columns[] = {{"interface", "12", SHOW_NAME},
							  SETTING_COLUMNS};

// The settings of a watchdog that is off mean nothing.
static void
add_row(struct text_table *t, const struct show_row *row, const struct show_column *columns)
{
	bool enabled = show_flag(row->value, "enabled");

	for (const struct show_column *c = columns; c->heading != NULL; c++)
		if (enabled || c < columns + 2)
			show_cell(t, row, c->key, c->format);
		else
			text_table_cell(t, "-");
}

static void
add_settings(struct text_table *t, const struct show_row *row)
{
	add_row(t, row, setting_columns);
}

static void
add_port_settings(struct text_table *t, const struct show_row *row)
{
	add_row(t, row, port_setting_columns);
}

static const struct show_column queue_columns[] = {
	{"interface", "12", SHOW_NAME},
	{"tc", "3", SHOW_INDEX},
	{"status", .format = SHOW_TEXT},
	{"storms", "watchdog_storms"},
	{"dropped", "watchdog_dropped"},
	{"stuck-since/us", "stuck_since_ns", SHOW_INSTANT},
	{"last-xoff/us", "last_xoff_ns", SHOW_INSTANT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/watchdog", .columns = setting_columns, .add = add_settings},
	{"nodes/*/ports/*/watchdog", .columns = port_setting_columns, .add = add_port_settings},
	{"nodes/*/ports/*/queue/*", COUNTER_OF_QUEUE, .columns = queue_columns,
	 .empty = "no queue is watched"},
	{"log/*", .columns = show_log_columns, .last = LOG_ROWS},
	{0},
};

const struct show_view show_watchdog = {
	.name = "watchdog",
	.arguments = "[PORT]",
	.help = "the PFC watchdog and the queues that it watches",
	.of = "switch or switch port",
	.collect = collect,
	.port = port_json,
	.switches = true,
	.tables = tables,
};
