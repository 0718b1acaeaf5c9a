// SPDX-License-Identifier: BSD-3-Clause
// The results of collectives, one for each execution: from when the first rank began until the last
// rank had everything. A step begins with its compute phase.
#include "flows_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- ids ----------------------------------------------------------------------------------------
// The id of a program is its name. Of several with one name, the second is "train-2", unless an
// item has that name. Collectives of a step are numbered from 1: "train.2.all-to-all".

static bool
is_step(const struct program_spec *p)
{
	return strcmp(p->kind, report_kind_name(REPORT_STEP)) == 0;
}

static char *
collective_id(const struct workload *w, const struct program_spec *p, const char *program,
	      uint32_t index)
{
	return memory_format("%s.%u.%s", program, index + 1,
			     w->collectives[p->first_collective + index].kind);
}

// Whether an id, or that of a collective of its step, is the name of another program.
static bool
is_taken(const json_t *names, const struct workload *w, const struct program_spec *p,
	 const char *id)
{
	bool taken = strcmp(id, p->name) != 0 && json_object_get(names, id) != NULL;

	for (uint32_t i = 0; is_step(p) && !taken && i < p->collective_count; i++) {
		char *of_collective = collective_id(w, p, id, i);

		taken = json_object_get(names, of_collective) != NULL;
		free(of_collective);
	}
	return taken;
}

static char *
program_id(const json_t *names, const struct workload *w, const struct program_spec *p)
{
	json_t *tried = json_object_get(names, p->name);
	char *id = NULL;

	do {
		json_int_t number = json_integer_value(tried) + 1;

		json_integer_set(tried, number);
		free(id);
		id = number == 1 ? memory_text(p->name)
				 : memory_format("%s-%u", p->name, (unsigned)number);
	} while (is_taken(names, w, p, id));
	return id;
}

void
flows_create_ids(struct fabric_flows *flows)
{
	const struct workload *w = flows->workload;
	json_t *names = json_object(); // to the last number tried

	for (uint32_t i = 0; i < w->program_count; i++)
		json_object_set_new_nocheck(names, w->programs[i].name, json_integer(0));
	flows->program_ids = memory_array(w->program_count, sizeof(char *), "ids of programs");
	flows->collective_ids =
		memory_array(w->collective_count, sizeof(char *), "ids of collectives");
	for (uint32_t i = 0; i < w->program_count; i++) {
		const struct program_spec *p = &w->programs[i];

		flows->program_ids[i] = program_id(names, w, p);
		for (uint32_t k = 0; is_step(p) && k < p->collective_count; k++)
			flows->collective_ids[p->first_collective + k] =
				collective_id(w, p, flows->program_ids[i], k);
	}
	json_decref(names);
}

void
flows_free_ids(struct fabric_flows *flows)
{
	for (uint32_t i = 0; i < flows->workload->program_count; i++)
		free(flows->program_ids[i]);
	for (uint32_t i = 0; i < flows->workload->collective_count; i++)
		free(flows->collective_ids[i]);
	free(flows->program_ids);
	free(flows->collective_ids);
}

// ---- times --------------------------------------------------------------------------------------

// Execution `time` of a collective over all its ranks.
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

// Appends the collectives of execution `time` of a program, and of a step also the step itself.
// Returns how many; what has not begun is left out.
static uint32_t
report_time(const struct fabric_flows *flows, uint32_t program, uint32_t time,
	    struct report_collective *out)
{
	const struct program_spec *p = &flows->workload->programs[program];
	const char *id = flows->program_ids[program];
	struct report_collective step = {
		.name = p->name,
		.id = id,
		.step_id = is_step(p) ? id : NULL,
		.kind = REPORT_STEP,
		.ranks = p->rank_count,
		.iteration = time,
		.start = PS_NEVER,
		.step = PS_NEVER,
	};
	struct nic_time one = {0};
	uint32_t count = 0;

	for (; count < p->collective_count; count++) {
		uint32_t index = p->first_collective + count;
		const struct collective_spec *c = &flows->workload->collectives[index];

		one = span(flows, c, time);
		if (one.start == PS_NEVER)
			break;
		if (count == 0)
			step.start = one.start - c->compute_ps;
		out[count] = step;
		out[count].name = c->name;
		out[count].id = is_step(p) ? flows->collective_ids[index] : id;
		out[count].kind = kind_of(c->kind);
		out[count].bytes = c->bytes;
		out[count].start = one.start;
		out[count].step = one.end == PS_NEVER ? PS_NEVER : one.end - one.start;
		step.bytes += c->bytes;
	}
	if (!is_step(p) || step.start == PS_NEVER)
		return count;
	if (count == p->collective_count && one.end != PS_NEVER)
		step.step = one.end - step.start;
	out[count] = step;
	return count + 1;
}

struct report_collective *
fabric_flows_collectives(const struct fabric_flows *flows, uint32_t *count)
{
	const struct workload *w = flows->workload;
	struct report_collective *report;
	size_t most = 0;

	for (uint32_t i = 0; i < w->program_count; i++)
		most += (size_t)w->programs[i].repeat * (w->programs[i].collective_count + 1u);
	report = memory_array(most, sizeof(*report), "executions of collectives");
	*count = 0;
	for (uint32_t i = 0; i < w->program_count; i++)
		for (uint32_t k = 0; !flows->program_left_out[i] && k < w->programs[i].repeat; k++)
			*count += report_time(flows, i, k, &report[*count]);
	return report;
}
