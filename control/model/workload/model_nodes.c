// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a model's graph: what a rank does next waits for what it did before, and for what it
// has received.
#include "model_build.h"

#include "control/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPUTE_MAX_PS UINT64_C(3600000000000000)
#define BYTES_MAX (UINT64_C(1) << 40)
#define OPERATIONS_MAX (1u << 20)

static void
add_after(uint32_t *afters, uint32_t *count, uint32_t node)
{
	if (node != GRAPH_NONE)
		afters[(*count)++] = node;
}

// The node added last is the next thing that the rank does.
void
model_add_next(struct model_builder *b, uint32_t rank)
{
	struct model_rank *r = &b->ranks[rank];
	uint32_t afters[2], count = 0;

	add_after(afters, &count, r->last);
	add_after(afters, &count, r->received);
	graph_add_member(b->graph, rank, afters, count);
	r->last = b->graph->count - 1;
	r->received = GRAPH_NONE;
}

// The node added last follows what the rank has done so far, and its reductions of gradients.
void
model_add_reduction(struct model_builder *b, uint32_t rank)
{
	struct model_rank *r = &b->ranks[rank];
	uint32_t afters[2], count = 0;

	add_after(afters, &count, r->last);
	add_after(afters, &count, r->gradient);
	graph_add_member(b->graph, rank, afters, count);
	r->gradient = b->graph->count - 1;
}

// "s1.f0.l7.attention": stage, pass and layer; NULL: none.
char *
model_pass_name(const struct model_builder *b, const char *part)
{
	return memory_format("s%u.%c%u%s%s", b->stage, b->direction == MODEL_FORWARD ? 'f' : 'b',
			     b->micro_batch, part != NULL ? "." : "", part != NULL ? part : "");
}

// What a name says without stage, layer and micro-batch: of "s0.f1.l2.attention", written by
// model_pass_name(), "forward.attention"; of "s0.gradients.l1", "gradients".
static char *
make_label(const char *name)
{
	char *label = memory_text(""), *rest = memory_text(name), *at = rest;

	for (char *word = strtok_r(at, ".", &at); word != NULL; word = strtok_r(NULL, ".", &at)) {
		size_t letters = strcspn(word, "0123456789");
		bool numbered = letters == 1 && word[1] != '\0';
		const char *said = !numbered        ? word
				   : word[0] == 'f' ? "forward"
				   : word[0] == 'b' ? "backward"
						    : NULL;
		char *longer;

		if (said == NULL)
			continue;
		longer = memory_format("%s%s%s", label, label[0] != '\0' ? "." : "", said);
		free(label);
		label = longer;
	}
	free(rest);
	return label;
}

uint32_t
model_add_node(struct model_builder *b, const struct graph_operation *operation)
{
	struct graph_operation op = *operation;
	char *label = make_label(op.name);
	uint32_t node;

	op.priority = -1;
	op.number = b->number;
	op.label = label;
	if (op.bytes > BYTES_MAX && b->error == 0)
		b->error = diag_error(b->item->diag, b->item->file, b->item->work->pos, "workload",
				      "%s: %" PRIu64 " bytes; at most %" PRIu64
				      " are supported (simulate.share)",
				      op.name, op.bytes, BYTES_MAX);
	if (b->graph->count == OPERATIONS_MAX && b->error == 0)
		b->error = diag_error(b->item->diag, b->item->file, b->item->work->pos,
				      "workload.simulate",
				      "more than %u operations: simulate fewer layers or "
				      "micro-batches",
				      OPERATIONS_MAX);
	node = graph_add(b->graph, &op);
	free(label);
	return node;
}

void
model_compute(struct model_builder *b, uint64_t flops)
{
	ps_t time = model_compute_ps(b->model, flops);

	if (b->error != 0)
		return;
	b->computing += time != 0 ? time : 1;
	if (b->computing > COMPUTE_MAX_PS && b->error == 0)
		b->error = diag_error(b->item->diag, b->item->file, b->item->work->pos,
				      "workload.gpu", "a rank computes for more than an hour");
}

ps_t
model_take_computing(struct model_builder *b)
{
	ps_t time = b->computing;

	b->computing = 0;
	return time;
}

// What has been computed up to here is an operation of its own.
void
model_end_computing(struct model_builder *b)
{
	char *name;

	if (b->computing == 0)
		return;
	name = model_pass_name(b, NULL);
	model_add_node(b, &(struct graph_operation){.name = name,
						    .kind = CONFIG_WORK_COMPUTE,
						    .compute_ps = b->computing});
	for (uint32_t i = 0; i < b->stage_ranks; i++)
		model_add_next(b, model_first_rank(b) + i);
	b->computing = 0;
	b->number++;
	free(name);
}

static bool
is_in_one_host(const struct model_builder *b, uint32_t first, const struct model_axis *axis)
{
	for (uint32_t i = 1; i < axis->size; i++)
		if (b->members->ends[first + i * axis->stride].host != b->members->ends[first].host)
			return false;
	return true;
}

// A collective of each group of the stage's ranks. A ring inside a host is one channel: its ranks
// are joined directly, at the rate of `inside`.
void
model_add_collectives(struct model_builder *b, const struct model_axis *axis,
		      const struct graph_operation *operation,
		      void (*add_member)(struct model_builder *b, uint32_t rank))
{
	if (axis->size == 1)
		return;
	for (uint32_t r = 0; r < b->stage_ranks; r++) {
		struct graph_operation op = *operation;

		if (r / axis->stride % axis->size != 0)
			continue;
		op.group = axis->name;
		op.work = is_in_one_host(b, model_first_rank(b) + r, axis) ? &b->inside_host : NULL;
		model_add_node(b, &op);
		for (uint32_t i = 0; i < axis->size; i++)
			add_member(b, model_first_rank(b) + r + i * axis->stride);
	}
	b->number++;
}
