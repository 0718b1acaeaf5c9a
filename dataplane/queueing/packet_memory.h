// SPDX-License-Identifier: BSD-3-Clause
// The memory that waiting packets take. A switch counts its buffer in cells, but every waiting
// packet also takes memory, and a live fabric may have memory for fewer packets than cells. Then
// each switch has a share of its own (tables->packet_limits), which no other switch can use up.
// When the share is used up, the switch acts as if its buffer were full: lossless groups send XOFF
// and continue in headroom, for which a part of the share is reserved, and lossy groups drop.
// Groups that hold little may use some of that part too, so that a flood at one port does not stop
// the others. In virtual time there is no limit, and nothing is counted.
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

// True when so many packets of this one's kind wait that only some groups may add more.
static inline bool
packet_memory_short(const struct node *n, const struct rte_mbuf *m)
{
	const struct packet_use *use;

	if (likely(!n->packets_limited))
		return false;
	use = &n->buffer.packets[packet_kind(n->packets, m)];
	return use->used >= use->limit;
}

// Cold, when packet_memory_short(): true when a group that holds so many cells may add a packet
// only in headroom.
bool packet_memory_refuses(const struct node *n, const struct rte_mbuf *m, uint32_t held);

// Cold: true when no more packets may wait in headroom: the rest is for groups that hold little.
bool packet_memory_headroom_gone(const struct node *n, const struct rte_mbuf *m);

// Cold: true when so many packets wait that no XON goes out.
bool packet_memory_tight(const struct node *n);

// New tables are in force: takes over their limits.
void packet_memory_adopt(struct node *n);
