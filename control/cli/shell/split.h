// SPDX-License-Identifier: BSD-3-Clause
// Splits a line into words as a POSIX shell does (XCU 2.2): at blanks that are not quoted by '...',
// "..." or \. A # begins a comment. Nothing is expanded: $, *, ~, | and > are ordinary characters.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SHELL_WORDS_MAX 256
#define SHELL_LINE_MAX 8192 // bytes of a line

struct shell_words {
	unsigned count;
	char *words[SHELL_WORDS_MAX + 1]; // NULL behind the last
	bool open;                        // the line ends in the middle of the last word
	char quote;                       // open at the end: ' or " or \; 0: none
	bool comment;                     // the line ends in one
	char text[SHELL_LINE_MAX + SHELL_WORDS_MAX + 1];
};

// Splits a line. Returns 0, or -E2BIG if it is too long or has too many words. An open quote is not
// an error here: a line that is being typed may have one.
int shell_split(struct shell_words *out, const char *line);

// Writes a word with a `\` before each character that is special: outside quotes, or within the
// quote that is open and stays open. Returns 0, or -E2BIG.
int shell_quote(char *out, size_t size, const char *word, char quote);
