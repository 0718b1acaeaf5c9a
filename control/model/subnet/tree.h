// SPDX-License-Identifier: BSD-3-Clause
// Ways that climb, then descend; what the engines `up-down` and `fat-tree` choose among. Private to
// control/model/subnet/.
#pragma once

#include "subnet_internal.h"

#define SUBNET_TREE_FAR UINT16_MAX

struct subnet_tree {
	const struct topology *topology;
	const bool *link_down;
	uint32_t *order; // switches, the topmost first
	uint32_t *place; // by switch: where it is in `order`
	uint32_t *queue;
	// By switch, for the destination of subnet_tree_aim().
	uint16_t *distance; // links, or SUBNET_TREE_FAR
	bool *descends;     // else it climbs first
};

// Orders the switches of a topology. s: its distances are there.
void subnet_tree_create(struct subnet_tree *tree, const struct subnet *s,
			const struct topology *topology, const bool *link_down);
void subnet_tree_free(struct subnet_tree *tree);

// Finds the ways from all switches to one.
void subnet_tree_aim(struct subnet_tree *tree, uint32_t last);
// The indices of the ports by which a switch may send to a LID, which is that switch's or behind
// it, in the order of ports. Returns how many; 0: there is no way, or the LID is the switch's own.
uint32_t subnet_tree_choices(const struct subnet_tree *tree, const struct subnet *s, uint32_t node,
			     uint32_t lid, uint16_t ports[static PORTS_MAX]);
