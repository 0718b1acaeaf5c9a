// SPDX-License-Identifier: BSD-3-Clause
// SimAI's workload files (github.com/aliyun/SimAI, made by github.com/aliyun/aicb):
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 ... all_gpus: 8 ...
//	LAYERS
//	NAME DEPENDENCY  FWD_NS COMM BYTES  IG_NS COMM BYTES  WG_NS COMM BYTES  UPDATE_NS
//
// Forward: every layer computes FWD_NS, then communicates. Backward, from the last layer: it
// computes its input gradient (IG) and communicates, then computes its weight gradient (WG), whose
// communication runs aside and is followed by UPDATE_NS. `checkpoint_initiates:` lists layers
// before whose backward pass the forward pass runs again, from the next layer at or before them
// that `checkpoints:` lists. Of policy MICRO only the communication of WG runs, layer by layer.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_WORDS 4096
#define LAYER_WORDS 12
#define LAYERS_MAX (1u << 20)
#define PHASES 3

static const char layer_line[] = "name dependency fwd_ns comm bytes ig_ns comm bytes wg_ns comm "
				 "bytes update_ns";

enum phase { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT };

struct phase_work {
	uint64_t compute_ns;
	bool communicates;
	enum config_work_kind kind;
	enum trace_grouping grouping;
	uint64_t bytes;
};

struct layer {
	const char *name;
	struct diag_pos pos;
	struct phase_work phases[PHASES];
	uint64_t update_ns;
	bool checkpoint, initiates;
};

struct simai {
	struct trace_builder *b;
	struct words_reader words;
	struct trace_chain chain;
	bool micro;
	struct layer *layers;
	uint32_t layer_count;
	uint64_t again_count; // layers whose forward pass has run again
};

static int
read_communication(struct simai *s, const struct config_name *word, enum phase phase,
		   struct phase_work *out)
{
	static const struct {
		const char *word;
		enum config_work_kind kind;
	} kinds[] = {
		{"ALLREDUCE", CONFIG_WORK_ALL_REDUCE},
		{"ALLGATHER", CONFIG_WORK_ALL_GATHER},
		{"REDUCESCATTER", CONFIG_WORK_REDUCE_SCATTER},
		{"ALLTOALL", CONFIG_WORK_ALL_TO_ALL},
	};

	if (strcmp(word->text, "NONE") == 0)
		return 0;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].word);
		const char *group = word->text + length;

		if (strncmp(word->text, kinds[i].word, length) != 0)
			continue;
		out->kind = kinds[i].kind;
		out->communicates = true;
		if (*group == '\0')
			out->grouping = phase == WEIGHT_GRADIENT ? TRACE_DATA : TRACE_TENSOR;
		else if (strcmp(group, "_EP") == 0)
			out->grouping = TRACE_EXPERT;
		else if (strcmp(group, "_DP_EP") == 0)
			out->grouping = TRACE_EXPERT_DATA;
		else
			break;
		return 0;
	}
	return trace_error(s->b, word->pos, "comm",
			   "\"%.*s\" is not supported; use NONE, or ALLREDUCE, ALLGATHER, "
			   "REDUCESCATTER or ALLTOALL, also with _EP or _DP_EP behind it",
			   WORDS_SHOWN, word->text);
}

static int
read_layer(struct simai *s, const struct config_name words[LAYER_WORDS], struct layer *out)
{
	static const struct words_range ns[PHASES] = {
		{"fwd_ns", .max = TRACE_HOUR_NS},
		{"ig_ns", .max = TRACE_HOUR_NS},
		{"wg_ns", .max = TRACE_HOUR_NS},
	};
	static const struct words_range update = {"update_ns", .max = TRACE_HOUR_NS};
	static const struct words_range bytes = {"bytes", .max = TRACE_BYTES_MAX};
	int error = words_number(&s->words, &words[LAYER_WORDS - 1], &update, &out->update_ns);

	out->name = words[0].text;
	out->pos = words[0].pos;
	for (unsigned p = 0; p < PHASES; p++) {
		const struct config_name *word = &words[2 + 3 * p];
		struct phase_work *work = &out->phases[p];

		error |= words_number(&s->words, &word[0], &ns[p], &work->compute_ns);
		error |= read_communication(s, &word[1], p, work);
		error |= words_number(&s->words, &word[2], &bytes, &work->bytes);
	}
	return error;
}

// ---- header -------------------------------------------------------------------------------------

// The word behind "KEY:".
static const struct config_name *
header_value(const struct config_name *words, unsigned count, const char *key)
{
	char word[64];

	snprintf(word, sizeof(word), "%s:", key);
	return trace_value(words, count, word);
}

