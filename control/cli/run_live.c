// SPDX-License-Identifier: BSD-3-Clause
// Commands that start, end and operate a live fabric: up, run, down, exec, watchdog.
#include "cli.h"

#include "control/api/api.h"
#include "control/run/live/live_commands.h"

#include <stdlib.h>
#include <string.h>

// clang-format off
#define OUT_OPTION						\
	{.name = "out", .letter = 'o', .kind = CLI_DIRECTORY,	\
	 .help = "write what `record:` names to DIR"}
// clang-format on

// clang-format off
#define PART_OPTION								\
	{.name = "part", .kind = CLI_TEXT, .value = "PART",			\
	 .help = "run this one of `fabric.parts`, as the fabric NAME-PART"}
// clang-format on

static struct live_command
command_of(const struct cli_args *args, const char *file)
{
	return (struct live_command){
		.file = cli_text(args, file),
		.part = cli_text(args, "part"),
		.out = cli_text(args, "out"),
	};
}

static int
up(const struct cli_args *args)
{
	const struct live_command command = command_of(args, "FILE|NAME");

	return live_up(&command);
}

const struct cli_command command_up = {
	.name = "up",
	.help = "bring a live fabric up in the background",
	.details = "If there is no file of that name, NAME brings a fabric up as it ran last. "
		   "Makes the namespaces\nand devices of `attach:`; `roost down` removes them. "
		   "Namespaces and interfaces of Linux need root.\n",
	.forms = {{{{CLI_FILE, "FILE|NAME"}}}},
	.options = {OUT_OPTION, PART_OPTION},
	.run = up,
};

static int
run(const struct cli_args *args)
{
	const struct live_command command = command_of(args, "FILE");

	return live_run(&command);
}

const struct cli_command command_run = {
	.name = "run",
	.help = "bring a live fabric up and stay in the foreground until interrupted",
	.forms = {{{{CLI_FILE}}}},
	.options = {OUT_OPTION, PART_OPTION},
	.run = run,
};

static int
down(const struct cli_args *args)
{
	return live_down(api_socket_name(cli_text(args, "NAME")));
}

const struct cli_command command_down = {
	.name = "down",
	.help = "take a live fabric down and remove what `up` made",
	.details = "Without NAME: the fabric of ROOST_FABRIC, or the only one that is up.\n",
	.forms = {{{{CLI_FABRIC, .optional = true}}}},
	.run = down,
};

static int
exec(const struct cli_args *args)
{
	return live_exec(api_socket_name(cli_text(args, "fabric")), cli_text(args, "HOST"),
			 args->words + 2);
}

const struct cli_command command_exec = {
	.name = "exec",
	.help = "run a command in the namespace of an attached host",
	.details = "The exit status is that of the command. Needs root.\n",
	.forms = {{{{CLI_HOST_ATTACHED},
		    {CLI_LITERAL, "--"},
		    {CLI_TEXT, "COMMAND"},
		    {CLI_TEXT, "ARGUMENT", .optional = true, .repeated = true}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = exec,
};

static int
watchdog(const struct cli_args *args)
{
	const char *queue = cli_text(args, "PORT.QUEUE");
	json_t *result;
	int status =
		cli_call(args, "watchdog-restore", json_pack("{s:s}", "queue", queue), &result);

	if (status != EXIT_OK)
		return status;
	if (!json_is_true(json_object_get(result, "storm")))
		fprintf(stderr, "%s: %s was not in a storm\n", args->title, queue);
	json_decref(result);
	return EXIT_OK;
}

const struct cli_command command_watchdog = {
	.name = "watchdog",
	.help = "end a storm that the PFC watchdog detected",
	.details =
		"PORT.QUEUE is leaf1.swp3.3. If pauses still hold the queue, the watchdog detects "
		"a storm again.\n",
	.forms = {{{{CLI_LITERAL, "restore"}, {CLI_QUEUE}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = watchdog,
};
