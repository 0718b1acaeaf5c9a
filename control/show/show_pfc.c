// SPDX-License-Identifier: BSD-3-Clause
// The history of pauses, exact and not polled: a row for each priority and direction, times in
// microseconds of fabric time with nothing rounded.
#include "control/fabric/counters.h"
#include "show_view.h"

static json_t *
eight_paused(const struct port *p,
	     struct counters_pause (*pause)(const struct port *, unsigned int, ps_t), ps_t now)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < PRIORITIES; i++)
		json_array_append_new(out, json_boolean(pause(p, i, now).paused));
	return out;
}

// Beyond counters.json: whether a pause is in force, and the history of 802.3x.
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
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	json_t *out = counters_port(n, port, COUNTERS_PFC, s->now);

	json_object_update_new(out, pauses_now(&n->node->ports[port], s->now));
	return out;
}

static const struct show_column columns[] = {
	{"interface"},
	{"priority", .format = SHOW_COUNT},
	{"direction"},
	{"pause-frames", .format = SHOW_COUNT},
	{"transitions", .format = SHOW_COUNT},
	{"pause-duration/us", .format = SHOW_US},
	{"last-start/us", .format = SHOW_INSTANT},
	{"last-end/us", .format = SHOW_INSTANT},
	{"now"},
	{0},
};

// A direction: its name, the prefixes of its keys, and the word for a pause in force.
struct direction {
	const char *name;
	const char *pfc;  // "pfc_rx"
	const char *link; // "pause_rx": 802.3x
	const char *paused;
};

static const struct direction directions[] = {{"rx", "pfc_rx", "pause_rx", "held"},
					      {"tx", "pfc_tx", "pause_tx", "pausing"}};

// The suffixes of those keys for a priority and for 802.3x.
static const struct {
	const char *pfc, *link;
	enum show_format format;
} cells[] = {{"", "", SHOW_COUNT},
	     {"_transitions", "_transitions", SHOW_COUNT},
	     {"_pause_ns", "_ns", SHOW_US},
	     {"_last_start_ns", "_last_start_ns", SHOW_INSTANT},
	     {"_last_end_ns", "_last_end_ns", SHOW_INSTANT},
	     {"_paused", "_paused", SHOW_ON}};

#define CELLS (sizeof(cells) / sizeof(*cells))

// Adds a row of a priority, or of 802.3x (PRIORITIES), unless nothing has happened.
static void
add_history(struct text_table *t, const struct show_row *port, const struct direction *d,
	    unsigned int priority)
{
	bool link = priority == PRIORITIES;
	struct show_row values[CELLS] = {0};

	for (size_t i = 0; i < CELLS; i++) {
		const json_t *of;
		char key[48];

		snprintf(key, sizeof(key), "%s%s", link ? d->link : d->pfc,
			 link ? cells[i].link : cells[i].pfc);
		of = json_object_get(port->value, key);
		values[i].value = link ? of : json_array_get(of, priority);
	}
	if (json_integer_value(values[0].value) <= 0 && json_integer_value(values[1].value) <= 0)
		return;
	show_cell(t, port, "12", SHOW_NAME);
	if (link)
		text_table_cell(t, "link");
	else
		text_table_cell(t, "%u", priority);
	text_table_cell(t, "%s", d->name);
	for (size_t i = 0; i < CELLS - 1; i++)
		show_cell(t, &values[i], "", cells[i].format);
	text_table_cell(t, "%s", json_is_true(values[CELLS - 1].value) ? d->paused : "");
}

static void
add_port(struct text_table *t, const struct show_row *port)
{
	for (unsigned int i = 0; i <= PRIORITIES; i++)
		for (size_t k = 0; k < 2; k++)
			add_history(t, port, &directions[k], i);
}

static const struct show_table tables[] = {
	{"nodes/*/ports/*", .columns = columns, .add = add_port,
	 .empty = "no PFC frame has been sent or received"},
	{0},
};

const struct show_view show_pfc = {
	.name = "pfc",
	.arguments = "[PORT]",
	.help = "the exact history of pauses by priority",
	.of = "node or port",
	.port = port_json,
	.tables = tables,
};
