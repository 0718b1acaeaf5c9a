// SPDX-License-Identifier: BSD-3-Clause
// What the files result*.c, digest.c and totals.c share.
#pragma once

#include "gather.h"
#include "result.h"

#include "control/base/csv.h"

#include <sha2.h>

// ---- pieces that ranks send of a node -----------------------------------------------------------

enum result_piece {
	RESULT_PIECE_FIGURES, // struct node_figures
	RESULT_PIECE_LOADS,   // struct port_load, of each port that has a tier
	RESULT_PIECE_DIGEST,  // bytes of the digest
	RESULT_PIECE_LINKS,   // text of the tables
	RESULT_PIECE_COUNTERS,
	RESULT_PIECE_HISTOGRAMS, // JSON
};

// ---- result_figures.c ---------------------------------------------------------------------------

// What a node adds to struct report_figures, its totals and loads apart.
struct node_figures {
	double imbalance; // report_leaf_imbalance()
	struct {
		uint64_t most;
		uint32_t port, priority;
	} paused, lossless_drops, credit_wait, llr_again;
	struct {
		uint64_t bytes, size_bytes;
	} pools[POOL_COUNT];
};

struct port_load {
	uint64_t port;
	double load;
};

void node_figures_read(const struct report_node *n, ps_t now, struct node_figures *out);
// In the order of the nodes.
void report_figures_add(struct report_figures *f, const struct report_node *n,
			const struct node_figures *one);
// After the last node: what is computed from the sums.
void report_figures_finish(struct report_figures *f);

// ---- digest.c -----------------------------------------------------------------------------------

struct digest {
	SHA2_CTX sha;
	struct gather *gather; // where another rank computes it
	const char *port;      // of the last counter
	size_t used;
	uint8_t bytes[8192]; // not yet in `sha`, or sent
};

// gather: what leads to the rank that computes the digest; NULL: this process does.
void digest_begin(struct digest *d, struct gather *gather);
// What comes before the nodes of a run, or of a snapshot; nothing where another rank computes it.
void digest_put_run(struct digest *d, const struct report_result *r);
void digest_put_snapshot(struct digest *d, ps_t now);
// A node: first itself, then its counters, and then everything of it is in `sha` or sent.
void digest_put_node(struct digest *d, const struct report_node *n);
void digest_put_counter(struct digest *d, const struct counter_value *value);
void digest_flush(struct digest *d);
// What another rank's digest_put_*() made of a node.
void digest_put_bytes(struct digest *d, const void *bytes, size_t count);
// What comes behind the nodes of a run: its snapshots and log.
void digest_put_lists(struct digest *d, const struct report_result *r);
void digest_end(struct digest *d, char digest[static RESULT_DIGEST_MAX]);

// ---- result_tables.c ----------------------------------------------------------------------------

struct snapshot_instant {
	char time_ns[32]; // with picoseconds as its decimals
	uint32_t number;  // of the snapshot, from 0
};

// Begins a table with its row of names.
struct csv *result_table_begin(enum result_table table, FILE *to);
// The row of a port's link, if it has one.
void result_put_link(struct csv *to, const struct report_node *n, unsigned int port,
		     const struct report_result *r);
// The row of a counter at the end of the run, if the table has it; and in a snapshot.
void result_put_counter(struct csv *to, const struct counter_value *value);
void result_put_snapshot(struct csv *to, const struct snapshot_instant *at,
			 const struct counter_value *value);
