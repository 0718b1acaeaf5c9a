// SPDX-License-Identifier: BSD-3-Clause
// What --help and `roost help` print, from the table of commands and from the schema of keys.
#include "cli.h"

#include "control/config/config.h"
#include "control/config/schema/describe.h"

#include <string.h>

#define COMMANDS_MAX 64

const struct cli_command *
cli_find_command(const char *name)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

// The command that may have been meant, or NULL.
static const char *
near_command(const char *name)
{
	const char *names[COMMANDS_MAX];
	size_t count, listed = 0;
	const struct cli_command *commands = cli_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (commands[i].help[0] != '\0' && listed < COMMANDS_MAX)
			names[listed++] = commands[i].name;
	return config_suggest(name, names, listed);
}

int
cli_refuse_command(const char *name)
{
	const char *near = near_command(name);

	if (near != NULL)
		return cli_usage("roost", "there is no command %s; did you mean \"%s\"?", name,
				 near);
	return cli_usage("roost", "there is no command %s", name);
}

void
cli_print_commands(FILE *to)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	fputs("usage: roost [-f NAME] COMMAND [ARGUMENT...]\n"
	      "       roost [-f NAME]           on a terminal: the interactive shell\n"
	      "A software leaf/spine fabric for lossless Ethernet: switches, links and NICs, with "
	      "real packets.\n"
	      "\ncommands:\n",
	      to);
	for (size_t i = 0; i < count; i++)
		if (commands[i].help[0] != '\0')
			fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\noptions:\n"
	      "  -f, --fabric NAME  the live fabric that is meant, where several are up (or "
	      "ROOST_FABRIC)\n"
	      "  -h, --help         this; behind a command: its own\n"
	      "      --version      the version of the program\n"
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

// The words of a command that are none of its options.
static int
plain_words(int argc, char **argv, char **words)
{
	int count = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-f") == 0 || strcmp(argv[i], "--fabric") == 0)
			i++;
		else if (argv[i][0] != '-')
			words[count++] = argv[i];
	}
	return count;
}

// value: the last word may be the key's value.
static int
print_key(const char *command, int count, char **words, bool value)
{
	struct describe_place place;
	char why[DESCRIBE_WHY];
	int used = describe_find_words(count, words, &place, why, sizeof(why));

	if (used < 0 || used < count - (value ? 1 : 0))
		return cli_usage(command, "%s", why);
	describe_help(stdout, &place);
	return CLI_OK;
}

int
cli_print_help(const struct cli_command *command, int argc, char **argv)
{
	char *words[argc], title[64];
	bool keys = strstr(command->arguments, "KEY") != NULL;
	int count = keys ? plain_words(argc, argv, words) : 0;

	snprintf(title, sizeof(title), "roost %s", command->name);
	if (count > 0)
		return print_key(title, count, words, true);
	print_command(command);
	return CLI_OK;
}

// Whether a word by itself is a key of a file.
static bool
is_key(char *word)
{
	struct describe_place place;
	char why[DESCRIBE_WHY];

	return describe_find_words(1, &word, &place, why, sizeof(why)) > 0;
}

int
cmd_help(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ? cli_find_command(argv[1]) : NULL;
	bool key = argc > 1 && is_key(argv[1]);

	if (argc == 1)
		cli_print_commands(stdout);
	else if (command == NULL && !key && near_command(argv[1]) != NULL)
		return cli_refuse_command(argv[1]);
	else if (command == NULL || (key && argc > 2))
		return print_key(argv[0], argc - 1, argv + 1, false);
	else if (cli_print_help(command, argc - 1, argv + 1) != CLI_OK)
		return CLI_USAGE;
	else if (key)
		printf("\nA file has a key of this name too: roost help set %s\n", argv[1]);
	return CLI_OK;
}
