// SPDX-License-Identifier: BSD-3-Clause
#include "trace_internal.h"

#include "control/base/file.h"
#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int
trace_error(const struct trace_builder *b, struct diag_pos pos, const char *key, const char *format,
	    ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	diag_error(b->diag, b->texts[0].name, pos, key, "%s", text);
	free(text);
	return -EINVAL;
}

int
trace_begin(struct trace_builder *b, uint64_t ranks, struct diag_pos pos)
{
	if (ranks == 0)
		return trace_error(b, pos, NULL, "the trace has no rank");
	if (ranks > TRACE_RANKS_MAX)
		return trace_error(b, pos, NULL, "%" PRIu64 " ranks; a trace may have at most %u",
				   ranks, TRACE_RANKS_MAX);
	b->trace->graph = graph_create((uint32_t)ranks);
	b->trace->rank_count = (uint32_t)ranks;
	return 0;
}

static int
refuse_size(const struct trace_builder *b, const char *what, uint64_t max)
{
	return trace_error(b, (struct diag_pos){.line = 1, .column = 1}, NULL,
			   "the trace has more than %" PRIu64 " %s; cut it, for example to one "
			   "step, and use `repeat`",
			   max, what);
}

int
trace_add(struct trace_builder *b, const struct graph_operation *operation)
{
	struct graph_operation copy = *operation;
	char name[TRACE_NAME_MAX];
	uint32_t i = 0;

	if (b->trace->operation_count == TRACE_OPERATIONS_MAX)
		return refuse_size(b, "operations", TRACE_OPERATIONS_MAX);
	for (; operation->name[i] != '\0' && i < TRACE_NAME_MAX - 1; i++)
		name[i] = operation->name[i] >= ' ' && operation->name[i] <= '~'
				  ? operation->name[i]
				  : '?';
	name[i] = '\0';
	copy.name = i != 0 ? name : NULL;
	graph_add(b->trace->graph, &copy);
	b->trace->operation_count++;
	return 0;
}

int
trace_add_member(struct trace_builder *b, uint32_t rank, const uint32_t *after, uint32_t count)
{
	if (b->member_count == TRACE_MEMBERS_MAX)
		return refuse_size(b, "ranks of operations", TRACE_MEMBERS_MAX);
	if (count > TRACE_AFTER_MAX - b->after_count)
		return refuse_size(b, "dependencies", TRACE_AFTER_MAX);
	graph_add_member(b->trace->graph, rank, after, count);
	b->member_count++;
	b->after_count += count;
	return 0;
}

void
trace_add_measured(struct trace_builder *b, const struct trace_measured *measured)
{
	struct trace *t = b->trace;

	t->measured = memory_grow(t->measured, t->operation_count - 1, sizeof(*t->measured),
				  "measured times");
	t->measured[t->operation_count - 1] = *measured;
}

struct words_reader
trace_words(const struct trace_builder *b)
{
	return (struct words_reader){
		.name = b->texts[0].name,
		.diag = b->diag,
		.at = b->copy,
		.end = b->copy + b->texts[0].length,
	};
}

const struct config_name *
trace_value(const struct config_name *words, unsigned count, const char *key)
{
	for (unsigned i = 0; i + 1 < count; i++)
		if (strcmp(words[i].text, key) == 0)
			return &words[i + 1];
	return NULL;
}

struct trace_lines
trace_lines(const struct trace_builder *b)
{
	return (struct trace_lines){.at = b->copy, .end = b->copy + b->texts[0].length};
}

char *
trace_next_line(struct trace_lines *lines)
{
	char *line = lines->at, *newline;

	if (line == lines->end)
		return NULL;
	newline = memchr(line, '\n', (size_t)(lines->end - line));
	lines->line++;
	lines->at = newline != NULL ? newline + 1 : lines->end;
	if (newline != NULL)
		*newline = '\0';
	return line;
}

