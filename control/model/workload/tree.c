// SPDX-License-Identifier: BSD-3-Clause
// An all-reduce on a binary tree, in a pipeline of chunks: rank 0 is the root, 2i + 1 and 2i + 2
// are the children of i. A chunk goes up when those of all children have come, and from the root
// down again; while one goes up, an earlier one comes down.
#include "collectives.h"

// Inboxes: that of the children first if a rank has any, then the parent's.
#define INBOX_CHILDREN 0

static bool
has_children(const struct collective *c, uint32_t rank)
{
	return 2 * (uint64_t)rank + 1 < c->count;
}

static uint32_t
inbox_parent(const struct collective *c, uint32_t rank)
{
	return has_children(c, rank) ? INBOX_CHILDREN + 1 : INBOX_CHILDREN;
}

void
collective_tree(struct collective *c)
{
	struct collective_flow flow = {.gate_lead = 1, .messages = collective_chunks(c)};

	for (flow.from = 1; flow.from < c->count; flow.from++) { // up
		flow.to = (flow.from - 1) / 2;
		flow.inbox = INBOX_CHILDREN;
		flow.gate = has_children(c, flow.from) ? INBOX_CHILDREN : WORKLOAD_NONE;
		collective_add(c, &flow);
	}
	for (flow.to = 1; flow.to < c->count; flow.to++) { // down
		flow.from = (flow.to - 1) / 2;
		flow.inbox = inbox_parent(c, flow.to);
		flow.gate = flow.from == 0 ? INBOX_CHILDREN : inbox_parent(c, flow.from);
		collective_add(c, &flow);
	}
}
