// SPDX-License-Identifier: BSD-3-Clause
// The words that an argument may be: literals, files, or names of the live fabric.
#include "complete.h"

#include "control/base/memory.h"
#include "control/config/config_values.h"

#include <stdlib.h>
#include <string.h>

// Whether `before`, "h1,h2,", has a name already.
static bool
is_listed(const char *before, const char *name)
{
	size_t length = strlen(name);

	for (const char *comma; (comma = strchr(before, ',')) != NULL; before = comma + 1)
		if ((size_t)(comma - before) == length && strncmp(before, name, length) == 0)
			return true;
	return false;
}

static void
add_names(struct completion *c, enum names_kind kind, const char *before, bool more)
{
	const char *name;
	json_t *ignored;

	json_object_foreach(names_get(&c->names, kind), name, ignored)
	{
		char word[160];

		if (is_listed(before, name))
			continue;
		snprintf(word, sizeof(word), "%.150s%s", name, more ? "." : "");
		completion_add(c, before, word, "", more);
	}
}

// leaf1.swp3.0 to leaf1.swp3.7 behind a port; else ports.
static void
add_queues(struct completion *c)
{
	const char *dot = strrchr(c->word, '.');
	char *port = dot != NULL ? memory_text_part(c->word, (size_t)(dot - c->word)) : NULL;

	if (port != NULL && json_object_get(names_get(&c->names, NAMES_PORT), port) != NULL) {
		for (int queue = 0; queue < CONFIG_PRIORITIES; queue++) {
			char word[4];

			snprintf(word, sizeof(word), ".%d", queue);
			completion_add(c, port, word, "", false);
		}
	} else {
		add_names(c, NAMES_PORT, "", true);
	}
	free(port);
}

// Names with commas between: the last one is completed.
static void
add_listed(struct completion *c, enum names_kind kind)
{
	const char *comma = strrchr(c->word, ',');
	char *before = memory_text_part(c->word, comma != NULL ? (size_t)(comma - c->word) + 1 : 0);

	add_names(c, kind, before, false);
	free(before);
}

static void
complete_literals(struct completion *c, const char *literals, const char *help)
{
	char words[256], *rest = words, *word;

	snprintf(words, sizeof(words), "%s", literals);
	while ((word = strsep(&rest, "|")) != NULL)
		completion_add(c, "", word, help, false);
}

static void
complete_named(struct completion *c, const struct cli_argument *argument, enum names_kind kind)
{
	if (kind == NAMES_HOST)
		kind = c->names.hosts;
	add_listed(c, kind);
	if (json_object_size(names_get(&c->names, kind)) == 0)
		completion_note(c, cli_argument_name(argument), "");
	if (argument->kind == CLI_VRF)
		completion_add(c, "", "default", "the underlay", false);
	if (argument->kind == CLI_LINK && strchr(c->word, '.') != NULL)
		add_names(c, NAMES_PORT, "", false);
	if (argument->kind == CLI_PORT)
		add_names(c, NAMES_SWITCH, "", false);
}

// One or two kinds of files: FILE|NAME of `up` is a file here.
static void
complete_files(struct completion *c, enum cli_kind kind)
{
	const char *equals = strchr(c->word, '=');

	c->files |= kind == CLI_FILE;
	c->directories |= kind == CLI_DIRECTORY;
	if (kind == CLI_CAPTURE && equals != NULL) {
		c->files = true;
		c->file_at = (size_t)(equals - c->word) + 1;
	}
}

void
complete_argument(struct completion *c, const struct cli_argument *argument, const char *help)
{
	enum names_kind names = cli_kind_names(argument->kind);

	if (argument->kind == CLI_LITERAL)
		complete_literals(c, argument->name, help);
	else if (names != NAMES_NONE)
		complete_named(c, argument, names);
	else if (argument->kind == CLI_QUEUE)
		add_queues(c);
	else if (argument->kind == CLI_COMMAND)
		completion_add_commands(c);
	else if (argument->kind != CLI_KEY && argument->kind != CLI_VALUE) {
		complete_files(c, argument->kind);
		completion_note(c, cli_argument_name(argument), help);
	}
}
