// SPDX-License-Identifier: BSD-3-Clause
// An all-reduce on a binary tree, in a pipeline of chunks: rank 0 is the root, 2i + 1 and 2i + 2
// are the children of i. A chunk goes up when those of all children have come, and from the root
// down again; while one goes up, an earlier one comes down.
#include "collectives.h"

#include <errno.h>
#include <inttypes.h>

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

static int
count_chunks(const struct collective *c, struct flow_messages *out)
{
	const struct item *item = c->item;
	uint64_t chunk = item->work->chunk_bytes, count = (c->bytes + chunk - 1) / chunk;

	if (count > WORKLOAD_MESSAGES_MAX) {
		diag_error(item->diag, item->file, item->work->pos, "workload.chunk",
			   "%" PRIu64 " bytes in chunks of %" PRIu64 " are %" PRIu64
			   " messages; at most %u",
			   c->bytes, chunk, count, WORKLOAD_MESSAGES_MAX);
		return -EINVAL;
	}
	*out = (struct flow_messages){
		.count = (uint32_t)count,
		.base = c->bytes / count,
		.extra = (uint32_t)(c->bytes % count),
		.step = 1,
		.of = (uint32_t)count,
	};
	return 0;
}

int
collective_tree(struct collective *c)
{
	struct flow_messages messages;
	int error = count_chunks(c, &messages);

	for (uint32_t r = 1; error == 0 && r < c->count; r++) {
		const struct collective_flow up = {
			.from = r,
			.to = (r - 1) / 2,
			.inbox = INBOX_CHILDREN,
			.gate = has_children(c, r) ? INBOX_CHILDREN : WORKLOAD_NONE,
			.gate_lead = 1,
			.messages = messages,
		};

		error = collective_add(c, &up);
	}
	for (uint32_t r = 1; error == 0 && r < c->count; r++) {
		uint32_t parent = (r - 1) / 2;
		const struct collective_flow down = {
			.from = parent,
			.to = r,
			.inbox = inbox_parent(c, r),
			.gate = parent == 0 ? INBOX_CHILDREN : inbox_parent(c, parent),
			.gate_lead = 1,
			.messages = messages,
		};

		error = collective_add(c, &down);
	}
	for (uint32_t r = 0; r < c->count; r++)
		collective_rank(c, r)->inbox_count = (r != 0) + has_children(c, r);
	return error;
}
