// SPDX-License-Identifier: BSD-3-Clause
// One program, many commands: a table. --help is answered here, from the table alone, so that it
// works for every command and does nothing else; a command sees only what is left for it. Exit
// status: 0, 1 the thing failed, 2 it was asked for in a wrong way. A result that could not be
// written is a failure too.
#include "cli.h"

#include "control/api/socket_path.h"
#include "control/base/version.h"
#include "control/cli/shell/shell.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const struct cli_command *command = cli_find_command(argv[0]);
	char title[64];

	if (command == NULL)
		return cli_refuse_command(argv[0]);
	if (wants_help(argc, argv))
		return cli_print_help(command, argc, argv);
	snprintf(title, sizeof(title), "roost %s", command->name);
	argv[0] = title;
	optind = 0; // getopt starts afresh
	return command->run(argc, argv);
}

// Options before the command. Returns -1 to go on, or an exit status.
static int
take_options(int argc, char **argv)
{
	static const struct option options[] = {{"fabric", required_argument, NULL, 'f'},
						{"help", no_argument, NULL, 'h'},
						{"version", no_argument, NULL, 'V'},
						{NULL, 0, NULL, 0}};
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "+f:h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			if (setenv("ROOST_FABRIC", optarg, 1) != 0)
				return CLI_FAILED;
			break;
		case 'h':
			cli_print_commands(stdout);
			return CLI_OK;
		case 'V':
			printf("roost %s\n", roost_version);
			return CLI_OK;
		default:
			return cli_usage_hint("roost");
		}
	}
	return -1;
}

// What was written must have arrived.
static int
finish(int status)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_OK) {
		fprintf(stderr, "roost: writing the result: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	return status;
}

int
cli_main(int argc, char **argv)
{
	int status = take_options(argc, argv);

	if (status != -1)
		return finish(status);
	if (optind >= argc && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return finish(shell_run());
	if (optind >= argc) {
		cli_print_commands(stderr);
		return CLI_USAGE;
	}
	return finish(run_command(argc - optind, argv + optind));
}

int
cli_usage_hint(const char *command)
{
	fprintf(stderr, "%s --help tells how\n", command);
	return CLI_USAGE;
}

int
cli_usage(const char *command, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", command);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return cli_usage_hint(command);
}

int
cli_fabric_status(int rc)
{
	if (rc == 0)
		return CLI_OK;
	return rc == -EINVAL || rc == -EEXIST ? CLI_USAGE : CLI_FAILED;
}

int
cli_find_fabric(const char *name, char path[static API_PATH_MAX])
{
	const char *wanted = name != NULL ? name : getenv("ROOST_FABRIC");
	char err[API_WHY_MAX];
	int status;

	status = api_socket_find(wanted, path, err, sizeof(err));
	if (status == 0)
		return 0;
	fprintf(stderr, "roost: %s\n", err);
	return cli_fabric_status(status);
}
