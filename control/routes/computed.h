// SPDX-License-Identifier: BSD-3-Clause
// Routes computed from a topology; computed.c tells how.
#pragma once

#include "routes.h"

// Fills the lists of all switches. link_down: as in routes_create(). Returns 0 or -ENOMEM.
int routes_compute(struct routes *routes, const struct topology *topology, const bool *link_down);

// Next hops towards one leaf, up-down; updown.c tells how.
struct updown {
	const struct topology *topology;
	const bool *link_down;
	uint32_t *rank;  // by switch: greater is higher
	uint32_t *order; // switches from the highest down
	uint32_t *down;  // hops to the leaf going down only, or UPDOWN_FAR
	uint32_t *hops;  // hops to the leaf, or UPDOWN_FAR
	uint32_t *queue;
};

#define UPDOWN_FAR UINT32_MAX

// Ranks the switches. Returns 0 or -ENOMEM.
int updown_create(struct updown *u, const struct topology *topology, const bool *link_down);
void updown_destroy(struct updown *u);
// Distances to one leaf.
void updown_aim(struct updown *u, uint32_t leaf);
// True when the port of a switch is on one of its shortest ways to the leaf aimed at.
bool updown_leads(const struct updown *u, uint32_t node, const struct topo_port *port);
