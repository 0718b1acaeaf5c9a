// SPDX-License-Identifier: BSD-3-Clause
// One program, many commands. --help is answered here, from a command's row alone, so that it works
// for every command and does nothing else. A result that could not be written is a failure.
#include "cli.h"

#include "control/base/program.h"
#include "control/cli/shell/shell.h"
#include "control/run/ranks_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// In the order of --help.
// clang-format off
static const struct cli_command *const commands[] = {
	&command_check,
	&command_workload,
	&command_migrate,
	&command_sim,
	&command_compare,
	&command_sweep,
	&command_plot,
	&command_report,
	&command_lab,
	&command_replay,
	&command_up,
	&command_down,
	&command_exec,
	&command_attach,
	&command_detach,
	&command_link,
	&command_list,
	&command_run,
	&command_show,
	&command_events,
	&command_capture,
	&command_record,
	&command_trace,
	&command_top,
	&command_api,
	&command_set,
	&command_unset,
	&command_config,
	&command_apply,
	&command_save,
	&command_history,
	&command_rollback,
	&command_clear,
	&command_transmit,
	&command_watchdog,
	&command_web,
	&command_subnet,
	&command_metrics,
	&command_graph,
	&command_where,
	&command_bug_report,
	&command_headroom,
	&command_completion,
	&command_complete,
	&command_help,
	&command_schema,
};
// clang-format on

const struct cli_program cli_program = {
	.options =
		{
			.help = "A software leaf/spine fabric of lossless Ethernet, InfiniBand or "
				"Ultra Ethernet:\nswitches, links and NICs, with real packets.",
			.options =
				{
					CLI_FABRIC_OPTION,
					{.name = "help",
					 .letter = 'h',
					 .kind = CLI_FLAG,
					 .help = "show this text; after a command, its usage"},
					{.name = "version",
					 .kind = CLI_FLAG,
					 .help = "show the version of the program"},
				},
		},
	.commands = commands,
	.count = sizeof(commands) / sizeof(commands[0]),
};

static bool
wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int
run_command(int argc, char **argv)
{
	const struct cli_command *command = cli_find_command(&cli_program, argv[0]);
	struct cli_args args;
	int status;

	if (command == NULL)
		return cli_refuse_command(&cli_program, argv[0]);
	if (wants_help(argc, argv))
		return cli_print_help(command, argc, argv);
	if (command != &command_sim && ranks_started())
		return cli_usage("roost", "%s runs in one process: start it without mpirun",
				 argv[0]);
	status = cli_parse(&args, &cli_program, command, argc, argv);
	if (status == EXIT_OK)
		status = command->run(&args);
	cli_args_free(&args);
	return status;
}

// The words of `args` begin with the command.
static int
run_words(const struct cli_args *args)
{
	if (cli_given(args, "help")) {
		cli_print_program(&cli_program, stdout);
		return EXIT_OK;
	}
	if (cli_given(args, "version")) {
		char *version = program_version();

		printf("roost %s\n", version);
		free(version);
		return EXIT_OK;
	}
	if (cli_given(args, "fabric") && setenv("ROOST_FABRIC", cli_text(args, "fabric"), 1) != 0)
		return EXIT_FAILED;
	if (args->count != 0)
		return run_command((int)args->count, args->words);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return shell_run(&cli_program, cli_main);
	cli_print_program(&cli_program, stderr);
	return EXIT_USAGE;
}

int
cli_main(int argc, char **argv)
{
	struct cli_args args;
	int status = cli_parse_program(&args, &cli_program, argc, argv);

	if (status == EXIT_OK)
		status = run_words(&args);
	cli_args_free(&args);
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_OK) {
		fprintf(stderr, "roost: writing the result: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return status;
}
