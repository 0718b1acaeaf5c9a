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

// Room for the values of all flows, which groups use one after another.
struct scratch {
	ps_t *times;
	struct ratio *ratios;
};

static struct scratch
scratch_create(uint32_t count)
{
	return (struct scratch){
		.times = memory_array(count, sizeof(ps_t), "completion times"),
		.ratios = memory_array(count, sizeof(struct ratio), "slowdowns"),
	};
}

static void
scratch_destroy(struct scratch *s)
{
	free(s->ratios);
	free(s->times);
}

static void
add_flow(struct flow_statistics *out, struct scratch *s, const struct report_flow *f)
{
	out->flows++;
	out->bytes += f->bytes;
	if (f->fct == PS_NEVER)
		return;
	s->times[out->completed++] = f->fct;
	if (f->ideal != 0)
		s->ratios[out->with_ideal++] = (struct ratio){f->fct, f->ideal};
}

static void
finish(struct flow_statistics *out, struct scratch *s)
{
	statistics_of_times(s->times, out->completed, out);
	statistics_of_ratios(s->ratios, out->with_ideal, out);
}

void
flow_statistics_compute(const struct report_flow *flows, uint32_t count,
			struct flow_statistics *out)
{
	struct scratch s = scratch_create(count);

	*out = (struct flow_statistics){0};
	for (uint32_t i = 0; i < count; i++)
		add_flow(out, &s, &flows[i]);
	finish(out, &s);
	scratch_destroy(&s);
}

// ---- groups -------------------------------------------------------------------------------------

struct grouping {
	enum flow_grouping by;
	struct flow_group *groups;
	uint32_t count;
	uint32_t *slots; // a hash table by name: the group's place plus one; 0: free
	uint32_t mask;
};

static const char *
name_of(const struct report_flow *f, enum flow_grouping by)
{
	return by == FLOWS_BY_TENANT ? f->tenant : f->item;
}

// FNV-1a.
static uint32_t
hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

// The slot of a name: of its group, or free.
static uint32_t *
find_slot(const struct grouping *g, const char *name)
{
	uint32_t at = hash_of(name) & g->mask;

	while (g->slots[at] != 0 && strcmp(g->groups[g->slots[at] - 1].name, name) != 0)
		at = (at + 1) & g->mask;
	return &g->slots[at];
}

// At most half of the slots are in use.
static void
grow_slots(struct grouping *g)
{
	free(g->slots);
	g->mask = 2 * g->mask + 1;
	g->slots = memory_array((size_t)g->mask + 1, sizeof(*g->slots), "groups of flows");
	for (uint32_t i = 0; i < g->count; i++)
		*find_slot(g, g->groups[i].name) = i + 1;
}

static uint32_t
find_group(struct grouping *g, const char *name)
{
	uint32_t *slot = find_slot(g, name);

	if (*slot != 0)
		return *slot - 1;
	g->groups = memory_grow(g->groups, g->count, sizeof(*g->groups), "groups of flows");
	g->groups[g->count] = (struct flow_group){.name = name};
	*slot = ++g->count;
	if (2 * g->count > g->mask)
		grow_slots(g);
	return g->count - 1;
}

// Sorts the flows by group: order[] gets those of group i from starts[i] to starts[i + 1].
static void
sort_by_group(struct grouping *g, const struct report_flow *flows, uint32_t count, uint32_t *order,
	      uint32_t *starts)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (name_of(&flows[i], g->by) != NULL)
			starts[find_group(g, name_of(&flows[i], g->by))]++;
	for (uint32_t i = 0; i <= g->count; i++) {
		uint32_t members = starts[i];

		starts[i] = sum;
		sum += members;
	}
	for (uint32_t i = 0; i < count; i++)
		if (name_of(&flows[i], g->by) != NULL)
			order[starts[find_group(g, name_of(&flows[i], g->by))]++] = i;
	for (uint32_t i = g->count; i > 0; i--)
		starts[i] = starts[i - 1];
	starts[0] = 0;
}

struct flow_group *
flow_groups_compute(const struct report_flow *flows, uint32_t count, enum flow_grouping by,
		    uint32_t *groups)
{
	uint32_t *order = memory_array(count, sizeof(*order), "flows by group");
	uint32_t *starts = memory_array((size_t)count + 2, sizeof(*starts), "flows by group");
	struct scratch s = scratch_create(count);
	struct grouping g = {.by = by, .mask = 15};

	g.slots = memory_array((size_t)g.mask + 1, sizeof(*g.slots), "groups of flows");
	sort_by_group(&g, flows, count, order, starts);
	for (uint32_t i = 0; i < g.count; i++) {
		for (uint32_t k = starts[i]; k < starts[i + 1]; k++)
			add_flow(&g.groups[i].statistics, &s, &flows[order[k]]);
		finish(&g.groups[i].statistics, &s);
	}
	scratch_destroy(&s);
	free(g.slots);
	free(starts);
	free(order);
	*groups = g.count;
	return g.groups;
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
