// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// A bit per picosecond is 1000 Gb/s.
#define GBPS_PER_BIT_PER_PS 1000.0

struct ratio {
	uint64_t over;
	uint64_t under;
};

static int
compare_times(const void *a, const void *b)
{
	const ps_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

// By cross-multiplication: exact.
static int
compare_ratios(const void *a, const void *b)
{
	__extension__ typedef unsigned __int128 wide;
	const struct ratio *x = a, *y = b;
	wide left = (wide)x->over * y->under, right = (wide)y->over * x->under;

	return (left > right) - (left < right);
}

static uint32_t
nearest_rank(uint32_t percent, uint32_t count)
{
	return (uint32_t)(((uint64_t)percent * count + 99) / 100) - 1;
}

static double
ratio_value(const struct ratio *r)
{
	return (double)r->over / (double)r->under;
}

static void
statistics_of_times(ps_t *times, uint32_t count, struct flow_statistics *out)
{
	__extension__ typedef unsigned __int128 wide;
	wide sum = 0;

	if (count == 0)
		return;
	qsort(times, count, sizeof(*times), compare_times);
	for (uint32_t i = 0; i < count; i++)
		sum += times[i];
	out->fct_mean = (ps_t)(sum / count);
	out->fct_p50 = times[nearest_rank(50, count)];
	out->fct_p99 = times[nearest_rank(99, count)];
	out->fct_max = times[count - 1];
}

// The sum is taken in sorted order, so that it does not depend on the order of the flows.
static void
statistics_of_ratios(struct ratio *ratios, uint32_t count, struct flow_statistics *out)
{
	double sum = 0;

	if (count == 0)
		return;
	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	for (uint32_t i = 0; i < count; i++)
		sum += ratio_value(&ratios[i]);
	out->slowdown_mean = sum / count;
	out->slowdown_p50 = ratio_value(&ratios[nearest_rank(50, count)]);
	out->slowdown_p99 = ratio_value(&ratios[nearest_rank(99, count)]);
	out->slowdown_max = ratio_value(&ratios[count - 1]);
}

void
flow_statistics_compute(const struct report_flow *flows, uint32_t count, const char *item,
			struct flow_statistics *out)
{
	ps_t *times = memory_array(count, sizeof(*times), "completion times");
	struct ratio *ratios = memory_array(count, sizeof(*ratios), "slowdowns");

	*out = (struct flow_statistics){0};
	for (uint32_t i = 0; i < count; i++) {
		const struct report_flow *f = &flows[i];

		if (item != NULL && strcmp(f->item, item) != 0)
			continue;
		out->flows++;
		out->bytes += f->bytes;
		if (f->fct == PS_NEVER)
			continue;
		times[out->completed++] = f->fct;
		if (f->ideal != 0)
			ratios[out->with_ideal++] = (struct ratio){f->fct, f->ideal};
	}
	statistics_of_times(times, out->completed, out);
	statistics_of_ratios(ratios, out->with_ideal, out);
	free(ratios);
	free(times);
}

double
flow_goodput_gbps(const struct report_flow *flows, uint32_t count)
{
	ps_t first = PS_NEVER, last = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct report_flow *f = &flows[i];
		ps_t end = f->end != 0 ? f->end : f->start + f->fct;

		if (f->fct == PS_NEVER)
			continue;
		bytes += f->bytes * (f->repeat != 0 ? f->repeat : 1);
		first = time_min(first, f->start);
		last = end > last ? end : last;
	}
	if (bytes == 0 || last <= first)
		return 0;
	return (double)bytes * 8 / (double)(last - first) * GBPS_PER_BIT_PER_PS;
}
