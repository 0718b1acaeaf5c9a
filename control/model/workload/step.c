// SPDX-License-Identifier: BSD-3-Clause
// A step: operations over groups of ranks, in the order of the file. A group is `size` ranks that
// are `stride` apart, as axes of a mesh are: with 8 ranks, {size: 2} is 0-1, 2-3, ...; {size: 4,
// stride: 2} is 0-2-4-6 and 1-3-5-7.
#include "graph_flows.h"

#include "experts.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct step_entry {
	uint32_t operation; // of the file, from 0
	uint32_t node;      // of the graph
};

// The operations of a rank so far.
struct step_rank {
	struct step_entry *entries;
	uint32_t count;
};

struct step_group {
	uint32_t *ranks;
	uint32_t count;
};

struct step {
	struct item *item;
	const struct item_members *members;
	struct graph *graph;
	uint32_t at; // the operation that is added
	struct step_rank *ranks;
	bool *chosen;               // by rank: one of the operation, or sends
	struct step_group group;    // at hand
	uint32_t *afters;           // of the member that is added
	uint32_t after_count;       //
	uint32_t *after_operations; // as op->after
};

static void
add_entry(struct step *s, uint32_t rank, uint32_t operation, uint32_t node)
{
	struct step_rank *r = &s->ranks[rank];

	r->entries = memory_grow(r->entries, r->count, sizeof(*r->entries), "operations of a rank");
	r->entries[r->count++] = (struct step_entry){.operation = operation, .node = node};
}

static void
add_after(struct step *s, uint32_t node)
{
	s->afters = memory_grow(s->afters, s->after_count, sizeof(*s->afters), "dependencies");
	s->afters[s->after_count++] = node;
}

// The computing of the step is before its first operation.
static ps_t
first_compute(const struct step *s)
{
	return s->at == 0 ? s->item->work->compute_ps : 0;
}

// Adds what a rank has of one operation.
static void
add_afters_of(struct step *s, uint32_t rank, uint32_t operation)
{
	const struct step_rank *r = &s->ranks[rank];

	for (uint32_t i = 0; i < r->count; i++)
		if (r->entries[i].operation == operation)
			add_after(s, r->entries[i].node);
}

// The last operation before the one at hand of a rank.
static uint32_t
find_previous(const struct step *s, uint32_t rank)
{
	const struct step_rank *r = &s->ranks[rank];

	for (uint32_t i = r->count; i > 0; i--)
		if (r->entries[i - 1].operation != s->at)
			return r->entries[i - 1].operation;
	return GRAPH_NONE;
}

// Adds a rank to the node added last, after what the operation waits for, and after the node
// `earlier` unless that is GRAPH_NONE.
static void
add_member(struct step *s, uint32_t rank, uint32_t earlier)
{
	const struct config_work *op = &s->item->work->operations[s->at];
	uint32_t previous = op->ordered ? GRAPH_NONE : find_previous(s, rank);

	s->after_count = 0;
	for (unsigned i = 0; i < op->after.count; i++)
		add_afters_of(s, rank, s->after_operations[i]);
	if (previous != GRAPH_NONE)
		add_afters_of(s, rank, previous);
	if (earlier != GRAPH_NONE)
		add_after(s, earlier);
	graph_add_member(s->graph, rank, s->afters, s->after_count);
	add_entry(s, rank, s->at, s->graph->count - 1);
}

// Adds a node for the operation at hand. name: NULL: the kind.
static uint32_t
add_node(struct step *s, const char *name, enum config_work_kind kind, uint64_t bytes)
{
	const struct config_work *op = &s->item->work->operations[s->at];

	return graph_add(s->graph,
			 &(struct graph_operation){.name = name,
						   .group = op->group.text,
						   .kind = kind,
						   .compute_ps = op->compute_ps + first_compute(s),
						   .bytes = bytes,
						   .priority = op->priority,
						   .work = op,
						   .number = s->at});
}

// Returns -EINVAL.
static int
refuse(const struct step *s, struct diag_pos pos, const char *key, const char *what)
{
	return diag_error(s->item->diag, s->item->file, pos, key, "%s", what);
}

// ---- groups -------------------------------------------------------------------------------------

static uint32_t
position(const struct config_rank_group *g, uint32_t rank)
{
	return rank / g->stride % g->size;
}

static const struct config_rank_group *
find_group(const struct step *s, const struct config_name *name)
{
	const struct config_work *work = s->item->work;

	for (unsigned i = 0; i < work->group_count; i++)
		if (strcmp(work->groups[i].name.text, name->text) == 0)
			return &work->groups[i];
	diag_error(s->item->diag, s->item->file, name->pos, "workload.group",
		   "%s: no such group; the step's groups are in its key groups", name->text);
	return NULL;
}

static int
check_groups(const struct step *s)
{
	const struct item *item = s->item;
	uint32_t ranks = s->members->count;
	int error = 0;

	for (unsigned i = 0; i < item->work->group_count; i++) {
		const struct config_rank_group *g = &item->work->groups[i];

		if (ranks % ((uint64_t)g->size * g->stride) != 0)
			error = diag_error(item->diag, item->file, g->pos, "workload.groups",
					   "%s: %u ranks at a stride of %u do not divide the %u "
					   "ranks of the step: size times stride must be a divisor",
					   g->name.text, g->size, g->stride, ranks);
	}
	return error;
}