static int
read_size(struct simai *s, const struct config_name *words, unsigned count, const char *key,
	  uint32_t *out)
{
	const struct words_range range = {key, .min = 1, .max = TRACE_RANKS_MAX};
	const struct config_name *word = header_value(words, count, key);
	uint64_t value;

	if (word == NULL)
		return 0;
	if (words_number(&s->words, word, &range, &value) != 0)
		return -EINVAL;
	*out = (uint32_t)value;
	return 0;
}

// Marks the layers that the header lists: `checkpoints: 2 5 9`, of which the first is their number.
static int
mark_layers(struct simai *s, const struct config_name *words, unsigned count, const char *key)
{
	const struct config_name *word = header_value(words, count, key);
	struct words_range range = {key, .max = HEADER_WORDS};
	uint64_t marked, layer;

	if (word == NULL)
		return 0;
	if (words_number(&s->words, word, &range, &marked) != 0)
		return -EINVAL;
	if (marked >= (uint64_t)(words + count - word))
		return trace_error(s->b, word->pos, key, "fewer than %" PRIu64 " layers follow",
				   marked);
	if (marked > 0 && s->layer_count == 0)
		return trace_error(s->b, word->pos, key, "the file has no layer");
	range.max = s->layer_count - 1;
	for (uint64_t i = 1; i <= marked; i++) {
		if (words_number(&s->words, &word[i], &range, &layer) != 0)
			return -EINVAL;
		if (strcmp(key, "checkpoints") == 0)
			s->layers[layer].checkpoint = true;
		else
			s->layers[layer].initiates = true;
	}
	return 0;
}

static int
read_sizes(struct simai *s, const struct config_name *words, unsigned count)
{
	struct trace_sizes sizes = {1, 1, 1, 1};
	uint32_t all = 0, apart;
	int error = read_size(s, words, count, "model_parallel_NPU_group", &sizes.tensor);

	error |= read_size(s, words, count, "ep", &sizes.expert);
	error |= read_size(s, words, count, "pp", &sizes.pipeline);
	error |= read_size(s, words, count, "all_gpus", &all);
	if (error != 0)
		return -EINVAL;
	if (all == 0)
		return trace_error(s->b, words[0].pos, "all_gpus",
				   "the header does not say how many ranks there are; add "
				   "`all_gpus: N` to the first line");
	apart = sizes.tensor * sizes.pipeline;
	if ((uint64_t)sizes.tensor * sizes.pipeline > all || all % apart != 0)
		return trace_error(s->b, words[0].pos, "all_gpus",
				   "%u ranks are no multiple of %u (tp) x %u (pp)", all,
				   sizes.tensor, sizes.pipeline);
	sizes.data = all / apart;
	if (sizes.data % sizes.expert != 0)
		return trace_error(s->b, words[0].pos, "ep",
				   "%u ranks with the same data group are no multiple of %u (ep)",
				   sizes.data, sizes.expert);
	return trace_chain_begin(&s->chain, s->b, &sizes, TRACE_NONE, words[0].pos);
}

static int
check_policy(struct simai *s, const struct config_name *word)
{
	if (strcmp(word->text, "MICRO") == 0)
		s->micro = true;
	else if (strcmp(word->text, "HYBRID_TRANSFORMER") != 0 &&
		 strcmp(word->text, "HYBRID_TRANSFORMER_FWD_IN_BCKWD") != 0)
		return trace_error(s->b, word->pos, NULL,
				   "\"%.*s\" is not supported; the first line begins with "
				   "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_TRANSFORMER or MICRO",
				   WORDS_SHOWN, word->text);
	return 0;
}

static int
read_layers(struct simai *s)
{
	static const struct words_range range = {"layers", .max = LAYERS_MAX};
	unsigned before = s->b->diag->errors;
	struct config_name words[LAYER_WORDS], announced = {0};
	uint64_t expected;

	if (!words_line(&s->words, &announced, 1, "LAYERS"))
		return s->b->diag->errors != before
			       ? -EINVAL
			       : trace_error(s->b, (struct diag_pos){.line = 1, .column = 1},
					     "layers", "the number of layers is missing");
	if (words_number(&s->words, &announced, &range, &expected) != 0)
		return -EINVAL;
	while (words_line(&s->words, words, LAYER_WORDS, layer_line)) {
		struct layer layer = {0};

		if (s->layer_count == expected)
			return trace_error(s->b, words[0].pos, "layers",
					   "more layers than the %" PRIu64 " that line %u gives",
					   expected, announced.pos.line);
		if (read_layer(s, words, &layer) != 0)
			continue;
		s->layers = memory_grow(s->layers, s->layer_count, sizeof(layer), "layers");
		s->layers[s->layer_count++] = layer;
	}
	if (s->b->diag->errors != before)
		return -EINVAL;
	if (s->layer_count < expected)
		return trace_error(s->b, announced.pos, "layers",
				   "the number of layers is given as %" PRIu64
				   ", but the file has %u",
				   expected, s->layer_count);
	return 0;
}

