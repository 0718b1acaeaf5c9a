// SPDX-License-Identifier: BSD-3-Clause
// What data-parallel ranks exchange at the end of a step: gradients and parameters. Of an expert,
// the ranks that have the same one; of all else, all that are at the same place of their tp ranks.
#include "model_build.h"

#include "control/base/memory.h"

#include <stdlib.h>

void
model_reduce(struct model_builder *b, const struct model_axis *axis, uint64_t parameters,
	     const char *what)
{
	const struct config_model *m = b->model;
	uint64_t bytes = parameters * model_bytes_of(m->precision.gradients);
	char *name = memory_format("s%u.gradients.%s", b->stage, what);

	if (parameters != 0)
		model_add_collectives(
			b, axis,
			&(struct graph_operation){.name = name,
						  .kind = m->parallel.sharded_optimizer
								  ? CONFIG_WORK_REDUCE_SCATTER
								  : CONFIG_WORK_ALL_REDUCE,
						  .bytes = model_slice_bytes(m, bytes)},
			model_add_reduction);
	free(name);
}

// Parameters of a layer that a rank has: those that all tokens pass, and those of its experts.
static uint64_t
dense_share(const struct model_builder *b, uint32_t layer)
{
	return (model_attention_parameters(b->model) + model_ffn_parameters(b->model, layer)) /
	       b->tp.size;
}

static uint64_t
expert_share(const struct model_builder *b, uint32_t layer)
{
	if (!model_has_experts(b->model, layer))
		return 0;
	return b->model->transformer.experts.count / b->ep.size * model_expert_parameters(b->model);
}

void
model_reduce_layer(struct model_builder *b, uint32_t layer)
{
	char *dense = memory_format("l%u", layer), *experts = memory_format("l%u.experts", layer);

	model_reduce(b, &b->replicas, expert_share(b, layer), experts);
	model_reduce(b, &b->dp, dense_share(b, layer), dense);
	free(experts);
	free(dense);
}

static void
collect(struct model_builder *b, const struct model_axis *axis, uint64_t parameters,
	const char *what)
{
	const struct config_model *m = b->model;
	char *name = memory_format("s%u.%s", b->stage, what);

	if (parameters != 0)
		model_add_collectives(
			b, axis,
			&(struct graph_operation){
				.name = name,
				.kind = CONFIG_WORK_ALL_GATHER,
				.bytes = model_slice_bytes(
					m, parameters * model_bytes_of(m->precision.parameters))},
			model_add_reduction);
	free(name);
}

// Of a sharded optimizer.
void
model_collect_parameters(struct model_builder *b)
{
	struct model_stage layers = model_stage_slice(b->model, b->stage);
	uint64_t vocabulary = model_vocabulary_parameters(b->model) / b->tp.size;
	uint64_t dense = model_has_output(b) ? vocabulary : 0, experts = 0;

	if (model_has_embedding(b))
		dense += vocabulary;
	for (uint32_t i = 0; i < layers.count; i++) {
		dense += dense_share(b, layers.first + i);
		experts += expert_share(b, layers.first + i);
	}
	collect(b, &b->replicas, experts, "parameters.experts");
	collect(b, &b->dp, dense, "parameters");
}