// Sets s->chosen: whether a rank is one of those that `on` names.
static int
choose_ranks(struct step *s, const struct config_work *op)
{
	for (uint32_t r = 0; r < s->members->count; r++)
		s->chosen[r] = true;
	for (unsigned i = 0; i < op->on_count; i++) {
		const struct config_place *place = &op->on[i];
		const struct config_rank_group *g = find_group(s, &place->group);

		if (g == NULL)
			return -EINVAL;
		if (place->last >= g->size)
			return diag_error(s->item->diag, s->item->file, place->group.pos,
					  "workload.on", "%s has positions 0 to %u", g->name.text,
					  g->size - 1);
		for (uint32_t r = 0; r < s->members->count; r++)
			s->chosen[r] = s->chosen[r] && position(g, r) >= place->first &&
				       position(g, r) <= place->last;
	}
	return 0;
}

// ---- operations ---------------------------------------------------------------------------------

static void
add_compute(struct step *s, const struct config_work *op)
{
	add_node(s, op->name.text, CONFIG_WORK_COMPUTE, 0);
	for (uint32_t r = 0; r < s->members->count; r++)
		if (s->chosen[r])
			add_member(s, r, GRAPH_NONE);
}

// From each chosen rank of a group to the `hop`-th next, as far as there is one.
static void
add_sends(struct step *s, const struct config_work *op, const struct step_group *group)
{
	for (uint32_t i = 0; i < group->count; i++) {
		int64_t to = (int64_t)i + op->hop;

		if (!s->chosen[group->ranks[i]] || to < 0 || to >= group->count)
			continue;
		add_node(s, op->name.text, op->kind, op->size_bytes);
		add_member(s, group->ranks[i], GRAPH_NONE);
		add_member(s, group->ranks[to], GRAPH_NONE);
	}
}

// Each rank's buffer in proportion to the shares of those that receive.
static void
add_shares(struct step *s, const struct config_work *op, uint32_t count)
{
	uint64_t *bytes = memory_array((size_t)count * count, sizeof(*bytes), "parts");
	uint64_t sum = 0, before = 0;

	for (unsigned i = 0; i < op->share_count; i++)
		sum += op->shares[i];
	for (uint32_t to = 0; to < count; to++) {
		__extension__ typedef unsigned __int128 wide;
		uint64_t from = (uint64_t)((wide)op->size_bytes * before / sum), end;

		before += op->shares[to];
		end = (uint64_t)((wide)op->size_bytes * before / sum);
		for (uint32_t i = 0; i < count; i++)
			bytes[(size_t)i * count + to] = end - from;
	}
	graph_add_parts(s->graph, bytes);
	free(bytes);
}

static int
add_collective(struct step *s, const struct config_work *op, const struct step_group *group)
{
	uint32_t count = group->count;

	if (op->share_count != 0 && op->share_count != count)
		return diag_error(s->item->diag, s->item->file, op->pos, "workload.shares",
				  "%u shares for %u ranks; each rank of the group has one",
				  op->share_count, count);
	if (op->root >= count)
		return diag_error(s->item->diag, s->item->file, op->pos, "workload.root",
				  "no rank at position %u; the group has %u", op->root, count);
	add_node(s, op->name.text, op->kind, op->size_bytes);
	for (uint32_t i = 0; i < count; i++)
		add_member(s, group->ranks[(i + op->root) % count], GRAPH_NONE);
	if (op->share_count != 0)
		add_shares(s, op, count);
	return 0;
}

// One phase of tokens on their way; nodes: by place in the group, the node of the phase before if
// there is one, and of this one then.
static void
add_phase(struct step *s, const struct experts_phase *p, const char *name, uint32_t *nodes)
{
	for (uint32_t g = 0; g < p->groups; g++) {
		uint32_t node = add_node(s, name, CONFIG_WORK_ALL_TO_ALL, p->pair_bytes * p->count);

		for (uint32_t i = 0; i < p->count; i++) {
			uint32_t place = experts_place(p, g, i);

			if (nodes[place] != GRAPH_NONE)
				s->graph->nodes[node].operation.compute_ps = 0;
			add_member(s, s->group.ranks[place], nodes[place]);
			nodes[place] = node;
		}
	}
}

// A dispatch to experts, or a combine, over s->group.
static int
add_experts(struct step *s, const struct config_work *op)
{
	const struct experts_group group = {.item = s->item,
					    .members = s->members,
					    .ranks = s->group.ranks,
					    .count = s->group.count,
					    .back = op->kind == CONFIG_WORK_COMBINE,
					    .pos = op->pos};
	const char *name = op->name.text != NULL ? op->name.text
			   : group.back          ? "combine"
						 : "dispatch";
	char *inside = memory_format("%s-inside", name);
	uint32_t *nodes = memory_array(s->group.count, sizeof(*nodes), "ranks");
	struct experts_plan plan = {0};
	int error = experts_plan(&group, &op->experts, &plan);

	for (uint32_t i = 0; i < s->group.count; i++)
		nodes[i] = GRAPH_NONE;
	for (uint32_t i = 0; i < plan.phase_count; i++)
		add_phase(s, &plan.phases[i], plan.phases[i].inside ? inside : name, nodes);
	free(nodes);
	free(inside);
	return error;
}

