// SPDX-License-Identifier: BSD-3-Clause
// roost clear: restarts the peaks of a live fabric, and with --read prints what they were.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"
#include "control/show/show_view.h"

#include <stdlib.h>
#include <string.h>

// A row for each value, behind the keys that lead to it: "leaf1.swp3 queue 3", "leaf1 pools
// egress-lossy". separator: before the next key.
static void
add_values(struct text_table *t, const char *path, const char *separator, const json_t *of)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)of, key, value)
	{
		char *longer;

		if (json_is_integer(value)) {
			text_table_cell(t, "%s", path);
			text_table_cell(t, "%s", key);
			text_table_cell(t, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
			continue;
		}
		if (strcmp(key, "ports") == 0) {
			add_values(t, path, ".", value);
			continue;
		}
		longer = memory_format("%s%s%s", path, path[0] != '\0' ? separator : "", key);
		add_values(t, longer, " ", value);
		free(longer);
	}
}

static void
print_watermarks(const json_t *answer)
{
	static const struct text_column columns[] = {
		{"of", TEXT_LEFT}, {"watermark", TEXT_LEFT}, {"value", TEXT_RIGHT}};
	struct text_table *t;

	if (json_object_get(answer, "watermarks") == NULL)
		return;
	t = text_table_create(columns, 3);
	add_values(t, "", "", json_object_get(answer, "watermarks"));
	text_table_print(t, "", stdout);
	text_table_destroy(t);
}

// A word with a dot is a port, as names of nodes have none; so is one with a queue or group.
static bool
is_port(const struct cli_args *args, char *const *place)
{
	return strchr(place[0], '.') != NULL ||
	       (args->words + args->count > place + 1 && strcmp(place[1], "pool") != 0);
}

static int
clear(const struct cli_args *args)
{
	bool persistent = cli_given(args, "persistent");
	char *const *place = args->words + (persistent ? 2 : 1);
	json_t *params = json_pack("{s:s,s:b}", "what", "watermarks", "persistent", persistent);

	if (args->words + args->count > place)
		json_object_set_new(params, is_port(args, place) ? "port" : "node",
				    json_string(place[0]));
	if (args->words + args->count > place + 1)
		json_object_set_new(params, place[1],
				    strcmp(place[1], "pool") == 0
					    ? json_string(place[2])
					    : json_integer((json_int_t)cli_number(args, "N", 0)));
	if (cli_given(args, "read"))
		json_object_set_new(params, "read", json_true());
	return cli_call_print(args, "clear", params, print_watermarks);
}

#define POOLS "ingress-lossless|ingress-lossy|egress-lossless|egress-lossy|headroom"

const struct cli_command command_clear = {
	.name = "clear",
	.help = "reset the watermarks of a live fabric to their current values",
	.details =
		"Resets the user watermarks, which `max` shows, or the persistent ones: those of "
		"NODE, of one of its\npools, of PORT, of one of its priority groups or queues, or "
		"of all nodes. --read prints the values\nthat are cleared; no packet passes "
		"between reading and clearing.\n",
	.forms = {{{{CLI_LITERAL, "watermarks"},
		    {CLI_LITERAL, "persistent", .optional = true},
		    {CLI_SWITCH, .optional = true}}},
		  {{{CLI_LITERAL, "watermarks"},
		    {CLI_LITERAL, "persistent", .optional = true},
		    {CLI_SWITCH},
		    {CLI_LITERAL, "pool"},
		    {CLI_LITERAL, POOLS}}},
		  {{{CLI_LITERAL, "watermarks"},
		    {CLI_LITERAL, "persistent", .optional = true},
		    {CLI_PORT}}},
		  {{{CLI_LITERAL, "watermarks"},
		    {CLI_LITERAL, "persistent", .optional = true},
		    {CLI_PORT},
		    {CLI_LITERAL, "pg|queue"},
		    {CLI_NUMBER, "N", .range = {0, PRIORITIES - 1}}}}},
	.options = {{.name = "read", .kind = CLI_FLAG, .help = "print the values that are cleared"},
		    CLI_OUTPUT_OPTION,
		    CLI_FABRIC_OPTION},
	.run = clear,
};
