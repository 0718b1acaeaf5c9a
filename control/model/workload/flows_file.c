// SPDX-License-Identifier: BSD-3-Clause
#include "flows_file.h"

#include "words_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 6
#define PS_PER_NS UINT64_C(1000)
#define PS_DIGITS 12 // of a second
#define START_NS_MAX (INT64_MAX / PS_PER_NS)
#define CONWEAVE_START_PS UINT64_C(2000000000000)

enum field {
	FIELD_SRC,
	FIELD_DST,
	FIELD_TENANT,
	FIELD_PRIORITY,
	FIELD_DPORT,
	FIELD_BYTES,
	FIELD_START
};

struct format {
	const char *line;
	unsigned count;
	enum field fields[WORDS_MAX];
	bool numbered; // hosts are numbers, starts are seconds, a count comes first
	bool sorted;
	uint64_t start_ps; // where times begin
};

static const struct format formats[] = {
	[CONFIG_FLOW_FORMAT_ROOST] =
		{
			.line = "src dst tenant priority bytes start_ns",
			.count = 6,
			.fields = {FIELD_SRC, FIELD_DST, FIELD_TENANT, FIELD_PRIORITY, FIELD_BYTES,
				   FIELD_START},
		},
	[CONFIG_FLOW_FORMAT_HPCC] =
		{
			.line = "src dst pg dport bytes start_s",
			.count = 6,
			.fields = {FIELD_SRC, FIELD_DST, FIELD_PRIORITY, FIELD_DPORT, FIELD_BYTES,
				   FIELD_START},
			.numbered = true,
		},
	[CONFIG_FLOW_FORMAT_CONWEAVE] =
		{
			.line = "src dst pg bytes start_s",
			.count = 5,
			.fields = {FIELD_SRC, FIELD_DST, FIELD_PRIORITY, FIELD_BYTES, FIELD_START},
			.numbered = true,
			.sorted = true,
			.start_ps = CONWEAVE_START_PS,
		},
};

static bool
is_dash(const struct config_name *word)
{
	return strcmp(word->text, "-") == 0;
}

static int
read_host(const struct words_reader *r, const struct format *format, const struct config_name *word,
	  const char *field, struct config_name *out)
{
	uint64_t number;

	*out = *word;
	if (format->numbered)
		return words_number(r, word, field, 0, UINT32_MAX, &number);
	if (strlen(word->text) <= CONFIG_NAME_MAX)
		return 0;
	diag_error(r->diag, r->name, word->pos, field,
		   "\"%.*s...\" is longer than a name may be (%d)", WORDS_SHOWN, word->text,
		   CONFIG_NAME_MAX);
	return -EINVAL;
}

static int
read_priority(const struct words_reader *r, const struct format *format,
	      const struct config_name *word, int8_t *out)
{
	uint64_t priority;

	if (!format->numbered && is_dash(word))
		return 0;
	if (words_number(r, word, format->numbered ? "pg" : "priority", 0, CONFIG_PRIORITIES - 1,
			 &priority) != 0)
		return -EINVAL;
	*out = (int8_t)priority;
	return 0;
}

static int
read_start(const struct words_reader *r, const struct format *format,
	   const struct config_name *word, uint64_t *out)
{
	uint64_t ns;

	if (!format->numbered) {
		if (words_number(r, word, "start_ns", 0, START_NS_MAX, &ns) != 0)
			return -EINVAL;
		*out = ns * PS_PER_NS;
		return 0;
	}
	if (words_decimal(r, word, "start_s", " s", PS_DIGITS, INT64_MAX, out) != 0)
		return -EINVAL;
	if (*out < format->start_ps) {
		diag_error(r->diag, r->name, word->pos, "start_s",
			   "%s is before 2 s, where times of this format begin", word->text);
		return -EINVAL;
	}
	*out -= format->start_ps;
	return 0;
}

