// SPDX-License-Identifier: BSD-3-Clause
// What a layer of a model computes and sends, forward and backward.
#include "model_build.h"

#include "experts.h"
#include "control/base/memory.h"

#include <stdlib.h>

// What the layers of a stage exchange with those of the next one, of a micro-batch.
uint64_t
model_activation_bytes(const struct model_builder *b)
{
	return model_tokens(b->model) * b->model->transformer.hidden *
	       model_bytes_of(b->model->precision.activations);
}

void
model_add_tensor_parallel(struct model_builder *b, enum config_work_kind kind, const char *name)
{
	if (b->tp.size != 1)
		model_add_collectives(
			b, &b->tp,
			&(struct graph_operation){
				.name = name,
				.kind = kind,
				.bytes = model_slice_bytes(b->model, model_activation_bytes(b)),
				.compute_ps = model_take_computing(b)},
			model_add_next);
}

// A block whose parameters tp ranks share.
static void
add_block(struct model_builder *b, const char *name, uint64_t flops)
{
	bool sequence = b->model->parallel.sequence;

	if (sequence)
		model_add_tensor_parallel(b, CONFIG_WORK_ALL_GATHER, name);
	model_compute(b, flops);
	model_add_tensor_parallel(b, sequence ? CONFIG_WORK_REDUCE_SCATTER : CONFIG_WORK_ALL_REDUCE,
				  name);
}

static struct config_experts
experts_of(const struct model_builder *b, bool back)
{
	const struct config_model_experts *e = &b->model->transformer.experts;
	enum config_precision precision = back ? b->model->precision.activations
					       : b->model->precision.dispatch;

	return (struct config_experts){
		.tokens =
			(uint32_t)model_slice_bytes(b->model, model_tokens(b->model) / b->tp.size),
		.token_bytes = (uint64_t)b->model->transformer.hidden * model_bytes_of(precision),
		.count = e->count,
		.top_k = e->top_k,
		.nodes = e->nodes,
		.forward = e->forward,
	};
}

static void
add_phase(struct model_builder *b, const struct experts_phase *p, uint32_t first, const char *name,
	  ps_t computing)
{
	char *inside = memory_format("%s-inside", name);

	for (uint32_t g = 0; g < p->groups; g++) {
		model_add_node(b, &(struct graph_operation){.name = p->inside ? inside : name,
							    .group = b->ep.name,
							    .kind = CONFIG_WORK_ALL_TO_ALL,
							    .bytes = p->pair_bytes * p->count,
							    .compute_ps = computing});
		for (uint32_t i = 0; i < p->count; i++)
			model_add_next(b, first + experts_place(p, g, i));
	}
	free(inside);
}

// Tokens go to their experts, or back.
static void
move_tokens(struct model_builder *b, bool back, const char *name)
{
	struct config_experts experts = experts_of(b, back);
	ps_t computing = b->ep.size != 1 ? model_take_computing(b) : 0;
	uint32_t *ranks = memory_array(b->ep.size, sizeof(*ranks), "ranks");
	struct experts_plan plan;
	uint32_t phases = 1; // the most that a group has: some may be of one host

	for (uint32_t phase = 0; phase < phases && b->ep.size != 1; phase++) {
		for (uint32_t r = 0; r < b->stage_ranks && b->error == 0; r += b->ep.size) {
			const struct experts_group group = {.item = b->item,
							    .members = b->members,
							    .ranks = ranks,
							    .count = b->ep.size,
							    .back = back,
							    .pos = b->item->work->pos};

			for (uint32_t i = 0; i < b->ep.size; i++)
				ranks[i] = model_first_rank(b) + r + i;
			b->error = experts_plan(&group, &experts, &plan);
			if (b->error == 0 && plan.phase_count > phases)
				phases = plan.phase_count;
			if (b->error == 0 && phase < plan.phase_count)
				add_phase(b, &plan.phases[phase], ranks[0], name,
					  phase == 0 ? computing : 0);
		}
		b->number++;
	}
	free(ranks);
}

// `times` of a forward pass: backward 2.
void
model_add_attention(struct model_builder *b, uint32_t layer, uint32_t times)
{
	char *part = memory_format("l%u.attention", layer), *name = model_pass_name(b, part);

	add_block(b, name, times * model_attention_flops(b->model));
	free(name);
	free(part);
}

static void
add_experts(struct model_builder *b, uint32_t layer, uint32_t times)
{
	static const char *const words[] = {"dispatch", "combine"};

	for (int back = 0; back < 2; back++) {
		char *part = memory_format("l%u.%s", layer, words[back]);
		char *name = model_pass_name(b, part);

		move_tokens(b, back, name);
		if (!back)
			model_compute(b, times * model_ffn_flops(b->model, layer));
		free(name);
		free(part);
	}
}

void
model_add_ffn(struct model_builder *b, uint32_t layer, uint32_t times)
{
	char *part, *name;

	if (model_has_experts(b->model, layer)) {
		add_experts(b, layer, times);
		return;
	}
	part = memory_format("l%u.ffn", layer);
	name = model_pass_name(b, part);
	add_block(b, name, times * model_ffn_flops(b->model, layer));
	free(name);
	free(part);
}
