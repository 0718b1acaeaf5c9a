// SPDX-License-Identifier: BSD-3-Clause
// The words before the one that is being completed are gone over once: options and their arguments
// are set aside, the rest leads each form of the command's usage to the tokens that may come next.
#include "complete.h"

#include "control/config/schema/describe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- candidates ---------------------------------------------------------------------------------

static void
add_item(struct completion *c, const char *before, const char *word, const char *help, bool more,
	 bool note)
{
	struct completion_item *item;

	if (c->count == COMPLETION_ITEMS_MAX || c->out_of_memory)
		return;
	if (c->count == c->room) {
		unsigned room = c->room != 0 ? 2 * c->room : 64;
		struct completion_item *grown = realloc(c->items, room * sizeof(*grown));

		c->out_of_memory = grown == NULL;
		if (grown == NULL)
			return;
		c->items = grown;
		c->room = room;
	}
	item = &c->items[c->count];
	*item = (struct completion_item){.more = more, .note = note};
	item->help = strdup(help);
	if (asprintf(&item->word, "%s%s", before, word) < 0 || item->help == NULL) {
		free(item->help);
		c->out_of_memory = true;
		return;
	}
	c->count++;
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

// ---- options ------------------------------------------------------------------------------------

static void
add_options(struct completion *c, const struct usage_option *options, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char help[160];

		snprintf(help, sizeof(help), "%.*s", (int)options[i].help_length,
			 options[i].help != NULL ? options[i].help : "");
		for (unsigned j = 0; j < 2; j++)
			if (options[i].names[j][0] != '\0')
				completion_add(c, "", options[i].names[j], help, false);
	}
	completion_add(c, "", "--help", "how it is used", false);
}

static void
add_argument(struct completion *c, const struct usage_option *option)
{
	char help[160];

	snprintf(help, sizeof(help), "%.*s", (int)option->help_length,
		 option->help != NULL ? option->help : "");
	complete_token(c, option->argument, help);
}

// ---- a command ----------------------------------------------------------------------------------

struct line {
	const struct cli_command *command;
	unsigned count; // words that are no options, before the one that is completed
	char *words[SHELL_PLAIN_MAX];
	bool foreign; // behind --: another program's
	bool live;    // its keys are those that can change live
};

static bool
is_here(const struct usage *usage, const char *token)
{
	for (unsigned i = 0; i < usage->count; i++)
		if (usage->here[i] && strcmp(usage->states[i].token, token) == 0)
			return true;
	return false;
}

// Follows one form of the usage over the words, and adds what it has next. A key is as many words
// as the schema says; it stands first, and behind other words another form has it.
static void
complete_form(struct completion *c, const struct line *line, const char *form, size_t length)
{
	struct usage usage;
	unsigned i = 0;

	if (usage_parse(&usage, form, length) != 0)
		return;
	if (is_here(&usage, "KEY") && line->count > 0) {
		usage_take_token(&usage, "KEY");
		i = complete_key_words(line->count, line->words);
		if (i == line->count)
			complete_after_key(c, line->count, line->words, line->live,
					   is_here(&usage, "VALUE"));
	}
	while (i < line->count)
		usage_take(&usage, line->words[i++]);
	if (line->count == 0 && is_here(&usage, "KEY"))
		complete_key(c, line->live);
	for (unsigned s = 0; s < usage.count; s++)
		if (usage.here[s] && usage.states[s].kind == USAGE_TOKEN)
			complete_token(c, usage.states[s].token, "");
}

static void
complete_command(struct completion *c, struct line *line)
{
	const char *form = line->command->arguments;

	line->live = strcmp(line->command->name, "help") != 0;
	// Only what is in a list can be taken from it.
	if (strcmp(line->command->name, "unset") == 0 && line->count == 3 &&
	    strcmp(line->words[0], "tenant") == 0 && strcmp(line->words[2], "hosts") == 0) {
		c->names.tenant = line->words[1];
		c->names.hosts = NAMES_MEMBER;
	} else if (strcmp(line->command->name, "exec") == 0) {
		c->names.hosts = NAMES_REACHABLE;
	}
	while (*form != '\0') {
		size_t length = strcspn(form, "\n");

		complete_form(c, line, form, length);
		form += length + (form[length] == '\n');
	}
}

// Sets options aside. Returns the one whose argument the completed word is, or NULL.
static const struct usage_option *
take_words(struct completion *c, struct line *line, const struct usage_option *options,
	   unsigned option_count, unsigned count, char *const *words)
{
	const struct usage_option *open = NULL;

	for (unsigned i = 0; i < count; i++) {
		bool joined;
		const struct usage_option *found =
			usage_find_option(options, option_count, words[i], &joined);

		if (open != NULL) {
			if (strcmp(open->argument, "NAME") == 0)
				c->names.fabric = words[i];
			open = NULL;
		} else if (line->foreign || (found == NULL && words[i][0] != '-')) {
			if (line->count < SHELL_PLAIN_MAX)
				line->words[line->count++] = words[i];
		} else if (strcmp(words[i], "--") == 0) {
			line->foreign = true;
		} else if (found != NULL && found->argument[0] != '\0' && !joined) {
			open = found;
		}
	}
	return open;
}

// ---- the program --------------------------------------------------------------------------------

static void
complete_program(struct completion *c, bool interactive)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (commands[i].help[0] != '\0')
			completion_add(c, "", commands[i].name, commands[i].help, false);
	if (interactive) {
		completion_add(c, "", "exit", "ends the shell, as quit and Ctrl-D do", false);
		completion_add(c, "", "quit", "ends the shell", false);
		return;
	}
	if (c->word[0] != '-')
		return;
	completion_add(c, "", "--fabric", "the live fabric that is meant", false);
	completion_add(c, "", "--help", "the commands", false);
}

// Goes over the options before the command. Returns how many words they are.
static unsigned
take_program_options(struct completion *c, unsigned count, char *const *words)
{
	unsigned i = 0;

	while (i + 1 < count && words[i][0] == '-') {
		bool fabric = strcmp(words[i], "-f") == 0 || strcmp(words[i], "--fabric") == 0;

		if (fabric)
			c->names.fabric = words[i + 1];
		i += 1 + fabric;
	}
	return i;
}

int
shell_complete(struct completion *out, unsigned count, char *const *words, bool interactive)
{
	struct usage_option options[USAGE_OPTIONS_MAX];
	const struct usage_option *open;
	struct line line = {0};
	unsigned option_count, first;

	*out = (struct completion){
		.word = count > 0 ? words[count - 1] : "",
		.names.hosts = NAMES_HOST,
	};
	first = take_program_options(out, count, words);
	if (first + 1 == count || count == 0) {
		complete_program(out, interactive);
	} else if (first + 1 > count) {
		out->names.fabric = NULL;
		complete_token(out, "NAME", "");
	} else if ((line.command = cli_find_command(words[first])) != NULL) {
		option_count = usage_options(line.command, options);
		open = take_words(out, &line, options, option_count, count - first - 2,
				  words + first + 1);
		if (open != NULL)
			add_argument(out, open);
		else if (!line.foreign && out->word[0] == '-')
			add_options(out, options, option_count);
		else if (!line.foreign)
			complete_command(out, &line);
	}
	completion_sort(out);
	return out->out_of_memory ? -ENOMEM : 0;
}
