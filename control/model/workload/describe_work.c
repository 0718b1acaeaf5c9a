// SPDX-License-Identifier: BSD-3-Clause
#include "describe_work.h"

#include "control/base/memory.h"
#include "control/config/schema.h"

#include <stdlib.h>
#include <string.h>

struct describer {
	struct work_description *out;
	const struct workload *w;
	const struct config *config;
	uint32_t *sum_of;   // by collective
	uint64_t generated; // flows that are in pairs
};

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// The sum of this item, kind and group, which is one of the last.
static uint32_t
find_sum(struct describer *d, uint32_t item, const char *kind, const char *group)
{
	struct work_description *out = d->out;

	for (uint32_t i = out->sum_count; i > 0 && out->sums[i - 1].item == item; i--)
		if (strcmp(out->sums[i - 1].kind, kind) == 0 &&
		    same_text(out->sums[i - 1].group, group))
			return i - 1;
	out->sums = memory_grow(out->sums, out->sum_count, sizeof(*out->sums), "sums");
	out->sums[out->sum_count] = (struct work_sum){.item = item, .kind = kind, .group = group};
	return out->sum_count++;
}

// Stops at INT64_MAX, the largest number of JSON.
static void
add(uint64_t *sum, uint64_t bytes, uint64_t times)
{
	uint64_t product;

	if (__builtin_mul_overflow(bytes, times, &product) ||
	    __builtin_add_overflow(*sum, product, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

static void
add_pair(struct describer *d, uint32_t src, uint32_t dst, uint64_t bytes)
{
	struct work_description *out = d->out;

	if (src == dst || bytes == 0)
		return;
	out->pairs = memory_grow(out->pairs, out->pair_count, sizeof(*out->pairs), "pairs");
	out->pairs[out->pair_count++] = (struct work_pair){src, dst, bytes};
}

// ---- programs -----------------------------------------------------------------------------------

static void
add_program(struct describer *d, const struct program_spec *p)
{
	ps_t *compute = memory_array(p->member_count, sizeof(*compute), "ranks");
	struct work_program sum = {.item = p->item, .ranks = p->member_count};
	struct work_description *out = d->out;

	for (uint32_t i = 0; i < p->collective_count; i++) {
		const struct collective_spec *c = &d->w->collectives[p->first_collective + i];
		uint32_t number = find_sum(d, p->item, c->kind, c->group);

		d->sum_of[p->first_collective + i] = number;
		add(&out->sums[number].count, 1, p->repeat);
		for (uint32_t r = 0; r < c->rank_count; r++)
			add(&compute[d->w->ranks[c->first_rank + r].member], c->compute_ps,
			    p->repeat);
	}
	for (uint32_t r = 0; r < p->member_count; r++)
		if (compute[r] > sum.compute_ps)
			sum.compute_ps = compute[r];
	free(compute);
	out->programs = memory_grow(out->programs, out->program_count, sizeof(sum), "programs");
	out->programs[out->program_count++] = sum;
}

// Flows that are made while the run goes on: one for each pair of ranks, in equal parts.
static void
add_generated(struct describer *d, uint32_t collective)
{
	const struct collective_spec *c = &d->w->collectives[collective];
	const struct rank_spec *ranks = &d->w->ranks[c->first_rank];
	uint32_t repeat = d->w->programs[c->program].repeat;
	struct work_sum *sum = &d->out->sums[d->sum_of[collective]];

	add(&sum->bytes, collective_wire_bytes(c) + c->inside_bytes, repeat);
	add(&sum->inside_bytes, c->inside_bytes, repeat);
	if (c->pair_count > DESCRIBE_PAIRS_MAX - d->generated) {
		d->out->generated_left_out += c->pair_count;
		return;
	}
	d->generated += c->pair_count;
	for (uint32_t i = 0; i < c->rank_count; i++)
		for (uint32_t k = 0; k < c->rank_count; k++) {
			uint64_t bytes = 0;

			add(&bytes, workload_share(c->bytes, k, c->rank_count), repeat);
			add_pair(d, ranks[i].host, ranks[k].host, bytes);
		}
}

// ---- flows --------------------------------------------------------------------------------------

static void
add_flow(struct describer *d, const struct flow_spec *f)
{
	bool operation = f->collective != WORKLOAD_NONE;
	const char *kind = schema_choice_name(schema_work_kinds, d->config->workload[f->item].kind);
	uint32_t number = operation ? d->sum_of[f->collective] : find_sum(d, f->item, kind, NULL);
	struct work_sum *sum = &d->out->sums[number];
	uint64_t bytes = 0;

	add(&bytes, f->bytes, f->repeat);
	add(&sum->bytes, bytes, 1);
	if (!operation)
		add(&sum->count, 1, f->repeat);
	if (f->inside)
		add(&sum->inside_bytes, bytes, 1);
	add_pair(d, f->src, f->dst, bytes);
}

// Of a stream without an end, how much it sends is not known.
static void
add_stream(struct describer *d, const struct stream_spec *s)
{
	uint32_t number = find_sum(d, s->item, "stream", NULL);
	struct work_sum *sum = &d->out->sums[number];
	uint64_t bytes = 0;

	if (s->until_ps != PS_NEVER && s->until_ps > s->start_ps)
		bytes = (uint64_t)((double)s->rate_bps / 8 / PS_PER_S *
				   (double)(s->until_ps - s->start_ps));
	add(&sum->count, 1, 1);
	add(&sum->bytes, bytes, 1);
	add_pair(d, s->src, s->dst, bytes);
}

static int
compare_ends(const void *a, const void *b)
{
	const struct work_pair *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return x->dst < y->dst ? -1 : x->dst > y->dst;
}

static int
compare_bytes(const void *a, const void *b)
{
	const struct work_pair *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return compare_ends(a, b);
}

// One entry for each two hosts.
static void
merge_pairs(struct work_description *out)
{
	uint32_t kept = 0;

	if (out->pair_count == 0)
		return;
	qsort(out->pairs, out->pair_count, sizeof(*out->pairs), compare_ends);
	for (uint32_t i = 0; i < out->pair_count; i++) {
		if (kept > 0 && compare_ends(&out->pairs[kept - 1], &out->pairs[i]) == 0)
			add(&out->pairs[kept - 1].bytes, out->pairs[i].bytes, 1);
		else
			out->pairs[kept++] = out->pairs[i];
	}
	out->pair_count = kept;
	qsort(out->pairs, kept, sizeof(*out->pairs), compare_bytes);
}

void
work_describe(struct work_description *out, const struct workload *w, const struct config *config)
{
	struct describer d = {.out = out, .w = w, .config = config};
	uint32_t program = 0, flow = 0, stream = 0;

	*out = (struct work_description){0};
	d.sum_of = memory_array(w->collective_count, sizeof(*d.sum_of), "operations");
	for (uint32_t item = 0; item < config->work_count; item++) {
		for (; program < w->program_count && w->programs[program].item == item; program++)
			add_program(&d, &w->programs[program]);
		for (; flow < w->flow_count && w->flows[flow].item == item; flow++)
			add_flow(&d, &w->flows[flow]);
		for (; stream < w->stream_count && w->streams[stream].item == item; stream++)
			add_stream(&d, &w->streams[stream]);
	}
	for (uint32_t i = 0; i < w->collective_count; i++)
		if (w->collectives[i].generated)
			add_generated(&d, i);
	merge_pairs(out);
	free(d.sum_of);
}

void
work_description_free(struct work_description *d)
{
	free(d->sums);
	free(d->programs);
	free(d->pairs);
	*d = (struct work_description){0};
}
