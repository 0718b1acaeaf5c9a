// SPDX-License-Identifier: BSD-3-Clause
// A graph of operations becomes a program, which each of its ranks runs on its own: the operations
// of that rank, each when those that it waits for are over at this rank.
#include "graph_flows.h"

#include "collectives.h"
#include "control/base/memory.h"
#include "control/config/schema.h"
#include "graph_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lowering {
	struct item *item;
	const struct item_members *members;
	const struct graph *graph;
	const struct graph_order *order;
	uint32_t *group_of;      // by rank: in members.groups
	uint32_t *numbers;       // by operation: how many have its number
	uint32_t first_rank;     // in workload.ranks: that of graph.members[0]
	struct item_members own; // of one operation
};

static const char *
kind_name(const struct config_work *work)
{
	return schema_choice_name(schema_operation_kinds, work->kind);
}

const char *
graph_item_name(const struct config_work *work)
{
	return work->name.text != NULL ? work->name.text
				       : schema_choice_name(schema_work_kinds, work->kind);
}

static const char *
keep(struct workload *w, const char *text)
{
	return text != NULL ? arena_text(&w->names, text, strlen(text)) : NULL;
}

// The ends of an operation's ranks; NICs of one host stay together.
static void
gather_members(struct lowering *l, const struct graph_node *node)
{
	const struct graph_member *m = &l->graph->members[node->first_member];
	struct item_members *own = &l->own;

	own->count = own->group_count = 0;
	for (uint32_t i = 0; i < node->member_count; i++) {
		if (i == 0 || l->group_of[m[i].rank] != l->group_of[m[i - 1].rank])
			own->groups[own->group_count++] = i;
		own->ends[own->count++] = l->members->ends[m[i].rank];
	}
}

static void
add_ranks(const struct lowering *l, const struct graph_node *node, const struct config_work *work)
{
	const struct graph *g = l->graph;
	struct workload *w = l->item->workload;

	for (uint32_t i = 0; i < node->member_count; i++) {
		const struct graph_member *m = &g->members[node->first_member + i];
		struct rank_spec rank = {
			.host = l->own.ends[i].host,
			.port = l->own.ends[i].port,
			.member = m->rank,
			.first_after = w->after_count,
			.inboxes_apart = collective_inboxes_apart(work),
		};

		for (uint32_t a = 0; a < m->after_count; a++) {
			uint32_t entry =
				graph_order_find(l->order, m->rank, g->afters[m->first_after + a]);

			if (entry == GRAPH_NONE)
				continue;
			w->afters = memory_grow(w->afters, w->after_count, sizeof(*w->afters),
						"dependencies of operations");
			w->afters[w->after_count++] = l->first_rank +
						      l->order->entries[entry].member;
		}
		rank.after_count = w->after_count - rank.first_after;
		w->ranks = memory_grow(w->ranks, w->rank_count, sizeof(*w->ranks), "ranks");
		w->ranks[w->rank_count++] = rank;
	}
}

// The settings of an operation: what it does not say it has from the item.
static struct config_work
operation_work(const struct item *item, const struct graph_operation *op)
{
	struct config_work work = op->work != NULL ? *op->work : *item->work;

	work.tenant = item->work->tenant;
	work.priority = op->priority >= 0    ? op->priority
			: work.priority >= 0 ? work.priority
					     : item->work->priority;
	work.qps = work.qps != 0 ? work.qps : item->work->qps;
	work.repeat = item->work->repeat;
	work.gap_ps = item->work->gap_ps;
	work.kind = op->kind;
	work.size_bytes = op->bytes;
	work.compute_ps = op->compute_ps;
	if (op->algorithm != CONFIG_ALGORITHM_AUTO)
		work.algorithm = op->algorithm;
	if (work.algorithm == CONFIG_ALGORITHM_AUTO)
		work.algorithm = op->kind == CONFIG_WORK_ALL_TO_ALL ? CONFIG_ALGORITHM_DIRECT
								    : CONFIG_ALGORITHM_RING;
	if (work.chunk_bytes == 0)
		work.chunk_bytes = GRAPH_CHUNK_BYTES;
	return work;
}

// item->work is the operation's.
static int
add_operation(struct lowering *l, const struct graph_node *node, const char *name)
{
	struct item *item = l->item;
	struct workload *w = item->workload;
	struct collective c = {
		.item = item,
		.members = &l->own,
		.index = w->collective_count,
		.count = node->member_count,
		.bytes = node->operation.bytes,
		.pair_bytes = node->pair_bytes,
	};
	struct collective_spec spec = {
		.name = keep(w, name),
		.label = keep(w, node->operation.label),
		.kind = kind_name(item->work),
		.algorithm = collective_algorithm_name(item->work),
		.group = keep(w, node->operation.group),
		.operation = node->operation.number,
		.group_index = l->numbers[node->operation.number]++,
		.item = item->index,
		.bytes = node->operation.bytes,
		.first_rank = w->rank_count,
		.rank_count = c.count,
		.first_flow = w->flow_count,
		.program = w->program_count - 1,
		.compute_ps = item->work->compute_ps,
	};

	w->collectives =
		memory_grow(w->collectives, c.index, sizeof(*w->collectives), "collectives");
	w->collectives[w->collective_count++] = spec;
	add_ranks(l, node, item->work);
	collective_add_flows(&c);
	w->collectives[c.index].flow_count = w->flow_count - w->collectives[c.index].first_flow;
	return c.error;
}

