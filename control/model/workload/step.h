// SPDX-License-Identifier: BSD-3-Clause
// A step while its operations are turned into a graph; private to control/model/workload/.
#pragma once

#include "graph_flows.h"

struct step_entry {
	uint32_t operation; // of the file, from 0
	uint32_t node;      // of the graph
};

// The operations of a rank so far.
struct step_rank {
	struct step_entry *entries;
	uint32_t count;
};

struct step_group {
	uint32_t *ranks;
	uint32_t count;
};

struct step {
	struct item *item;
	const struct item_members *members;
	struct graph *graph;
	uint32_t at; // the operation that is added
	struct step_rank *ranks;
	bool *chosen;               // by rank: one of the operation, or sends
	struct step_group group;    // at hand
	uint32_t *afters;           // of the member that is added
	uint32_t after_count;       //
	uint32_t *after_operations; // as op->after
};

// Adds a node for the operation at hand. name: NULL: the kind.
uint32_t step_add_node(struct step *s, const char *name, enum config_work_kind kind,
		       uint64_t bytes);
// Adds a rank to the node added last, after what the operation waits for, and after the node
// `earlier` unless that is GRAPH_NONE.
void step_add_member(struct step *s, uint32_t rank, uint32_t earlier);
// Returns -EINVAL.
int step_refuse(const struct step *s, struct diag_pos pos, const char *key, const char *what);

// Adds a dispatch to experts, or a combine, over s->group (experts.c).
int step_add_experts(struct step *s, const struct config_work *op);
