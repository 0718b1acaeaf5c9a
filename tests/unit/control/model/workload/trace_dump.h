// SPDX-License-Identifier: BSD-3-Clause
// The graph that a trace becomes, as text: a line for each operation,
//
//	KIND [GROUP] BYTES[ +COMPUTE_PS] NAME: RANK(NUMBERS THAT IT WAITS FOR) ...
//
// where the name is "-" if it has none.
#pragma once

#include "control/model/workload/graph.h"
#include "control/model/workload/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline const char *
dump_kind(enum config_work_kind kind)
{
	switch (kind) {
	case CONFIG_WORK_ALL_REDUCE:
		return "all-reduce";
	case CONFIG_WORK_ALL_GATHER:
		return "all-gather";
	case CONFIG_WORK_REDUCE_SCATTER:
		return "reduce-scatter";
	case CONFIG_WORK_ALL_TO_ALL:
		return "all-to-all";
	case CONFIG_WORK_BROADCAST:
		return "broadcast";
	case CONFIG_WORK_SEND:
		return "send";
	case CONFIG_WORK_COMPUTE:
		return "compute";
	default:
		return "?";
	}
}

static inline void
dump_node(const struct graph *g, const struct graph_node *node, FILE *to)
{
	const struct graph_operation *op = &node->operation;

	fprintf(to, "%s ", dump_kind(op->kind));
	if (op->group != NULL)
		fprintf(to, "[%s] ", op->group);
	fprintf(to, "%" PRIu64, op->bytes);
	if (op->compute_ps != 0)
		fprintf(to, " +%" PRIu64, op->compute_ps);
	fprintf(to, " %s:", op->name != NULL ? op->name : "-");
	for (uint32_t i = 0; i < node->member_count; i++) {
		const struct graph_member *m = &g->members[node->first_member + i];

		fprintf(to, " %u", m->rank);
		for (uint32_t k = 0; k < m->after_count; k++)
			fprintf(to, "%s%u", k == 0 ? "(" : ",", g->afters[m->first_after + k]);
		if (m->after_count != 0)
			fputc(')', to);
	}
	for (uint32_t i = 0; node->pair_bytes != NULL && i < node->member_count; i++)
		fprintf(to, " <%" PRIu64 "", node->pair_bytes[i * node->member_count]);
	fputc('\n', to);
}

static inline void
expect_texts(enum config_file_format format, const struct trace_text *texts, uint32_t count,
	     uint32_t ranks, const char *expected)
{
	struct diag diag = {0};
	struct trace trace;
	char *text = NULL;
	size_t size;
	FILE *to;
	int error = trace_parse(&trace, format, texts, count, &diag);

	diag_print(&diag, stderr);
	assert_int_equal(error, 0);
	assert_int_equal(trace.rank_count, ranks);
	to = open_memstream(&text, &size);
	assert_non_null(to);
	for (uint32_t i = 0; i < trace.graph->count; i++)
		dump_node(trace.graph, &trace.graph->nodes[i], to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
	trace_free(&trace);
	diag_free(&diag);
}

static inline void
expect(enum config_file_format format, const char *text, uint32_t ranks, const char *expected)
{
	const struct trace_text one = {.name = "t", .text = text, .length = strlen(text)};

	expect_texts(format, &one, 1, ranks, expected);
}

// Refused, with an error that contains `message`.
static inline void
refuse_texts(enum config_file_format format, const struct trace_text *texts, uint32_t count,
	     const char *message)
{
	struct diag diag = {0};
	struct trace trace;
	bool found = false;

	assert_int_equal(trace_parse(&trace, format, texts, count, &diag), -EINVAL);
	for (unsigned i = 0; i < diag.count; i++)
		found |= strstr(diag.messages[i].text, message) != NULL;
	if (!found) {
		print_error("no message has: %s\n", message);
		diag_print(&diag, stderr);
	}
	assert_true(found);
	diag_free(&diag);
}

static inline void
refuse(enum config_file_format format, const char *text, const char *message)
{
	const struct trace_text one = {.name = "t", .text = text, .length = strlen(text)};

	refuse_texts(format, &one, 1, message);
}
