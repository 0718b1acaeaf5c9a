// SPDX-License-Identifier: BSD-3-Clause
// What may follow on a command line, from the rows of commands, the schema of keys, and the names
// of the live fabric. The interactive shell and bash both use it.
#pragma once

#include "command.h"
#include "live_names.h"

#define COMPLETION_ITEMS_MAX 65536
#define COMPLETION_WORDS_MAX 256 // of a line, options not counted

struct completion_item {
	char *word; // complete, not only its missing end
	char *help; // may be empty
	bool more;  // it goes on: no blank behind it
	bool note;  // a placeholder for words that cannot be listed, such as VALUE
};

struct completion {
	struct completion_item *items;
	unsigned count;
	bool files, directories; // names of files fit too
	size_t file_at;          // where in the word such a name begins
	const char *word;        // that is being completed
	struct names names;
	const struct cli_program *program;
};

// The words of a command line, without "roost" before them; the last, which may be empty, is
// completed. interactive: in the shell, which has commands of its own.
struct completion_line {
	unsigned count;
	char *const *words;
	bool interactive;
};

// The completion is for completion_free().
void completion_find(struct completion *out, const struct cli_program *program,
		     const struct completion_line *line);
void completion_free(struct completion *completion);

// Sorts the items. Length of the longest common beginning.
void completion_sort(struct completion *completion);
size_t completion_common(const struct completion *completion);

// ---- for the parts of it ----

// Adds `before` + `word` if the word that is being completed may become it.
void completion_add(struct completion *c, const char *before, const char *word, const char *help,
		    bool more);
void completion_add_commands(struct completion *c);
// Adds a placeholder for words that cannot be listed.
void completion_note(struct completion *c, const char *what, const char *help);
// Adds the words that an argument may be (complete_word.c).
void complete_argument(struct completion *c, const struct cli_argument *argument, const char *help);

// Keys (complete_key.c). live: only those that change while a fabric runs.
void complete_key(struct completion *c, bool live);
// How many of these words belong to the key that begins with the first.
unsigned complete_key_words(unsigned count, char *const *words);
// Adds what may follow these words, which are a key: its next parts and, if `value`, its values.
void complete_after_key(struct completion *c, unsigned count, char *const *words, bool live,
			bool value);
