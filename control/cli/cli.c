// SPDX-License-Identifier: BSD-3-Clause
// One program, many commands: a table. --help is answered here, from the table alone, so that it
// works for every command and does nothing else; a command sees only what is left for it. Exit
// status: 0, 1 the thing failed, 2 it was asked for in a wrong way. A result that could not be
// written is a failure too.
#include "cli.h"

#include "control/api/socket_path.h"
#include "control/config/config.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMANDS_MAX 32

static void
print_commands(FILE *to)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	fputs("usage: roost [-f NAME] COMMAND [ARGUMENT...]\n"
	      "A software leaf/spine fabric for lossless Ethernet: switches, links and NICs, with "
	      "real packets.\n"
	      "\ncommands:\n",
	      to);
	for (size_t i = 0; i < count; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\noptions:\n"
	      "  -f, --fabric NAME  the live fabric that is meant, where several are up (or "
	      "ROOST_FABRIC)\n"
	      "  -h, --help         this; behind a command: its own\n"
	      "\nexit status: 0, 1 failed, 2 wrong usage or file\n",
	      to);
}

static void
print_command(const struct cli_command *command)
{
	const char *line = command->arguments;
	const char *head = "usage:";

	for (;;) {
		size_t length = strcspn(line, "\n");

		printf("%s roost %s%s%.*s\n", head, command->name, length != 0 ? " " : "",
		       (int)length, line);
		if (line[length] == '\0')
			break;
		line += length + 1;
		head = "      ";
	}
	printf("%s\n", command->help);
	if (*command->details != '\0')
		printf("\n%s", command->details);
}

static const struct cli_command *
find_command(const char *name)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int
refuse_command(const char *name)
{
	const char *names[COMMANDS_MAX];
	size_t count;
	const struct cli_command *commands = cli_commands(&count);
	const char *near;

	for (size_t i = 0; i < count; i++)
		names[i] = commands[i].name;
	near = config_suggest(name, names, count);
	if (near != NULL)
		return cli_usage("roost", "there is no command %s; did you mean \"%s\"?", name,
				 near);
	return cli_usage("roost", "there is no command %s", name);
}

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
	const struct cli_command *command = find_command(argv[0]);
	char title[64];

	if (command == NULL)
		return refuse_command(argv[0]);
	if (wants_help(argc, argv)) {
		print_command(command);
		return CLI_OK;
	}
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
			print_commands(stdout);
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
	if (optind >= argc) {
		print_commands(stderr);
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
cli_find_fabric(const char *name, char path[static API_PATH_MAX])
{
	const char *wanted = name != NULL ? name : getenv("ROOST_FABRIC");
	char err[API_WHY_MAX];
	int status;

	status = api_socket_find(wanted, path, err, sizeof(err));
	if (status == 0)
		return 0;
	fprintf(stderr, "roost: %s\n", err);
	return status == -EINVAL || status == -EEXIST ? CLI_USAGE : CLI_FAILED;
}
