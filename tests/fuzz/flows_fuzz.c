// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a flow file: a list whose numbers are in their ranges, or errors of one line that
// say where; and the list survives being written and read again.
#include "control/workload/flows_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool truth)
{
	if (!truth)
		abort();
}

static void
require_messages(const struct config_diag *diag)
{
	require(diag->errors > 0 && diag->count > 0);
	for (unsigned i = 0; i < diag->count; i++) {
		require(strncmp(diag->messages[i].text, "f:", 2) == 0);
		require(diag->messages[i].pos.line > 0 && diag->messages[i].pos.column > 0);
		require(strchr(diag->messages[i].text, '\n') == NULL);
	}
}

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_diag diag = {0};
	struct flows_file file, again;
	char *text = NULL;
	size_t length = 0;
	FILE *to;

	if (flows_file_parse(&file, (const char *)data, size, "f", &diag) != 0) {
		require_messages(&diag);
		config_diag_free(&diag);
		return 0;
	}
	require(diag.count == 0);
	to = open_memstream(&text, &length);
	require(to != NULL);
	for (uint32_t i = 0; i < file.count; i++)
		write_line(to, &file.lines[i]);
	require(fclose(to) == 0);
	require(flows_file_parse(&again, text, length, "f", &diag) == 0);
	require(again.count == file.count);
	for (uint32_t i = 0; i < file.count; i++) {
		require(strcmp(again.lines[i].src.text, file.lines[i].src.text) == 0);
		require(strcmp(again.lines[i].dst.text, file.lines[i].dst.text) == 0);
		require(again.lines[i].priority == file.lines[i].priority);
		require(again.lines[i].bytes == file.lines[i].bytes);
		require(again.lines[i].start_ps == file.lines[i].start_ps);
	}
	free(text);
	flows_file_free(&file);
	flows_file_free(&again);
	return 0;
}
