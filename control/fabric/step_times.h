// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a program did each operation of one execution; private to control/fabric/.
#pragma once

#include "flows_internal.h"

struct step_times {
	const struct workload *workload;
	const struct program_spec *program;
	uint32_t first, count; // in workload.ranks, of all its operations
	uint32_t *operations;  // by rank - first: in workload.collectives
	// What each member of the program does: of_member[first_of[m]] to before first_of[m + 1].
	uint32_t *first_of;
	uint32_t *of_member; // rank - first
	// By rank - first, of each execution in turn: when its data could go, which is after its
	// computing, and when it was over. PS_NEVER: not yet.
	uint64_t *starts, *ends;
	uint64_t *start, *end; // of the execution at hand
};

// The part of a critical path that is due to one operation.
struct path_list {
	struct report_path *items;
	uint32_t count;
};

// The chain of operations that ended last (step_path.c). Each is as late as what held it up: the
// one that it waited for at its rank, computing for another one there, or the last rank to join.
void step_path_follow(const struct fabric_flows *flows, const struct step_times *t,
		      struct path_list *out);

static inline const struct collective_spec *
step_operation(const struct step_times *t, uint32_t index)
{
	return &t->workload->collectives[t->operations[index]];
}

// When a rank began to compute for an operation.
static inline ps_t
step_begin(const struct step_times *t, uint32_t index)
{
	return t->start[index] - step_operation(t, index)->compute_ps;
}
