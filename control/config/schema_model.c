// SPDX-License-Identifier: BSD-3-Clause
// The schema of a model's training step (control/model/workload/model.c).
#include "schema_work_internal.h"

// Bounds that keep every sum of parameters and bytes, and the operations of a layer, below 2^63.
#define SIZE .min = 1, .max = 1 << 18
#define COUNT .min = 1, .max = 4096
#define PART(type_, member) SCHEMA_AT(struct type_, member)

static const struct schema_choice precisions[] = {
	{"fp8", CONFIG_PRECISION_FP8},
	{"bf16", CONFIG_PRECISION_BF16},
	{"fp32", CONFIG_PRECISION_FP32},
	{NULL, 0},
};
static const struct schema_choice schedules[] = {
	{"1f1b", CONFIG_SCHEDULE_1F1B},
	{"gpipe", CONFIG_SCHEDULE_GPIPE},
	{NULL, 0},
};

// clang-format off
static const struct schema_key latent_keys[] = {
	{"query", SCHEMA_INTEGER, .def = "none", .help = "width that queries are compressed to",
	 PART(config_latent, query), SIZE, .word = "none"},
	{"key-value", SCHEMA_INTEGER, .help = "width that keys and values are compressed to",
	 PART(config_latent, key_value), SIZE, .required = 1},
	{"rope", SCHEMA_INTEGER, .def = "0",
	 .help = "further dimensions of a head, for positions; all heads share their key",
	 PART(config_latent, rope), .max = 4096},
};
static const struct schema schema_latent = {SCHEMA_COUNT(latent_keys)};

static const struct schema_key experts_keys[] = {
	{"count", SCHEMA_INTEGER, .help = "experts of a layer", PART(config_model_experts, count),
	 .min = 2, .max = 4096, .required = 1},
	{"top-k", SCHEMA_INTEGER, .help = "experts that each token goes to",
	 PART(config_model_experts, top_k), .min = 1, .max = 1024, .required = 1},
	{"ffn", SCHEMA_INTEGER, .help = "inner width of an expert", PART(config_model_experts, ffn),
	 SIZE, .required = 1},
	{"shared", SCHEMA_INTEGER, .def = "0", .help = "further experts, which every token goes to",
	 PART(config_model_experts, shared), .max = 1024},
	{"dense-layers", SCHEMA_INTEGER, .def = "0",
	 .help = "number of layers at the start that have no experts",
	 PART(config_model_experts, dense_layers), .max = 4096},
	{"nodes", SCHEMA_INTEGER, .def = "any",
	 .help = "a token goes to experts of at most so many hosts (node-limited routing)",
	 PART(config_model_experts, nodes), .min = 1, .max = 65535, .word = "any"},
	{"forward", SCHEMA_BOOL, .def = "on",
	 .help = "send a token to each host once, and pass it on inside the host",
	 PART(config_model_experts, forward)},
};
static const struct schema schema_experts = {SCHEMA_COUNT(experts_keys)};

static const struct schema_key transformer_keys[] = {
	{"layers", SCHEMA_INTEGER, .help = "number of layers", PART(config_transformer, layers), COUNT,
	 .required = 1},
	{"hidden", SCHEMA_INTEGER, .help = "width of a token between layers",
	 PART(config_transformer, hidden), SIZE, .required = 1},
	{"heads", SCHEMA_INTEGER, .help = "number of attention heads",
	 PART(config_transformer, heads), COUNT, .required = 1},
	{"kv-heads", SCHEMA_INTEGER, .def = "all",
	 .help = "number of heads of keys and values (grouped-query attention)",
	 PART(config_transformer, kv_heads), COUNT, .word = "all"},
	{"head", SCHEMA_INTEGER, .def = "auto", .help = "width of a head; auto: hidden / heads",
	 PART(config_transformer, head), COUNT, .word = "auto"},
	{"ffn", SCHEMA_INTEGER, .help = "inner width of the feed-forward network",
	 PART(config_transformer, ffn), SIZE, .required = 1},
	{"gated", SCHEMA_BOOL, .def = "on",
	 .help = "a feed-forward network has three matrices (SwiGLU), not two",
	 PART(config_transformer, gated)},
	{"vocabulary", SCHEMA_INTEGER, .def = "0",
	 .help = "number of different tokens; 0: no embedding and no output layer",
	 PART(config_transformer, vocabulary), .max = 1 << 24},
	{"latent", SCHEMA_MAP, .def = "none", .help = "multi-head latent attention, or none",
	 PART(config_transformer, latent), .sub = &schema_latent, .word = "none",
	 .flags = SCHEMA_ANEW,
	 SCHEMA_FORM(SCHEMA_MAP, .sub = &schema_latent, .other = &schema_form_none)},
	{"experts", SCHEMA_MAP, .def = "none",
	 .help = "experts instead of the feed-forward network, or none",
	 PART(config_transformer, experts), .sub = &schema_experts, .word = "none",
	 .flags = SCHEMA_ANEW,
	 SCHEMA_FORM(SCHEMA_MAP, .sub = &schema_experts, .other = &schema_form_none)},
};
const struct schema schema_transformer = {SCHEMA_COUNT(transformer_keys)};

