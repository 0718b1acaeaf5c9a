// SPDX-License-Identifier: BSD-3-Clause
// An all-reduce by recursive halving and doubling (Rabenseifner: Optimization of Collective
// Reduction Operations, ICCS 2004): of the range of chunks that two ranks share each keeps one half
// and sends the other, with a partner at twice the distance each time, until a rank has one chunk's
// sum; then the same partners in reverse order give back what they have. The first and largest
// exchanges are between neighbours.
#include "collectives.h"

// The range that a rank keeps after `step` exchanges: its low bits choose halves.
static uint32_t
range_first(const struct collective *c, uint32_t rank, uint32_t step)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < step; i++)
		first += rank >> i & 1 ? c->count >> (i + 1) : 0;
	return first;
}

static uint64_t
range_bytes(const struct collective *c, uint32_t rank, uint32_t step)
{
	uint32_t first = range_first(c, rank, step), length = c->count >> step;
	uint64_t base = c->bytes / c->count, extra = c->bytes % c->count;
	uint64_t longer = extra > first ? extra - first : 0;

	return length * base + (longer < length ? longer : length);
}

// Exchange i of 2 * steps: all ranks at once.
static void
add_exchange(struct collective *c, uint32_t i, uint32_t steps)
{
	bool halving = i < steps;
	uint32_t step = halving ? i : 2 * steps - 1 - i;

	for (uint32_t r = 0; r < c->count; r++) {
		uint32_t partner = r ^ 1u << step;
		const struct collective_flow flow = {
			.from = r,
			.to = partner,
			.inbox = i,
			.gate = i == 0 ? WORKLOAD_NONE : i - 1,
			.gate_lead = 1,
			// What the partner keeps, then what the rank itself has kept.
			.messages = collective_messages(
				range_bytes(c, halving ? partner : r, step + 1), 1),
		};

		collective_add(c, &flow);
	}
}

void
collective_halving_doubling(struct collective *c)
{
	const struct item *item = c->item;
	uint32_t steps = (uint32_t)__builtin_ctz(c->count);

	if (c->count != 1u << steps) {
		c->error = diag_error(
			item->diag, item->file, item->work->pos, "workload.algorithm",
			"halving-doubling needs a number of ranks that is a power of two; there "
			"are %u",
			c->count);
		return;
	}
	for (uint32_t i = 0; i < 2 * steps; i++)
		add_exchange(c, i, steps);
}
