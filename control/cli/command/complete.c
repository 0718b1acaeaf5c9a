// SPDX-License-Identifier: BSD-3-Clause
// The words before the completed one are read once. Options and their values are skipped; the other
// words determine which arguments of the command's forms may come next.
#include "complete.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- candidates ---------------------------------------------------------------------------------

static void
add_item(struct completion *c, const char *before, const char *word, const char *help, bool more,
	 bool note)
{
	if (c->count == COMPLETION_ITEMS_MAX)
		return;
	c->items = memory_grow(c->items, c->count, sizeof(*c->items), "completions");
	c->items[c->count++] = (struct completion_item){
		.word = memory_format("%s%s", before, word),
		.help = memory_text(help),
		.more = more,
		.note = note,
	};
}

void
completion_add(struct completion *c, const char *before, const char *word, const char *help,
	       bool more)
{
	size_t length = strlen(before), typed = strlen(c->word);

	if (strncmp(c->word, before, typed < length ? typed : length) != 0)
		return;
	if (typed > length && strncmp(c->word + length, word, typed - length) != 0)
		return;
	add_item(c, before, word, help, more, false);
}

void
completion_note(struct completion *c, const char *what, const char *help)
{
	add_item(c, "", what, help, false, true);
}

static int
compare_items(const void *left, const void *right)
{
	const struct completion_item *a = left, *b = right;

	return a->note != b->note ? (int)a->note - (int)b->note : strverscmp(a->word, b->word);
}

void
completion_sort(struct completion *c)
{
	unsigned kept = 0;

	if (c->count == 0)
		return;
	qsort(c->items, c->count, sizeof(*c->items), compare_items);
	for (unsigned i = 1; i < c->count; i++) {
		if (strcmp(c->items[i].word, c->items[kept].word) != 0) {
			c->items[++kept] = c->items[i];
			continue;
		}
		free(c->items[i].word);
		free(c->items[i].help);
	}
	c->count = kept + 1;
}

size_t
completion_common(const struct completion *c)
{
	const char *first = NULL;
	size_t common = 0;

	for (unsigned i = 0; i < c->count; i++) {
		size_t same = 0;

		if (c->items[i].note)
			continue;
		if (first == NULL) {
			first = c->items[i].word;
			common = strlen(first);
		}
		while (same < common && first[same] == c->items[i].word[same])
			same++;
		common = same;
	}
	return common;
}

void
completion_free(struct completion *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		free(c->items[i].word);
		free(c->items[i].help);
	}
	free(c->items);
	names_free(&c->names);
	*c = (struct completion){0};
}

void
completion_add_commands(struct completion *c)
{
	for (size_t i = 0; i < c->program->count; i++) {
		const struct cli_command *command = c->program->commands[i];

		if (command->help[0] != '\0')
			completion_add(c, "", command->name, command->help, false);
	}
}

// ---- options ------------------------------------------------------------------------------------

static void
add_options(struct completion *c, const struct cli_command *command, const char *first)
{
	for (const struct cli_option *o = command->options; o->name != NULL; o++) {
		char name[CLI_TITLE_MAX];

		if (o->hidden || (first != NULL && !cli_option_belongs(o, first)))
			continue;
		if (o->letter != 0)
			completion_add(c, "", (char[]){'-', o->letter, '\0'}, o->help, false);
		snprintf(name, sizeof(name), "--%s", o->name);
		completion_add(c, "", name, o->help, false);
	}
	completion_add(c, "", "--help", "show the usage", false);
}

// ---- a command ----------------------------------------------------------------------------------

struct line {
	const struct cli_command *command;
	unsigned count; // words that are not options, before the one that is completed
	char *words[COMPLETION_WORDS_MAX];
	bool foreign; // behind --: another program's
	bool live;    // its keys are those that can change live
};

// A form that begins with a key: how many words that is only the schema knows.
static void
complete_key_form(struct completion *c, const struct line *line, const struct cli_form *form)
{
	bool value = form->arguments[1].kind == CLI_VALUE;
	unsigned used;

	if (line->count == 0) {
		complete_key(c, line->live);
		return;
	}
	used = complete_key_words(line->count, line->words);
	if (used == line->count)
		complete_after_key(c, line->count, line->words, line->live, value);
}