static void
add_program(struct item *item, const struct item_members *members, uint32_t operations)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;

	w->programs = memory_grow(w->programs, w->program_count, sizeof(*w->programs), "programs");
	w->programs[w->program_count++] = (struct program_spec){
		.name = graph_item_name(work),
		// A trace or a model is a step that is not written out.
		.kind = schema_choice_name(schema_work_kinds, work->kind < CONFIG_WORK_STEP
								      ? work->kind
								      : CONFIG_WORK_STEP),
		.item = item->index,
		.first_collective = w->collective_count,
		.collective_count = operations,
		.first_member = w->member_count,
		.member_count = members->count,
		.repeat = work->repeat,
		.gap_ps = work->gap_ps,
	};
	for (uint32_t r = 0; r < members->count; r++) {
		w->members =
			memory_grow(w->members, w->member_count, sizeof(*w->members), "members");
		w->members[w->member_count++] = (struct member_spec){
			.host = members->ends[r].host,
			.start_ps = item_draw_start(item, members->ends[r].host)};
	}
}

static int
check_times(const struct lowering *l)
{
	const struct item *item = l->item;
	uint32_t most = 0;

	for (uint32_t r = 0; r < l->graph->rank_count; r++)
		if (l->order->first[r + 1] - l->order->first[r] > most)
			most = l->order->first[r + 1] - l->order->first[r];
	if ((uint64_t)most * item->work->repeat <= WORKLOAD_TIMES_MAX)
		return 0;
	return diag_error(item->diag, item->file, item->work->pos, "workload.repeat",
			  "%u times %u operation%s of one rank are %" PRIu64
			  "; at most %u are supported",
			  item->work->repeat, most, most == 1 ? "" : "s",
			  (uint64_t)most * item->work->repeat, WORKLOAD_TIMES_MAX);
}

// Only a trace can have one: operations of a step wait for earlier ones.
static int
check_circles(const struct lowering *l)
{
	const struct item *item = l->item;
	uint32_t found = graph_find_circle(l->graph);
	const struct graph_operation *op;

	if (found == GRAPH_NONE)
		return 0;
	op = &l->graph->nodes[found].operation;
	return diag_error(item->diag, item->file, item->work->pos, "workload.file",
			  "operation %s can never begin: those that it waits for wait for one "
			  "another",
			  op->name != NULL ? op->name
					   : schema_choice_name(schema_operation_kinds, op->kind));
}

static int
add_operations(struct lowering *l)
{
	const struct graph *g = l->graph;
	struct item *item = l->item;
	const struct config_work *whole = item->work;
	struct workload *w = item->workload;
	uint32_t first = w->collective_count;
	int error = 0;

	for (uint32_t n = 0; error == 0 && n < g->count; n++) {
		const struct graph_operation *op = &g->nodes[n].operation;
		struct config_work work = operation_work(item, op);

		gather_members(l, &g->nodes[n]);
		item->work = &work;
		error = add_operation(l, &g->nodes[n],
				      op->name != NULL ? op->name : kind_name(&work));
		item->work = whole;
	}
	for (uint32_t i = first; i < w->collective_count; i++)
		w->collectives[i].group_count = l->numbers[w->collectives[i].operation];
	return error;
}

int
item_add_graph(struct item *item, const struct item_members *members, const struct graph *g)
{
	struct graph_order *order = graph_order_create(g);
	struct lowering l = {
		.item = item,
		.members = members,
		.graph = g,
		.order = order,
		.group_of = memory_array(members->count, sizeof(uint32_t), "ranks"),
		.numbers = memory_array(g->count, sizeof(uint32_t), "operations"),
		.first_rank = item->workload->rank_count,
		.own = {.ends = memory_array(members->count, sizeof(*l.own.ends), "ranks"),
			.groups = memory_array(members->count, sizeof(uint32_t), "ranks")},
	};
	int error = check_times(&l);

	for (uint32_t i = 0; i < members->group_count; i++)
		for (uint32_t k = 0; k < item_group_size(members, i); k++)
			l.group_of[members->groups[i] + k] = i;
	if (error == 0)
		error = check_circles(&l);
	if (error == 0) {
		add_program(item, members, g->count);
		error = add_operations(&l);
	}
	item_free_members(&l.own);
	free(l.group_of);
	free(l.numbers);
	graph_order_destroy(order);
	return error;
}

int
item_collective(struct item *item)
{
	const struct config_work *work = item->work;
	struct item_members members;
	int error = item_find_members(item, &members);

	if (error == 0) {
		struct graph *g = graph_create(members.count);

		graph_add(g, &(struct graph_operation){.name = graph_item_name(work),
						       .kind = work->kind,
						       .compute_ps = work->compute_ps,
						       .bytes = work->size_bytes,
						       .priority = work->priority});
		for (uint32_t r = 0; r < members.count; r++)
			graph_add_member(g, r, NULL, 0);
		error = item_add_graph(item, &members, g);
		graph_destroy(g);
	}
	item_free_members(&members);
	return error;
}
