// SPDX-License-Identifier: BSD-3-Clause
// The results of collectives, one for each execution: from when the first rank began until the last
// rank had everything. A step begins with its compute phase.
#include "flows_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- ids ----------------------------------------------------------------------------------------
// The id of a program is its name. Of several with one name, the second is "train-2", unless an
// item has that name. Operations of a step are numbered from 1: "train.2.all-to-all"; where several
// groups do one, they are too: "train.2.all-to-all.3".

// A trace is a step that others wrote down.
bool
flows_is_step(const struct program_spec *p)
{
	return strcmp(p->kind, report_kind_name(REPORT_STEP)) == 0;
}

static char *
collective_id(const struct workload *w, const struct program_spec *p, const char *program,
	      uint32_t index)
{
	const struct collective_spec *c = &w->collectives[p->first_collective + index];

	if (c->group_count > 1)
		return memory_format("%s.%u.%s.%u", program, c->operation + 1, c->kind,
				     c->group_index + 1);
	return memory_format("%s.%u.%s", program, c->operation + 1, c->kind);
}

// Whether an id, or that of a collective of its step, is the name of another program.
static bool
is_taken(const json_t *names, const struct workload *w, const struct program_spec *p,
	 const char *id)
{
	bool taken = strcmp(id, p->name) != 0 && json_object_get(names, id) != NULL;

	for (uint32_t i = 0; flows_is_step(p) && !taken && i < p->collective_count; i++) {
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
		for (uint32_t k = 0; flows_is_step(p) && k < p->collective_count; k++)
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

// Of all executions of all collectives: those of a program's first execution, then of its second,
// and program after program.
struct spans {
	uint64_t *starts; // PS_NEVER: not begun
	uint64_t *ends;   // PS_NEVER: open
	// When the first rank turned to it, and when the last was done with it.
	uint64_t *begins, *dones;
	uint64_t *acks; // of messages: when the sender had the acknowledgement
	size_t count;
};

enum report_kind
flows_kind(const struct collective_spec *c)
{
	enum report_kind kind = REPORT_ALL_TO_ALL;

	while (kind < REPORT_STEP && strcmp(report_kind_name(kind), c->kind) != 0)
		kind++;
	return kind;
}

// Execution `time` of a collective over those of its ranks whose NICs are here.
static void
add_span(const struct fabric_flows *flows, const struct collective_spec *c, uint32_t time,
	 struct spans *s)
{
	const struct workload *w = flows->workload;
	bool message = flows_kind(c) == REPORT_SEND;
	struct nic_time all = {.start = PS_NEVER}, turn = all;
	ps_t acked = 0;

	for (uint32_t r = 0; r < c->rank_count; r++) {
		const struct rank_part *part = &flows->parts[c->first_rank + r];
		const struct nic *nic = flows->fabric->nics[w->ranks[c->first_rank + r].host];
		struct nic_time one;

		if (nic == NULL || nic_part_time(nic, part->program, part->part, time, &one) != 0)
			continue;
		if (one.start != PS_NEVER)
			turn.start = time_min(turn.start, one.start - c->compute_ps);
		turn.end = one.end > turn.end ? one.end : turn.end;
		// A message is from its sender's start to its arrival: the receiver may have waited
		// for it, and the sender waits for the acknowledgement. If the receiver turned to
		// it later, that is what shows when it arrived.
		if (!message || r == 0)
			all.start = time_min(all.start, one.start);
		if (message && r == 0)
			acked = one.end;
		if (!message || r == 1)
			all.end = one.end > all.end ? one.end : all.end;
	}
	s->starts[s->count] = all.start;
	s->begins[s->count] = turn.start;
	s->dones[s->count] = turn.end;
	s->acks[s->count] = acked;
	s->ends[s->count++] = all.end;
}

int
flows_reduce(struct ranks *ranks, enum ranks_reduction how, uint64_t *values, size_t count)
{
	const size_t most = 1 << 16;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i += most)
		rc = ranks_reduce(ranks, how, values + i,
				  (uint32_t)(count - i < most ? count - i : most));
	return rc;
}

static int
create_spans(const struct fabric_flows *flows, size_t count, struct spans *s)
{
	const struct workload *w = flows->workload;
	int rc;

	*s = (struct spans){
		.starts = memory_array(count, sizeof(*s->starts), "times of collectives"),
		.begins = memory_array(count, sizeof(*s->begins), "times of collectives"),
		.dones = memory_array(count, sizeof(*s->dones), "times of collectives"),
		.acks = memory_array(count, sizeof(*s->acks), "times of collectives"),
		.ends = memory_array(count, sizeof(*s->ends), "times of collectives"),
	};
	for (uint32_t i = 0; i < w->program_count; i++)
		for (uint32_t k = 0; !flows->program_left_out[i] && k < w->programs[i].repeat; k++)
			for (uint32_t c = 0; c < w->programs[i].collective_count; c++)
				add_span(flows,
					 &w->collectives[w->programs[i].first_collective + c], k,
					 s);
	rc = flows_reduce(flows->fabric->ranks, RANKS_LEAST, s->starts, s->count);
	if (rc == 0)
		rc = flows_reduce(flows->fabric->ranks, RANKS_LEAST, s->begins, s->count);
	if (rc == 0)
		rc = flows_reduce(flows->fabric->ranks, RANKS_MOST, s->dones, s->count);
	if (rc == 0)
		rc = flows_reduce(flows->fabric->ranks, RANKS_MOST, s->acks, s->count);
	return rc != 0 ? rc : flows_reduce(flows->fabric->ranks, RANKS_MOST, s->ends, s->count);
}

static void
free_spans(struct spans *s)
{
	free(s->starts);
	free(s->begins);
	free(s->dones);
	free(s->acks);
	free(s->ends);
}

static ps_t
end_of(const struct collective_spec *c, const struct spans *s, size_t index)
{
	return flows_kind(c) == REPORT_SEND ? time_min(s->ends[index], s->acks[index])
					    : s->ends[index];
}

// A collective begins when its data may go; computing, when it does.
static ps_t
begin_of(const struct collective_spec *c, ps_t start)
{
	return flows_kind(c) == REPORT_COMPUTE ? start - c->compute_ps : start;
}

// What all ranks put into a collective together; of a message, its sender.
static long double
bytes_of_all(const struct collective_spec *c)
{
	return (long double)c->bytes * (flows_kind(c) == REPORT_SEND ? 1 : c->rank_count);
}

// Appends the collectives of execution `time` of a program, and of a step also the step itself.
// Returns how many; what has not begun is left out. s: `first` is that of its first collective.
static uint32_t
report_time(const struct fabric_flows *flows, uint32_t program, uint32_t time,
	    const struct spans *s, size_t first, struct report_collective *out)
{
	const struct program_spec *p = &flows->workload->programs[program];
	const char *id = flows->program_ids[program];
	struct report_collective step = {
		.name = p->name,
		.id = id,
		.step_id = flows_is_step(p) ? id : NULL,
		.kind = REPORT_STEP,
		.ranks = p->member_count,
		.iteration = time,
		.start = PS_NEVER,
		.step = PS_NEVER,
	};
	long double bytes = 0; // exact up to 2^64 of them
	uint32_t count = 0;
	bool open = false;
	ps_t end = 0;

	for (uint32_t i = 0; i < p->collective_count; i++) {
		uint32_t index = p->first_collective + i;
		const struct collective_spec *c = &flows->workload->collectives[index];
		const struct nic_time one = {.start = s->starts[first + i],
					     .end = end_of(c, s, first + i)};

		open |= one.start == PS_NEVER || s->dones[first + i] == PS_NEVER;
		if (one.start == PS_NEVER)
			continue;
		step.start = time_min(step.start, s->begins[first + i]);
		end = s->dones[first + i] > end ? s->dones[first + i] : end;
		out[count] = step;
		out[count].name = c->name;
		out[count].id = flows_is_step(p) ? flows->collective_ids[index] : id;
		out[count].label = c->label;
		out[count].group = c->group;
		out[count].kind = flows_kind(c);
		out[count].ranks = c->rank_count;
		out[count].bytes = c->bytes;
		out[count].start = begin_of(c, one.start);
		out[count].step = one.end == PS_NEVER ? PS_NEVER : one.end - out[count].start;
		bytes += bytes_of_all(c);
		count++;
	}
	if (!flows_is_step(p) || step.start == PS_NEVER)
		return count;
	step.bytes = (uint64_t)(bytes / p->member_count);
	if (!open)
		step.step = end - step.start;
	out[count] = step;
	return count + 1;
}

int
fabric_flows_collectives(const struct fabric_flows *flows, struct report_collective **out,
			 uint32_t *count)
{
	const struct workload *w = flows->workload;
	struct report_collective *report;
	size_t most = 0, next = 0;
	struct spans spans;
	int rc;

	for (uint32_t i = 0; i < w->program_count; i++)
		most += (size_t)w->programs[i].repeat * (w->programs[i].collective_count + 1u);
	*out = report = memory_array(most, sizeof(*report), "executions of collectives");
	*count = 0;
	rc = create_spans(flows, most, &spans);
	for (uint32_t i = 0; rc == 0 && i < w->program_count; i++)
		for (uint32_t k = 0; !flows->program_left_out[i] && k < w->programs[i].repeat;
		     k++) {
			*count += report_time(flows, i, k, &spans, next, &report[*count]);
			next += w->programs[i].collective_count;
		}
	free_spans(&spans);
	return rc;
}
