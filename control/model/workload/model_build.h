// SPDX-License-Identifier: BSD-3-Clause
// A model's step while it is turned into a graph (model.c); private to control/model/workload/.
#pragma once

#include "graph_flows.h"
#include "model_sizes.h"

enum model_direction { MODEL_FORWARD, MODEL_BACKWARD };

// Ways to divide the ranks of a stage, as of struct config_rank_group.
struct model_axis {
	const char *name;
	uint32_t size, stride;
};

struct model_rank {
	uint32_t last;     // node; what comes next waits for it
	uint32_t received; // node; so does what comes next, once
	uint32_t gradient; // node, of the last reduction
};

struct model_builder {
	struct item *item;
	const struct item_members *members;
	const struct config_model *model;
	struct graph *graph;
	struct model_axis tp, dp, ep, replicas; // of experts: the ranks that have the same
	uint32_t stage_ranks;
	uint32_t micro_batches;
	struct model_rank *ranks;
	uint32_t *sent[2];              // by stage and micro-batch: its first node, or GRAPH_NONE
	uint32_t *passes;               // by stage: how many are there
	struct config_work inside_host; // rings of ranks of one host
	uint32_t number;                // of the next operation
	int error;
	// The pass that is added.
	uint32_t stage, micro_batch;
	enum model_direction direction;
	ps_t computing; // of the stage's ranks, before what they do next
};

static inline uint32_t
model_first_rank(const struct model_builder *b)
{
	return b->stage * b->stage_ranks;
}

static inline bool
model_has_output(const struct model_builder *b)
{
	return b->stage + 1 == b->model->parallel.pp && b->model->transformer.vocabulary != 0;
}

static inline bool
model_has_embedding(const struct model_builder *b)
{
	return b->stage == 0 && b->model->transformer.vocabulary != 0;
}

// ---- nodes (model_nodes.c) ----------------------------------------------------------------------

// Adds a rank to the node added last, as the next thing that the rank does.
void model_add_next(struct model_builder *b, uint32_t rank);
// The same, but beside what the rank does next: after what it has done so far and its reductions.
void model_add_reduction(struct model_builder *b, uint32_t rank);

// "s1.f0.l7.attention": stage, pass and part; part NULL: none. The caller frees it.
char *model_pass_name(const struct model_builder *b, const char *part);

// Adds a node of the operation at hand. The caller counts operations (model_builder.number).
uint32_t model_add_node(struct model_builder *b, const struct graph_operation *operation);

// Adds to what the stage's ranks compute before they do anything else: `flops` for each token.
void model_compute(struct model_builder *b, uint64_t flops);
// How long they do, from now on as a part of another operation.
ps_t model_take_computing(struct model_builder *b);
// Makes it an operation of its own.
void model_end_computing(struct model_builder *b);

// A collective of each group of the stage's ranks; nothing if groups are of one rank.
void model_add_collectives(struct model_builder *b, const struct model_axis *axis,
			   const struct graph_operation *operation,
			   void (*add_member)(struct model_builder *b, uint32_t rank));

// ---- layers (model_layers.c) --------------------------------------------------------------------

// What a stage sends to its neighbour for a micro-batch, all its tp ranks together.
uint64_t model_activation_bytes(const struct model_builder *b);
// A collective of the tp ranks over that; nothing if tp is 1.
void model_add_tensor_parallel(struct model_builder *b, enum config_work_kind kind,
			       const char *name);
// A block of a layer. times: of the operations of a forward pass; backward 2.
void model_add_attention(struct model_builder *b, uint32_t layer, uint32_t times);
void model_add_ffn(struct model_builder *b, uint32_t layer, uint32_t times);

// ---- gradients (model_gradients.c) --------------------------------------------------------------

// Sums the gradients of so many parameters of each rank over the ranks that have the same.
void model_reduce(struct model_builder *b, const struct model_axis *axis, uint64_t parameters,
		  const char *what);
void model_reduce_layer(struct model_builder *b, uint32_t layer);
// Each rank collects what the others have updated, of a sharded optimizer.
void model_collect_parameters(struct model_builder *b);
