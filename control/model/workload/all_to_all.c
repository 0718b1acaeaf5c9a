// SPDX-License-Identifier: BSD-3-Clause
// All-to-all: every rank has a chunk for every other. `direct` sends all at once; `shift` takes
// turns, in the k-th of which rank i sends to i + k and so every rank receives from one.
#include "collectives.h"

#include <errno.h>
#include <inttypes.h>

static int
check_count(const struct collective *c)
{
	const struct item *item = c->item;
	uint64_t pairs = (uint64_t)c->count * (c->count - 1);

	if (item->workload->flow_count + pairs <= WORKLOAD_FLOWS_MAX)
		return 0;
	diag_error(item->diag, item->file, item->work->pos, "workload",
		   "all pairs of %u ranks are %" PRIu64 " flows; more than %u in all", c->count,
		   pairs, WORKLOAD_FLOWS_MAX);
	return -EINVAL;
}

static struct flow_messages
one_message(uint64_t bytes)
{
	return (struct flow_messages){.count = 1, .base = bytes, .of = 1};
}

// Rank i sends to i + 1 first, then to i + 2, and so on, so that receivers are not met in step.
// Chunks of no byte are not sent.
int
collective_direct(struct collective *c)
{
	int error = check_count(c);

	for (uint32_t k = 1; error == 0 && k < c->count; k++) {
		for (uint32_t i = 0; error == 0 && i < c->count; i++) {
			uint32_t to = (i + k) % c->count;
			const struct collective_flow flow = {
				.from = i,
				.to = to,
				.inbox = 0,
				.gate = WORKLOAD_NONE,
				.messages = one_message(workload_share(c->bytes, to, c->count)),
			};

			if (flow.messages.base == 0)
				continue;
			collective_rank(c, to)->inbox_count = 1;
			error = collective_add(c, &flow);
		}
	}
	return error;
}

// Chunks of no byte are a packet all the same, since the next turn waits for them.
int
collective_shift(struct collective *c)
{
	int error = check_count(c);

	for (uint32_t k = 1; error == 0 && k < c->count; k++) {
		for (uint32_t i = 0; error == 0 && i < c->count; i++) {
			uint32_t to = (i + k) % c->count;
			const struct collective_flow flow = {
				.from = i,
				.to = to,
				.inbox = k - 1,
				.gate = k == 1 ? WORKLOAD_NONE : k - 2,
				.gate_lead = 1,
				.messages = one_message(workload_share(c->bytes, to, c->count)),
			};

			error = collective_add(c, &flow);
		}
	}
	for (uint32_t r = 0; r < c->count; r++)
		collective_rank(c, r)->inbox_count = c->count - 1;
	return error;
}
