// SPDX-License-Identifier: BSD-3-Clause
// The snapshots of a run. One is a pass over all nodes at its instant: each counter that differs
// from counter_initial() becomes a row of a table at once, and goes into the snapshot's digest. So
// memory does not grow with the fabric or with the number of snapshots. Control thread.
#pragma once

#include "control/base/output.h"
#include "control/fabric/result.h"

struct snapshots;

// ranks: that run the fabric together; NULL: this process alone. tables: whether rows are wanted,
// the same at all ranks. table: where the first rank writes them, open until snapshots_end();
// errors of writing are noted in it.
struct snapshots *snapshots_create(struct ranks *ranks, bool tables, struct output_table *table);
// Completes the table: no more are taken. Again is fine.
void snapshots_end(struct snapshots *s);
void snapshots_destroy(struct snapshots *s);

// Takes one, at every rank. If a rank is gone, what it had is missing; the run ends then.
void snapshots_take(struct snapshots *s, const struct report_node *nodes, uint32_t count, ps_t now);

// Those that are complete, in order: an array of {"at_ns": ..., "digest": SHA-256}. The array stays
// theirs; at ranks other than the first it is empty.
const json_t *snapshots_taken(const struct snapshots *s);
