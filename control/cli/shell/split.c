// SPDX-License-Identifier: BSD-3-Clause
#include "split.h"

#include <errno.h>
#include <string.h>

struct splitter {
	struct shell_words *out;
	char *end; // of the text so far
	bool in_word;
};

static int
begin_word(struct splitter *s)
{
	if (s->in_word)
		return 0;
	if (s->out->count == SHELL_WORDS_MAX)
		return -E2BIG;
	s->out->words[s->out->count++] = s->end;
	s->in_word = true;
	return 0;
}

static void
end_word(struct splitter *s)
{
	if (s->in_word)
		*s->end++ = '\0';
	s->in_word = false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

// Within "...", a backslash is an ordinary character unless one of these follows.
static bool
is_escaped(char quote, char next)
{
	return quote != '"' || next == '"' || next == '\\' || next == '$' || next == '`';
}

int
shell_split(struct shell_words *out, const char *line)
{
	struct splitter s = {.out = out, .end = out->text};
	char quote = 0;

	out->count = 0;
	out->quote = 0;
	out->open = out->comment = false;
	if (strnlen(line, SHELL_LINE_MAX + 1) > SHELL_LINE_MAX)
		return -E2BIG;
	for (size_t i = 0; line[i] != '\0'; i++) {
		char c = line[i];

		if (quote == 0 && is_blank(c)) {
			end_word(&s);
			continue;
		}
		if (quote == 0 && c == '#' && !s.in_word) {
			out->comment = true;
			break;
		}
		if (begin_word(&s) != 0)
			return -E2BIG;
		if (c == quote) {
			quote = 0;
		} else if (quote == 0 && (c == '\'' || c == '"')) {
			quote = c;
		} else if (c == '\\' && quote != '\'' && line[i + 1] == '\0') {
			out->quote = '\\';
		} else if (c == '\\' && quote != '\'' && is_escaped(quote, line[i + 1])) {
			*s.end++ = line[++i];
		} else {
			*s.end++ = c;
		}
	}
	out->open = s.in_word;
	if (out->quote == 0)
		out->quote = quote;
	end_word(&s);
	out->words[out->count] = NULL;
	return 0;
}

int
shell_quote(char *out, size_t size, const char *word, char quote)
{
	const char *special = quote == '"' ? "\"\\$`" : quote == '\'' ? "" : " \t\n'\"\\#";
	size_t used = 0;

	for (; *word != '\0'; word++) {
		bool escaped = strchr(special, *word) != NULL;

		// Within '...' nothing can stand for a quote: close it, add \', open it again.
		if (quote == '\'' && *word == '\'') {
			if (used + 4 >= size)
				return -E2BIG;
			memcpy(out + used, "'\\''", 4);
			used += 4;
			continue;
		}
		if (used + 1 + escaped >= size)
			return -E2BIG;
		if (escaped)
			out[used++] = '\\';
		out[used++] = *word;
	}
	if (size == 0)
		return -E2BIG;
	out[used] = '\0';
	return 0;
}