static const struct schema_key batch_keys[] = {
	{"sequence", SCHEMA_INTEGER, .help = "tokens in a sequence", PART(config_batch, sequence),
	 .min = 1, .max = 1 << 22, .required = 1},
	{"micro-batch", SCHEMA_INTEGER, .def = "1", .help = "sequences in a micro-batch",
	 PART(config_batch, micro_batch), .min = 1, .max = 256},
	{"micro-batches", SCHEMA_INTEGER, .help = "micro-batches of each pipeline in a step",
	 PART(config_batch, micro_batches), .min = 1, .max = 4096, .required = 1},
};
const struct schema schema_batch = {SCHEMA_COUNT(batch_keys)};

static const struct schema_key parallel_keys[] = {
	{"tp", SCHEMA_INTEGER, .def = "1", .help = "tensor parallelism: ranks that share each layer",
	 PART(config_parallel, tp), COUNT},
	{"pp", SCHEMA_INTEGER, .def = "1", .help = "pipeline parallelism: number of stages",
	 PART(config_parallel, pp), COUNT},
	{"ep", SCHEMA_INTEGER, .def = "1",
	 .help = "expert parallelism: ranks that share the experts of a layer",
	 PART(config_parallel, ep), COUNT},
	{"sequence", SCHEMA_BOOL, .def = "on",
	 .help = "tensor-parallel ranks share the tokens between blocks: all-gather and "
		 "reduce-scatter instead of all-reduce",
	 PART(config_parallel, sequence)},
	{"sharded-optimizer", SCHEMA_BOOL, .def = "on",
	 .help = "ZeRO-1: reduce-scatter of gradients and all-gather of parameters instead of "
		 "all-reduce",
	 PART(config_parallel, sharded_optimizer)},
	{"overlap", SCHEMA_BOOL, .def = "on",
	 .help = "the gradients of a layer are summed while the layers before it are still computed",
	 PART(config_parallel, overlap)},
	{"schedule", SCHEMA_ENUM, .def = "1f1b", .help = "order in which a stage runs its passes",
	 PART(config_parallel, schedule), .choices = schedules},
};
const struct schema schema_parallel = {SCHEMA_COUNT(parallel_keys)};

static const struct schema_key precision_keys[] = {
	{"activations", SCHEMA_ENUM, .def = "bf16",
	 .help = "activations between tensor-parallel ranks, between stages, and from experts",
	 PART(config_precisions, activations), .choices = precisions},
	{"dispatch", SCHEMA_ENUM, .def = "bf16", .help = "tokens on their way to experts",
	 PART(config_precisions, dispatch), .choices = precisions},
	{"gradients", SCHEMA_ENUM, .def = "fp32", .help = "gradients between data-parallel ranks",
	 PART(config_precisions, gradients), .choices = precisions},
	{"parameters", SCHEMA_ENUM, .def = "bf16", .help = "parameters that a sharded optimizer sends",
	 PART(config_precisions, parameters), .choices = precisions},
};
const struct schema schema_precision = {SCHEMA_COUNT(precision_keys)};