// A group that begins at rank `first`: all its ranks, or only the chosen ones.
static void
list_group(struct step *s, const struct config_rank_group *g, uint32_t first, bool all)
{
	s->group.count = 0;
	for (uint32_t i = 0; i < g->size; i++)
		if (all || s->chosen[first + i * g->stride])
			s->group.ranks[s->group.count++] = first + i * g->stride;
}

static int
add_groups(struct step *s, const struct config_work *op)
{
	const struct config_rank_group whole = {.size = s->members->count, .stride = 1};
	const struct config_rank_group *g = op->group.text != NULL ? find_group(s, &op->group)
								   : &whole;
	int error = g == NULL ? -EINVAL : 0;

	for (uint32_t r = 0; error == 0 && r < s->members->count; r++) {
		if (position(g, r) != 0)
			continue;
		list_group(s, g, r, op->kind == CONFIG_WORK_SEND);
		if (s->group.count == 0)
			continue;
		if (op->kind == CONFIG_WORK_SEND)
			add_sends(s, op, &s->group);
		else if (op->kind == CONFIG_WORK_DISPATCH || op->kind == CONFIG_WORK_COMBINE)
			error = add_experts(s, op);
		else
			error = add_collective(s, op, &s->group);
	}
	return error;
}

// Finds the operations that `after` names.
static int
find_afters(struct step *s, const struct config_work *op)
{
	const struct config_work *all = s->item->work->operations;
	int error = 0;

	free(s->after_operations);
	s->after_operations = memory_array(op->after.count, sizeof(uint32_t), "dependencies");
	for (unsigned i = 0; i < op->after.count; i++) {
		const struct config_name *name = &op->after.items[i];
		uint32_t found = GRAPH_NONE;

		for (uint32_t n = 0; n < s->at; n++)
			if (all[n].name.text != NULL && strcmp(all[n].name.text, name->text) == 0)
				found = n;
		if (found == GRAPH_NONE)
			error = diag_error(
				s->item->diag, s->item->file, name->pos, "workload.after",
				"%s: no earlier operation of the step has this name", name->text);
		s->after_operations[i] = found;
	}
	return error;
}

static int
check_name(const struct step *s, const struct config_work *op)
{
	const struct config_work *all = s->item->work->operations;

	for (uint32_t n = 0; n < s->at && op->name.text != NULL; n++)
		if (all[n].name.text != NULL && strcmp(all[n].name.text, op->name.text) == 0)
			return diag_error(s->item->diag, s->item->file, op->name.pos,
					  "workload.name",
					  "%s is the name of an earlier operation, in line %u: "
					  "each needs its own",
					  op->name.text, all[n].name.pos.line);
	return 0;
}

static int
add_operation(struct step *s)
{
	const struct config_work *op = &s->item->work->operations[s->at];
	uint32_t before = s->graph->count;
	int error = check_name(s, op);

	if (error == 0)
		error = find_afters(s, op);
	if (error == 0)
		error = choose_ranks(s, op);
	if (error != 0)
		return error;
	if (op->kind == CONFIG_WORK_COMPUTE)
		add_compute(s, op);
	else
		error = add_groups(s, op);
	if (error == 0 && (s->graph->count == before || s->graph->member_count == 0 ||
			   s->graph->nodes[before].member_count == 0))
		error = refuse(s, op->pos, "workload.on", "no rank takes part");
	return error;
}

int
item_step(struct item *item)
{
	struct item_members members;
	struct step s = {.item = item, .members = &members};
	int error = item_find_members(item, &members);

	if (error == 0) {
		s.graph = graph_create(members.count);
		s.ranks = memory_array(members.count, sizeof(*s.ranks), "ranks");
		s.chosen = memory_array(members.count, sizeof(*s.chosen), "ranks");
		s.group.ranks = memory_array(members.count, sizeof(uint32_t), "ranks");
		error = check_groups(&s);
	}
	// A rank that receives and sends would compute twice.
	if (error == 0 && item->work->compute_ps != 0 &&
	    item->work->operations[0].kind == CONFIG_WORK_SEND)
		error = refuse(&s, item->work->pos, "workload.compute",
			       "its first operation is a send, which does not compute: begin with "
			       "an operation of kind compute");
	for (; error == 0 && s.at < item->work->operation_count; s.at++)
		error = add_operation(&s);
	if (error == 0)
		error = item_add_graph(item, &members, s.graph);
	for (uint32_t r = 0; s.ranks != NULL && r < members.count; r++)
		free(s.ranks[r].entries);
	free(s.ranks);
	free(s.chosen);
	free(s.group.ranks);
	free(s.afters);
	free(s.after_operations);
	graph_destroy(s.graph);
	item_free_members(&members);
	return error;
}
