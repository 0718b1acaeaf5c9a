// SPDX-License-Identifier: BSD-3-Clause
// Nodes and links by number, as a topology file has them; private to fabric_file.c.
#pragma once

#include "control/base/arena.h"
#include "config.h"

struct graph_link {
	uint32_t a, b;
	struct config_link link;
	struct diag_pos pos; // in the topology file
};

struct graph_node {
	bool is_switch;
	uint32_t distance; // of a switch: from the nearest with hosts, UINT32_MAX without a way
	uint32_t ports;
};

struct fabric_graph {
	struct graph_node *nodes;
	uint32_t node_count;
	struct graph_link *links;
	uint32_t link_count;
};

// Fills fabric->nodes and links from a graph whose every host has a link. Changes the nodes' ports
// and distances.
void fabric_graph_list(struct fabric_graph *graph, struct config_fabric *fabric,
		       struct arena *arena, struct diag_pos pos);
