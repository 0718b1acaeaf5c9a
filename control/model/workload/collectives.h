// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms of collectives are made with; private to control/model/workload/.
#pragma once

#include "workload_internal.h"

// A collective in the making. item->work has its own size, algorithm and priority.
struct collective {
	struct item *item;
	const struct item_members *members; // the ranks, in order
	uint32_t index;                     // in workload.collectives
	uint32_t count;                     // of ranks
	uint64_t bytes;                     // of one rank's buffer
};

// A flow from rank to rank; gate WORKLOAD_NONE: it waits for nothing.
struct collective_flow {
	uint32_t from, to;
	uint32_t inbox; // of `to`
	uint32_t gate;  // of `from`
	uint32_t gate_lead;
	bool by_twin; // as in struct item_flow
	struct flow_messages messages;
};

// Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int collective_add(struct collective *c, const struct collective_flow *flow);

static inline struct rank_spec *
collective_rank(struct collective *c, uint32_t rank)
{
	struct workload *w = c->item->workload;

	return &w->ranks[w->collectives[c->index].first_rank + rank];
}

// The algorithms: each adds its flows and says how many inboxes each rank has. Return as above.
int collective_ring(struct collective *c);
int collective_tree(struct collective *c);
int collective_halving_doubling(struct collective *c);
int collective_direct(struct collective *c);
int collective_shift(struct collective *c);
