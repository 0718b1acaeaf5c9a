// SPDX-License-Identifier: BSD-3-Clause
// The operations of each rank, and whether all of them can begin: a member begins when
// the operations that it waits for are over at its rank. A collective is over at all its ranks when
// all have begun; a message at the sender once it has begun, at the receiver when both have.
#include "graph_order.h"

#include "control/base/memory.h"

#include <stdlib.h>

struct graph_order *
graph_order_create(const struct graph *g)
{
	struct graph_order *o = memory_new(sizeof(*o), "order of operations");
	uint32_t *next;

	o->graph = g;
	o->first = memory_array((size_t)g->rank_count + 1, sizeof(*o->first), "ranks");
	o->entries = memory_array(g->member_count, sizeof(*o->entries), "ranks of operations");
	for (uint32_t i = 0; i < g->member_count; i++)
		o->first[g->members[i].rank + 1]++;
	for (uint32_t r = 0; r < g->rank_count; r++)
		o->first[r + 1] += o->first[r];
	next = memory_array(g->rank_count, sizeof(*next), "ranks");
	for (uint32_t n = 0; n < g->count; n++)
		for (uint32_t i = 0; i < g->nodes[n].member_count; i++) {
			uint32_t member = g->nodes[n].first_member + i;
			uint32_t rank = g->members[member].rank;

			o->entries[o->first[rank] + next[rank]++] =
				(struct graph_order_entry){.node = n, .member = member};
		}
	free(next);
	return o;
}

uint32_t
graph_order_find(const struct graph_order *o, uint32_t rank, uint32_t node)
{
	uint32_t low = o->first[rank], high = o->first[rank + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->entries[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->first[rank + 1] && o->entries[low].node == node ? low : GRAPH_NONE;
}

void
graph_order_destroy(struct graph_order *o)
{
	if (o == NULL)
		return;
	free(o->first);
	free(o->entries);
	free(o);
}

// ---- circles ------------------------------------------------------------------------------------

// How far operations come if nothing but their order holds them up.
struct walk {
	const struct graph *g;
	const struct graph_order *order;
	uint32_t *node_of;    // by member
	uint32_t *waits;      // by member: for how many operations it still does
	uint32_t *left;       // by operation: members that have not begun
	uint32_t *first_next; // by member: in nexts, who waits for its end
	uint32_t *nexts;      // members, at first_next[m] to first_next[m + 1]
	uint32_t *ready;      // members that can begin
	uint32_t ready_count;
};

// The member at the same rank of operation `after`, or GRAPH_NONE.
static uint32_t
find_earlier(const struct walk *w, uint32_t member, uint32_t index)
{
	const struct graph_member *m = &w->g->members[member];
	uint32_t found = graph_order_find(w->order, m->rank, w->g->afters[m->first_after + index]);

	return found == GRAPH_NONE ? GRAPH_NONE : w->order->entries[found].member;
}

static void
list_nexts(struct walk *w)
{
	uint32_t count = w->g->member_count, *next;

	for (uint32_t m = 0; m < count; m++)
		for (uint32_t i = 0; i < w->g->members[m].after_count; i++) {
			uint32_t earlier = find_earlier(w, m, i);

			if (earlier == GRAPH_NONE)
				continue;
			w->waits[m]++;
			w->first_next[earlier + 1]++;
		}
	for (uint32_t m = 0; m < count; m++)
		w->first_next[m + 1] += w->first_next[m];
	w->nexts = memory_array(w->first_next[count], sizeof(*w->nexts), "order of operations");
	next = memory_array(count, sizeof(*next), "order of operations");
	for (uint32_t m = 0; m < count; m++)
		for (uint32_t i = 0; i < w->g->members[m].after_count; i++) {
			uint32_t earlier = find_earlier(w, m, i);

			if (earlier != GRAPH_NONE)
				w->nexts[w->first_next[earlier] + next[earlier]++] = m;
		}
	free(next);
}

static void
end(struct walk *w, uint32_t member)
{
	for (uint32_t i = w->first_next[member]; i < w->first_next[member + 1]; i++)
		if (--w->waits[w->nexts[i]] == 0)
			w->ready[w->ready_count++] = w->nexts[i];
}

static void
begin(struct walk *w, uint32_t member)
{
	uint32_t node = w->node_of[member];
	const struct graph_node *n = &w->g->nodes[node];
	enum config_work_kind kind = n->operation.kind;
	bool sender = kind == CONFIG_WORK_SEND && member == n->first_member;

	w->left[node]--;
	if (kind == CONFIG_WORK_COMPUTE || sender)
		end(w, member);
	if (kind == CONFIG_WORK_COMPUTE || w->left[node] != 0)
		return;
	for (uint32_t i = kind == CONFIG_WORK_SEND; i < n->member_count; i++)
		end(w, n->first_member + i);
}

static uint32_t
find_not_begun(const struct walk *w)
{
	for (uint32_t n = 0; n < w->g->count; n++)
		if (w->left[n] != 0)
			return n;
	return GRAPH_NONE;
}

uint32_t
graph_find_circle(const struct graph *g)
{
	size_t count = g->member_count;
	struct walk w = {
		.g = g,
		.order = graph_order_create(g),
		.node_of = memory_array(count, sizeof(uint32_t), "order of operations"),
		.waits = memory_array(count, sizeof(uint32_t), "order of operations"),
		.left = memory_array(g->count, sizeof(uint32_t), "order of operations"),
		.first_next = memory_array(count + 1, sizeof(uint32_t), "order of operations"),
		.ready = memory_array(count, sizeof(uint32_t), "order of operations"),
	};
	uint32_t found;

	for (uint32_t n = 0; n < g->count; n++) {
		w.left[n] = g->nodes[n].member_count;
		for (uint32_t i = 0; i < g->nodes[n].member_count; i++)
			w.node_of[g->nodes[n].first_member + i] = n;
	}
	list_nexts(&w);
	for (uint32_t m = 0; m < count; m++)
		if (w.waits[m] == 0)
			w.ready[w.ready_count++] = m;
	for (uint32_t i = 0; i < w.ready_count; i++)
		begin(&w, w.ready[i]);
	found = find_not_begun(&w);
	graph_order_destroy((struct graph_order *)(uintptr_t)w.order);
	free(w.node_of);
	free(w.waits);
	free(w.left);
	free(w.first_next);
	free(w.nexts);
	free(w.ready);
	return found;
}
