// SPDX-License-Identifier: BSD-3-Clause
// What the words of a command's usage stand for: capitals for files, names and the like, other
// words for themselves.
#include "complete.h"

#include "control/config/config_values.h"

#include <ctype.h>
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

// leaf1.swp3.0 to leaf1.swp3.7, once the port stands.
static void
add_queues(struct completion *c)
{
	const char *dot = strrchr(c->word, '.');
	char *port = dot != NULL ? strndup(c->word, (size_t)(dot - c->word)) : NULL;

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

static void
add_commands(struct completion *c)
{
	size_t count;
	const struct cli_command *commands = cli_commands(&count);

	for (size_t i = 0; i < count; i++)
		if (commands[i].help[0] != '\0')
			completion_add(c, "", commands[i].name, commands[i].help, false);
}

// Names after commas: what stands before the last is settled.
static void
add_listed(struct completion *c, enum names_kind kind)
{
	const char *comma = strrchr(c->word, ',');
	char *before = strndup(c->word, comma != NULL ? (size_t)(comma - c->word) + 1 : 0);

	if (before != NULL)
		add_names(c, kind, before, false);
	free(before);
}

static bool
add_known(struct completion *c, const char *token)
{
	static const struct {
		const char *token;
		enum names_kind kind;
	} named[] = {
		{"NODE", NAMES_SWITCH},   {"SWITCH", NAMES_SWITCH},     {"HOST", NAMES_HOST},
		{"TENANT", NAMES_TENANT}, {"VRF", NAMES_TENANT},        {"NAME", NAMES_FABRIC},
		{"PORT", NAMES_PORT},     {"REVISION", NAMES_REVISION},
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		enum names_kind kind = named[i].kind == NAMES_HOST ? c->names.hosts : named[i].kind;

		if (strcmp(token, named[i].token) != 0)
			continue;
		add_listed(c, kind);
		if (json_object_size(names_get(&c->names, kind)) == 0)
			completion_note(c, token, "");
		found = true;
	}
	if (strcmp(token, "VRF") == 0)
		completion_add(c, "", "default", "the underlay", false);
	if (strcmp(token, "PORT") == 0)
		add_names(c, NAMES_SWITCH, "", false);
	if (strcmp(token, "PORT.QUEUE") == 0) {
		add_queues(c);
		found = true;
	}
	return found;
}

// One of a token's alternatives.
static void
add_one(struct completion *c, const char *token, const char *help)
{
	const char *equals = strchr(c->word, '=');

	if (!isupper((unsigned char)token[0])) {
		completion_add(c, "", token, help, false);
		return;
	}
	if (strcmp(token, "KEY") == 0 || strcmp(token, "VALUE") == 0 || add_known(c, token))
		return;
	if (strcmp(token, "COMMAND") == 0) {
		add_commands(c);
		return;
	}
	c->files |= strcmp(token, "FILE") == 0;
	c->directories |= strcmp(token, "DIR") == 0;
	if (strcmp(token, "PORT=PCAP") == 0 && equals != NULL) {
		c->files = true;
		c->file_at = (size_t)(equals - c->word) + 1;
	}
	completion_note(c, token, help);
}

void
complete_token(struct completion *c, const char *token, const char *help)
{
	char words[USAGE_WORD], *rest = words, *word;

	snprintf(words, sizeof(words), "%s", token);
	while ((word = strsep(&rest, "|")) != NULL) {
		// HOST,... is read as a word that is repeated.
		word[strcspn(word, ",")] = '\0';
		add_one(c, word, help);
	}
}
