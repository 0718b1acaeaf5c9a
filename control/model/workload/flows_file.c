// SPDX-License-Identifier: BSD-3-Clause
#include "flows_file.h"

#include "control/base/memory.h"
#include "control/base/file.h"
#include "words_file.h"
#include "workload_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
	FIELD_PG,
	FIELD_DPORT,
	FIELD_BYTES,
	FIELD_START_NS,
	FIELD_START_S
};

// What they are called, and what those that are numbers may be.
static const struct words_range ranges[] = {
	[FIELD_SRC] = {"src", .max = UINT32_MAX},
	[FIELD_DST] = {"dst", .max = UINT32_MAX},
	[FIELD_TENANT] = {"tenant"},
	[FIELD_PRIORITY] = {"priority", .max = CONFIG_PRIORITIES - 1},
	[FIELD_PG] = {"pg", .max = CONFIG_PRIORITIES - 1},
	[FIELD_DPORT] = {"dport", .max = UINT16_MAX},
	[FIELD_BYTES] = {"bytes", .min = 1, .max = FLOWS_FILE_SIZE_MAX},
	[FIELD_START_NS] = {"start_ns", .max = START_NS_MAX},
	[FIELD_START_S] = {"start_s", .max = INT64_MAX, .digits = PS_DIGITS, .unit = " s"},
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
	[CONFIG_FLOW_FORMAT_ROOST] = {"src dst tenant priority bytes start_ns",
				      6,
				      {FIELD_SRC, FIELD_DST, FIELD_TENANT, FIELD_PRIORITY,
				       FIELD_BYTES, FIELD_START_NS}},
	[CONFIG_FLOW_FORMAT_HPCC] = {"src dst pg dport bytes start_s",
				     6,
				     {FIELD_SRC, FIELD_DST, FIELD_PG, FIELD_DPORT, FIELD_BYTES,
				      FIELD_START_S},
				     .numbered = true},
	[CONFIG_FLOW_FORMAT_CONWEAVE] = {"src dst pg bytes start_s",
					 5,
					 {FIELD_SRC, FIELD_DST, FIELD_PG, FIELD_BYTES,
					  FIELD_START_S},
					 .numbered = true,
					 .sorted = true,
					 .start_ps = CONWEAVE_START_PS},
};

static int
check_name(const struct words_reader *r, const struct config_name *word, const char *field)
{
	if (strlen(word->text) > CONFIG_NAME_MAX)
		return diag_error(r->diag, r->name, word->pos, field,
				  "\"%.*s...\" is longer than a name may be (%d)", WORDS_SHOWN,
				  word->text, CONFIG_NAME_MAX);
	return 0;
}

static int
read_word(const struct words_reader *r, const struct format *format, enum field field,
	  const struct config_name *word, struct flows_line *out)
{
	bool host = field == FIELD_SRC || field == FIELD_DST;
	bool name = field == FIELD_TENANT || (host && !format->numbered);
	uint64_t value = 0;

	if ((field == FIELD_TENANT || field == FIELD_PRIORITY) && strcmp(word->text, "-") == 0)
		return 0;
	if ((name ? check_name(r, word, ranges[field].field)
		  : words_number(r, word, &ranges[field], &value)) != 0)
		return -EINVAL;
	if (field == FIELD_START_S && value < format->start_ps)
		return diag_error(r->diag, r->name, word->pos, "start_s",
				  "%s is before 2 s, where times of this format begin", word->text);
	if (field == FIELD_SRC)
		out->src = *word;
	else if (field == FIELD_DST)
		out->dst = *word;
	else if (field == FIELD_TENANT)
		out->tenant = *word;
	else if (field == FIELD_PRIORITY || field == FIELD_PG)
		out->priority = (int8_t)value;
	else if (field == FIELD_BYTES)
		out->bytes = value;
	else if (field == FIELD_START_NS)
		out->start_ps = value * PS_PER_NS;
	else if (field == FIELD_START_S)
		out->start_ps = value - format->start_ps;
	return 0;
}

static int
read_line(const struct words_reader *r, const struct format *format,
	  const struct config_name words[WORDS_MAX], struct flows_line *out)
{
	int error = 0;

	*out = (struct flows_line){.priority = -1};
	for (unsigned i = 0; i < format->count; i++)
		error |= read_word(r, format, format->fields[i], &words[i], out);
	return error;
}

static void
add_line(const struct words_reader *r, const struct format *format, struct flows_file *file,
	 const struct flows_line *line, struct diag_pos start)
{
	if (format->sorted && file->count > 0 &&
	    line->start_ps < file->lines[file->count - 1].start_ps)
		diag_error(r->diag, r->name, start, "start_s",
			   "is earlier than the flow before it; this format is sorted by start");
	file->lines = memory_grow(file->lines, file->count, sizeof(*file->lines), "flows");
	file->lines[file->count++] = *line;
}

