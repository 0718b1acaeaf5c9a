// SPDX-License-Identifier: BSD-3-Clause
// Two keys of the line editor: TAB completes the word before the cursor as far as it is unambiguous
// and otherwise lists the candidates; ? lists what may follow, with help.
#include "shell.h"

#include "control/base/memory.h"
#include "control/cli/command/complete.h"
#include "split.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHOWN_MAX 200

// The line up to the cursor, and the completions of its last word.
struct input {
	struct shell_words words;
	struct completion completion;
};

// ---- files --------------------------------------------------------------------------------------

// A word as a pattern for glob(): its special characters escaped, and a star added. For free().
static char *
glob_pattern(const char *word)
{
	char *pattern = memory_new(2 * strlen(word) + 2, "pattern"), *at = pattern;

	for (; *word != '\0'; word++) {
		if (strchr("*?[\\", *word) != NULL)
			*at++ = '\\';
		*at++ = *word;
	}
	memcpy(at, "*", 2);
	return pattern;
}

static void
add_files(struct completion *c)
{
	const char *begun = c->word + c->file_at;
	char *before = memory_text_part(c->word, c->file_at), *pattern = glob_pattern(begun);
	glob_t found = {0};

	if (glob(pattern, GLOB_MARK, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *path = found.gl_pathv[i];
			bool directory = path[0] != '\0' && path[strlen(path) - 1] == '/';

			if (directory || c->files)
				completion_add(c, before, path, "", directory);
		}
	}
	globfree(&found);
	free(pattern);
	free(before);
	completion_sort(c);
}

// ---- the line -----------------------------------------------------------------------------------

// Returns NULL when the line cannot be completed. For input_free().
static struct input *
input_read(EditLine *editor)
{
	const LineInfo *line = el_line(editor);
	struct input *input = memory_new(sizeof(*input), "completion");
	char text[SHELL_LINE_MAX + 1];
	size_t length = (size_t)(line->cursor - line->buffer);
	static char nothing_yet[] = "";
	struct completion_line completing;
	char **words;
	bool own;

	if (length >= sizeof(text))
		goto nothing;
	memcpy(text, line->buffer, length);
	text[length] = '\0';
	if (shell_split(&input->words, text) != 0 || input->words.comment)
		goto nothing;
	if (!input->words.open && input->words.count < SHELL_WORDS_MAX)
		input->words.words[input->words.count++] = nothing_yet;
	words = input->words.words;
	own = input->words.count > 1 && strcmp(words[0], "roost") == 0;
	completing = (struct completion_line){input->words.count - own, words + own, true};
	completion_find(&input->completion, shell_program(editor), &completing);
	if (input->completion.files || input->completion.directories)
		add_files(&input->completion);
	return input;
nothing:
	free(input);
	return NULL;
}

static void
input_free(struct input *input)
{
	completion_free(&input->completion);
	free(input);
}

static unsigned
count_words(const struct completion *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += !c->items[i].note;
	return count;
}

// ---- lists --------------------------------------------------------------------------------------

static unsigned
screen_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 80;
}

static void
list_words(const struct completion *c)
{
	unsigned width = 0, columns, shown = 0;

	for (unsigned i = 0; i < c->count; i++)
		if (!c->items[i].note && strlen(c->items[i].word) + 2 > width)
			width = (unsigned)strlen(c->items[i].word) + 2;
	columns = width != 0 && width < screen_width() ? screen_width() / width : 1;
	for (unsigned i = 0; i < c->count && shown < SHOWN_MAX; i++) {
		if (c->items[i].note)
			continue;
		printf("%s%-*s", shown % columns == 0 ? "\n" : "", (int)width, c->items[i].word);
		shown++;
	}
	if (shown < count_words(c))
		printf("\n... and %u more", count_words(c) - shown);
	putchar('\n');
}

static void
list_help(const struct completion *c)
{
	if (c->count == 0)
		fputs("\n  no known word", stdout);
	for (unsigned i = 0; i < c->count && i < SHOWN_MAX; i++)
		printf("\n  %-20s %s", c->items[i].word, c->items[i].help);
	if (c->count > SHOWN_MAX)
		printf("\n  ... and %u more", c->count - SHOWN_MAX);
	putchar('\n');
}

// ---- keys ---------------------------------------------------------------------------------------

static const char *
only_word(const struct completion *c, bool *more)
{
	for (unsigned i = 0; i < c->count; i++) {
		*more = c->items[i].more;
		if (!c->items[i].note)
			return c->items[i].word;
	}
	return "";
}

// Inserts the rest of the word as far as it is unambiguous. Returns whether there was any.
static bool
insert_certain(EditLine *editor, const struct input *input)
{
	const struct completion *c = &input->completion;
	char quote = input->words.quote, text[2 * SHELL_LINE_MAX];
	size_t typed = strlen(c->word), common = completion_common(c);
	bool more = false, only = count_words(c) == 1;
	char *certain = memory_text_part(only_word(c, &more), common);
	bool inserted = false;

	if (common < typed || quote == '\\' ||
	    shell_quote(text, sizeof(text) - 4, certain + typed, quote) != 0)
		goto out;
	if (only && !more)
		snprintf(text + strlen(text), 4, "%.1s ", (char[]){quote, '\0'});
	inserted = text[0] != '\0' && el_insertstr(editor, text) == 0;
out:
	free(certain);
	return inserted;
}

static unsigned char
on_tab(EditLine *editor, int key)
{
	struct input *input = input_read(editor);
	unsigned char result = CC_ERROR;

	(void)key;
	if (input == NULL)
		return CC_ERROR;
	if (count_words(&input->completion) > 0 && insert_certain(editor, input)) {
		result = CC_REFRESH;
	} else if (count_words(&input->completion) > 1) {
		list_words(&input->completion);
		result = CC_REDISPLAY;
	}
	input_free(input);
	return result;
}

static unsigned char
on_question(EditLine *editor, int key)
{
	struct input *input = input_read(editor);
	unsigned char result = CC_REFRESH;

	(void)key;
	if (input == NULL || input->words.quote != 0) {
		result = el_insertstr(editor, "?") == 0 ? CC_REFRESH : CC_ERROR;
	} else {
		list_help(&input->completion);
		result = CC_REDISPLAY;
	}
	if (input != NULL)
		input_free(input);
	return result;
}

int
shell_bind(EditLine *editor)
{
	if (el_set(editor, EL_ADDFN, "roost-complete", "complete a word", on_tab) != 0 ||
	    el_set(editor, EL_ADDFN, "roost-help", "list what may follow", on_question) != 0)
		return -1;
	if (el_set(editor, EL_BIND, "^I", "roost-complete", NULL) != 0)
		return -1;
	return el_set(editor, EL_BIND, "?", "roost-help", NULL);
}