static void
complete_forms(struct completion *c, const struct line *line)
{
	struct cli_places places;

	cli_places_begin(&places, line->command);
	for (unsigned f = 0; f < places.count; f++)
		if (places.forms[f].arguments[0].kind == CLI_KEY) {
			complete_key_form(c, line, &places.forms[f]);
			places.next[f] = 0;
		}
	for (unsigned i = 0; i < line->count; i++)
		if (!cli_places_take(&places, line->words[i]))
			return;
	for (unsigned f = 0; f < places.count; f++)
		for (unsigned a = 0; a < cli_form_length(&places.forms[f]); a++)
			if (places.next[f] >> a & 1)
				complete_argument(c, &places.forms[f].arguments[a],
						  places.forms[f].help != NULL && a == 0
							  ? places.forms[f].help
							  : "");
}

static void
complete_command(struct completion *c, struct line *line)
{
	line->live = strcmp(line->command->name, "help") != 0;
	// Only hosts that are in the list can be removed from it.
	if (strcmp(line->command->name, "unset") == 0 && line->count == 3 &&
	    strcmp(line->words[0], "tenant") == 0 && strcmp(line->words[2], "hosts") == 0) {
		c->names.tenant = line->words[1];
		c->names.hosts = NAMES_MEMBER;
	}
	complete_forms(c, line);
}

// Skips options. Returns the one whose value the completed word is, or NULL.
static const struct cli_option *
take_words(struct completion *c, struct line *line, unsigned count, char *const *words)
{
	const struct cli_option *open = NULL;

	for (unsigned i = 0; i < count; i++) {
		const char *value;
		const struct cli_option *found = cli_find_option(line->command, words[i], &value);

		if (open != NULL) {
			if (open->kind == CLI_FABRIC)
				c->names.fabric = words[i];
			open = NULL;
		} else if (line->foreign || (found == NULL && words[i][0] != '-')) {
			if (line->count < COMPLETION_WORDS_MAX)
				line->words[line->count++] = words[i];
		} else if (strcmp(words[i], "--") == 0) {
			line->foreign = true;
		} else if (found != NULL && found->kind != CLI_FLAG && value == NULL) {
			open = found;
		}
	}
	return open;
}

static void
complete_option(struct completion *c, const struct cli_option *option)
{
	struct cli_argument argument = cli_option_argument(option);

	complete_argument(c, &argument, option->help);
}

// ---- the program --------------------------------------------------------------------------------

static void
complete_program(struct completion *c, bool interactive)
{
	completion_add_commands(c);
	if (interactive) {
		completion_add(c, "", "exit", "end the shell, as quit and Ctrl-D do", false);
		completion_add(c, "", "quit", "end the shell", false);
	} else if (c->word[0] == '-') {
		add_options(c, &c->program->options, NULL);
	}
}

// Skips the options before the command. Returns how many words they are; more than count - 1
// when the completed word is the value of the last.
static unsigned
take_program_options(struct completion *c, const struct completion_line *line)
{
	unsigned i = 0;

	while (i + 1 < line->count && line->words[i][0] == '-') {
		const char *value;
		const struct cli_option *option =
			cli_find_option(&c->program->options, line->words[i], &value);
		bool has_value = option != NULL && option->kind != CLI_FLAG && value == NULL;

		if (has_value && option->kind == CLI_FABRIC)
			c->names.fabric = line->words[i + 1];
		i += 1 + has_value;
	}
	return i;
}

void
completion_find(struct completion *out, const struct cli_program *program,
		const struct completion_line *line)
{
	static const struct cli_argument fabric = {.kind = CLI_FABRIC};
	const struct cli_option *open;
	struct line words = {0};
	unsigned first;

	*out = (struct completion){
		.word = line->count > 0 ? line->words[line->count - 1] : "",
		.names.hosts = NAMES_HOST,
		.program = program,
	};
	first = take_program_options(out, line);
	if (first + 1 == line->count || line->count == 0) {
		complete_program(out, line->interactive);
	} else if (first + 1 > line->count) {
		out->names.fabric = NULL;
		complete_argument(out, &fabric, "");
	} else if ((words.command = cli_find_command(program, line->words[first])) != NULL) {
		open = take_words(out, &words, line->count - first - 2, line->words + first + 1);
		if (open != NULL)
			complete_option(out, open);
		else if (!words.foreign && out->word[0] == '-')
			add_options(out, words.command, words.count > 0 ? words.words[0] : NULL);
		else if (!words.foreign)
			complete_command(out, &words);
	}
	completion_sort(out);
}
