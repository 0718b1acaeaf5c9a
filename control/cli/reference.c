// SPDX-License-Identifier: BSD-3-Clause
// Commands that describe the program itself: help, completion, the schema of files, the API.
#include "cli.h"

#include "command/complete.h"
#include "control/config/schema/describe.h"
#include "control/fabric/result.h"
#include "control/film/columns.h"
#include "control/run/live/answer.h"
#include "shell/shell.h"

#include <string.h>

// Whether a word by itself is a key of a file.
static bool
is_key(char *word)
{
	struct describe_place place;
	char why[DESCRIBE_WHY];

	return describe_find_words(1, &word, &place, why, sizeof(why)) > 0;
}

static int
help(const struct cli_args *args)
{
	char **words = args->words;
	const struct cli_command *command;
	bool key;

	if (args->count == 0) {
		cli_print_program(args->program, stdout);
		return EXIT_OK;
	}
	command = cli_find_command(args->program, words[0]);
	key = is_key(words[0]);
	if (command == NULL && !key && cli_near_command(args->program, words[0]) != NULL)
		return cli_refuse_command(args->program, words[0]);
	if (command == NULL || (key && args->count > 1))
		return cli_print_key(args->title, (int)args->count, words, false);
	if (cli_print_help(command, (int)args->count, words) != EXIT_OK)
		return EXIT_USAGE;
	if (key)
		printf("\n%s is a key of files too: roost help set %s\n", words[0], words[0]);
	return EXIT_OK;
}

const struct cli_command command_help = {
	.name = "help",
	.help = "show the usage of a command, or describe a key of a file",
	.details =
		"KEY is written as in a file: switch.qos.tc.3.ecn.min, workload.size; its section "
		"may be left out.\n",
	.forms = {{{{CLI_COMMAND, .optional = true}}}, {{{CLI_KEY}}}},
	.reads_words = true,
	.run = help,
};

static int
completion(const struct cli_args *args)
{
	(void)args;
	fwrite(embedded_scripts[0].text, 1, embedded_scripts[0].length, stdout);
	return EXIT_OK;
}

const struct cli_command command_completion = {
	.name = "completion",
	.help = "print the script that makes bash complete roost's command lines",
	.details = "Use it as: source <(roost completion bash)\nor write it to a directory that "
		   "bash-completion reads.\n",
	.forms = {{{{CLI_LITERAL, "bash"}}}},
	.run = completion,
};

// Prints a line for each word that may follow, with a tab and its help, and ":files" or
// ":directories" if the name of a file or directory may follow.
static int
complete(const struct cli_args *args)
{
	const struct completion_line line = {.count = args->count - 1, .words = args->words + 1};
	struct completion found;

	completion_find(&found, args->program, &line);
	for (unsigned i = 0; i < found.count; i++)
		if (!found.items[i].note)
			printf("%s\t%s\n", found.items[i].word, found.items[i].help);
	if (found.files)
		puts(":files");
	else if (found.directories)
		puts(":directories");
	completion_free(&found);
	return EXIT_OK;
}

const struct cli_command command_complete = {
	.name = "complete",
	.help = "",
	.forms = {{{{CLI_LITERAL, "--"}, {CLI_TEXT, "WORD", .optional = true, .repeated = true}}}},
	.run = complete,
};

static int
print_document(const struct cli_args *args, json_t *document, size_t indent)
{
	int rc = document != NULL ? json_dumpf(document, stdout, JSON_INDENT(indent)) : -1;

	putchar('\n');
	json_decref(document);
	if (rc == 0)
		return EXIT_OK;
	fprintf(stderr, "%s: the document could not be written\n", args->title);
	return EXIT_FAILED;
}

static int
schema(const struct cli_args *args)
{
	if (cli_given(args, "counters"))
		counter_print_markdown(stdout);
	else if (cli_given(args, "results"))
		result_tables_print_markdown(stdout);
	else if (cli_given(args, "film"))
		film_columns_print_markdown(stdout);
	else if (cli_given(args, "markdown"))
		describe_markdown(stdout);
	else
		return print_document(args, describe_json_schema(), 2);
	return EXIT_OK;
}

const struct cli_command command_schema = {
	.name = "schema",
	.help = "print the JSON Schema of files, for editors and programs",
	.details =
		"Draft 2020-12, for the file of a fabric or of one switch, with ranges, defaults "
		"and help.\n",
	.options = {{.name = "markdown",
		     .kind = CLI_FLAG,
		     .alone = true,
		     .help = "print the reference page of keys instead"},
		    {.name = "counters",
		     .kind = CLI_FLAG,
		     .alone = true,
		     .help = "print the tables of all counters instead"},
		    {.name = "results",
		     .kind = CLI_FLAG,
		     .alone = true,
		     .help = "print the columns of the tables that `roost sim` writes instead"},
		    {.name = "film",
		     .kind = CLI_FLAG,
		     .alone = true,
		     .help = "print the columns of films instead"}},
	.run = schema,
};

static int
api(const struct cli_args *args)
{
	if (!cli_given(args, "markdown"))
		return print_document(args, api_describe(answer_methods), 1);
	api_describe_markdown(answer_methods, stdout);
	return EXIT_OK;
}

const struct cli_command command_api = {
	.name = "api",
	.help = "print the methods of a live fabric's API, as OpenRPC",
	.options = {{.name = "markdown",
		     .kind = CLI_FLAG,
		     .help = "print them as the tables of the documentation"}},
	.run = api,
};
