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
#include "experts.h"

#include <inttypes.h>

struct hosts {
	uint32_t count;
	uint32_t each; // ranks of a host
};

// Whether the ranks of the group come host by host, as many of each.
static bool
find_hosts(const struct experts_group *g, struct hosts *out)
{
	const struct topo_endpoint *ends = g->members->ends;
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
check_experts(const struct experts_group *g, const struct config_experts *e,
	      const struct hosts *hosts)
{
	struct diag *diag = g->item->diag;
	uint64_t open;

	if (e->count % g->count != 0)
		return diag_error(diag, g->item->file, g->pos, "workload.experts",
				  "%u experts cannot be shared equally by %u ranks", e->count,
				  g->count);
	open = (uint64_t)(e->nodes != 0 ? e->nodes : hosts->count) * (e->count / hosts->count);
	if (e->top_k <= open)
		return 0;
	return diag_error(diag, g->item->file, g->pos, "workload.top-k",
			  "a token goes to %u experts, but %u host%s have %" PRIu64, e->top_k,
			  e->nodes, e->nodes == 1 ? "" : "s", open);
}

// Both phases of a dispatch or combine that is forwarded inside hosts.
static void
plan_forwarded(const struct experts_group *g, const struct config_experts *e,
	       const struct hosts *hosts, struct experts_plan *out)
{
	uint32_t at_host = e->count / hosts->count, at_rank = e->count / g->count;
	const struct experts_phase between = {
		.pair_bytes = mean_bytes(e, chance(e, hosts, at_host)),
		.step = hosts->each,
		.count = hosts->count,
		.groups = hosts->each,
		.group_step = 1,
	};
	const struct experts_phase inside = {
		.inside = true,
		.pair_bytes = mean_bytes(e, hosts->count * chance(e, hosts, at_rank)),
		.step = 1,
		.count = hosts->each,
		.groups = hosts->count,
		.group_step = hosts->each,
	};

	*out = (struct experts_plan){
		.phase_count = 2,
		.phases = {g->back ? inside : between, g->back ? between : inside}};
}

int
experts_plan(const struct experts_group *g, const struct config_experts *e,
	     struct experts_plan *out)
{
	struct hosts hosts;
	int error;

	if (!find_hosts(g, &hosts))
		return diag_error(g->item->diag, g->item->file, g->pos, "workload.group",
				  "the ranks of a group with experts come host by host, as many of "
				  "each host");
	error = check_experts(g, e, &hosts);
	if (error != 0)
		return error;
	if (e->forward && hosts.each > 1 && hosts.count > 1) {
		plan_forwarded(g, e, &hosts, out);
		return 0;
	}
	*out = (struct experts_plan){
		.phase_count = 1,
		.phases = {{.pair_bytes = mean_bytes(e, chance(e, &hosts, e->count / g->count)),
			    .step = 1,
			    .count = g->count,
			    .groups = 1}}};
	return 0;
}
