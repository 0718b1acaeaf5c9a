// SPDX-License-Identifier: BSD-3-Clause
// All-to-all: every rank has a chunk for every other. `direct` sends all at once; `shift` takes
// turns, in the k-th of which rank i sends to i + k and so every rank receives from one.
#include "collectives.h"

#include <inttypes.h>

// Rank i sends to i + 1 first, then to i + 2, and so on, so that receivers are not met in step.
static void
add_pairs(struct collective *c, bool in_turns)
{
	const struct item *item = c->item;
	uint64_t pairs = (uint64_t)c->count * (c->count - 1);

	if (item->workload->flow_count + pairs > WORKLOAD_FLOWS_MAX) {
		c->error = diag_error(item->diag, item->file, item->work->pos, "workload",
				      "all pairs of %u ranks are %" PRIu64
				      " flows; more than %u in all",
				      c->count, pairs, WORKLOAD_FLOWS_MAX);
		return;
	}
	for (uint32_t k = 1; k < c->count; k++) {
		for (uint32_t i = 0; i < c->count; i++) {
			uint32_t to = (i + k) % c->count;
			uint64_t bytes = workload_share(c->bytes, to, c->count);
			const struct collective_flow flow = {
				.from = i,
				.to = to,
				.inbox = in_turns ? k - 1 : 0,
				.gate = in_turns && k > 1 ? k - 2 : WORKLOAD_NONE,
				.gate_lead = 1,
				.messages = collective_messages(bytes, 1),
			};

			// Chunks of no byte are not sent, unless the next turn waits for them: then
			// they are a packet all the same.
			if (bytes != 0 || in_turns)
				collective_add(c, &flow);
		}
	}
}

void
collective_direct(struct collective *c)
{
	add_pairs(c, false);
}

void
collective_shift(struct collective *c)
{
	add_pairs(c, true);
}