static int (*const readers[])(struct trace_builder *b) = {
	[CONFIG_TRACE_CHAKRA] = trace_read_chakra,
	[CONFIG_TRACE_SIMAI] = trace_read_simai,
	[CONFIG_TRACE_AICB] = trace_read_aicb,
	[CONFIG_TRACE_NCCL] = trace_read_nccl,
	[CONFIG_TRACE_NCCL_TESTS] = trace_read_nccl_tests,
	[CONFIG_TRACE_HTSIM] = trace_read_htsim,
};

static int
check_text(const struct trace_text *text, struct diag *diag)
{
	const char *nul = memchr(text->text, '\0', text->length), *start = text->text;
	struct diag_pos pos = {.line = 1};

	if (nul == NULL)
		return 0;
	for (const char *c = text->text; c < nul; c++)
		if (*c == '\n') {
			pos.line++;
			start = c + 1;
		}
	pos.column = (uint32_t)(nul - start) + 1;
	return diag_error(diag, text->name, pos, NULL, "a NUL byte: this is not a text file");
}

int
trace_parse(struct trace *out, enum config_file_format format, const struct trace_text *texts,
	    uint32_t count, struct diag *diag)
{
	unsigned before = diag->errors;
	struct trace_builder b = {.texts = texts, .text_count = count, .diag = diag, .trace = out};
	int error = 0;

	*out = (struct trace){0};
	if (format != CONFIG_TRACE_CHAKRA && check_text(&texts[0], diag) == 0)
		b.copy = memory_text_part(texts[0].text, texts[0].length);
	if (diag->errors == before)
		error = readers[format](&b);
	free(b.copy);
	if (error == 0 && diag->errors == before && out->operation_count == 0)
		diag_error(diag, texts[0].name, (struct diag_pos){.line = 1, .column = 1}, NULL,
			   "the trace has no operation");
	if (error == 0 && diag->errors == before)
		return 0;
	trace_free(out);
	return -EINVAL;
}

// ---- files --------------------------------------------------------------------------------------

static int
add_text(struct trace_text **texts, uint32_t *count, char *name, size_t room)
{
	char *text;
	size_t length;
	int error = file_read(name, room, &text, &length);

	if (error == 0 && length > room) {
		free(text);
		error = -EFBIG;
	}
	if (error != 0) {
		free(name);
		return error;
	}
	*texts = memory_grow(*texts, *count, sizeof(**texts), "files of a trace");
	(*texts)[(*count)++] = (struct trace_text){.name = name, .text = text, .length = length};
	return 0;
}

// The files of all ranks.
static int
load_chakra(struct trace_text **texts, uint32_t *count, const char *path)
{
	size_t length = strlen(path), suffix = strlen(TRACE_CHAKRA_SUFFIX),
	       room = WORDS_FILE_BYTES_MAX;
	int error = 0;

	if (length > suffix && strcmp(path + length - suffix, TRACE_CHAKRA_SUFFIX) == 0)
		length -= suffix;
	while (error == 0 && *count <= TRACE_RANKS_MAX) {
		error = add_text(texts, count,
				 memory_format("%.*s.%u.et", (int)length, path, *count), room);
		if (error == 0)
			room -= (*texts)[*count - 1].length;
	}
	return error == -ENOENT && *count > 0 ? 0 : error;
}

int
trace_load(struct trace *out, enum config_file_format format, const char *path, struct diag *diag)
{
	struct trace_text *texts = NULL;
	uint32_t count = 0;
	int error = format == CONFIG_TRACE_CHAKRA
			    ? load_chakra(&texts, &count, path)
			    : add_text(&texts, &count, memory_text(path), WORDS_FILE_BYTES_MAX);

	if (error == 0)
		error = trace_parse(out, format, texts, count, diag);
	for (uint32_t i = 0; i < count; i++) {
		free((char *)(uintptr_t)texts[i].name);
		free((char *)(uintptr_t)texts[i].text);
	}
	free(texts);
	return error;
}

void
trace_free(struct trace *trace)
{
	graph_destroy(trace->graph);
	free(trace->measured);
	*trace = (struct trace){0};
}
