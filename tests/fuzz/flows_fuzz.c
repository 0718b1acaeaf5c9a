// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a flow file of each format: a list whose numbers are in their ranges, or errors of
// one line that say where; and the list survives being written in the format roost and read again.
#include "control/model/workload/flows_file.h"
#include "text_fuzz.h"

#include <inttypes.h>

static void
write_line(FILE *to, const struct flows_line *line)
{
	require(strlen(line->src.text) <= CONFIG_NAME_MAX &&
		strlen(line->dst.text) <= CONFIG_NAME_MAX);
	require(line->bytes >= 1 && line->bytes <= FLOWS_FILE_SIZE_MAX);
	require(line->priority >= -1 && line->priority < CONFIG_PRIORITIES);
	require(line->start_ps <= INT64_MAX);
	fprintf(to, "%s %s %s ", line->src.text, line->dst.text,
		line->tenant.text != NULL ? line->tenant.text : "-");
	if (line->priority < 0)
		fprintf(to, "-");
	else
		fprintf(to, "%d", line->priority);
	fprintf(to, " %" PRIu64 " %" PRIu64 "\n", line->bytes, line->start_ps / 1000);
}

static void
require_same(const struct flows_file *file, const struct flows_file *again)
{
	require(again->count == file->count);
	for (uint32_t i = 0; i < file->count; i++) {
		require(strcmp(again->lines[i].src.text, file->lines[i].src.text) == 0);
		require(strcmp(again->lines[i].dst.text, file->lines[i].dst.text) == 0);
		require(again->lines[i].priority == file->lines[i].priority);
		require(again->lines[i].bytes == file->lines[i].bytes);
		require(again->lines[i].start_ps / 1000 == file->lines[i].start_ps / 1000);
	}
}

// A number may stand with any zeros before it, which the names of the format roost may not.
static bool
may_be_written(const struct flows_file *file)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (strlen(file->lines[i].src.text) > CONFIG_NAME_MAX ||
		    strlen(file->lines[i].dst.text) > CONFIG_NAME_MAX)
			return false;
	return true;
}

static void
try_format(enum config_file_format format, const char *data, size_t size)
{
	struct diag diag = {0};
	struct flows_file file, again;
	char *text = NULL;
	size_t length = 0;
	FILE *to;

	if (flows_file_parse(&file, format, data, size, "f", &diag) != 0) {
		require_messages(&diag);
		diag_free(&diag);
		return;
	}
	require(diag.count == 0);
	if (format == CONFIG_FLOW_FORMAT_ROOST || may_be_written(&file)) {
		to = open_memstream(&text, &length);
		require(to != NULL);
		for (uint32_t i = 0; i < file.count; i++)
			write_line(to, &file.lines[i]);
		require(fclose(to) == 0);
		require(flows_file_parse(&again, CONFIG_FLOW_FORMAT_ROOST, text, length, "f",
					 &diag) == 0);
		require_same(&file, &again);
		flows_file_free(&again);
		free(text);
	}
	flows_file_free(&file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_format(CONFIG_FLOW_FORMAT_ROOST, (const char *)data, size);
	try_format(CONFIG_FLOW_FORMAT_HPCC, (const char *)data, size);
	try_format(CONFIG_FLOW_FORMAT_CONWEAVE, (const char *)data, size);
	return 0;
}
