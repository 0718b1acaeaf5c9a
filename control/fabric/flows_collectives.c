// SPDX-License-Identifier: BSD-3-Clause
// How long collectives took, time by time: from when the first rank began to when the last had
// everything. A step begins with its compute phase.
#include "flows_internal.h"
#include "control/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_ID_MAX 120

// A collective's time `time` over all its ranks.
static struct nic_time
span(const struct fabric_flows *flows, const struct collective_spec *c, uint32_t time)
{
	const struct workload *w = flows->workload;
	struct nic_time all = {.start = PS_NEVER};

	for (uint32_t r = 0; r < c->rank_count; r++) {
		const struct rank_part *part = &flows->parts[c->first_rank + r];
		struct nic_time one;

		if (nic_part_time(flows->fabric->nics[w->ranks[c->first_rank + r].host],
				  part->program, part->part, time, &one) != 0)
			continue;
		all.start = time_min(all.start, one.start);
		all.end = one.end > all.end ? one.end : all.end;
	}
	return all;
}

static enum report_kind
kind_of(const char *name)
{
	enum report_kind kind = REPORT_ALL_TO_ALL;

	while (kind < REPORT_STEP && strcmp(report_kind_name(kind), name) != 0)
		kind++;
	return kind;
}

static struct report_collective *
append(struct report_collective *out, const char *name, enum report_kind kind,
       const struct program_spec *p, uint32_t iteration, struct nic_time time)
{
	*out = (struct report_collective){
		.name = name,
		.kind = kind,
		.ranks = p->rank_count,
		.iteration = iteration,
		.start = time.start,
		.step = time.end == PS_NEVER ? PS_NEVER : time.end - time.start,
	};
	return out;
}

// What no other program of the workload is called: its name, and of several of one name the second
// is "train-2".
static void
program_id(const struct workload *w, const struct program_spec *p, char id[static PROGRAM_ID_MAX])
{
	unsigned int same = 1;

	for (const struct program_spec *other = w->programs; other < p; other++)
		same += strcmp(other->name, p->name) == 0;
	snprintf(id, 101, "%s", p->name);
	utf8_end(id, strlen(id));
	if (same != 1)
		snprintf(id + strlen(id), PROGRAM_ID_MAX - strlen(id), "-%u", same);
}

// Collectives of a step are numbered from 1: "train.2.all-to-all".
static void
name_uniquely(struct report_collective *c, const char *program, uint32_t number, bool of_step)
{
	if (number != 0 && of_step)
		snprintf(c->id, sizeof(c->id), "%s.%u.%.20s", program, number,
			 report_kind_name(c->kind));
	else
		snprintf(c->id, sizeof(c->id), "%s", program);
	snprintf(c->step_id, sizeof(c->step_id), "%s", of_step ? program : "");
}

// Appends the collectives of one time of a program, and for a step the whole of it behind them.
// Returns how many; what has not begun is left out.
static uint32_t
report_time(const struct fabric_flows *flows, const struct program_spec *p, uint32_t time,
	    struct report_collective *out)
{
	const struct workload *w = flows->workload;
	struct nic_time whole = {.start = PS_NEVER};
	bool step = kind_of(p->kind) == REPORT_STEP;
	char id[PROGRAM_ID_MAX];
	uint64_t bytes = 0;
	uint32_t count = 0;

	program_id(w, p, id);
	for (uint32_t i = 0; i < p->collective_count; i++) {
		const struct collective_spec *c = &w->collectives[p->first_collective + i];
		struct nic_time one = span(flows, c, time);

		if (one.start == PS_NEVER) {
			whole.end = PS_NEVER;
			break;
		}
		if (i == 0)
			whole.start = one.start - c->compute_ps;
		whole.end = one.end;
		append(&out[count], c->name, kind_of(c->kind), p, time, one)->bytes = c->bytes;
		name_uniquely(&out[count++], id, i + 1, step);
		bytes += c->bytes;
	}
	if (step && whole.start != PS_NEVER) {
		append(&out[count], p->name, REPORT_STEP, p, time, whole)->bytes = bytes;
		name_uniquely(&out[count++], id, 0, step);
	}
	return count;
}

struct report_collective *
fabric_flows_collectives(const struct fabric_flows *flows, uint32_t *count)
{
	const struct workload *w = flows->workload;
	struct report_collective *report;
	size_t most = 1;

	for (uint32_t i = 0; i < w->program_count; i++)
		most += (size_t)w->programs[i].repeat * (w->programs[i].collective_count + 1u);
	report = calloc(most, sizeof(*report));
	*count = 0;
	for (uint32_t i = 0; report != NULL && i < w->program_count; i++)
		for (uint32_t k = 0; !flows->program_left_out[i] && k < w->programs[i].repeat; k++)
			*count += report_time(flows, &w->programs[i], k, &report[*count]);
	return report;
}
