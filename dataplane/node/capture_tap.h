// SPDX-License-Identifier: BSD-3-Clause
// The tap of a node in a live fabric: copies packets into the ring of the node's worker. The
// control thread makes it and has the worker put it in force between two turns
// (capture_tap_apply()); a node without one pays nothing.
#pragma once

#include "capture_ring.h"
#include "dataplane/base/node.h"

// Which packets of a port are captured.
enum capture_wants {
	CAPTURE_WANTS_ALL = 1 << 0,
	CAPTURE_WANTS_MATCHING = 1 << 1, // those for which `match` is true
	CAPTURE_WANTS_DROPS = 1 << 2,    // dropped ones that came in here
};

// What a port has shown the tap: worker: rw; control reads it between two turns.
struct capture_count {
	uint64_t seen[CAPTURE_KINDS]; // dropped: also those that were captured as received
	uint64_t lost[CAPTURE_KINDS]; // of them, because the ring was full
};

struct capture_tap {
	struct node_tap tap;
	struct capture_ring *ring;
	// On the worker; in a tap of several captures, the same for all.
	bool (*match)(const void *context, struct rte_mbuf *m);
	const void *match_context;
	uint32_t node;       // in the fabric
	uint16_t port_count; // of the node
	uint8_t *wants;      // by port: bits of enum capture_wants
	uint32_t *snaplens;  // by port: bytes of a packet at most
	struct capture_count *counts;
	struct capture_slot *last; // worker: rw; the last record, which is not published yet
	const struct rte_mbuf *last_packet;
};

// Returns 0 or -ENOMEM. It wants nothing yet. Control thread.
int capture_tap_create(struct capture_tap **out, struct capture_ring *ring, uint16_t port_count);

// No node has it any more. NULL is fine.
void capture_tap_destroy(struct capture_tap *t);

// Gives a node a tap, or (NULL) takes it away, by what the tap now wants. The node's worker,
// between two turns, or while it does not run.
void capture_tap_apply(struct node *n, struct capture_tap *t);
