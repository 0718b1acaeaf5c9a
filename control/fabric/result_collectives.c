// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

static int
compare_groups(const struct report_collective *a, const struct report_collective *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->ranks != b->ranks)
		return a->ranks < b->ranks ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return strcmp(report_label(a), report_label(b));
}

static int
compare_indexes(const void *left, const void *right, void *context)
{
	const struct report_collective *c = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int difference = compare_groups(&c[a], &c[b]);

	return difference != 0 ? difference : a < b ? -1 : a > b;
}

// By collective, the first of those of its group. A trace may have a name for each of its
// operations: they are sorted, not looked for.
static uint32_t *
find_firsts(const struct report_collective *c, uint32_t count)
{
	uint32_t *sorted = memory_array(count, sizeof(*sorted), "collectives");
	uint32_t *firsts = memory_array(count, sizeof(*firsts), "collectives"), first = 0;

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), compare_indexes, (void *)(uintptr_t)c);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || compare_groups(&c[first], &c[sorted[i]]) != 0)
			first = sorted[i];
		firsts[sorted[i]] = first;
	}
	free(sorted);
	return firsts;
}

static void
add(struct collective_statistics *s, const struct report_collective *c, ps_t *sum)
{
	s->executions++;
	if (c->step == PS_NEVER)
		return;
	s->min = s->completed == 0 || c->step < s->min ? c->step : s->min;
	s->max = c->step > s->max ? c->step : s->max;
	s->completed++;
	*sum += c->step;
}

static void
finish(struct collective_statistics *s, ps_t sum)
{
	struct report_collective mean = {.kind = s->kind, .ranks = s->ranks, .bytes = s->bytes};

	s->mean = s->completed != 0 ? sum / s->completed : 0;
	mean.step = s->completed != 0 ? s->mean : PS_NEVER;
	report_collective_bandwidth(&mean, &s->algbw_gbps, &s->busbw_gbps);
}

struct collective_statistics *
collective_statistics_compute(const struct report_collective *c, uint32_t count, uint32_t *groups)
{
	struct collective_statistics *out = memory_array(count, sizeof(*out), "collectives");
	ps_t *sums = memory_array(count, sizeof(*sums), "collectives");
	uint32_t *group_of = find_firsts(c, count);

	*groups = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = group_of[i];

		if (first == i) {
			group_of[i] = *groups;
			out[(*groups)++] =
				(struct collective_statistics){.name = report_label(&c[i]),
							       .kind = c[i].kind,
							       .ranks = c[i].ranks,
							       .bytes = c[i].bytes};
		} else {
			group_of[i] = group_of[first]; // which came before
		}
		add(&out[group_of[i]], &c[i], &sums[group_of[i]]);
	}
	for (uint32_t g = 0; g < *groups; g++)
		finish(&out[g], sums[g]);
	free(group_of);
	free(sums);
	return out;
}
