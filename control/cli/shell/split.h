// SPDX-License-Identifier: BSD-3-Clause
// A line of text as words, as a POSIX shell splits it (XCU 2.2): blanks between words, '...' as it
// stands, "..." and \ for what would else part them, # and what follows a comment. Nothing is
// expanded: $, *, ~, |, > are letters like any other.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SHELL_WORDS_MAX 256
#define SHELL_LINE_MAX 8192 // bytes of a line

struct shell_words {
	unsigned count;
	char *words[SHELL_WORDS_MAX + 1]; // NULL behind the last
	size_t starts[SHELL_WORDS_MAX];   // where each begins in the line
	bool open;                        // the line ends in the middle of the last word
	char quote;                       // that is open at the end: ' or " or \; 0: none
	bool comment;                     // the line ends in one
	char text[SHELL_LINE_MAX + SHELL_WORDS_MAX + 1];
};

// Splits a line. Returns 0; -E2BIG when it is too long or has too many words. An open quote is no
// error here: a line that is being typed has one.
int shell_split(struct shell_words *out, const char *line);

// Writes a word so that it stands for itself in a line: `\` before what is special outside quotes,
// or within the quote that is open, which stays so. Returns 0, or -E2BIG.
int shell_quote(char *out, size_t size, const char *word, char quote);
