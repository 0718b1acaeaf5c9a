// SPDX-License-Identifier: BSD-3-Clause
#include "words_file.h"

#include "control/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

// Cuts a line into words.
static unsigned
cut(const struct words_reader *r, char *line, char *end, struct config_name *words, unsigned max)
{
	unsigned count = 0;
	char *at = line;

	while (at < end && *at != '#') {
		char *word = at;

		if (is_blank(*at)) {
			at++;
			continue;
		}
		while (at < end && *at != '#' && !is_blank(*at))
			at++;
		if (count < max)
			words[count] = (struct config_name){
				.text = word,
				.pos = {.line = r->line, .column = (uint32_t)(word - line) + 1},
			};
		count++;
		if (at == end || *at == '#') {
			*at = '\0';
			break;
		}
		*at++ = '\0';
	}
	return count;
}

unsigned
words_next(struct words_reader *r, struct config_name *words, unsigned max)
{
	while (r->at < r->end) {
		char *line = r->at;
		char *newline = memchr(line, '\n', (size_t)(r->end - line));
		char *end = newline != NULL ? newline : r->end;
		unsigned count;

		r->line++;
		r->at = newline != NULL ? newline + 1 : r->end;
		if (memchr(line, '\0', (size_t)(end - line)) != NULL) {
			diag_error(r->diag, r->name,
				   (struct diag_pos){.line = r->line, .column = 1}, NULL,
				   "a NUL byte: this is no text file");
			r->at = r->end;
			return 0;
		}
		count = cut(r, line, end, words, max);
		if (count != 0)
			return count;
	}
	return 0;
}

int
words_number(const struct words_reader *r, const struct config_name *word, const char *field,
	     uint64_t min, uint64_t max, uint64_t *out)
{
	const char *text = word->text;
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0') {
		diag_error(r->diag, r->name, word->pos, field, "\"%.*s\" is not a whole number",
			   WORDS_SHOWN, text);
		return -EINVAL;
	}
	if (errno != 0 || *out < min || *out > max) {
		diag_error(r->diag, r->name, word->pos, field,
			   "%.*s is out of range: %" PRIu64 " to %" PRIu64, WORDS_SHOWN, text, min,
			   max);
		return -EINVAL;
	}
	return 0;
}

enum decimal { DECIMAL_GOOD, DECIMAL_NONE, DECIMAL_TOO_FINE, DECIMAL_TOO_LARGE };

static enum decimal
read_decimal(const char *text, unsigned digits, uint64_t max, uint64_t *out)
{
	bool point = false, any = false, fine = false;
	unsigned after = 0;

	*out = 0;
	for (; *text != '\0'; text++) {
		unsigned digit = (unsigned char)*text - '0';

		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (digit > 9)
			return DECIMAL_NONE;
		any = true;
		if (point && after == digits) {
			fine |= digit != 0;
			continue;
		}
		after += point;
		if (*out > (max - digit) / 10)
			return DECIMAL_TOO_LARGE;
		*out = *out * 10 + digit;
	}
	for (; after < digits; after++) {
		if (*out > max / 10)
			return DECIMAL_TOO_LARGE;
		*out *= 10;
	}
	return !any ? DECIMAL_NONE : fine ? DECIMAL_TOO_FINE : DECIMAL_GOOD;
}

int
words_decimal(const struct words_reader *r, const struct config_name *word, const char *field,
	      const char *what, unsigned digits, uint64_t max, uint64_t *out)
{
	uint64_t one = 1;

	for (unsigned i = 0; i < digits; i++)
		one *= 10;
	switch (read_decimal(word->text, digits, max, out)) {
	case DECIMAL_GOOD:
		return 0;
	case DECIMAL_TOO_FINE:
		diag_error(r->diag, r->name, word->pos, field,
			   "%.*s has more than %u digits after the point", WORDS_SHOWN, word->text,
			   digits);
		return -EINVAL;
	case DECIMAL_TOO_LARGE:
		diag_error(r->diag, r->name, word->pos, field,
			   "%.*s is out of range: 0 to %" PRIu64 "%s", WORDS_SHOWN, word->text,
			   max / one, what);
		return -EINVAL;
	default:
		diag_error(r->diag, r->name, word->pos, field,
			   "\"%.*s\" is not a number such as 2.000001", WORDS_SHOWN, word->text);
		return -EINVAL;
	}
}

int
words_load(const char *path, char **text, size_t *length)
{
	int error = file_read(path, WORDS_FILE_BYTES_MAX, text, length);

	if (error != 0 || *length <= WORDS_FILE_BYTES_MAX)
		return error;
	free(*text);
	*text = NULL;
	return -EFBIG;
}
