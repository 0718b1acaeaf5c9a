// SPDX-License-Identifier: BSD-3-Clause
// Parameters, operations and bytes of a transformer, by the published formulas (model_sizes.c);
// private to control/model/workload/. No state.
#pragma once

#include "dataplane/base/time.h"
#include "control/config/config.h"

struct model_stage {
	uint32_t first, count; // layers
};

static inline bool
model_has_experts(const struct config_model *m, uint32_t layer)
{
	return m->transformer.experts.count != 0 && layer >= m->transformer.experts.dense_layers;
}

// The layers of a stage: as many as of any other, but that the first stages have one more where
// stages do not divide layers.
struct model_stage model_stage(const struct config_model *m, uint32_t stage);
// Those of them that a run takes, the last ones.
struct model_stage model_stage_slice(const struct config_model *m, uint32_t stage);
uint32_t model_micro_batches(const struct config_model *m); // that a run takes

// Parameters: of the attention of a layer; of all else that every token passes in a layer; of one
// expert; of the embedding, and of the output layer too; of all of the model.
uint64_t model_attention_parameters(const struct config_model *m);
uint64_t model_ffn_parameters(const struct config_model *m, uint32_t layer);
uint64_t model_expert_parameters(const struct config_model *m);
uint64_t model_vocabulary_parameters(const struct config_model *m);
uint64_t model_parameters(const struct config_model *m);

// Floating-point operations of the forward pass for a token: attention, the feed-forward network or
// the experts that a token goes to, the output layer. The backward pass takes twice as many.
uint64_t model_attention_flops(const struct config_model *m);
uint64_t model_ffn_flops(const struct config_model *m, uint32_t layer);
uint64_t model_output_flops(const struct config_model *m);
// Of a stage, both passes of one token, with recomputing if the model does it. The last stage
// includes the output layer. At most UINT64_MAX.
uint64_t model_stage_flops(const struct config_model *m, uint32_t stage, bool slice);

uint64_t model_tokens(const struct config_model *m); // of a micro-batch
#define MODEL_TIME_MAX ((ps_t)(INT64_MAX / 2))
// How long a rank takes for so many operations a token of a micro-batch, which tp ranks share; at
// most MODEL_TIME_MAX.
ps_t model_compute_ps(const struct config_model *m, uint64_t flops);
uint32_t model_bytes_of(enum config_precision precision); // of a number
// The part of `bytes` that a run takes, at least 1.
uint64_t model_slice_bytes(const struct config_model *m, uint64_t bytes);
