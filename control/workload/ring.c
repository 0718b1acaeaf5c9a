// SPDX-License-Identifier: BSD-3-Clause
// Rings: every rank sends to the next one, and passes on what came from the one before.
//
// All-reduce (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009): message s of rank r
// carries chunk r - s. In the first N - 1 a chunk gathers the contributions of all, beginning with
// its own rank's; in the last N - 1 the sums go round. An all-gather is the second half alone,
// beginning with every rank's own chunk; a reduce-scatter the first, begun one chunk earlier so
// that chunk r ends at rank r.
#include "collectives.h"

int
collective_ring(struct collective *c)
{
	enum config_work_kind kind = c->item->work->kind;
	uint32_t n = c->count;
	int error = 0;

	for (uint32_t r = 0; error == 0 && r < n; r++) {
		const struct flow_messages messages = {
			.count = kind == CONFIG_WORK_ALL_REDUCE ? 2 * (n - 1) : n - 1,
			.base = c->bytes / n,
			.extra = (uint32_t)(c->bytes % n),
			.first = kind == CONFIG_WORK_REDUCE_SCATTER ? (r + n - 1) % n : r,
			.step = n - 1,
			.of = n,
		};
		const struct collective_flow flow = {
			.from = r,
			.to = (r + 1) % n,
			.inbox = 0,
			.gate = 0, // what comes from the one before; the first message is its own
			.gate_lead = 0,
			.messages = messages,
		};

		collective_rank(c, r)->inbox_count = 1;
		error = collective_add(c, &flow);
	}
	return error;
}
