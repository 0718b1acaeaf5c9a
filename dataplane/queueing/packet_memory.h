// SPDX-License-Identifier: BSD-3-Clause
// Memory of packets, beside the cells of the buffer. Cells are what a switch counts; behind them
// every packet that waits takes a piece of memory, and in a live fabric there may be fewer pieces
// than cells. Then each switch has a share that is its own (tables->packet_limits), so that no
// other can use it up, and when that is in use the switch acts as if its buffer were full: lossless
// groups send XOFF and go on in headroom, for which some of the share is kept, and lossy ones drop.
// A part of what is kept is for groups that hold little: one port's flood does not stop the others.
// In virtual time there is no limit, and nothing is counted.
#pragma once

#include "dataplane/base/node.h"

// A packet joins a queue.
static inline void
packet_memory_take(struct node *n, const struct rte_mbuf *m)
{
	struct packet_use *use;

	if (likely(!n->packets_limited))
		return;
	use = &n->buffer.packets[packet_kind(n->packets, m)];
	use->used++;
	if (use->used > use->used_max)
		use->used_max = use->used;
}

// A packet has left its queue.
static inline void
packet_memory_return(struct node *n, const struct rte_mbuf *m)
{
	if (unlikely(n->packets_limited))
		n->buffer.packets[packet_kind(n->packets, m)].used--;
}

// True when so many packets of this one's kind wait that not every group may add to them.
static inline bool
packet_memory_short(const struct node *n, const struct rte_mbuf *m)
{
	const struct packet_use *use;

	if (likely(!n->packets_limited))
		return false;
	use = &n->buffer.packets[packet_kind(n->packets, m)];
	return use->used >= use->limit;
}

// Cold, when packet_memory_short(): true when a group that holds so many cells may not add a packet,
// but in headroom.
bool packet_memory_refuses(const struct node *n, const struct rte_mbuf *m, uint32_t held);

// Cold: true when none may wait, not in headroom either.
bool packet_memory_gone(const struct node *n, const struct rte_mbuf *m);

// Cold: true when so many packets wait that no XON goes out.
bool packet_memory_tight(const struct node *n);

// New tables are in force: takes over their limits.
void packet_memory_adopt(struct node *n);
