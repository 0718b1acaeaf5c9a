// SPDX-License-Identifier: BSD-3-Clause
#include "graph.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct graph *
graph_create(uint32_t rank_count)
{
	struct graph *g = memory_new(sizeof(*g), "graph of operations");

	g->rank_count = rank_count;
	return g;
}

uint32_t
graph_add(struct graph *g, const struct graph_operation *operation)
{
	struct graph_node *node;

	g->nodes = memory_grow(g->nodes, g->count, sizeof(*g->nodes), "operations");
	node = &g->nodes[g->count];
	*node = (struct graph_node){.operation = *operation, .first_member = g->member_count};
	if (operation->name != NULL)
		node->operation.name = memory_text(operation->name);
	if (operation->label != NULL)
		node->operation.label = memory_text(operation->label);
	if (operation->group != NULL)
		node->operation.group = memory_text(operation->group);
	return g->count++;
}

void
graph_add_member(struct graph *g, uint32_t rank, const uint32_t *after, uint32_t count)
{
	g->members = memory_grow(g->members, g->member_count, sizeof(*g->members),
				 "ranks of operations");
	g->members[g->member_count++] = (struct graph_member){
		.rank = rank, .first_after = g->after_count, .after_count = count};
	g->nodes[g->count - 1].member_count++;
	for (uint32_t i = 0; i < count; i++) {
		g->afters = memory_grow(g->afters, g->after_count, sizeof(*g->afters),
					"dependencies of operations");
		g->afters[g->after_count++] = after[i];
	}
}

void
graph_add_parts(struct graph *g, const uint64_t *pair_bytes)
{
	struct graph_node *node = &g->nodes[g->count - 1];
	size_t count = (size_t)node->member_count * node->member_count;

	node->pair_bytes = memory_array(count, sizeof(*pair_bytes), "parts of an all-to-all");
	memcpy(node->pair_bytes, pair_bytes, count * sizeof(*pair_bytes));
}

void
graph_destroy(struct graph *g)
{
	if (g == NULL)
		return;
	for (uint32_t i = 0; i < g->count; i++) {
		free((char *)(uintptr_t)g->nodes[i].operation.name);
		free((char *)(uintptr_t)g->nodes[i].operation.label);
		free((char *)(uintptr_t)g->nodes[i].operation.group);
		free(g->nodes[i].pair_bytes);
	}
	free(g->nodes);
	free(g->members);
	free(g->afters);
	free(g);
}
