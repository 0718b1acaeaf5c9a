// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a step spent its time: computing, communicating while nothing was computed, and
// neither, as in the bubbles of a pipeline; and what made it as long as it was.
#include "step_times.h"

#include "control/base/memory.h"

#include <stdlib.h>

static void
read_times(const struct fabric_flows *flows, struct step_times *t)
{
	const struct workload *w = t->workload;

	for (uint32_t time = 0; time < t->program->repeat; time++)
		for (uint32_t i = 0; i < t->count; i++) {
			const struct rank_part *part = &flows->parts[t->first + i];
			const struct nic *nic = flows->fabric->nics[w->ranks[t->first + i].host];
			size_t at = (size_t)time * t->count + i;
			struct nic_time one;

			t->starts[at] = PS_NEVER;
			if (nic == NULL ||
			    nic_part_time(nic, part->program, part->part, time, &one) != 0)
				continue;
			t->starts[at] = one.start;
			t->ends[at] = one.end;
		}
}

static void
sort_by_member(struct step_times *t)
{
	const struct rank_spec *ranks = &t->workload->ranks[t->first];
	uint32_t members = t->program->member_count;

	t->first_of = memory_array((size_t)members + 2, sizeof(uint32_t), "ranks");
	t->of_member = memory_array(t->count, sizeof(uint32_t), "ranks");
	// Counted one place further, so that filling in moves each to its end, the next one's
	// first.
	for (uint32_t i = 0; i < t->count; i++)
		t->first_of[ranks[i].member + 2]++;
	for (uint32_t m = 0; m < members; m++)
		t->first_of[m + 2] += t->first_of[m + 1];
	for (uint32_t i = 0; i < t->count; i++)
		t->of_member[t->first_of[ranks[i].member + 1]++] = i;
}

static int
create_times(const struct fabric_flows *flows, const struct program_spec *p, struct step_times *t)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *first = &w->collectives[p->first_collective];
	const struct collective_spec *last = first + p->collective_count - 1;
	size_t count;
	int rc;

	*t = (struct step_times){.workload = w,
				 .program = p,
				 .first = first->first_rank,
				 .count = last->first_rank + last->rank_count - first->first_rank};
	count = (size_t)t->count * p->repeat;
	t->operations = memory_array(t->count, sizeof(*t->operations), "operations of a step");
	t->starts = memory_array(count, sizeof(*t->starts), "times of a step");
	t->ends = memory_array(count, sizeof(*t->ends), "times of a step");
	for (uint32_t i = 0; i < p->collective_count; i++)
		for (uint32_t r = 0; r < first[i].rank_count; r++)
			t->operations[first[i].first_rank + r - t->first] = p->first_collective + i;
	sort_by_member(t);
	read_times(flows, t);
	rc = flows_reduce(flows->fabric->ranks, RANKS_LEAST, t->starts, count);
	return rc != 0 ? rc : flows_reduce(flows->fabric->ranks, RANKS_MOST, t->ends, count);
}

static void
free_times(struct step_times *t)
{
	free(t->operations);
	free(t->first_of);
	free(t->of_member);
	free(t->starts);
	free(t->ends);
}

// ---- shares -------------------------------------------------------------------------------------

// That one more, or one less, computes or communicates.
struct change {
	ps_t at;
	int32_t computing, communicating;
};

static int
compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return a->at < b->at ? -1 : a->at > b->at;
}

struct rank_share {
	ps_t computing, exposed;
};

static struct rank_share
add_up(struct change *changes, size_t count)
{
	struct rank_share share = {0};
	int32_t computing = 0, communicating = 0;

	qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < count; i++) {
		ps_t time = i > 0 ? changes[i].at - changes[i - 1].at : 0;

		if (computing > 0)
			share.computing += time;
		else if (communicating > 0)
			share.exposed += time;
		computing += changes[i].computing;
		communicating += changes[i].communicating;
	}
	return share;
}

static struct rank_share
share_of(const struct step_times *t, uint32_t member, struct change *changes)
{
	size_t count = 0;

	for (uint32_t i = t->first_of[member]; i < t->first_of[member + 1]; i++) {
		uint32_t index = t->of_member[i];

		changes[count++] = (struct change){step_begin(t, index), 1, 0};
		changes[count++] = (struct change){t->start[index], -1, 1};
		changes[count++] = (struct change){t->end[index], 0, -1};
	}
	return add_up(changes, count);
}

static void
compute_shares(const struct step_times *t, struct report_step *out)
{
	struct change *changes = memory_array(3 * (size_t)t->count, sizeof(*changes), "times");
	uint32_t members = t->program->member_count;
	ps_t computing = 0, exposed = 0;

	for (uint32_t m = 0; m < members; m++) {
		struct rank_share share = share_of(t, m, changes);

		computing += share.computing;
		exposed += share.exposed;
	}
	out->computing = computing / members;
	out->exposed = exposed / members;
	free(changes);
}

// ---- steps --------------------------------------------------------------------------------------

// Whether all ranks are done.
static bool
find_span(const struct step_times *t, struct report_step *out, const struct topology *topology)
{
	uint32_t last = 0;
	ps_t start = PS_NEVER;

	for (uint32_t i = 0; i < t->count; i++) {
		if (t->start[i] == PS_NEVER || t->end[i] == PS_NEVER)
			return false;
		start = time_min(start, step_begin(t, i));
		last = t->end[i] > t->end[last] ? i : last;
	}
	out->start = start;
	out->step = t->end[last] - start;
	out->slowest = topology_host(topology, t->workload->ranks[t->first + last].host)->name;
	return true;
}

static void
report_program(const struct fabric_flows *flows, uint32_t program, struct step_times *t,
	       struct report_steps *out)
{
	for (uint32_t time = 0; time < t->program->repeat; time++) {
		struct report_step step = {.id = flows->program_ids[program], .iteration = time};
		struct path_list path = {0};

		t->start = t->starts + (size_t)time * t->count;
		t->end = t->ends + (size_t)time * t->count;
		if (!find_span(t, &step, flows->fabric->topology))
			break;
		compute_shares(t, &step);
		step_path_follow(flows, t, &path);
		step.path = path.items;
		step.path_count = path.count;
		out->items = memory_grow(out->items, out->count, sizeof(step), "steps");
		out->items[out->count++] = step;
	}
}

int
fabric_flows_steps(const struct fabric_flows *flows, struct report_steps *out)
{
	const struct workload *w = flows->workload;
	int rc = 0;

	*out = (struct report_steps){0};
	for (uint32_t i = 0; rc == 0 && i < w->program_count; i++) {
		struct step_times t;

		if (!flows_is_step(&w->programs[i]) || flows->program_left_out[i])
			continue;
		rc = create_times(flows, &w->programs[i], &t);
		if (rc == 0)
			report_program(flows, i, &t, out);
		free_times(&t);
	}
	return rc;
}

void
report_steps_free(struct report_steps *steps)
{
	for (uint32_t i = 0; i < steps->count; i++)
		free(steps->items[i].path);
	free(steps->items);
}
