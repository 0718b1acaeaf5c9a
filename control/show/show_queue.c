// SPDX-License-Identifier: BSD-3-Clause
// Queues that have carried, held, dropped or trimmed anything. Columns are named as operators know
// them: tc from SONiC's watermarks; `max` is the peak of the column before it, wred and watchdog
// are parts of discards.
#include "show_queue.h"

static json_t *
queue_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	return counters_port(n, port, COUNTERS_QUEUES, s->now);
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	return show_each_port(s, q, false, queue_port, to);
}

void
show_queue_state_cell(struct text_table *t, const struct show_row *row)
{
	bool paused = show_flag(row->value, "paused");

	if (show_flag(row->value, "watchdog"))
		text_table_cell(t, "%s", paused ? "paused, STORM" : "STORM");
	else
		text_table_cell(t, "%s", paused ? "paused" : "");
}

static bool
is_idle(const struct show_row *row)
{
	static const char *const counters[] = {"packets", "depth", "dropped", "trimmed",
					       "watchdog_storms"};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (show_number(row->value, counters[i]) != 0)
			return false;
	return !show_flag(row->value, "paused");
}

static const struct show_column columns[] = {
	{"interface", "12", .format = SHOW_NAME},
	{"tc", "3", .format = SHOW_INDEX},
	{"tx-frames", "packets", .format = SHOW_COUNT},
	{"tx-bytes", "bytes", .format = SHOW_BYTES},
	{"depth", "depth", .format = SHOW_BYTES},
	{"max", "depth_max", .format = SHOW_BYTES},
	{"max-persistent", "depth_max_persistent", .format = SHOW_BYTES},
	{"discards", "dropped", .format = SHOW_COUNT},
	{"wred", "red_dropped", .format = SHOW_COUNT},
	{"watchdog", "watchdog_dropped", .format = SHOW_COUNT},
	{"trimmed", "trimmed", .format = SHOW_COUNT},
	{"trim-sent", "trim_sent", .format = SHOW_COUNT},
	{"ecn-marked", "ecn_marked", .format = SHOW_COUNT},
	{"state", .cell = show_queue_state_cell},
	{0},
};

const struct show_view show_queue = {
	.name = "queue",
	.arguments = "[PORT]",
	.help = "queues that have carried anything",
	.of = "node or port",
	.collect = collect,
	.tables =
		(const struct show_table[]){
			{.rows = "nodes/*/ports/*/queue/*",
			 .columns = columns,
			 .skip = is_idle,
			 .empty = "no queue has carried anything"},
			{0},
		},
};
