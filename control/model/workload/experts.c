// SPDX-License-Identifier: BSD-3-Clause
// Tokens on their way to experts (dispatch) and back (combine), in a mixture of experts. Every rank
// has as many experts as any other, and each token goes to `top_k` different experts, all equally
// likely: what goes from rank to rank is the mean of that, rounded to a byte.
//
// With `nodes` a token goes to experts of at most so many hosts, drawn first, all equally likely:
// node-limited routing (DeepSeek-V3 Technical Report, 2024, section 2.1.2). With `forward` a token
// is sent once to each host that has an expert for it, to the rank at the sender's place in that
// host, which passes it on inside (section 3.2.2; DeepEP): first an all-to-all of the ranks at the
// same place in their hosts, then one inside each host. A combine takes the way back.
#include "step.h"

#include "control/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

struct hosts {
	uint32_t count;
	uint32_t each; // ranks of a host
};

// Whether the ranks of the group come host by host, as many of each.
static bool
find_hosts(const struct step *s, struct hosts *out)
{
	const struct step_group *g = &s->group;
	const struct topo_endpoint *ends = s->members->ends;
	uint32_t each = 1;

	while (each < g->count && ends[g->ranks[each]].host == ends[g->ranks[0]].host)
		each++;
	*out = (struct hosts){.count = g->count / each, .each = each};
	if (g->count % each != 0)
		return false;
	for (uint32_t i = 0; i < g->count; i++)
		if (ends[g->ranks[i]].host != ends[g->ranks[i - i % each]].host ||
		    (i >= each && i % each == 0 &&
		     ends[g->ranks[i]].host == ends[g->ranks[i - 1]].host))
			return false;
	return true;
}

// The chance that none of `k` different ones out of `all` is among `some` of them:
// C(all - some, k) / C(all, k).
static long double
chance_of_none(uint64_t all, uint64_t some, uint32_t k)
{
	long double chance = 1;

	for (uint32_t i = 0; i < k; i++)
		chance *= all - some > i ? (long double)(all - some - i) / (long double)(all - i)
					 : 0;
	return chance;
}

// How likely a token goes to one of `experts` that are all at one host.
static long double
chance(const struct config_experts *e, const struct hosts *hosts, uint32_t experts)
{
	uint32_t limit = e->nodes != 0 && e->nodes < hosts->count ? e->nodes : hosts->count;
	uint64_t open = (uint64_t)limit * (e->count / hosts->count);

	return (long double)limit / hosts->count * (1 - chance_of_none(open, experts, e->top_k));
}

static uint64_t
mean_bytes(const struct config_experts *e, long double times)
{
	return (uint64_t)((long double)e->tokens * (long double)e->token_bytes * times + 0.5L);
}

static int
check_experts(const struct step *s, const struct config_work *op, const struct hosts *hosts)
{
	const struct config_experts *e = &op->experts;
	struct diag *diag = s->item->diag;
	uint64_t open;

	if (e->count % s->group.count != 0)
		return diag_error(diag, s->item->file, op->pos, "workload.experts",
				  "%u experts cannot be shared equally by %u ranks", e->count,
				  s->group.count);
	open = (uint64_t)(e->nodes != 0 ? e->nodes : hosts->count) * (e->count / hosts->count);
	if (e->top_k <= open)
		return 0;
	return diag_error(diag, s->item->file, op->pos, "workload.top-k",
			  "a token goes to %u experts, but %u host%s have %" PRIu64, e->top_k,
			  e->nodes, e->nodes == 1 ? "" : "s", open);
}

// Nodes of one phase, and which node each rank of the group is in.
struct phase {
	const char *name;
	uint64_t pair_bytes;
	uint32_t first, step, count, groups, group_step;
	const uint32_t *earlier; // by place in the group; NULL: none
};

static void
add_phase(struct step *s, const struct phase *p, uint32_t *nodes)
{
	for (uint32_t g = 0; g < p->groups; g++) {
		uint32_t node =
			step_add_node(s, p->name, CONFIG_WORK_ALL_TO_ALL, p->pair_bytes * p->count);

		if (p->earlier != NULL)
			s->graph->nodes[node].operation.compute_ps = 0;
		for (uint32_t i = 0; i < p->count; i++) {
			uint32_t place = g * p->group_step + i * p->step;

			step_add_member(s, s->group.ranks[place],
					p->earlier != NULL ? p->earlier[place] : GRAPH_NONE);
			nodes[place] = node;
		}
	}
}

// Both phases of a dispatch or combine that is forwarded inside hosts.
static void
add_forwarded(struct step *s, const struct config_work *op, const struct hosts *hosts)
{
	const struct config_experts *e = &op->experts;
	uint32_t at_host = e->count / hosts->count, at_rank = e->count / s->group.count;
	const char *name = op->name.text != NULL             ? op->name.text
			   : op->kind == CONFIG_WORK_COMBINE ? "combine"
							     : "dispatch";
	char *inside_name = memory_format("%s-inside", name);
	uint32_t *first = memory_array(s->group.count, sizeof(*first), "ranks");
	uint32_t *second = memory_array(s->group.count, sizeof(*second), "ranks");
	struct phase between = {.name = name,
				.pair_bytes = mean_bytes(e, chance(e, hosts, at_host)),
				.step = hosts->each,
				.count = hosts->count,
				.groups = hosts->each,
				.group_step = 1};
	struct phase inside = {
		.name = inside_name,
		.pair_bytes = mean_bytes(e, hosts->count * chance(e, hosts, at_rank)),
		.step = 1,
		.count = hosts->each,
		.groups = hosts->count,
		.group_step = hosts->each};
	bool back = op->kind == CONFIG_WORK_COMBINE;

	add_phase(s, back ? &inside : &between, first);
	between.earlier = inside.earlier = first;
	add_phase(s, back ? &between : &inside, second);
	free(first);
	free(second);
	free(inside_name);
}

int
step_add_experts(struct step *s, const struct config_work *op)
{
	const struct config_experts *e = &op->experts;
	struct hosts hosts;
	int error;

	if (!find_hosts(s, &hosts))
		return step_refuse(s, op->pos, "workload.group",
				   "the ranks of a group with experts come host by host, as many "
				   "of each host");
	error = check_experts(s, op, &hosts);
	if (error != 0)
		return error;
	if (e->forward && hosts.each > 1 && hosts.count > 1) {
		add_forwarded(s, op, &hosts);
		return 0;
	}
	step_add_node(s,
		      op->name.text != NULL             ? op->name.text
		      : op->kind == CONFIG_WORK_COMBINE ? "combine"
							: "dispatch",
		      CONFIG_WORK_ALL_TO_ALL,
		      s->group.count * mean_bytes(e, chance(e, &hosts, e->count / s->group.count)));
	for (uint32_t i = 0; i < s->group.count; i++)
		step_add_member(s, s->group.ranks[i], GRAPH_NONE);
	return 0;
}
