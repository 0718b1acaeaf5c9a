// SPDX-License-Identifier: BSD-3-Clause
// The options of a command, out of its forms and of the lines of its details that tell of them.
#include "usage.h"

#include <string.h>

static void
copy_word(char out[static USAGE_WORD], const char *text, size_t length)
{
	if (length >= USAGE_WORD)
		length = USAGE_WORD - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

static struct usage_option *
add_option(struct usage_option *options, unsigned *count, const char *name, size_t length)
{
	char word[USAGE_WORD];
	bool joined;

	copy_word(word, name, length);
	for (unsigned i = 0; i < *count; i++)
		if (usage_find_option(&options[i], 1, word, &joined) != NULL)
			return &options[i];
	if (*count == USAGE_OPTIONS_MAX)
		return NULL;
	options[*count] = (struct usage_option){0};
	memcpy(options[*count].names[0], word, sizeof(word));
	return &options[(*count)++];
}

// "  -o, --output json|text  the form of the answer"
static void
read_detail(const char *line, size_t length, struct usage_option *options, unsigned *count)
{
	struct usage_option *option = NULL;
	const char *end = line + length;

	line += 2;
	while (line < end && *line == '-') {
		size_t word = 0;

		while (line + word < end && strchr(" ,", line[word]) == NULL)
			word++;
		if (option == NULL)
			option = add_option(options, count, line, word);
		else
			copy_word(option->names[1], line, word);
		if (option == NULL)
			return;
		line += word;
		if (end - line < 2 || line[0] != ',')
			break;
		line += 2;
	}
	if (option == NULL)
		return;
	if (end - line > 1 && line[0] == ' ' && line[1] != ' ') {
		size_t word = 0;

		line++;
		while (line + word < end && line[word] != ' ')
			word++;
		copy_word(option->argument, line, word);
		line += word;
	}
	while (line < end && *line == ' ')
		line++;
	option->help = line;
	option->help_length = (size_t)(end - line);
}

// Those that stand in a form: "[-o DIR]", "--in PORT=PCAP".
static void
read_form(const char *form, size_t length, struct usage_option *options, unsigned *count)
{
	struct usage_option *option = NULL;
	const char *end = form + length;

	while (form < end) {
		size_t word = 0;

		while (form + word < end && strchr(" []", form[word]) == NULL)
			word++;
		if (word > 1 && form[0] == '-' && !(word == 2 && form[1] == '-')) {
			option = add_option(options, count, form, word);
		} else if (word > 0) {
			if (option != NULL && form[0] != '|' && option->argument[0] == '\0')
				copy_word(option->argument, form, word);
			option = NULL;
		} else if (*form != ' ') {
			option = NULL;
		}
		form += word > 0 ? word : 1;
	}
}

unsigned
usage_options(const struct cli_command *command, struct usage_option out[static USAGE_OPTIONS_MAX])
{
	unsigned count = 0;

	for (const char *line = command->details; *line != '\0';) {
		size_t length = strcspn(line, "\n");

		if (length > 3 && memcmp(line, "  -", 3) == 0)
			read_detail(line, length, out, &count);
		line += length + (line[length] == '\n');
	}
	for (const char *line = command->arguments; *line != '\0';) {
		size_t length = strcspn(line, "\n");

		read_form(line, length, out, &count);
		line += length + (line[length] == '\n');
	}
	return count;
}

const struct usage_option *
usage_find_option(const struct usage_option *options, unsigned count, const char *word,
		  bool *joined)
{
	size_t length = strcspn(word, "=");

	*joined = word[length] == '=';
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < 2; j++)
			if (strlen(options[i].names[j]) == length && length > 0 &&
			    memcmp(options[i].names[j], word, length) == 0)
				return &options[i];
	return NULL;
}
