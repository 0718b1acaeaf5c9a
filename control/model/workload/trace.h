// SPDX-License-Identifier: BSD-3-Clause
// Traces: what ranks computed and sent, as other tools write it down. Each format becomes the same
// graph of operations (graph.h). The bytes are hostile: what a trace may make is limited, and every
// error says where it is. trace_internal.h lists the readers, a file for each format, which says
// what the format is and where it is described. Control thread.
#pragma once

#include "control/config/config.h"

#define TRACE_RANKS_MAX 32768u
#define TRACE_OPERATIONS_MAX (1u << 20)
#define TRACE_MEMBERS_MAX (1u << 23)               // of all operations together
#define TRACE_AFTER_MAX (1u << 23)                 // dependencies of all members together
#define TRACE_PAIRS_MAX (1u << 22)                 // of all all-to-alls with unequal parts together
#define TRACE_BYTES_MAX UINT64_C(1000000000000000) // of one operation
#define TRACE_CHAKRA_SUFFIX ".0.et"                // of the first rank's file

struct graph;

// What was measured of an operation, where a trace says so; 0: it does not.
struct trace_measured {
	ps_t time_ps;
	uint64_t busbw; // bytes per second
};

struct trace {
	struct graph *graph;
	uint32_t rank_count;
	uint32_t operation_count;
	struct trace_measured *measured; // an entry for each operation; NULL: nothing was measured
};

// A file of a trace. Messages use its name.
struct trace_text {
	const char *name;
	const char *text;
	size_t length;
};

// Reads a trace from memory. count: one, but of CHAKRA one for each rank, in their order. Returns
// 0, or -EINVAL with the errors in diag; *out is to be freed by trace_free() only after 0.
int trace_parse(struct trace *out, enum config_file_format format, const struct trace_text *texts,
		uint32_t count, struct diag *diag);
// Reads a trace from its file; of CHAKRA from NAME.0.et, NAME.1.et and so on, where the path is
// NAME or NAME.0.et. Returns also another -errno, with nothing in diag, if a file cannot be read.
int trace_load(struct trace *out, enum config_file_format format, const char *path,
	       struct diag *diag);
void trace_free(struct trace *trace);
