// SPDX-License-Identifier: BSD-3-Clause
// The operations of a graph by rank.
#pragma once

#include "graph.h"

struct graph_order_entry {
	uint32_t node;
	uint32_t member; // in graph.members
};

struct graph_order {
	const struct graph *graph;
	uint32_t *first; // by rank: in entries; one more at the end
	struct graph_order_entry *entries;
};

struct graph_order *graph_order_create(const struct graph *g);
// The entry of an operation at a rank, as its index in entries; GRAPH_NONE: the rank takes no part.
uint32_t graph_order_find(const struct graph_order *o, uint32_t rank, uint32_t node);
void graph_order_destroy(struct graph_order *o); // NULL is fine
