// SPDX-License-Identifier: BSD-3-Clause
// A training step of a transformer as a graph of operations, from its sizes (model_sizes.c).
//
// Ranks are numbered as Megatron-LM does: tensor-parallel ranks are next to one another, then come
// the data-parallel ones, then the stages of the pipeline. Experts are shared by `ep` ranks that
// are next to one another in a stage, whatever their place in the other two (Liu et al.: MoE
// parallel folding, 2025).
//
// Stages run the schedules of Narayanan et al. (SC'21, section 2.2): all forward passes and then
// all backward passes (gpipe), or one forward and one backward pass in turn, after as many forward
// passes as there are later stages (1f1b). A pass of a stage begins when the stage has finished the
// one before and has the data of its neighbour, which is sent side by side with computing.
//
// A block (attention, feed-forward network) that tp ranks share is followed by an all-reduce of its
// output, forward and backward (Shoeybi et al.: Megatron-LM, 2019, section 3); with
// parallel.sequence it comes between an all-gather and a reduce-scatter (Korthikanti et al.:
// Reducing activation recomputation in large transformer models, 2022, section 4.2.2). What goes to
// the next stage is divided over tp ranks (SC'21, section 4.1). Gradients are reduced at the end,
// layer by layer from the last; with a sharded optimizer (Rajbhandari et al.: ZeRO, 2020, stage 1)
// each rank then collects the parameters.
#include "model_build.h"

#include "control/base/memory.h"

#include <stdlib.h>

// ---- passes -------------------------------------------------------------------------------------

static uint32_t *
sends_of(struct model_builder *b, enum model_direction direction, uint32_t stage)
{
	return &b->sent[direction][stage * b->micro_batches + b->micro_batch];
}

// The data of the neighbour that comes before in this direction, if there is one.
static void
receive(struct model_builder *b)
{
	bool first = b->direction == MODEL_FORWARD ? b->stage == 0
						   : b->stage + 1 == b->model->parallel.pp;
	char *name;

	if (first)
		return;
	for (uint32_t i = 0; i < b->stage_ranks; i++)
		b->ranks[model_first_rank(b) + i].received =
			*sends_of(b, b->direction,
				  b->direction == MODEL_FORWARD ? b->stage - 1 : b->stage + 1) +
			i;
	if (b->model->parallel.sequence)
		return;
	name = model_pass_name(b, "received");
	model_add_tensor_parallel(b, CONFIG_WORK_ALL_GATHER, name);
	free(name);
}

static void
send(struct model_builder *b)
{
	bool last = b->direction == MODEL_FORWARD ? b->stage + 1 == b->model->parallel.pp
						  : b->stage == 0;
	uint64_t bytes = model_activation_bytes(b) / b->tp.size;
	char *name;

	if (last)
		return;
	name = model_pass_name(b, "send");
	*sends_of(b, b->direction, b->stage) = b->graph->count;
	for (uint32_t i = 0; i < b->stage_ranks; i++) {
		uint32_t rank = model_first_rank(b) + i;
		uint32_t to = b->direction == MODEL_FORWARD ? rank + b->stage_ranks
							    : rank - b->stage_ranks;

		model_add_node(
			b, &(struct graph_operation){.name = name,
						     .group = "pp",
						     .kind = CONFIG_WORK_SEND,
						     .bytes = model_slice_bytes(b->model, bytes)});
		graph_add_member(b->graph, rank, &b->ranks[rank].last, 1);
		graph_add_member(b->graph, to, NULL, 0);
	}
	b->number++;
	free(name);
}

static void
add_forward(struct model_builder *b, struct model_stage layers)
{
	for (uint32_t i = 0; i < layers.count && b->error == 0; i++) {
		model_add_attention(b, layers.first + i, 1);
		model_add_ffn(b, layers.first + i, 1);
	}
	if (model_has_output(b))
		model_compute(b, model_output_flops(b->model));
}

static void
add_backward(struct model_builder *b, struct model_stage layers)
{
	bool reduces = b->micro_batch + 1 == b->micro_batches && b->model->parallel.overlap;
	uint64_t vocabulary = model_vocabulary_parameters(b->model) / b->tp.size;

	if (model_has_output(b))
		model_compute(b, 2 * model_output_flops(b->model));
	if (model_has_output(b) && reduces) {
		model_end_computing(b);
		model_reduce(b, &b->dp, vocabulary, "output");
	}
	for (uint32_t i = layers.count; i-- > 0 && b->error == 0;) {
		uint32_t layer = layers.first + i;

		if (b->model->gpu.recompute) {
			model_add_attention(b, layer, 1);
			model_add_ffn(b, layer, 1);
		}
		model_add_ffn(b, layer, 2);
		model_add_attention(b, layer, 2);
		if (reduces) {
			model_end_computing(b);
			model_reduce_layer(b, layer);
		}
	}
	if (model_has_embedding(b) && reduces)
		model_reduce(b, &b->dp, vocabulary, "embedding");
}