// The line before the flows that says how many follow.
static int
read_count(struct words_reader *r, struct config_name *word, uint64_t *out)
{
	static const struct words_range range = {"count", .max = UINT32_MAX};
	unsigned before = r->diag->errors, count = words_next(r, word, 1);

	if (count == 1)
		return words_number(r, word, &range, out);
	if (r->diag->errors != before)
		return -EINVAL;
	return diag_error(r->diag, r->name,
			  count > 0 ? word->pos : (struct diag_pos){.line = 1, .column = 1},
			  "count", "the first line must be the number of flows");
}

static void
read_flows(struct words_reader *r, const struct format *format, struct flows_file *file)
{
	struct config_name words[WORDS_MAX], announced;
	unsigned before = r->diag->errors;
	struct flows_line line;
	uint64_t expected = 0;

	if (format->numbered && read_count(r, &announced, &expected) != 0)
		return;
	while (words_line(r, words, format->count, format->line))
		if (read_line(r, format, words, &line) == 0)
			add_line(r, format, file, &line, words[format->count - 1].pos);
	if (format->numbered && file->count != expected && r->diag->errors == before)
		diag_error(r->diag, r->name, announced.pos, "count",
			   "the number of flows is given as %" PRIu64 ", but the file has %u",
			   expected, file->count);
}

int
flows_file_parse(struct flows_file *out, enum config_file_format format, const char *text,
		 size_t length, const char *name, struct diag *diag)
{
	struct flows_file file = {.text = memory_text_part(text, length)};
	struct words_reader r = {
		.name = name, .diag = diag, .at = file.text, .end = file.text + length};
	unsigned before = diag->errors;

	read_flows(&r, &formats[format], &file);
	*out = file;
	if (diag->errors == before)
		return 0;
	flows_file_free(out);
	return -EINVAL;
}

void
flows_file_free(struct flows_file *file)
{
	free(file->text);
	free(file->lines);
	*file = (struct flows_file){0};
}

// ---- flows that a file lists --------------------------------------------------------------------

static int
check_tenant(const struct item *item, const struct flows_line *line, uint32_t src)
{
	if (line->tenant.text == NULL ||
	    topology_host_is_in(item->topology, src, line->tenant.text))
		return 0;
	return diag_error(item->diag, item->file, line->tenant.pos, "tenant",
			  "%s is not in tenant %s", line->src.text, line->tenant.text);
}

// A host's number: the number in its name where names come from such a file, else its place among
// the hosts, from 0.
static int
find_numbered(const struct item *item, const struct config_name *name, const char *key,
	      struct topo_endpoint *out)
{
	const struct topology *t = item->topology;
	uint32_t number = (uint32_t)strtoul(name->text, NULL, 10);
	char text[16];

	if (t->config->fabric.topology == CONFIG_TOPOLOGY_FILE) {
		snprintf(text, sizeof(text), "h%u", number);
		return item_resolve(item, &(struct config_name){.text = text, .pos = name->pos},
				    key, out);
	}
	*out = (struct topo_endpoint){.host = number};
	if (number < t->host_count)
		return 0;
	return diag_error(item->diag, item->file, name->pos, key,
			  "there is no host %u; they are 0 to %u (%s to %s)", number,
			  t->host_count - 1, topology_host(t, 0)->name,
			  topology_host(t, t->host_count - 1)->name);
}

static int
add_flow(struct item *item, const struct flows_line *line)
{
	int (*find)(const struct item *, const struct config_name *, const char *,
		    struct topo_endpoint *) =
		item->work->format == CONFIG_FLOW_FORMAT_ROOST ? item_resolve : find_numbered;
	struct item_flow flow = {
		.bytes = line->bytes,
		.priority = line->priority,
		.pos = line->src.pos,
	};
	int src_error = find(item, &line->src, "src", &flow.src);
	int dst_error = find(item, &line->dst, "dst", &flow.dst);

	if (src_error != 0 || dst_error != 0 || check_tenant(item, line, flow.src.host) != 0)
		return -EINVAL;
	flow.start_ps = item_draw_start(item, flow.src.host) + line->start_ps;
	return item_add_flow(item, &flow);
}

int
item_flows_file(struct item *item)
{
	const struct config_name *name = &item->work->file;
	char *path = file_beside(item->topology->config->beside, name->text), *text;
	const char *configuration = item->file;
	struct flows_file file = {0};
	size_t length;
	int result = words_load(path, &text, &length);

	if (result != 0) {
		result = diag_error(item->diag, item->file, name->pos, "workload.file",
				    "%s cannot be read: %s", name->text, strerror(-result));
	} else {
		result =
			flows_file_parse(&file, item->work->format, text, length, path, item->diag);
		free(text);
	}
	item->file = path;
	for (uint32_t i = 0; i < file.count; i++)
		if (add_flow(item, &file.lines[i]) != 0)
			result = -EINVAL;
	item->file = configuration;
	flows_file_free(&file);
	free(path);
	return result;
}
