// SPDX-License-Identifier: BSD-3-Clause
// The driver of virtual time: windows in which no node can affect another, and between them nothing
// but the clock's jump to the next event. See virtual.c.
#pragma once

#include "dataplane/node/loop.h"
#include "cut.h"

#include <stdbool.h>
#include <stdint.h>

struct virtual_drive {
	struct node **nodes; // switches, then NICs
	uint32_t node_count;
	uint32_t switch_count;
	ps_t window; // the least delay of any wire into a switch; at most TIME_WINDOW_MAX
	ps_t now;    // all nodes have taken everything before this
	ps_t next;   // nothing happens before this; PS_NEVER: nothing ever
	uint64_t windows;
	// 0: nodes are visited in order; else in one drawn for each window.
	uint64_t visit_seed;
	// Of a fabric that several ranks run; NULL: it is all here. Then windows, `now` and `next`
	// are the same at all of them.
	struct cut *cut;
	int error; // of the exchange with the others: nothing runs any more
};

// Prepares to drive `nodes`, switches before NICs, from time 0. `window`: at most the least delay
// of the wires into switches. Returns 0 or -EINVAL when the window is 0 or a switch comes after a
// NIC.
int virtual_init(struct virtual_drive *v, struct node **nodes, uint32_t count, ps_t window);

// Runs until every node has taken everything before `until`, or nothing is left to happen (then
// v->next is PS_NEVER). What the caller does to nodes between calls comes before all else of that
// instant.
void virtual_run(struct virtual_drive *v, ps_t until);

// Where the window that begins at `start` ends, if nobody wants the nodes to stop before `until`.
static inline ps_t
virtual_window_end(const struct virtual_drive *v, ps_t start, ps_t until)
{
	ps_t edge = (start / TIME_WINDOW_MAX + 1) * TIME_WINDOW_MAX;

	return time_min(time_min(start + v->window, edge), until);
}

// Draws the order of nodes for the next window, if there is a seed.
void virtual_shuffle(struct virtual_drive *v);

// All nodes of a fabric together do not fit a core's caches. So while node i runs, this fetches
// what those after it, up to `count`, read first: the node, then its ports, then their wires, then
// the packets that are due, and then what those need. From node `others` on, other threads may run
// nodes: of those, only what they write atomically is read.
static inline void
virtual_prefetch(struct node *const *nodes, uint32_t i, uint32_t others, uint32_t count)
{
	if (i + 6 < count)
		node_prefetch(nodes[i + 6]);
	if (i + 5 < count)
		node_prefetch_ports(nodes[i + 5]);
	if (i + 4 < count)
		node_prefetch_wires(nodes[i + 4]);
	if (i + 3 < count) {
		node_prefetch_slots(nodes[i + 3]);
		node_prefetch_tables(nodes[i + 3]);
	}
	if (i + 2 < others)
		node_prefetch_packets(nodes[i + 2]);
	if (i + 2 < count)
		node_prefetch_queues(nodes[i + 2]);
	if (i + 1 < count)
		node_prefetch_heads(nodes[i + 1]);
	if (i + 1 < others)
		node_prefetch_nic(nodes[i + 1]);
}

// At a window's end: exchanges with other ranks, if there are any. `next`: when the next thing may
// happen here. Afterwards v->next is set.
static inline void
virtual_settle(struct virtual_drive *v, ps_t next, struct packet_pool *packets)
{
	if (v->cut != NULL && v->error == 0)
		v->error = cut_exchange(v->cut, &next, packets);
	v->next = v->error != 0 ? PS_NEVER : next;
}

// Tells the driver that the caller changed something that may make a node act at v->now.
static inline void
virtual_wake(struct virtual_drive *v)
{
	v->next = v->now;
}
