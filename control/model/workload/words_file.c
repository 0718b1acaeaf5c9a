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
				   "a NUL byte: this is not a text file");
			r->at = r->end;
			return 0;
		}
		count = cut(r, line, end, words, max);
		if (count != 0)
			return count;
	}
	return 0;
}

bool
words_line(struct words_reader *r, struct config_name *words, unsigned count, const char *what)
{
	unsigned found;

	while ((found = words_next(r, words, count)) != 0 && found != count)
		diag_error(r->diag, r->name, words[0].pos, NULL, "%u word%s; a line is `%s`", found,
			   found == 1 ? "" : "s", what);
	return found != 0;
}

// Returns false where the text is no number.
static bool
read_number(const char *text, unsigned digits, uint64_t *out, bool *too_large, bool *too_fine)
{
	bool point = false, any = false;
	unsigned after = 0;

	for (; *text != '\0'; text++) {
		unsigned digit = (unsigned char)*text - '0';

		if (*text == '.' && !point && digits != 0) {
			point = true;
			continue;
		}
		if (digit > 9)
			return false;
		any = true;
		if (point && after == digits) {
			*too_fine |= digit != 0;
			continue;
		}
		after += point;
		*too_large |= __builtin_mul_overflow(*out, 10, out) ||
			      __builtin_add_overflow(*out, digit, out);
	}
	for (; after < digits; after++)
		*too_large |= __builtin_mul_overflow(*out, 10, out);
	return any;
}

int
words_number(const struct words_reader *r, const struct config_name *word,
	     const struct words_range *range, uint64_t *out)
{
	bool too_large = false, too_fine = false;
	uint64_t one = 1;

	for (unsigned i = 0; i < range->digits; i++)
		one *= 10;
	*out = 0;
	if (!read_number(word->text, range->digits, out, &too_large, &too_fine))
		return diag_error(r->diag, r->name, word->pos, range->field, "\"%.*s\" is not a %s",
				  WORDS_SHOWN, word->text,
				  range->digits != 0 ? "number such as 2.000001" : "whole number");
	if (too_large || *out < range->min || *out > range->max)
		return diag_error(r->diag, r->name, word->pos, range->field,
				  "%.*s is out of range: %" PRIu64 " to %" PRIu64 "%s", WORDS_SHOWN,
				  word->text, range->min / one, range->max / one,
				  range->unit != NULL ? range->unit : "");
	if (too_fine)
		return diag_error(r->diag, r->name, word->pos, range->field,
				  "%.*s has more than %u digits after the point", WORDS_SHOWN,
				  word->text, range->digits);
	return 0;
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
