// SPDX-License-Identifier: BSD-3-Clause
// Wires between nodes of different ranks (ranks.h). Such a wire is at both ends: what the near node
// puts on it is collected after the node's turn, and at the window's end all ranks send each other
// what they have collected and when the next thing may happen. The packets arrive after the window,
// as on any wire between switches, so the outcome is that of one process. See cut.c.
#pragma once

#include "dataplane/base/node.h"
#include "dataplane/base/wire.h"
#include "ranks.h"

#include <stdint.h>

struct cut_wire {
	struct wire *wire;
	uint32_t number; // the same at both ends
	uint32_t peer;   // rank at the other end
};

struct cut {
	struct ranks *ranks;
	struct packet_pool *packets;
	struct cut_range {
		uint32_t first, count; // of `out`
	} * of_node;                   // by its index
	struct cut_wire *out;
	uint32_t out_count;
	struct wire **in; // by number; NULL: it does not end here
	uint32_t wire_count;
	uint32_t threads;
	// By thread and rank: what is collected. Of thread 0 it begins with a struct cut_head.
	struct ranks_bytes *collected;
	struct ranks_bytes *received; // by rank
};

// For nodes with indices below node_count and wires with numbers below wire_count. Packets that
// come in are taken from `packets`. Returns 0 or -ENOMEM.
int cut_create(struct cut **out, struct ranks *ranks, uint32_t node_count, uint32_t wire_count,
	       struct packet_pool *packets);
// NULL is fine.
void cut_destroy(struct cut *c);

// A wire from a node here to one of another rank. The wires of a node are added in a row, before
// those of the next. Returns 0 or -ENOMEM.
int cut_add_out(struct cut *c, uint32_t node, const struct cut_wire *wire);
// A wire from a node of another rank to one here.
void cut_add_in(struct cut *c, uint32_t number, struct wire *wire);

// As many threads run nodes from now on. Returns 0 or -ENOMEM. Between windows.
int cut_set_threads(struct cut *c, uint32_t threads);

// Collects what is on those wires of a node. By the thread that ran it, after its turn.
void cut_collect_wires(struct cut *c, struct node *n, uint32_t thread);

static inline void
cut_collect(struct cut *c, struct node *n, uint32_t thread)
{
	if (c->of_node[n->index].count != 0)
		cut_collect_wires(c, n, thread);
}

// At a window's end: puts what other ranks have collected on its wires, and replaces *next by the
// least of all ranks. Packets are taken from `packets`. By one thread while the others wait.
// Returns 0, or -errno: a rank is gone, or what it sent makes no sense.
int cut_exchange(struct cut *c, ps_t *next, struct packet_pool *packets);
