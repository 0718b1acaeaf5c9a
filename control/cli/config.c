// SPDX-License-Identifier: BSD-3-Clause
// roost config, save and history: what a live fabric's configuration is, was and would be.
#include "cli.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "- tenants.red.hosts: [h1, h2]", "+ tenants.red.hosts: [h1]".
static void
print_changes(const json_t *changes)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)changes, i, one)
	{
		const char *key = json_string_value(json_object_get(one, "key"));
		const char *from = json_string_value(json_object_get(one, "from"));
		const char *to = json_string_value(json_object_get(one, "to"));

		if (from != NULL)
			printf("- %s: %s\n", key, from);
		if (to != NULL)
			printf("+ %s: %s\n", key, to);
	}
}

static void
print_diff(const json_t *answer)
{
	const json_t *staged = json_object_get(answer, "staged");
	const json_t *unsaved = json_object_get(answer, "unsaved");
	const char *file = json_string_value(json_object_get(answer, "file"));

	print_changes(json_object_get(answer, "changes")); // from a revision; without the others
	if (json_array_size(staged) != 0)
		printf("staged, compared with what runs:\n");
	print_changes(staged);
	if (json_is_null(staged))
		printf("the staged changes do not fit what runs: `roost apply` shows the errors\n");
	if (json_array_size(unsaved) != 0)
		printf("%swhat runs, compared with %s:\n", json_array_size(staged) != 0 ? "\n" : "",
		       file);
	print_changes(unsaved);
	if (json_is_null(unsaved) && file != NULL)
		printf("cannot compare the running configuration with its file: %s\n",
		       json_string_value(json_object_get(answer, "why-not")));
}

static int
config(const struct cli_args *args)
{
	json_int_t revision = (json_int_t)cli_number(args, "REVISION", 0);

	if (cli_given(args, "detach"))
		return cli_call_print(args, "discard", json_object(), NULL);
	return cli_call_print(args, "config-diff",
			      revision != 0 ? json_pack("{s:I}", "revision", revision)
					    : json_object(),
			      print_diff);
}

const struct cli_command command_config = {
	.name = "config",
	.help = "show what differs in a live fabric's configuration, or discard staged changes",
	.details =
		"diff compares the staged changes with what runs, and what runs with the file it "
		"came from; or what runs\nwith a revision. detach discards the staged changes. "
		"`roost show config` shows what is in force.\n",
	.forms =
		{
			{{{CLI_LITERAL, "diff"}, {CLI_REVISION, .optional = true}}},
			{{{CLI_LITERAL, "detach"}}},
		},
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = config,
};

// An absolute path, for free(); NULL, with errno, if the working directory has none.
static char *
absolute(const char *path)
{
	char *here, *out;

	if (path[0] == '/')
		return memory_text(path);
	here = getcwd(NULL, 0);
	if (here == NULL)
		return NULL;
	out = memory_format("%s/%s", here, path);
	free(here);
	return out;
}

static void
print_saved(const json_t *result)
{
	const char *file = json_string_value(json_object_get(result, "file"));
	const char *kept = json_string_value(json_object_get(result, "kept"));

	if (kept != NULL)
		printf("saved to %s without its comments; the old file is %s\n", file, kept);
	else
		printf("saved to %s\n", file);
}

static int
save(const struct cli_args *args)
{
	const char *file = cli_text(args, "FILE");
	char *path = file != NULL ? absolute(file) : NULL;
	int status;

	if (file != NULL && path == NULL) {
		fprintf(stderr,
			"%s: %s: cannot find the working directory: %s; use an absolute path\n",
			args->title, file, strerror(errno));
		return EXIT_FAILED;
	}
	status = cli_call_print(args, "save", json_pack("{s:s*}", "file", path), print_saved);
	free(path);
	return status;
}

const struct cli_command command_save = {
	.name = "save",
	.help = "write a live fabric's configuration to a file",
	.details = "By default to the file that it came from; the old file is kept as FILE~. "
		   "Comments are lost.\n",
	.forms = {{{{CLI_FILE, .optional = true}}}},
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = save,
};

static const struct text_column history_columns[] = {{"revision", TEXT_RIGHT},
						     {"", TEXT_LEFT},
						     {"at", TEXT_LEFT},
						     {"by", TEXT_LEFT},
						     {"what", TEXT_LEFT}};

static void
add_revision(struct text_table *t, const json_t *one, json_int_t running)
{
	json_int_t number = json_integer_value(json_object_get(one, "revision"));
	const char *user = json_string_value(json_object_get(one, "user"));
	const char *at = json_string_value(json_object_get(one, "at"));
	const char *what = json_string_value(json_object_get(one, "what"));

	text_table_cell(t, "%" JSON_INTEGER_FORMAT, number);
	text_table_cell(t, "%s", number == running ? "runs" : "");
	text_table_cell(t, "%s", at != NULL ? at : "-");
	if (user != NULL && user[0] != '\0')
		text_table_cell(t, "%s", user);
	else
		text_table_cell(t, "%" JSON_INTEGER_FORMAT,
				json_integer_value(json_object_get(one, "uid")));
	text_table_cell(t, "%s", what != NULL ? what : "-");
}

static void
print_history(const json_t *answer)
{
	json_int_t running = json_integer_value(json_object_get(answer, "running"));
	const json_t *waiting = json_object_get(answer, "waiting");
	struct text_table *t = text_table_create(
		history_columns, sizeof(history_columns) / sizeof(history_columns[0]));
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "revisions"), i, one)
	{
		add_revision(t, one, running);
	}
	text_table_print(t, "", stdout);
	text_table_destroy(t);
	if (json_is_object(waiting))
		printf("waits to be confirmed, %" JSON_INTEGER_FORMAT " s left: %s\n",
		       json_integer_value(json_object_get(waiting, "left-s")),
		       json_string_value(json_object_get(waiting, "what")));
}

static int
history(const struct cli_args *args)
{
	return cli_call_print(args, "history", json_object(), print_history);
}

const struct cli_command command_history = {
	.name = "history",
	.help = "list the revisions of a live fabric's configuration",
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = history,
};