// After the stage's last pass.
static void
finish_stage(struct model_builder *b, struct model_stage layers)
{
	uint64_t vocabulary = model_vocabulary_parameters(b->model) / b->tp.size;

	if (!b->model->parallel.overlap) {
		if (model_has_output(b))
			model_reduce(b, &b->dp, vocabulary, "output");
		for (uint32_t i = layers.count; i-- > 0 && b->error == 0;)
			model_reduce_layer(b, layers.first + i);
		if (model_has_embedding(b))
			model_reduce(b, &b->dp, vocabulary, "embedding");
	}
	if (b->model->parallel.sharded_optimizer)
		model_collect_parameters(b);
}

// The stage's `index`-th pass.
static void
find_pass(struct model_builder *b, uint32_t index)
{
	uint32_t m = b->micro_batches, later = b->model->parallel.pp - b->stage - 1;
	uint32_t first = b->model->parallel.schedule == CONFIG_SCHEDULE_GPIPE || later > m ? m
											   : later;

	if (index < first) {
		b->direction = MODEL_FORWARD;
		b->micro_batch = index;
	} else if (index < 2 * m - first) {
		b->direction = (index - first) % 2 == 0 ? MODEL_FORWARD : MODEL_BACKWARD;
		b->micro_batch = (index - first) / 2 + (b->direction == MODEL_FORWARD ? first : 0);
	} else {
		b->direction = MODEL_BACKWARD;
		b->micro_batch = index - m;
	}
}

// Adds the stage's next pass if the data that it needs has been sent.
static bool
add_pass(struct model_builder *b)
{
	struct model_stage layers = model_stage_slice(b->model, b->stage);
	uint32_t *done = &b->passes[b->stage];

	if (*done == 2 * b->micro_batches)
		return false;
	find_pass(b, *done);
	if (b->direction == MODEL_FORWARD && b->stage > 0 &&
	    *sends_of(b, MODEL_FORWARD, b->stage - 1) == GRAPH_NONE)
		return false;
	if (b->direction == MODEL_BACKWARD && b->stage + 1 < b->model->parallel.pp &&
	    *sends_of(b, MODEL_BACKWARD, b->stage + 1) == GRAPH_NONE)
		return false;
	receive(b);
	if (b->direction == MODEL_FORWARD)
		add_forward(b, layers);
	else
		add_backward(b, layers);
	model_end_computing(b);
	send(b);
	if (++*done == 2 * b->micro_batches)
		finish_stage(b, layers);
	return true;
}

// ---- the step -----------------------------------------------------------------------------------

static int
check_ranks(const struct item *item, uint32_t ranks)
{
	const struct config_parallel *p = &item->work->model.parallel;

	if (ranks % ((uint64_t)p->tp * p->pp) != 0)
		return diag_error(item->diag, item->file, item->work->pos, "workload.parallel",
				  "tp %u times pp %u does not divide the %u ranks", p->tp, p->pp,
				  ranks);
	if (ranks / p->pp % p->ep != 0)
		return diag_error(item->diag, item->file, item->work->pos, "workload.parallel.ep",
				  "%u ranks cannot share experts equally among the %u of a stage",
				  p->ep, ranks / p->pp);
	return 0;
}

static void
start(struct model_builder *b)
{
	const struct config_parallel *p = &b->model->parallel;
	uint32_t ranks = b->members->count, slots;

	b->stage_ranks = ranks / p->pp;
	b->micro_batches = model_micro_batches(b->model);
	b->tp = (struct model_axis){"tp", p->tp, 1};
	b->dp = (struct model_axis){"dp", b->stage_ranks / p->tp, p->tp};
	b->ep = (struct model_axis){"ep", p->ep, 1};
	b->replicas = (struct model_axis){"expert-dp", b->stage_ranks / p->ep, p->ep};
	b->inside_host = *b->item->work;
	b->inside_host.channels = 1;
	slots = p->pp * b->micro_batches;
	b->graph = graph_create(ranks);
	b->ranks = memory_array(ranks, sizeof(*b->ranks), "ranks");
	b->passes = memory_array(p->pp, sizeof(*b->passes), "stages");
	for (uint32_t r = 0; r < ranks; r++)
		b->ranks[r] = (struct model_rank){GRAPH_NONE, GRAPH_NONE, GRAPH_NONE};
	for (int d = 0; d < 2; d++) {
		b->sent[d] = memory_array(slots, sizeof(uint32_t), "passes");
		for (uint32_t i = 0; i < slots; i++)
			b->sent[d][i] = GRAPH_NONE;
	}
}

static void
add_passes(struct model_builder *b)
{
	bool any;

	do {
		any = false;
		for (b->stage = 0; b->stage < b->model->parallel.pp; b->stage++)
			while (b->error == 0 && add_pass(b))
				any = true;
	} while (any);
}

int
item_model(struct item *item)
{
	struct item_members members;
	struct model_builder b = {.item = item, .members = &members, .model = &item->work->model};
	int error = item_find_members(item, &members);

	if (error == 0)
		error = check_ranks(item, members.count);
	if (error == 0) {
		start(&b);
		add_passes(&b);
		error = b.error;
	}
	if (error == 0)
		error = item_add_graph(item, &members, b.graph);
	free(b.ranks);
	free(b.passes);
	free(b.sent[MODEL_FORWARD]);
	free(b.sent[MODEL_BACKWARD]);
	graph_destroy(b.graph);
	item_free_members(&members);
	return error;
}
