// SPDX-License-Identifier: BSD-3-Clause
// Workload files describe one rank, and every rank does the same with the ranks of its own groups.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static const char *const names[TRACE_GROUPINGS] = {
	[TRACE_TENSOR] = "tp",         [TRACE_EXPERT] = "ep",           [TRACE_DATA] = "dp",
	[TRACE_EXPERT_DATA] = "ep-dp", [TRACE_TENSOR_EXPERT] = "tp-ep", [TRACE_PIPELINE] = "pp",
};

// The ranks of a group are evenly apart.
struct spacing {
	uint32_t stride, size;
};

static struct spacing
find_spacing(const struct trace_chain *chain, enum trace_grouping grouping)
{
	const struct trace_sizes *s = &chain->sizes;
	const struct spacing spacings[TRACE_GROUPINGS] = {
		[TRACE_ALL] = {1, chain->b->trace->rank_count},
		[TRACE_TENSOR] = {1, s->tensor},
		[TRACE_EXPERT] = {s->tensor, s->expert},
		[TRACE_DATA] = {s->tensor, s->data},
		[TRACE_EXPERT_DATA] = {s->tensor * s->expert, s->data / s->expert},
		[TRACE_TENSOR_EXPERT] = {1, s->tensor * s->expert},
		[TRACE_PIPELINE] = {s->tensor * s->data, s->pipeline},
	};

	return spacings[grouping];
}

int
trace_chain_begin(struct trace_chain *chain, struct trace_builder *b,
		  const struct trace_sizes *sizes, uint32_t stage, struct diag_pos pos)
{
	uint64_t ranks;

	*chain = (struct trace_chain){.b = b, .sizes = *sizes};
	if (__builtin_mul_overflow((uint64_t)sizes->tensor * sizes->data, sizes->pipeline, &ranks))
		ranks = UINT64_MAX;
	if (trace_begin(b, ranks, pos) != 0)
		return -EINVAL;
	chain->count = (uint32_t)ranks;
	if (stage != TRACE_NONE) {
		chain->count = sizes->tensor * sizes->data;
		chain->first = stage * chain->count;
	}
	chain->last = memory_array(ranks, sizeof(*chain->last), "ranks");
	chain->aside = memory_array(ranks, sizeof(*chain->aside), "ranks");
	for (uint32_t r = 0; r < ranks; r++)
		chain->last[r] = TRACE_NONE;
	return 0;
}

// Adds a rank to the operation added last.
static int
join(struct trace_chain *chain, uint32_t rank, bool aside)
{
	uint32_t *last = &chain->last[rank];
	int error = trace_add_member(chain->b, rank, last, *last != TRACE_NONE);

	if (error == 0)
		*(aside ? &chain->aside[rank] : last) = chain->b->trace->operation_count - 1;
	return error;
}

int
trace_chain_add(struct trace_chain *chain, const struct graph_operation *operation,
		enum trace_grouping grouping, bool aside)
{
	struct spacing spacing = find_spacing(chain, grouping);
	bool wide = grouping == TRACE_ALL || grouping == TRACE_PIPELINE;
	uint32_t begin = wide ? 0 : chain->first;
	uint32_t end = wide ? chain->b->trace->rank_count : chain->first + chain->count;
	struct graph_operation copy = *operation;
	int error = 0;

	if (spacing.size < 2 || operation->bytes == 0)
		return 0;
	copy.group = names[grouping];
	copy.compute_ps = aside ? 0 : chain->compute_ps;
	copy.number = chain->b->trace->operation_count;
	for (uint32_t first = begin; first < end && error == 0; first++) {
		if (first / spacing.stride % spacing.size != 0)
			continue;
		error = trace_add(chain->b, &copy);
		for (uint32_t i = 0; i < spacing.size && error == 0; i++)
			error = join(chain, first + i * spacing.stride, aside);
	}
	if (!aside)
		chain->compute_ps = 0;
	return error;
}

int
trace_chain_send(struct trace_chain *chain, const struct graph_operation *operation, int64_t by,
		 bool back)
{
	struct graph_operation copy = *operation;
	int error = 0;

	copy.group = names[TRACE_PIPELINE];
	copy.compute_ps = chain->compute_ps;
	copy.number = chain->b->trace->operation_count;
	for (uint32_t r = chain->first; r < chain->first + chain->count && error == 0; r++) {
		int64_t other = (int64_t)r + by;

		if (other < 0 || other >= chain->b->trace->rank_count)
			return 0;
		error = trace_add(chain->b, &copy);
		if (error == 0)
			error = join(chain, back ? (uint32_t)other : r, false);
		if (error == 0)
			error = join(chain, back ? r : (uint32_t)other, false);
	}
	chain->compute_ps = 0;
	return error;
}

static int
add_compute(struct trace_chain *chain, const char *name, ps_t compute_ps)
{
	const struct graph_operation compute = {
		.name = name,
		.kind = CONFIG_WORK_COMPUTE,
		.compute_ps = compute_ps,
		.priority = -1,
		.number = chain->b->trace->operation_count,
	};

	return trace_add(chain->b, &compute);
}

int
trace_chain_follow(struct trace_chain *chain, const char *name, ps_t compute_ps)
{
	int error;

	if (compute_ps == 0)
		return 0;
	error = add_compute(chain, name, compute_ps);
	for (uint32_t r = chain->first; r < chain->first + chain->count && error == 0; r++)
		error = trace_add_member(chain->b, r, &chain->aside[r], 1);
	return error;
}

int
trace_chain_compute(struct trace_chain *chain, ps_t compute_ps, struct diag_pos pos)
{
	chain->compute_ps += compute_ps;
	if (chain->compute_ps > TRACE_HOUR_NS * PS_PER_NS)
		return trace_error(chain->b, pos, NULL,
				   "a rank computes for more than an hour without communicating");
	return 0;
}

int
trace_chain_end_compute(struct trace_chain *chain, const char *name)
{
	int error;

	if (chain->compute_ps == 0)
		return 0;
	error = add_compute(chain, name, chain->compute_ps);
	for (uint32_t r = chain->first; r < chain->first + chain->count && error == 0; r++)
		error = join(chain, r, false);
	chain->compute_ps = 0;
	return error;
}

void
trace_chain_free(struct trace_chain *chain)
{
	free(chain->last);
	free(chain->aside);
}
