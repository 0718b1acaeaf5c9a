// SPDX-License-Identifier: BSD-3-Clause
#include "flows_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 6
#define SHOWN 40 // characters of a wrong word that a message repeats
#define PS_PER_NS UINT64_C(1000)
#define START_NS_MAX (INT64_MAX / PS_PER_NS)

enum field { FIELD_SRC, FIELD_DST, FIELD_TENANT, FIELD_PRIORITY, FIELD_BYTES, FIELD_START };

struct reader {
	const char *name;
	struct config_diag *diag;
	uint32_t line;
};

static const char *const field_names[FIELDS] = {"src",      "dst",   "tenant",
						"priority", "bytes", "start_ns"};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

// Cuts a line into words and returns how many there are; those past FIELDS are counted only.
static unsigned
cut_words(const struct reader *r, char *line, char *end, struct config_name words[FIELDS])
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
		if (count < FIELDS)
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

static int
read_number(const struct reader *r, const struct config_name *word, enum field field, uint64_t min,
	    uint64_t max, uint64_t *out)
{
	const char *text = word->text;
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0') {
		config_error(r->diag, r->name, word->pos, field_names[field],
			     "\"%.*s\" is not a whole number", SHOWN, text);
		return -EINVAL;
	}
	if (errno != 0 || *out < min || *out > max) {
		config_error(r->diag, r->name, word->pos, field_names[field],
			     "%.*s is out of range: %" PRIu64 " to %" PRIu64, SHOWN, text, min,
			     max);
		return -EINVAL;
	}
	return 0;
}

static int
read_name(const struct reader *r, const struct config_name *word, enum field field)
{
	if (strlen(word->text) <= CONFIG_NAME_MAX)
		return 0;
	config_error(r->diag, r->name, word->pos, field_names[field],
		     "\"%.*s...\" is longer than a name may be (%d)", SHOWN, word->text,
		     CONFIG_NAME_MAX);
	return -EINVAL;
}

static bool
is_dash(const struct config_name *word)
{
	return strcmp(word->text, "-") == 0;
}

static int
read_line(const struct reader *r, const struct config_name words[FIELDS], struct flows_line *out)
{
	uint64_t priority = 0, start_ns = 0;
	int error = 0;

	*out = (struct flows_line){
		.src = words[FIELD_SRC], .dst = words[FIELD_DST], .priority = -1};
	for (enum field f = FIELD_SRC; f <= FIELD_TENANT; f++)
		error |= read_name(r, &words[f], f);
	if (!is_dash(&words[FIELD_TENANT]))
		out->tenant = words[FIELD_TENANT];
	if (!is_dash(&words[FIELD_PRIORITY])) {
		error |= read_number(r, &words[FIELD_PRIORITY], FIELD_PRIORITY, 0,
				     CONFIG_PRIORITIES - 1, &priority);
		out->priority = (int8_t)priority;
	}
	error |= read_number(r, &words[FIELD_BYTES], FIELD_BYTES, 1, FLOWS_FILE_SIZE_MAX,
			     &out->bytes);
	error |= read_number(r, &words[FIELD_START], FIELD_START, 0, START_NS_MAX, &start_ns);
	out->start_ps = start_ns * PS_PER_NS;
	return error;
}

static int
add_line(struct flows_file *file, const struct flows_line *line)
{
	if (file->count == file->capacity) {
		uint32_t capacity = file->capacity != 0 ? 2 * file->capacity : 256;
		struct flows_line *grown = realloc(file->lines, capacity * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		file->lines = grown;
		file->capacity = capacity;
	}
	file->lines[file->count++] = *line;
	return 0;
}

static int
parse_line(struct reader *r, struct flows_file *file, char *line, char *end)
{
	struct config_name words[FIELDS];
	struct flows_line parsed;
	unsigned count;

	if (memchr(line, '\0', (size_t)(end - line)) != NULL) {
		config_error(r->diag, r->name, (struct config_pos){.line = r->line, .column = 1},
			     NULL, "a NUL byte: this is no text file");
		return 0;
	}
	count = cut_words(r, line, end, words);
	if (count == 0)
		return 0;
	if (count != FIELDS) {
		config_error(r->diag, r->name, words[0].pos, NULL,
			     "%u words; a line is `src dst tenant priority bytes start_ns`", count);
		return 0;
	}
	return read_line(r, words, &parsed) == 0 ? add_line(file, &parsed) : 0;
}

int
flows_file_parse(struct flows_file *out, const char *text, size_t length, const char *name,
		 struct config_diag *diag)
{
	struct flows_file file = {.text = malloc(length + 1)};
	struct reader r = {.name = name, .diag = diag};
	unsigned before = diag->errors;
	int error = file.text == NULL ? -ENOMEM : 0;
	char *at = file.text, *end = file.text + length;

	if (error == 0) {
		memcpy(file.text, text, length);
		*end = '\0';
	}
	while (error == 0 && at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *line_end = newline != NULL ? newline : end;

		r.line++;
		error = parse_line(&r, &file, at, line_end);
		at = line_end + 1;
	}
	if (error == 0 && diag->errors != before)
		error = -EINVAL;
	if (error != 0)
		flows_file_free(&file);
	else
		*out = file;
	return error;
}

// Reads all of a file. Returns 0 with *text for free(), -EINVAL with the error in diag, or -ENOMEM.
static int
read_whole(const char *path, char **text, size_t *length, struct config_diag *diag)
{
	FILE *from = fopen(path, "re");
	size_t capacity = 1 << 16, used = 0;
	char *buffer = malloc(capacity);
	int error = buffer == NULL ? -ENOMEM : 0;

	if (from == NULL) {
		config_error(diag, path, (struct config_pos){0}, NULL, "cannot open: %s",
			     strerror(errno));
		free(buffer);
		return -EINVAL;
	}
	while (error == 0) {
		size_t got = fread(buffer + used, 1, capacity - used, from);
		char *grown;

		used += got;
		if (used < capacity)
			break;
		if (capacity >= FLOWS_FILE_BYTES_MAX) {
			config_error(diag, path, (struct config_pos){0}, NULL,
				     "larger than %u bytes", FLOWS_FILE_BYTES_MAX);
			error = -EINVAL;
			break;
		}
		grown = realloc(buffer, 2 * capacity);
		error = grown == NULL ? -ENOMEM : 0;
		buffer = grown != NULL ? grown : buffer;
		capacity *= 2;
	}
	if (error == 0 && ferror(from)) {
		config_error(diag, path, (struct config_pos){0}, NULL, "cannot read: %s",
			     strerror(errno));
		error = -EINVAL;
	}
	fclose(from);
	if (error != 0) {
		free(buffer);
		return error;
	}
	*text = buffer;
	*length = used;
	return 0;
}

int
flows_file_load(struct flows_file *out, const char *path, struct config_diag *diag)
{
	char *text;
	size_t length;
	int error = read_whole(path, &text, &length, diag);

	if (error != 0)
		return error;
	error = flows_file_parse(out, text, length, path, diag);
	free(text);
	return error;
}

void
flows_file_free(struct flows_file *file)
{
	free(file->text);
	free(file->lines);
	*file = (struct flows_file){0};
}
