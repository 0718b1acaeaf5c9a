// SPDX-License-Identifier: BSD-3-Clause
// What two keys do in the line editor: TAB completes the word before the cursor as far as it is
// certain and lists what it may become where it is not; ? tells what may stand there, with help.
#include "shell.h"

#include "complete.h"
#include "words.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHOWN_MAX 200

// The line up to the cursor, and what may become of its last word.
struct look {
	struct shell_words words;
	struct completion completion;
};

// ---- files --------------------------------------------------------------------------------------

// `before` and `word` with what a pattern would take for more than itself escaped, and a star. For
// free().
static char *
glob_pattern(const char *word)
{
	char *pattern = malloc(2 * strlen(word) + 2), *at = pattern;

	for (; pattern != NULL && *word != '\0'; word++) {
		if (strchr("*?[\\", *word) != NULL)
			*at++ = '\\';
		*at++ = *word;
	}
	if (pattern != NULL)
		memcpy(at, "*", 2);
	return pattern;
}

static void
add_files(struct completion *c)
{
	const char *begun = c->word + c->file_at;
	char *before = strndup(c->word, c->file_at), *pattern = glob_pattern(begun);
	glob_t found = {0};

	if (before != NULL && pattern != NULL && glob(pattern, GLOB_MARK, NULL, &found) == 0) {
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

// ---- looking ------------------------------------------------------------------------------------

// Returns NULL when nothing can be said of the line. For free(), its completion before that.
static struct look *
look_at(EditLine *editor)
{
	const LineInfo *line = el_line(editor);
	struct look *look = calloc(1, sizeof(*look));
	char text[SHELL_LINE_MAX + 1];
	size_t length = (size_t)(line->cursor - line->buffer);
	static char nothing_yet[] = "";
	char **words;
	bool own;

	if (look == NULL || length >= sizeof(text))
		goto nothing;
	memcpy(text, line->buffer, length);
	text[length] = '\0';
	if (shell_split(&look->words, text) != 0 || look->words.comment)
		goto nothing;
	if (!look->words.open && look->words.count < SHELL_WORDS_MAX)
		look->words.words[look->words.count++] = nothing_yet;
	words = look->words.words;
	own = look->words.count > 1 && strcmp(words[0], "roost") == 0;
	shell_complete(&look->completion, look->words.count - own, words + own, true);
	if (look->completion.files || look->completion.directories)
		add_files(&look->completion);
	return look;
nothing:
	free(look);
	return NULL;
}

static void
look_free(struct look *look)
{
	completion_free(&look->completion);
	free(look);
}

static unsigned
count_words(const struct completion *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += !c->items[i].note;
	return count;
}

// ---- telling ------------------------------------------------------------------------------------

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
		fputs("\n  nothing that is known", stdout);
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

// Inserts what is certain of the word. Returns whether that is anything.
static bool
insert_certain(EditLine *editor, const struct look *look)
{
	const struct completion *c = &look->completion;
	char quote = look->words.quote, text[2 * SHELL_LINE_MAX];
	size_t typed = strlen(c->word), common = completion_common(c);
	bool more = false, only = count_words(c) == 1;
	char *certain = strndup(only_word(c, &more), common);
	bool inserted = false;

	if (certain == NULL || common < typed || quote == '\\' ||
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
	struct look *look = look_at(editor);
	unsigned char result = CC_ERROR;

	(void)key;
	if (look == NULL)
		return CC_ERROR;
	if (count_words(&look->completion) > 0 && insert_certain(editor, look)) {
		result = CC_REFRESH;
	} else if (count_words(&look->completion) > 1) {
		list_words(&look->completion);
		result = CC_REDISPLAY;
	}
	look_free(look);
	return result;
}

static unsigned char
on_question(EditLine *editor, int key)
{
	struct look *look = look_at(editor);
	unsigned char result = CC_REFRESH;

	(void)key;
	if (look == NULL || look->words.quote != 0) {
		result = el_insertstr(editor, "?") == 0 ? CC_REFRESH : CC_ERROR;
	} else {
		list_help(&look->completion);
		result = CC_REDISPLAY;
	}
	if (look != NULL)
		look_free(look);
	return result;
}

int
shell_bind(EditLine *editor)
{
	if (el_set(editor, EL_ADDFN, "roost-complete", "completes a word", on_tab) != 0 ||
	    el_set(editor, EL_ADDFN, "roost-help", "tells what may follow", on_question) != 0)
		return -1;
	if (el_set(editor, EL_BIND, "^I", "roost-complete", NULL) != 0)
		return -1;
	return el_set(editor, EL_BIND, "?", "roost-help", NULL);
}
