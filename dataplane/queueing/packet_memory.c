// SPDX-License-Identifier: BSD-3-Clause
#include "packet_memory.h"

#include "fair.h"

bool
packet_memory_headroom_gone(const struct node *n, const struct rte_mbuf *m)
{
	unsigned int kind = packet_kind(n->packets, m);

	return n->buffer.packets[kind].used >= n->current->packet_limits[kind].headroom;
}

bool
packet_memory_refuses(const struct node *n, const struct rte_mbuf *m, uint32_t held)
{
	unsigned int kind = packet_kind(n->packets, m);
	const struct packet_limit *limit = &n->current->packet_limits[kind];

	return held >= limit->floor || n->buffer.packets[kind].used >= limit->most;
}

bool
packet_memory_tight(const struct node *n)
{
	for (unsigned int kind = 0; kind < PACKET_KINDS; kind++) {
		const struct packet_limit *limit = &n->current->packet_limits[kind];

		if (limit->own != 0 && n->buffer.packets[kind].used > limit->resume)
			return true;
	}
	return false;
}

static void
count_waiting(struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++)
		for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
			const struct port *p = &n->ports[i];

			for (struct rte_mbuf *m = p->queues[tc].head; m != NULL;
			     m = fair_next(p, tc, m))
				packet_memory_take(n, m);
		}
}

void
packet_memory_adopt(struct node *n)
{
	bool before = n->packets_limited;

	n->packets_limited = false;
	for (unsigned int kind = 0; kind < PACKET_KINDS; kind++) {
		uint32_t own = n->current->packet_limits[kind].own;

		n->buffer.packets[kind].limit = own != 0 ? own : UINT32_MAX;
		n->packets_limited |= own != 0;
		if (!before)
			n->buffer.packets[kind].used = 0;
	}
	if (!before && n->packets_limited)
		count_waiting(n);
}
