// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a trace, whose format the first byte picks; of Chakra's, the second says where the
// file of one rank ends and that of the next begins. Either a graph whose numbers are in their
// ranges and whose names can be shown, or errors of one line that say where.
#include "control/model/workload/graph.h"
#include "control/model/workload/trace.h"
#include "text_fuzz.h"

#define FORMATS (CONFIG_TRACE_HTSIM - CONFIG_TRACE_CHAKRA + 1)

// Each rank exists, and is in an operation once.
static void
require_members(const struct graph *g)
{
	uint32_t *last = calloc(g->rank_count, sizeof(*last)); // the operation, from 1

	require(last != NULL);
	for (uint32_t n = 0; n < g->count; n++)
		for (uint32_t i = 0; i < g->nodes[n].member_count; i++) {
			uint32_t rank = g->members[g->nodes[n].first_member + i].rank;

			require(rank < g->rank_count && last[rank] != n + 1);
			last[rank] = n + 1;
		}
	free(last);
}

static void
require_graph(const struct trace *trace)
{
	const struct graph *g = trace->graph;

	require(g->rank_count == trace->rank_count && g->count == trace->operation_count);
	require(g->rank_count >= 1 && g->rank_count <= TRACE_RANKS_MAX && g->count >= 1);
	for (uint32_t n = 0; n < g->count; n++) {
		const struct graph_operation *op = &g->nodes[n].operation;
		bool computes = op->kind == CONFIG_WORK_COMPUTE;
		uint32_t members = g->nodes[n].member_count;

		require(computes ? members >= 1 && op->bytes == 0 : members >= 2 && op->bytes > 0);
		require(op->kind != CONFIG_WORK_SEND || members == 2);
		require(op->bytes <= TRACE_BYTES_MAX && op->number < g->count);
		require(op->name == NULL || op->name[0] != '\0');
		for (const char *c = op->name; c != NULL && *c != '\0'; c++)
			require(*c >= ' ' && *c <= '~');
	}
	require_members(g);
	for (uint32_t a = 0; a < g->after_count; a++)
		require(g->afters[a] < g->count);
}

// Errors about a whole file of Chakra's have no place in it.
static void
require_places(const struct diag *diag, enum config_file_format format)
{
	if (format != CONFIG_TRACE_CHAKRA) {
		require_messages(diag);
		return;
	}
	for (unsigned i = 0; i < diag->count; i++) {
		require(strncmp(diag->messages[i].text, "f: byte ", 8) == 0 ||
			strncmp(diag->messages[i].text, "f:1:1: ", 7) == 0);
		require(strchr(diag->messages[i].text, '\n') == NULL);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {0};
	struct trace trace;
	struct trace_text texts[2] = {{.name = "f"}, {.name = "f"}};
	enum config_file_format format;
	uint32_t count = 1;

	if (size < 2)
		return 0;
	format = CONFIG_TRACE_CHAKRA + data[0] % FORMATS;
	texts[0].text = (const char *)data + 2;
	texts[0].length = size - 2;
	if (format == CONFIG_TRACE_CHAKRA && data[1] < size - 2) {
		texts[0].length = data[1];
		texts[1].text = texts[0].text + data[1];
		texts[1].length = size - 2 - data[1];
		count = 2;
	}
	if (trace_parse(&trace, format, texts, count, &diag) == 0) {
		require(diag.errors == 0);
		require_graph(&trace);
		graph_find_circle(trace.graph);
		trace_free(&trace);
	} else {
		require(diag.errors > 0);
		require_places(&diag, format);
	}
	diag_free(&diag);
	return 0;
}
