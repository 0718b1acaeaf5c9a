// SPDX-License-Identifier: BSD-3-Clause
// The history of pauses, exact and not polled: a row for each priority and direction, times in
// microseconds of fabric time with nothing rounded.
#include "control/fabric/counters_internal.h"
#include "show_view.h"

#include <string.h>

static json_t *
eight_paused(const struct port *p,
	     struct counters_pause (*pause)(const struct port *, unsigned int, ps_t), ps_t now)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < PRIORITIES; i++)
		json_array_append_new(out, json_boolean(pause(p, i, now).paused));
	return out;
}

// What counters.json does not have: whether a pause is in force, and the history of 802.3x.
static json_t *
pauses_now(const struct port *p, ps_t now)
{
	struct counters_pause rx = counters_rx_pause(p, PAUSE_LINK, now);
	struct counters_pause tx = counters_tx_pause(p, PAUSE_LINK, now);

	return json_pack("{s:o,s:o,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:I}", "pfc_rx_paused",
			 eight_paused(p, counters_rx_pause, now), "pfc_tx_paused",
			 eight_paused(p, counters_tx_pause, now), "pause_rx_paused", rx.paused,
			 "pause_tx_paused", tx.paused, "pause_rx_transitions",
			 (json_int_t)rx.transitions, "pause_tx_transitions",
			 (json_int_t)tx.transitions, "pause_rx_last_start_ns",
			 counters_instant(rx.last_start), "pause_rx_last_end_ns",
			 counters_instant(rx.last_end), "pause_tx_last_start_ns",
			 counters_instant(tx.last_start), "pause_tx_last_end_ns",
			 counters_instant(tx.last_end));
}

static json_t *
pfc_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	json_t *out = counters_port(n, port, COUNTERS_PFC, s->now);
	json_t *now = pauses_now(&n->node->ports[port], s->now);

	json_object_update(out, now);
	json_decref(now);
	return out;
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_port(s, q, false, pfc_port, to);
}

static const struct show_column columns[] = {
	{"interface", .format = SHOW_TEXT},
	{"priority", .format = SHOW_COUNT},
	{"direction", .format = SHOW_TEXT},
	{"pause-frames", .format = SHOW_COUNT},
	{"transitions", .format = SHOW_COUNT},
	{"pause-duration/us", .format = SHOW_US},
	{"last-start/us", .format = SHOW_INSTANT},
	{"last-end/us", .format = SHOW_INSTANT},
	{"now", .format = SHOW_TEXT},
	{0},
};

// What the keys of a direction begin with, and what it is called.
struct direction {
	const char *name;
	const char *pfc;  // "pfc_rx"
	const char *link; // "pause_rx": 802.3x
	const char *paused;
};

static const struct direction directions[] = {{"rx", "pfc_rx", "pause_rx", "held"},
					      {"tx", "pfc_tx", "pause_tx", "pausing"}};

// A row of a port: of a priority, or of 802.3x (priority NULL), unless nothing has happened.
static void
add_history(struct text_table *t, const struct show_row *port, const struct direction *d,
	    const char *priority)
{
	static const struct {
		const char *pfc, *link;
		enum show_format format;
	} cells[] = {{"", "", .format = SHOW_COUNT},
		     {"_transitions", "_transitions", .format = SHOW_COUNT},
		     {"_pause_ns", "_ns", .format = SHOW_US},
		     {"_last_start_ns", "_last_start_ns", .format = SHOW_INSTANT},
		     {"_last_end_ns", "_last_end_ns", .format = SHOW_INSTANT},
		     {"_paused", "_paused", .format = SHOW_TEXT}};
	struct show_row row = {.depth = 1, .names = {priority}};
	char key[48];
	const json_t *values[6];

	for (size_t i = 0; i < 6; i++) {
		const json_t *of;

		snprintf(key, sizeof(key), "%s%s", priority != NULL ? d->pfc : d->link,
			 priority != NULL ? cells[i].pfc : cells[i].link);
		of = json_object_get(port->value, key);
		values[i] = priority != NULL ? json_array_get(of, (size_t)(*priority - '0')) : of;
	}
	if (json_integer_value(values[0]) <= 0 && json_integer_value(values[1]) <= 0)
		return;
	show_cell(t, port, "12", SHOW_NAME);
	text_table_cell(t, "%s", priority != NULL ? priority : "link");
	text_table_cell(t, "%s", d->name);
	for (size_t i = 0; i < 5; i++) {
		row.value = values[i];
		show_cell(t, &row, "", cells[i].format);
	}
	text_table_cell(t, "%s", json_is_true(values[5]) ? d->paused : "");
}

static void
add_port(struct text_table *t, const struct show_row *port)
{
	static const char *const priorities[PRIORITIES] = {"0", "1", "2", "3", "4", "5", "6", "7"};

	for (size_t i = 0; i < PRIORITIES; i++)
		for (size_t k = 0; k < 2; k++)
			add_history(t, port, &directions[k], priorities[i]);
	for (size_t k = 0; k < 2; k++)
		add_history(t, port, &directions[k], NULL);
}

const struct show_view show_pfc = {
	.name = "pfc",
	.arguments = "[PORT]",
	.help = "the exact history of pauses by priority",
	.of = "node or port",
	.collect = collect,
	.tables =
		(const struct show_table[]){
			{.rows = "nodes/*/ports/*",
			 .columns = columns,
			 .add = add_port,
			 .empty = "no PFC frame has been sent or received"},
			{0},
		},
};
