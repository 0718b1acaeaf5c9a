// SPDX-License-Identifier: BSD-3-Clause
// What the hub consists of: captures, taps, and what empties the rings between them.
#pragma once

#include "capture_drain.h"
#include "capture_hub.h"

// A node of the fabric, by index.
struct hub_node {
	struct node *node; // that has the tap; not to be looked at, it may be gone
	struct capture_tap *tap;
	uint8_t *wants;                // what the tap is to want, by port
	uint32_t *snaplens;            // the same
	struct capture_count *noted;   // of the tap at the last change, by port
	struct capture_count *carried; // of taps of nodes that stood here before, by port
	uint16_t ports;                // the most that a node here may have
};

struct capture {
	struct capture_hub *hub;
	struct capture_want want;
	struct topo_ref *ports; // a copy
	uint32_t *places;       // by port of the fabric: 1 + its place; NULL: all are captured
	struct capture_total *totals;    // at the beginning, then of the time between; as `places`
	uint64_t from[LIVE_WORKERS_MAX]; // positions in the rings
	uint64_t to[LIVE_WORKERS_MAX];
	bool ending;
};

struct capture_hub {
	struct live_fabric *live;
	struct capture *captures[CAPTURES_MAX]; // NULL: a free place
	unsigned int count;
	struct hub_node *nodes;
	uint32_t *first; // by node: where its ports begin among those of the fabric
	uint32_t port_count;
	struct capture_ring *rings[LIVE_WORKERS_MAX];
	uint64_t positions[LIVE_WORKERS_MAX]; // at the last change
	struct capture_drain *drain;          // NULL: nothing is captured
	bool populating;                      // the memory of rings is not all there yet
};

// ---- capture_taps.c -----------------------------------------------------------------------------

// Has all workers capture from now on what those captures want that are not ending, between two of
// their turns. Afterwards, counts and positions are those of that instant.
void capture_taps_apply(struct capture_hub *hub);
// Nodes that stand for a host since the last change get their taps.
void capture_taps_follow(struct capture_hub *hub);
// Makes a part of the memory of each ring present. Returns whether there was something to do.
bool capture_taps_populate(struct capture_hub *hub);
// What taps had counted at the last change, of what a capture wants.
struct capture_total capture_taps_count(const struct capture *c, uint32_t node, uint16_t port);
// No tap is in use any more.
void capture_taps_free(struct capture_hub *hub);
