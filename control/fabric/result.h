// SPDX-License-Identifier: BSD-3-Clause
// result.json, the result of `roost sim`. Control thread, after the run.
#pragma once

#include "result_flows.h"
#include "totals.h"

#include <jansson.h>

enum report_kind {
	REPORT_ALL_TO_ALL,
	REPORT_ALL_REDUCE,
	REPORT_ALL_GATHER,
	REPORT_REDUCE_SCATTER,
	REPORT_STEP, // of a training step: its compute gaps and collectives together
};

// One execution of a collective, or of a step.
struct report_collective {
	const char *name;    // the same for all its executions
	const char *id;      // the same for all its executions, and unique in the run
	const char *step_id; // the id of the step that it belongs to, or is; NULL: none
	enum report_kind kind;
	uint32_t iteration; // from 0
	uint32_t ranks;
	uint64_t bytes; // the per-rank buffer, as nccl-tests counts it; STEP: all its collectives'
	ps_t start;     // of its first rank; PS_NEVER before
	ps_t step;      // from then until the last rank had everything; PS_NEVER while open
};

// "all-reduce" ...
const char *report_kind_name(enum report_kind kind);

// Algorithm and bus bandwidth in Gb/s: bytes over time, and what each rank's link must carry of
// it (nccl-tests, doc/PERFORMANCE.md). 0 while it is open; a step has no bus bandwidth: 0.
void report_collective_bandwidth(const struct report_collective *c, double *algorithm, double *bus);

struct report_result {
	const char *file;                // the input
	const struct report_flow *flows; // in the order of their ids
	uint32_t flow_count;
	const struct report_collective *collectives; // executions of one name by iteration
	uint32_t collective_count;
	const struct report_node *nodes;
	uint32_t node_count;
	json_t *snapshots; // array of counters_snapshot(), the caller's; NULL: none
	json_t *log;       // fabric_log_entries(), the caller's; NULL: none
	uint64_t log_lost; // entries missing from it
	ps_t now;          // when the run ended
	ps_t last_event;   // when the last packet or flow did
	uint64_t cnps;     // sent
	uint64_t out_of_order;
	double setup_s;
	double wall_s;
	uint32_t ranks;   // processes that ran it
	bool interrupted; // a signal ended the run
};

#define RESULT_DIGEST_MAX 65 // SHA-256 in hexadecimal and its NUL

// result.json. digest (may be NULL) gets a copy of the digest.
json_t *result_document(const struct report_result *r, char digest[RESULT_DIGEST_MAX]);

// The SHA-256 of a document, over its JSON text with sorted keys, no blanks, and reals with 15
// significant digits, without what may differ between runs of one file: version, file; of
// collectives id and step; of summary wall_s, setup_s, packet_hops_per_s, ranks, interrupted and
// digest.
void result_digest(const json_t *document, char digest[static RESULT_DIGEST_MAX]);

// Writes a report as JSON, indented by one blank for each level and with a newline at its end; path
// "-" is stdout. Returns 0 or -errno.
int report_write(const json_t *document, const char *path);

// ---- statistics ---------------------------------------------------------------------------------

// The executions of a collective together.
struct collective_statistics {
	const char *name;
	enum report_kind kind;
	uint32_t ranks;
	uint64_t bytes;
	uint32_t executions; // completed or not
	uint32_t completed;
	ps_t mean, min, max; // of the completed ones; 0 without any
	double algbw_gbps;   // of the mean time
	double busbw_gbps;
};

// One for each name, kind, number of ranks and size, in the order of their first executions; for
// free().
struct collective_statistics *collective_statistics_compute(const struct report_collective *c,
							    uint32_t count, uint32_t *groups);
