// SPDX-License-Identifier: BSD-3-Clause
// What the lines of a connection matrix say; private to trace_htsim*.c.
#pragma once

#include "trace_internal.h"

enum htsim_trigger_kind { HTSIM_ONESHOT, HTSIM_MULTISHOT, HTSIM_BARRIER };

struct htsim_connection {
	uint32_t src, dst;
	uint64_t id; // 0: none
	uint64_t bytes;
	uint64_t start_ps;
	uint64_t trigger;  // 0: none
	uint64_t fires[2]; // when it is sent, and received; 0: none
	uint32_t turn;     // among those that wait for its trigger
	struct diag_pos pos;
};

struct htsim_trigger {
	uint64_t id;
	enum htsim_trigger_kind kind;
	uint64_t count;
	struct diag_pos pos;
};

// A connection and a trigger that it fires, or waits for.
struct htsim_tie {
	uint64_t trigger;
	uint32_t connection;
};

struct htsim_ties {
	struct htsim_tie *items;
	uint32_t count;
};

// Connections of one source that start at one time.
struct htsim_start {
	uint32_t src;
	uint64_t at_ps;
};

struct htsim {
	struct trace_builder *b;
	struct words_reader words;
	uint64_t nodes, announced_connections, announced_triggers;
	struct htsim_connection *connections;
	uint32_t connection_count;
	struct htsim_trigger *triggers;
	uint32_t trigger_count;
	struct htsim_ties fired, awaited; // sorted
	struct htsim_start *starts;       // later than 0; sorted, each once
	uint32_t start_count;
};

// Adds the connections, now that all lines are read, to the graph, which has begun. Returns 0, or
// -EINVAL with the errors in diag.
int htsim_add_connections(struct htsim *h);
