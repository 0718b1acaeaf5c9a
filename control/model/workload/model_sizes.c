// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a transformer. A matrix of n parameters takes 2 n operations for a token forward and
// 4 n backward (Kaplan et al.: Scaling laws for neural language models, 2020, section 2.1).
// Attention takes 2 operations for each pair of tokens and each dimension of a head's key, and of
// its value, forward, and twice that backward; all pairs of a sequence count, masked or not
// (Narayanan et al.: Efficient large-scale language model training on GPU clusters using
// Megatron-LM, SC'21, appendix).
//
// Grouped-query attention (Ainslie et al., 2023): keys and values have kv_heads heads. Gated
// networks (Shazeer: GLU variants improve transformer, 2020): three matrices. Latent attention and
// experts as in DeepSeek-V3 (technical report, 2024, sections 2.1.1 and 2.1.2). Norms and biases
// are left out: they are below 0.1 % of the parameters.
#include "model_sizes.h"

#include "workload.h"

__extension__ typedef unsigned __int128 wide;

#define PPM UINT64_C(1000000)

// ---- layers -------------------------------------------------------------------------------------

struct model_stage
model_stage(const struct config_model *m, uint32_t stage)
{
	uint32_t layers = m->transformer.layers, pp = m->parallel.pp;
	uint32_t more = layers % pp;

	return (struct model_stage){
		.first = stage * (layers / pp) + (stage < more ? stage : more),
		.count = layers / pp + (stage < more),
	};
}

struct model_stage
model_stage_slice(const struct config_model *m, uint32_t stage)
{
	struct model_stage s = model_stage(m, stage);
	uint32_t most = m->simulate.layers;

	if (most != 0 && s.count > most) {
		s.first += s.count - most;
		s.count = most;
	}
	return s;
}

uint32_t
model_micro_batches(const struct config_model *m)
{
	uint32_t all = m->batch.micro_batches, most = m->simulate.micro_batches;

	return most != 0 && most < all ? most : all;
}

// ---- parameters ---------------------------------------------------------------------------------

static uint64_t
head_width(const struct config_transformer *t)
{
	return t->head != 0 ? t->head : t->hidden / t->heads;
}

// Of queries and keys; values have head_width().
static uint64_t
key_width(const struct config_transformer *t)
{
	return head_width(t) + (t->latent.key_value != 0 ? t->latent.rope : 0);
}

// Queries from the hidden width or from their compressed form; keys and values from theirs, with
// one key for positions that all heads share; and the output.
static uint64_t
latent_parameters(const struct config_transformer *t)
{
	uint64_t h = t->hidden, heads = t->heads, q = t->latent.query, kv = t->latent.key_value;
	uint64_t queries = heads * key_width(t);

	return (q != 0 ? h * q + q * queries : h * queries) + h * (kv + t->latent.rope) +
	       kv * heads * 2 * head_width(t) + heads * head_width(t) * h;
}

uint64_t
model_attention_parameters(const struct config_model *m)
{
	const struct config_transformer *t = &m->transformer;
	uint64_t kv_heads = t->kv_heads != 0 ? t->kv_heads : t->heads;

	if (t->latent.key_value != 0)
		return latent_parameters(t);
	return 2 * (t->heads + kv_heads) * head_width(t) * t->hidden;
}

// Two matrices, or three, between the hidden width and an inner one.
static uint64_t
network_parameters(const struct config_transformer *t, uint64_t inner)
{
	return (t->gated ? 3u : 2u) * (uint64_t)t->hidden * inner;
}

uint64_t
model_expert_parameters(const struct config_model *m)
{
	return network_parameters(&m->transformer, m->transformer.experts.ffn);
}

uint64_t
model_ffn_parameters(const struct config_model *m, uint32_t layer)
{
	const struct config_transformer *t = &m->transformer;

	if (!model_has_experts(m, layer))
		return network_parameters(t, t->ffn);
	return (uint64_t)t->hidden * t->experts.count +
	       t->experts.shared * model_expert_parameters(m);
}

uint64_t
model_vocabulary_parameters(const struct config_model *m)
{
	return (uint64_t)m->transformer.hidden * m->transformer.vocabulary;
}

uint64_t
model_parameters(const struct config_model *m)
{
	uint64_t sum = 2 * model_vocabulary_parameters(m);

	for (uint32_t layer = 0; layer < m->transformer.layers; layer++) {
		sum += model_attention_parameters(m) + model_ffn_parameters(m, layer);
		if (model_has_experts(m, layer))
			sum += m->transformer.experts.count * model_expert_parameters(m);
	}
	return sum;
}

// ---- operations ---------------------------------------------------------------------------------

uint64_t
model_attention_flops(const struct config_model *m)
{
	const struct config_transformer *t = &m->transformer;

	return 2 * model_attention_parameters(m) +
	       2 * (uint64_t)m->batch.sequence * t->heads * (key_width(t) + head_width(t));
}

uint64_t
model_ffn_flops(const struct config_model *m, uint32_t layer)
{
	uint64_t parameters = model_ffn_parameters(m, layer);

	if (model_has_experts(m, layer))
		parameters += m->transformer.experts.top_k * model_expert_parameters(m);
	return 2 * parameters;
}

uint64_t
model_output_flops(const struct config_model *m)
{
	return 2 * model_vocabulary_parameters(m);
}

uint64_t
model_stage_flops(const struct config_model *m, uint32_t stage, bool slice)
{
	struct model_stage s = slice ? model_stage_slice(m, stage) : model_stage(m, stage);
	wide layers = 0, all;

	for (uint32_t i = 0; i < s.count; i++)
		layers += model_attention_flops(m) + model_ffn_flops(m, s.first + i);
	all = layers * (m->gpu.recompute ? 4 : 3) +
	      (stage + 1 == m->parallel.pp ? 3 * model_output_flops(m) : 0);
	return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

// ---- of a run -----------------------------------------------------------------------------------

uint64_t
model_tokens(const struct config_model *m)
{
	return (uint64_t)m->batch.sequence * m->batch.micro_batch;
}

ps_t
model_compute_ps(const struct config_model *m, uint64_t flops)
{
	// 10^12 ps a second, and 10^12 operations in a TFLOP.
	wide all = (wide)flops * model_tokens(m) * m->simulate.share_ppm;
	wide each = (wide)m->parallel.tp * m->gpu.tflops * m->gpu.efficiency_ppm;

	wide time = (all + each / 2) / each;

	return time < MODEL_TIME_MAX ? (ps_t)time : MODEL_TIME_MAX;
}

uint32_t
model_bytes_of(enum config_precision precision)
{
	return precision == CONFIG_PRECISION_FP8 ? 1 : precision == CONFIG_PRECISION_BF16 ? 2 : 4;
}

uint64_t
model_slice_bytes(const struct config_model *m, uint64_t bytes)
{
	uint64_t part = (uint64_t)(((wide)bytes * m->simulate.share_ppm + PPM / 2) / PPM);

	return part != 0 ? part : 1;
}
