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
	const uint64_t *pair_bytes;         // as in struct graph_node
	int error; // -EINVAL once anything was refused, with the error in diag
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

// Adds a flow; nothing after an error.
void collective_add(struct collective *c, const struct collective_flow *flow);

// `bytes` in `count` messages of equal size, as far as they divide.
static inline struct flow_messages
collective_messages(uint64_t bytes, uint32_t count)
{
	return (struct flow_messages){.count = count,
				      .base = bytes / count,
				      .extra = (uint32_t)(bytes % count),
				      .step = 1,
				      .of = count};
}

// Refuses a message cut into more chunks than a flow can have; else `bytes` in chunks.
struct flow_messages collective_chunks(struct collective *c);

// "ring"; of what is not a collective its kind.
const char *collective_algorithm_name(const struct config_work *work);
// See struct rank_spec.
bool collective_inboxes_apart(const struct config_work *work);
// Adds the flows of a collective or message as item->work says.
void collective_add_flows(struct collective *c);

// The algorithms: each adds its flows.
void collective_ring(struct collective *c);
void collective_tree(struct collective *c);
void collective_halving_doubling(struct collective *c);
void collective_direct(struct collective *c);
void collective_shift(struct collective *c);
// From the first rank to the second.
void collective_send(struct collective *c);
// From the first rank to all others.
void collective_broadcast(struct collective *c);