// ---- the program --------------------------------------------------------------------------------

static int
communicate(struct simai *s, const struct layer *layer, enum phase phase, bool aside)
{
	static const char *const phase_names[PHASES] = {"fwd", "ig", "wg"};
	const struct phase_work *work = &layer->phases[phase];
	char name[TRACE_NAME_MAX];
	const struct graph_operation operation = {
		.name = name,
		.kind = work->kind,
		.bytes = work->bytes,
		.priority = -1,
	};

	if (!work->communicates)
		return 0;
	snprintf(name, sizeof(name), "%s.%s", layer->name, phase_names[phase]);
	return trace_chain_add(&s->chain, &operation, work->grouping, aside);
}

static int
run_phase(struct simai *s, const struct layer *layer, enum phase phase)
{
	int error = trace_chain_compute(&s->chain, layer->phases[phase].compute_ns * PS_PER_NS,
					layer->pos);

	return error != 0 ? error : communicate(s, layer, phase, false);
}

// The communication begins when the weight gradient is computed; then the update follows it.
static int
run_weight_gradient(struct simai *s, const struct layer *layer)
{
	const struct phase_work *work = &layer->phases[WEIGHT_GRADIENT];
	char update[TRACE_NAME_MAX];
	uint32_t before;

	if (trace_chain_compute(&s->chain, work->compute_ns * PS_PER_NS, layer->pos) != 0)
		return -EINVAL;
	if (!work->communicates || work->bytes == 0)
		return 0;
	if (trace_chain_end_compute(&s->chain, layer->name) != 0)
		return -EINVAL;
	before = s->b->trace->operation_count;
	if (communicate(s, layer, WEIGHT_GRADIENT, true) != 0)
		return -EINVAL;
	if (s->b->trace->operation_count == before) // groups of one rank
		return 0;
	snprintf(update, sizeof(update), "%s.update", layer->name);
	return trace_chain_follow(&s->chain, update, layer->update_ns * PS_PER_NS);
}

static int
run_forward_again(struct simai *s, uint32_t layer)
{
	uint32_t from = layer;
	int error = 0;

	while (from > 0 && !s->layers[from].checkpoint)
		from--;
	s->again_count += layer - from;
	if (s->again_count > LAYERS_MAX)
		return trace_error(s->b, s->layers[layer].pos, "checkpoint_initiates",
				   "more than %u layers run again; list more `checkpoints`",
				   LAYERS_MAX);
	for (uint32_t i = from; i < layer && error == 0; i++)
		error = run_phase(s, &s->layers[i], FORWARD);
	return error;
}

static int
run(struct simai *s)
{
	int error = 0;

	for (uint32_t i = 0; i < s->layer_count && error == 0; i++)
		error = s->micro ? communicate(s, &s->layers[i], WEIGHT_GRADIENT, false)
				 : run_phase(s, &s->layers[i], FORWARD);
	for (uint32_t i = s->micro ? 0 : s->layer_count; i > 0 && error == 0; i--) {
		const struct layer *layer = &s->layers[i - 1];

		if (layer->initiates)
			error = run_forward_again(s, i - 1);
		if (error == 0)
			error = run_phase(s, layer, INPUT_GRADIENT);
		if (error == 0)
			error = run_weight_gradient(s, layer);
	}
	return error != 0 ? error : trace_chain_end_compute(&s->chain, "compute");
}

int
trace_read_simai(struct trace_builder *b)
{
	struct config_name *header = memory_array(HEADER_WORDS, sizeof(*header), "words");
	struct simai s = {.b = b, .words = trace_words(b)};
	unsigned count = words_next(&s.words, header, HEADER_WORDS);
	int error = 0;

	if (count == 0)
		error = trace_error(b, (struct diag_pos){.line = 1, .column = 1}, NULL,
				    "the file is empty");
	else if (count > HEADER_WORDS)
		error = trace_error(b, header[0].pos, NULL, "more than %u words", HEADER_WORDS);
	if (error == 0)
		error = check_policy(&s, &header[0]);
	if (error == 0)
		error = read_sizes(&s, header, count);
	if (error == 0)
		error = read_layers(&s);
	if (error == 0)
		error = mark_layers(&s, header, count, "checkpoints");
	if (error == 0)
		error = mark_layers(&s, header, count, "checkpoint_initiates");
	if (error == 0)
		error = run(&s);
	trace_chain_free(&s.chain);
	free(s.layers);
	free(header);
	return error;
}
