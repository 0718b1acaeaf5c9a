// SPDX-License-Identifier: BSD-3-Clause
// The history of pauses, exact and not polled: a row a priority and direction, times as
// microseconds of fabric time with nothing rounded. And the PFC watchdog. What it calls STORM is
// Cumulus's DEADLOCK (its deadlock-count is `storms`) and SONiC's "stormed".
#include "show_print.h"

#include "show_values.h"

#include <errno.h>
#include <inttypes.h>

static const struct text_column history_columns[] = {
	{"interface", TEXT_LEFT},
	{"priority", TEXT_RIGHT},
	{"direction", TEXT_LEFT},
	{"pause-frames", TEXT_RIGHT},
	{"transitions", TEXT_RIGHT},
	{"pause-duration/us", TEXT_RIGHT},
	{"last-start/us", TEXT_RIGHT},
	{"last-end/us", TEXT_RIGHT},
	{"now", TEXT_LEFT},
};

static const struct text_column watchdog_columns[] = {
	{"node", TEXT_LEFT},    {"watchdog", TEXT_LEFT}, {"polling-interval", TEXT_RIGHT},
	{"detect", TEXT_RIGHT}, {"restore", TEXT_RIGHT}, {"action", TEXT_LEFT},
	{"flush", TEXT_LEFT},   {"ingress", TEXT_LEFT},
};

static const struct text_column watched_columns[] = {
	{"interface", TEXT_LEFT},     {"tc", TEXT_RIGHT},      {"status", TEXT_LEFT},
	{"storms", TEXT_RIGHT},       {"dropped", TEXT_RIGHT}, {"stuck-since/us", TEXT_RIGHT},
	{"last-xoff/us", TEXT_RIGHT},
};

#define LOG_ROWS 20

// What one direction's keys begin with and what it is called.
struct direction {
	const char *name;
	const char *pfc;  // "pfc_rx"
	const char *link; // "pause_rx": 802.3x
	const char *paused;
};

static const struct direction directions[] = {{"rx", "pfc_rx", "pause_rx", "held"},
					      {"tx", "pfc_tx", "pause_tx", "pausing"}};

// A member whose key is `prefix` and `suffix`.
static json_t *
member(const json_t *port, const char *prefix, const char *suffix)
{
	char key[40];

	snprintf(key, sizeof(key), "%s%s", prefix, suffix);
	return json_object_get(port, key);
}

static uint64_t
positive(const json_t *value)
{
	return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
}

// What a row is made of: values, or arrays of which the i-th counts.
static void
add_row(struct text_table *t, const struct direction *d, const json_t *frames,
	const json_t *transitions, const json_t *total, const json_t *start, const json_t *end,
	const json_t *paused)
{
	text_table_cell(t, "%s", d->name);
	text_table_cell(t, "%" PRIu64, positive(frames));
	text_table_cell(t, "%" PRIu64, positive(transitions));
	value_us(t, positive(total));
	value_instant(t, start);
	value_instant(t, end);
	text_table_cell(t, "%s", json_is_true(paused) ? d->paused : "");
}

static void
add_priority(struct text_table *t, const char *name, const json_t *port, const struct direction *d,
	     size_t i)
{
	const json_t *frames = json_array_get(member(port, d->pfc, ""), i);
	const json_t *transitions = json_array_get(member(port, d->pfc, "_transitions"), i);

	if (positive(frames) == 0 && positive(transitions) == 0)
		return;
	text_table_cell(t, "%s", name);
	text_table_cell(t, "%zu", i);
	add_row(t, d, frames, transitions, json_array_get(member(port, d->pfc, "_pause_ns"), i),
		json_array_get(member(port, d->pfc, "_last_start_ns"), i),
		json_array_get(member(port, d->pfc, "_last_end_ns"), i),
		json_array_get(member(port, d->pfc, "_paused"), i));
}

static void
add_link(struct text_table *t, const char *name, const json_t *port, const struct direction *d)
{
	const json_t *frames = member(port, d->link, "");
	const json_t *transitions = member(port, d->link, "_transitions");

	if (positive(frames) == 0 && positive(transitions) == 0)
		return;
	text_table_cell(t, "%s", name);
	text_table_cell(t, "link");
	add_row(t, d, frames, transitions, member(port, d->link, "_ns"),
		member(port, d->link, "_last_start_ns"), member(port, d->link, "_last_end_ns"),
		member(port, d->link, "_paused"));
}

static void
add_history(struct text_table *t, const char *name, const json_t *port, bool all)
{
	(void)all;
	for (size_t i = 0; i < 8; i++)
		for (size_t k = 0; k < COUNT(directions); k++)
			add_priority(t, name, port, &directions[k], i);
	for (size_t k = 0; k < COUNT(directions); k++)
		add_link(t, name, port, &directions[k]);
}

int
show_print_pfc(const json_t *answer, FILE *to)
{
	return show_print_ports(answer, history_columns, COUNT(history_columns), add_history, false,
				"no PFC frame has been sent or received", to);
}

// ---- watchdog --------------------------------------------------------------------------------

static const char *
on_off(const json_t *of, const char *key)
{
	return json_is_true(json_object_get(of, key)) ? "on" : "off";
}

static int
print_settings(const json_t *answer, FILE *to)
{
	static const char *const times[] = {"poll_ns", "detect_ns", "restore_ns"};
	const char *name;
	json_t *node;
	struct text_table *t;
	int status = text_table_create(&t, watchdog_columns, COUNT(watchdog_columns));

	if (status != 0)
		return status;
	json_object_foreach(json_object_get(answer, "nodes"), name, node)
	{
		const json_t *w = json_object_get(node, "watchdog");
		bool on = json_is_true(json_object_get(w, "enabled"));

		text_table_cell(t, "%s", name);
		text_table_cell(t, "%s", on ? "on" : "off");
		for (size_t i = 0; i < COUNT(times); i++) {
			if (on)
				value_duration(t, value_get(w, times[i]));
			else
				text_table_cell(t, "-");
		}
		text_table_cell(t, "%s", on ? value_string(w, "action") : "-");
		text_table_cell(t, "%s", on ? on_off(w, "flush") : "-");
		text_table_cell(t, "%s", on ? on_off(w, "ingress") : "-");
	}
	status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}

static void
add_watched(struct text_table *t, const char *name, const json_t *port, bool all)
{
	const char *tc;
	json_t *q;

	(void)all;
	json_object_foreach(json_object_get(port, "queue"), tc, q)
	{
		text_table_cell(t, "%s", name);
		text_table_cell(t, "%s", tc);
		value_text(t, q, "status");
		value_count(t, q, "watchdog_storms");
		value_count(t, q, "watchdog_dropped");
		value_instant(t, json_object_get(q, "stuck_since_ns"));
		value_instant(t, json_object_get(q, "last_xoff_ns"));
	}
}

int
show_print_watchdog(const json_t *answer, FILE *to)
{
	int status = print_settings(answer, to);

	fputc('\n', to);
	if (status == 0)
		status = show_print_ports(answer, watched_columns, COUNT(watched_columns),
					  add_watched, true, "no queue is watched", to);
	if (status == 0 && json_array_size(json_object_get(answer, "log")) != 0) {
		fputc('\n', to);
		status = show_print_log_rows(answer, LOG_ROWS, to);
	}
	return status;
}
