// SPDX-License-Identifier: BSD-3-Clause
// Rings: every rank sends to the next one, and passes on what came from the one before.
//
// All-reduce (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009): message s of place p
// of the ring carries chunk p - s. In the first N - 1 a chunk gathers the contributions of all,
// beginning with its own place's; in the last N - 1 the sums go round. An all-gather is the second
// half alone, beginning with every place's own chunk; a reduce-scatter the first, begun one chunk
// earlier so that chunk p ends at place p.
//
// One ring through hosts of several NICs would leave each by the same NIC. Hence channels, as in
// NCCL: rings at once that share the buffer. Channel c comes to each host at its NIC c, passes the
// others in their order, and goes on by NIC c to NIC c of the next host; on rails too, though the
// spines would join the last NIC that it passes to that one.
#include "collectives.h"

#include "control/base/memory.h"

#include <stdlib.h>

// Unless it is written, as many as bring every NIC of the host that has the fewest into use.
static uint32_t
count_channels(const struct collective *c)
{
	uint32_t channels = c->item->work->channels;

	if (channels != 0)
		return channels;
	channels = item_group_size(c->members, 0);
	for (uint32_t g = 1; g < c->members->group_count; g++)
		if (item_group_size(c->members, g) < channels)
			channels = item_group_size(c->members, g);
	return channels;
}

struct ring_place {
	uint32_t rank;
	bool whole; // all NICs of its host take part
};

static void
order_ranks(const struct item_members *m, uint32_t channel, struct ring_place *order)
{
	for (uint32_t g = 0; g < m->group_count; g++) {
		uint32_t size = item_group_size(m, g);

		for (uint32_t i = 0; i < size; i++)
			*order++ = (struct ring_place){.rank = m->groups[g] + (i + channel) % size,
						       .whole = size > 1};
	}
}

static void
add_channel(struct collective *c, uint32_t channel, uint64_t bytes, const struct ring_place *order)
{
	enum config_work_kind kind = c->item->work->kind;
	uint32_t n = c->count;

	for (uint32_t p = 0; p < n; p++) {
		struct collective_flow flow = {
			.from = order[p].rank,
			.to = order[(p + 1) % n].rank,
			.inbox = channel,
			.gate = channel, // from the one before; the first message is its own
			.by_twin = order[p].whole,
			.messages = collective_messages(bytes, n),
		};

		flow.messages.count = kind == CONFIG_WORK_ALL_REDUCE ? 2 * (n - 1) : n - 1;
		flow.messages.first = kind == CONFIG_WORK_REDUCE_SCATTER ? (p + n - 1) % n : p;
		flow.messages.step = n - 1;
		collective_add(c, &flow);
	}
}

void
collective_ring(struct collective *c)
{
	uint32_t channels = count_channels(c);
	struct ring_place *order = memory_array(c->count, sizeof(*order), "ranks");

	for (uint32_t channel = 0; channel < channels; channel++) {
		order_ranks(c->members, channel, order);
		add_channel(c, channel, workload_share(c->bytes, channel, channels), order);
	}
	free(order);
}