static int
read_word(const struct words_reader *r, const struct format *format, enum field field,
	  const struct config_name *word, struct flows_line *out)
{
	struct config_name tenant;
	uint64_t dport;

	switch (field) {
	case FIELD_SRC:
		return read_host(r, format, word, "src", &out->src);
	case FIELD_DST:
		return read_host(r, format, word, "dst", &out->dst);
	case FIELD_TENANT:
		if (is_dash(word))
			return 0;
		if (read_host(r, format, word, "tenant", &tenant) != 0)
			return -EINVAL;
		out->tenant = tenant;
		return 0;
	case FIELD_PRIORITY:
		return read_priority(r, format, word, &out->priority);
	case FIELD_DPORT:
		return words_number(r, word, "dport", 0, UINT16_MAX, &dport);
	case FIELD_BYTES:
		return words_number(r, word, "bytes", 1, FLOWS_FILE_SIZE_MAX, &out->bytes);
	case FIELD_START:
		return read_start(r, format, word, &out->start_ps);
	}
	return -EINVAL;
}

static int
read_line(const struct words_reader *r, const struct format *format,
	  const struct config_name words[WORDS_MAX], unsigned count, struct flows_line *out)
{
	int error = 0;

	*out = (struct flows_line){.priority = -1};
	if (count != format->count) {
		diag_error(r->diag, r->name, words[0].pos, NULL, "%u word%s; a line is `%s`", count,
			   count == 1 ? "" : "s", format->line);
		return -EINVAL;
	}
	for (unsigned i = 0; i < count; i++)
		error |= read_word(r, format, format->fields[i], &words[i], out);
	return error;
}

static int
add_line(const struct words_reader *r, const struct format *format, struct flows_file *file,
	 const struct flows_line *line, struct diag_pos start)
{
	if (format->sorted && file->count > 0 &&
	    line->start_ps < file->lines[file->count - 1].start_ps)
		diag_error(r->diag, r->name, start, "start_s",
			   "is earlier than the flow before it; this format is sorted by start");
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

// The line before the flows that says how many follow.
static int
read_count(struct words_reader *r, struct config_name *word, uint64_t *out)
{
	struct config_name words[WORDS_MAX];
	unsigned before = r->diag->errors, count = words_next(r, words, WORDS_MAX);

	if (count == 1) {
		*word = words[0];
		return words_number(r, word, "count", 0, UINT32_MAX, out);
	}
	if (r->diag->errors == before)
		diag_error(r->diag, r->name,
			   count > 0 ? words[0].pos : (struct diag_pos){.line = 1, .column = 1},
			   "count", "the number of flows stands first, on a line of its own");
	return -EINVAL;
}

static int
read_flows(struct words_reader *r, const struct format *format, struct flows_file *file)
{
	unsigned before = r->diag->errors, count;
	struct config_name words[WORDS_MAX], announced;
	uint64_t expected = 0, lines = 0;
	struct flows_line line;

	if (format->numbered && read_count(r, &announced, &expected) != 0)
		return -EINVAL;
	while ((count = words_next(r, words, WORDS_MAX)) != 0) {
		lines++;
		if (read_line(r, format, words, count, &line) == 0 &&
		    add_line(r, format, file, &line, words[format->count - 1].pos) != 0)
			return -ENOMEM;
	}
	if (format->numbered && lines != expected && r->diag->errors == before)
		diag_error(r->diag, r->name, announced.pos, "count",
			   "%" PRIu64 " flows are announced, %" PRIu64 " follow", expected, lines);
	return r->diag->errors != before ? -EINVAL : 0;
}

int
flows_file_parse(struct flows_file *out, enum config_flow_format format, const char *text,
		 size_t length, const char *name, struct diag *diag)
{
	struct flows_file file = {.text = malloc(length + 1)};
	struct words_reader r = {.name = name, .diag = diag};
	int error;

	if (file.text == NULL)
		return -ENOMEM;
	if (length > 0)
		memcpy(file.text, text, length);
	r.at = file.text;
	r.end = file.text + length;
	error = read_flows(&r, &formats[format], &file);
	if (error != 0)
		flows_file_free(&file);
	else
		*out = file;
	return error;
}

void
flows_file_free(struct flows_file *file)
{
	free(file->text);
	free(file->lines);
	*file = (struct flows_file){0};
}
