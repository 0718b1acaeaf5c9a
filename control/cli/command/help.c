// SPDX-License-Identifier: BSD-3-Clause
// What --help prints, from the rows of commands and from the schema of keys.
#include "command.h"

#include "control/config/config.h"
#include "control/config/schema/describe.h"

#include <string.h>

#define COMMANDS_MAX 64
#define USAGE_WIDTH 100

const struct cli_command *
cli_find_command(const struct cli_program *program, const char *name)
{
	for (size_t i = 0; i < program->count; i++)
		if (strcmp(program->commands[i]->name, name) == 0)
			return program->commands[i];
	return NULL;
}

const char *
cli_near_command(const struct cli_program *program, const char *name)
{
	const char *names[COMMANDS_MAX];
	size_t listed = 0;

	for (size_t i = 0; i < program->count && listed < COMMANDS_MAX; i++)
		if (program->commands[i]->help[0] != '\0')
			names[listed++] = program->commands[i]->name;
	return config_suggest(name, names, listed);
}

int
cli_refuse_command(const struct cli_program *program, const char *name)
{
	const char *near = cli_near_command(program, name);

	if (near != NULL)
		return cli_usage("roost", "unknown command %s; did you mean \"%s\"?", name, near);
	return cli_usage("roost", "unknown command %s", name);
}

// ---- usage --------------------------------------------------------------------------------------

struct line {
	FILE *to;
	size_t column, indent;
};

// Adds a word to a line of usage, or to a new line if the line is full.
static void
put(struct line *line, const char *word)
{
	if (line->column + 1 + strlen(word) > USAGE_WIDTH && line->column > line->indent) {
		fprintf(line->to, "\n%*s", (int)line->indent, "");
		line->column = line->indent;
	}
	fprintf(line->to, " %s", word);
	line->column += 1 + strlen(word);
}

static void
begin_usage(struct line *line, const struct cli_command *command, bool first, FILE *to)
{
	*line = (struct line){.to = to};
	line->column =
		(size_t)fprintf(to, "%s roost %s", first ? "usage:" : "      ", command->name);
	line->indent = line->column;
}

static void
put_form(struct line *line, const struct cli_form *form)
{
	for (unsigned a = 0; a < cli_form_length(form); a++) {
		const struct cli_argument *argument = &form->arguments[a];
		char text[128];

		snprintf(text, sizeof(text), "%s%s%s%s", argument->optional ? "[" : "",
			 cli_argument_name(argument), argument->repeated ? "..." : "",
			 argument->optional ? "]" : "");
		put(line, text);
	}
}

// "-o DIR", "--until TIME"; both: "-o, --output json|text".
static void
option_text(char *out, size_t size, const struct cli_option *option, bool both)
{
	struct cli_argument argument = cli_option_argument(option);
	const char *value = cli_argument_name(&argument);
	bool has_value = option->kind != CLI_FLAG;

	if (option->letter != 0 && both)
		snprintf(out, size, "-%c, --%s%s%s", option->letter, option->name,
			 has_value ? " " : "", value);
	else if (option->letter != 0)
		snprintf(out, size, "-%c%s%s", option->letter, has_value ? " " : "", value);
	else
		snprintf(out, size, "--%s%s%s", option->name, has_value ? " " : "", value);
}

static void
put_options(struct line *line, const struct cli_command *command, const struct cli_form *form)
{
	for (const struct cli_option *o = command->options; o->name != NULL; o++) {
		char text[96], full[112];

		if (o->shared || o->alone || o->hidden ||
		    !cli_option_belongs(o, form->arguments[0].name))
			continue;
		option_text(text, sizeof(text), o, false);
		snprintf(full, sizeof(full), "%s%s%s%s", o->required ? "" : "[", text,
			 o->repeated ? "..." : "", o->required ? "" : "]");
		put(line, full);
	}
}

static void
print_usage(const struct cli_command *command)
{
	unsigned count;
	const struct cli_form *forms = cli_forms(command, &count);
	struct line line;
	bool begun = false;

	for (unsigned f = 0; f < count; f++) {
		begin_usage(&line, command, f == 0, stdout);
		put_form(&line, &forms[f]);
		put_options(&line, command, &forms[f]);
		putchar('\n');
	}
	for (const struct cli_option *o = command->options; o->name != NULL; o++) {
		char text[96];

		if (!o->alone)
			continue;
		if (!begun)
			begin_usage(&line, command, false, stdout);
		else
			put(&line, "|");
		begun = true;
		option_text(text, sizeof(text), o, false);
		put(&line, text);
	}
	if (begun)
		putchar('\n');
}

static void
print_options(const struct cli_command *command, FILE *to)
{
	char text[96];
	int width = 0;

	for (const struct cli_option *o = command->options; o->name != NULL; o++) {
		option_text(text, sizeof(text), o, true);
		if (!o->hidden && (int)strlen(text) > width)
			width = (int)strlen(text);
	}
	if (width != 0)
		fputs("\noptions:\n", to);
	for (const struct cli_option *o = command->options; o->name != NULL; o++) {
		option_text(text, sizeof(text), o, true);
		if (!o->hidden)
			fprintf(to, "  %-*s  %s\n", width, text, o->help);
	}
}

void
cli_print_program(const struct cli_program *program, FILE *to)
{
	fputs("usage: roost [-f NAME] COMMAND [ARGUMENT...]\n"
	      "       roost [-f NAME]           on a terminal: the interactive shell\n",
	      to);
	fprintf(to, "%s\n\ncommands:\n", program->options.help);
	for (size_t i = 0; i < program->count; i++)
		if (program->commands[i]->help[0] != '\0')
			fprintf(to, "  %-10s  %s\n", program->commands[i]->name,
				program->commands[i]->help);
	print_options(&program->options, to);
	fputs("\nexit status: 0 success, 1 failure, 2 usage error or a file with errors\n", to);
}

// ---- one command, or a key ----------------------------------------------------------------------

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

int
cli_print_key(const char *title, int count, char **words, bool value)
{
	struct describe_place place;
	char why[DESCRIBE_WHY];
	int used = describe_find_words(count, words, &place, why, sizeof(why));

	if (used < 0 || used < count - (value ? 1 : 0))
		return cli_usage(title, "%s", why);
	describe_help(stdout, &place);
	return EXIT_OK;
}

static bool
takes_key(const struct cli_command *command)
{
	unsigned count;
	const struct cli_form *forms = cli_forms(command, &count);

	for (unsigned f = 0; f < count; f++)
		for (unsigned a = 0; a < cli_form_length(&forms[f]); a++)
			if (forms[f].arguments[a].kind == CLI_KEY)
				return true;
	return false;
}

int
cli_print_help(const struct cli_command *command, int argc, char **argv)
{
	char *words[argc], title[CLI_TITLE_MAX];
	int count = takes_key(command) ? plain_words(argc, argv, words) : 0;

	snprintf(title, sizeof(title), "roost %s", command->name);
	if (count > 0)
		return cli_print_key(title, count, words, true);
	print_usage(command);
	printf("%s\n", command->help);
	if (command->details != NULL)
		printf("\n%s", command->details);
	print_options(command, stdout);
	return EXIT_OK;
}
