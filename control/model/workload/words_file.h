// SPDX-License-Identifier: BSD-3-Clause
// Text files of lines of words: flow files and size distributions. `#` begins a comment; blanks
// separate words. Private to control/model/workload/.
#pragma once

#include "control/config/config.h"

#define WORDS_FILE_BYTES_MAX (1u << 30)
#define WORDS_SHOWN 40 // characters of a wrong word that a message repeats

struct words_reader {
	const char *name; // the file's, in messages
	struct diag *diag;
	uint32_t line;
	char *at, *end; // what is left of the text
};

// The words of the next line that has any; those past `max` are only counted. They point into the
// text, which is cut up. Returns how many there are; 0: the end, or a line that is no text, which
// is an error in diag.
unsigned words_next(struct words_reader *r, struct config_name *words, unsigned max);
// The words of the next line that has `count`; others are errors in diag, which say what a line
// is. Returns false at the end.
bool words_line(struct words_reader *r, struct config_name *words, unsigned count,
		const char *what);

// What a number may be, in units of 10^-digits, and what messages call it.
struct words_range {
	const char *field;
	uint64_t min, max;
	unsigned digits; // after the point; 0: a whole number
	const char *unit;
};

// A number such as 2.000001, exactly. Returns 0, or -EINVAL with the error in diag.
int words_number(const struct words_reader *r, const struct config_name *word,
		 const struct words_range *range, uint64_t *out);

// Reads a file. Returns 0 with *text for free(), or -errno: -EFBIG beyond
// WORDS_FILE_BYTES_MAX.
int words_load(const char *path, char **text, size_t *length);