static const struct schema_key gpu_keys[] = {
	{"tflops", SCHEMA_INTEGER, .help = "peak rate in 10^12 floating-point operations a second",
	 PART(config_gpu, tflops), .min = 1, .max = 1000000, .required = 1},
	{"efficiency", SCHEMA_PERCENT, .def = "100%", .help = "how much of the peak rate a layer reaches",
	 PART(config_gpu, efficiency_ppm)},
	{"recompute", SCHEMA_BOOL, .def = "off",
	 .help = "run the forward pass of each layer again before its backward pass",
	 PART(config_gpu, recompute)},
};
const struct schema schema_gpu = {SCHEMA_COUNT(gpu_keys)};

static const struct schema_key slice_keys[] = {
	{"layers", SCHEMA_INTEGER, .def = "all",
	 .help = "number of layers of each stage that are simulated: the last ones",
	 PART(config_slice, layers), COUNT, .word = "all"},
	{"micro-batches", SCHEMA_INTEGER, .def = "all",
	 .help = "number of micro-batches that are simulated: the first ones",
	 PART(config_slice, micro_batches), .min = 1, .max = 4096, .word = "all"},
	{"share", SCHEMA_PERCENT, .def = "100%",
	 .help = "this share of the bytes of each message and of each computing time",
	 PART(config_slice, share_ppm)},
};
const struct schema schema_slice = {SCHEMA_COUNT(slice_keys)};
// clang-format on

static const struct yaml_node *
find(const struct yaml_node *item, const char *map, const char *key)
{
	const struct yaml_pair *outer = yaml_tree_get(item, map);
	const struct yaml_pair *inner = outer != NULL ? yaml_tree_get(outer->value, key) : NULL;

	return inner != NULL ? inner->value : outer != NULL ? outer->value : item;
}

static void
check_transformer(struct decoder *d, const struct yaml_node *node,
		  const struct config_transformer *t)
{
	if (t->head == 0 && t->hidden % t->heads != 0)
		decode_error(d, find(node, "transformer", "heads")->pos,
			     "%u heads do not divide %u: write the width of a head as head:",
			     t->heads, t->hidden);
	if (t->kv_heads != 0 && t->heads % t->kv_heads != 0)
		decode_error(d, find(node, "transformer", "kv-heads")->pos,
			     "%u heads do not share %u heads of keys and values equally", t->heads,
			     t->kv_heads);
	if (t->latent.key_value != 0 && t->kv_heads != 0)
		decode_error(d, find(node, "transformer", "kv-heads")->pos,
			     "latent attention has no kv-heads");
	if (t->experts.top_k > t->experts.count)
		decode_error(d, find(node, "transformer", "experts")->pos,
			     "a token goes to %u experts, but there are %u", t->experts.top_k,
			     t->experts.count);
}

void
schema_model_check(struct decoder *d, const struct yaml_node *node, const struct config_model *m)
{
	const struct config_transformer *t = &m->transformer;
	const struct config_parallel *p = &m->parallel;

	if (t->heads == 0) // an error that is reported
		return;
	check_transformer(d, node, t);
	if (t->layers < p->pp)
		decode_error(d, find(node, "parallel", "pp")->pos,
			     "%u layers are too few for %u stages", t->layers, p->pp);
	if (p->ep > 1 && t->experts.count % p->ep != 0)
		decode_error(d, find(node, "parallel", "ep")->pos,
			     "%u experts cannot be shared equally by %u ranks", t->experts.count,
			     p->ep);
	if (p->ep > 1 && t->experts.count == 0)
		decode_error(d, find(node, "parallel", "ep")->pos, "the model has no experts");
	if (t->experts.count != 0 && p->tp > 1 && !p->sequence)
		decode_error(d, find(node, "parallel", "sequence")->pos,
			     "experts need sequence: on, so that each rank has its own tokens");
	if (m->gpu.efficiency_ppm == 0)
		decode_error(d, find(node, "gpu", "efficiency")->pos,
			     "needs an efficiency above 0");
	if (m->simulate.share_ppm == 0)
		decode_error(d, find(node, "simulate", "share")->pos, "needs a share above 0");
}
