// SPDX-License-Identifier: BSD-3-Clause
// Queues that have carried, held, dropped or trimmed anything. Columns are named as operators know
// them: tc from SONiC's watermarks; `max` is the peak of the column before it, wred and watchdog
// are parts of discards.
#include "show_view.h"

void
show_queue_state_cell(struct text_table *t, const struct show_row *row)
{
	static const struct {
		const char *flag, *state;
	} states[] = {{"tx_off", "tx off"}, {"paused", "paused"}, {"watchdog", "STORM"}};
	const char *before = "";

	text_table_cell(t, "%s", "");
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (!show_flag(row->value, states[i].flag))
			continue;
		text_table_append(t, "%s%s", before, states[i].state);
		before = ", ";
	}
}

static bool
is_idle(const struct show_row *row)
{
	static const char *const counters[] = {"packets", "depth", "dropped", "trimmed",
					       "watchdog_storms"};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (show_number(row->value, counters[i]) != 0)
			return false;
	return !show_flag(row->value, "paused") && !show_flag(row->value, "tx_off");
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},
	{"tc", "3", SHOW_INDEX},
	{"tx-frames", "packets"},
	{"tx-bytes", "bytes"},
	{"depth"},
	{"max", "depth_max"},
	{"max-persistent", "depth_max_persistent"},
	{"discards", "dropped"},
	{"wred", "red_dropped"},
	{"watchdog", "watchdog_dropped"},
	{"trimmed"},
	{"trim-sent", "trim_sent"},
	{"ecn-marked", "ecn_marked"},
	{"state", .cell = show_queue_state_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/queue/*", COUNTER_OF_QUEUE, .columns = columns, .skip = is_idle,
	 .empty = "no queue has carried anything"},
	{0},
};

const struct show_view show_queue = {
	.name = "queue",
	.arguments = "[PORT]",
	.help = "queues that have carried anything",
	.of = "node or port",
	.needs = SHOW_NEEDS_TIMES,
	.port_counters = COUNTERS_QUEUES,
	.tables = tables,
};
