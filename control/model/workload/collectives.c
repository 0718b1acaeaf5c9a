// SPDX-License-Identifier: BSD-3-Clause
// Programs: what the ranks of collectives do without anyone who tells them. A rank runs the parts
// of its program in turn, each a collective after a time of compute, and the whole `repeat` times.
// Data moves in flows between ranks, each a fixed number of messages each time. What has been
// received is counted by inbox: message k of a flow with a gate may start once every sender to that
// inbox, and to those before it, has delivered k + lead messages of the same time; without a gate
// all may start with the part. (Those before it: a rank takes its turns in order, though a fast
// sender may be a turn ahead of a slow one. Where a rank's inboxes are apart, it takes part in
// several rings at once and their messages do not wait for one another.) So an algorithm is no more
// than its flows, their chunks and their gates (ring.c, tree.c, halving.c, all_to_all.c), and each
// rank goes on as soon as what it needs is there, as with the libraries that it stands for.
//
// A part ends for a rank when all its inboxes have what is due of this time, or, if it receives
// nothing, when all that it sends has been acknowledged; other ranks may be ahead or behind by
// then.
#include "collectives.h"

#include <errno.h>
#include <inttypes.h>

static const char *
kind_name(enum config_work_kind kind)
{
	switch (kind) {
	case CONFIG_WORK_ALL_REDUCE:
		return "all-reduce";
	case CONFIG_WORK_ALL_GATHER:
		return "all-gather";
	case CONFIG_WORK_REDUCE_SCATTER:
		return "reduce-scatter";
	case CONFIG_WORK_ALL_TO_ALL:
		return "all-to-all";
	default:
		return "step";
	}
}

static const char *const algorithm_names[] = {
	[CONFIG_ALGORITHM_RING] = "ring",
	[CONFIG_ALGORITHM_TREE] = "tree",
	[CONFIG_ALGORITHM_HALVING_DOUBLING] = "halving-doubling",
	[CONFIG_ALGORITHM_DIRECT] = "direct",
	[CONFIG_ALGORITHM_SHIFT] = "shift",
};

static int (*const algorithms[])(struct collective *c) = {
	[CONFIG_ALGORITHM_RING] = collective_ring,
	[CONFIG_ALGORITHM_TREE] = collective_tree,
	[CONFIG_ALGORITHM_HALVING_DOUBLING] = collective_halving_doubling,
	[CONFIG_ALGORITHM_DIRECT] = collective_direct,
	[CONFIG_ALGORITHM_SHIFT] = collective_shift,
};

// The sum of all messages: whole turns through the chunks, and what is left.
static uint64_t
sum_messages(const struct flow_messages *m)
{
	uint64_t sum = m->count * m->base;
	uint32_t chunk = m->first, left;

	if (m->extra == 0)
		return sum;
	// A step that is prime to `of` meets each chunk once in a turn, as those of all algorithms
	// do.
	sum += (uint64_t)(m->count / m->of) * m->extra;
	left = m->count % m->of;
	for (uint32_t k = 0; k < left; k++) {
		sum += chunk < m->extra;
		chunk += m->step;
		chunk -= chunk >= m->of ? m->of : 0;
	}
	return sum;
}

int
collective_add(struct collective *c, const struct collective_flow *flow)
{
	struct item *item = c->item;
	const struct collective_spec *spec = &item->workload->collectives[c->index];
	const struct program_spec *program = &item->workload->programs[spec->program];
	const struct flow_messages *m = &flow->messages;
	const struct item_flow added = {
		.src = c->members->ends[flow->from],
		.dst = c->members->ends[flow->to],
		.bytes = sum_messages(m),
		.handed_bytes = m->base + (m->extra != 0),
		.priority = -1,
		.start_ps = item->workload->starts[program->first_start + flow->from] +
			    spec->compute_ps,
		.may_be_inside = true,
		.by_twin = flow->by_twin,
		.pos = item->work->pos,
	};
	struct flow_spec *out;
	int error;

	if (m->count > WORKLOAD_MESSAGES_MAX) {
		diag_error(item->diag, item->file, item->work->pos, "workload",
			   "%u messages of one rank to another; at most %u", m->count,
			   WORKLOAD_MESSAGES_MAX);
		return -EINVAL;
	}
	error = item_add_flow(item, &added, &out);
	if (error != 0)
		return error;
	out->collective = c->index;
	out->from_rank = flow->from;
	out->to_rank = flow->to;
	out->messages = *m;
	out->inbox = flow->inbox;
	out->gate = flow->gate;
	out->gate_lead = flow->gate_lead;
	return 0;
}

static int
add_ranks(struct collective *c)
{
	struct workload *w = c->item->workload;

	for (uint32_t r = 0; r < c->count; r++) {
		if (item_reserve((void **)&w->ranks, &w->rank_capacity, w->rank_count,
				 sizeof(*w->ranks)) != 0)
			return -ENOMEM;
		w->ranks[w->rank_count++] = (struct rank_spec){
			.host = c->members->ends[r].host,
			.port = c->members->ends[r].port,
		};
	}
	return 0;
}

// item->work is the collective's.
static int
add_collective(struct item *item, const struct item_members *members, uint32_t program)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;
	struct collective c = {
		.item = item,
		.members = members,
		.index = w->collective_count,
		.count = members->count,
		.bytes = work->size_bytes,
	};
	int error = item_reserve((void **)&w->collectives, &w->collective_capacity, c.index,
				 sizeof(*w->collectives));

	if (error != 0)
		return error;
	w->collectives[w->collective_count++] = (struct collective_spec){
		.name = work->name.text != NULL ? work->name.text : kind_name(work->kind),
		.kind = kind_name(work->kind),
		.algorithm = algorithm_names[work->algorithm],
		.item = item->index,
		.bytes = work->size_bytes,
		.first_rank = w->rank_count,
		.rank_count = c.count,
		.first_flow = w->flow_count,
		.program = program,
		.compute_ps = work->compute_ps,
		.bus_factor_num = (work->kind == CONFIG_WORK_ALL_REDUCE ? 2 : 1) * (c.count - 1),
		.bus_factor_den = c.count,
	};
	error = add_ranks(&c);
	if (error == 0)
		error = algorithms[work->algorithm](&c);
	w->collectives[c.index].flow_count = w->flow_count - w->collectives[c.index].first_flow;
	return error;
}

static int
add_program(struct item *item, const struct item_members *members, uint32_t parts)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;

	if (item_reserve((void **)&w->programs, &w->program_capacity, w->program_count,
			 sizeof(*w->programs)) != 0)
		return -ENOMEM;
	w->programs[w->program_count++] = (struct program_spec){
		.name = work->name.text != NULL ? work->name.text : kind_name(work->kind),
		.kind = kind_name(work->kind),
		.item = item->index,
		.first_collective = w->collective_count,
		.collective_count = parts,
		.rank_count = members->count,
		.repeat = work->repeat,
		.gap_ps = work->gap_ps,
		.first_start = w->start_count,
	};
	for (uint32_t r = 0; r < members->count; r++) {
		if (item_reserve((void **)&w->starts, &w->start_capacity, w->start_count,
				 sizeof(*w->starts)) != 0)
			return -ENOMEM;
		w->starts[w->start_count++] = item_draw_start(item, members->ends[r].host);
	}
	return 0;
}

// The parts of a step have from it what they do not say.
static int
add_parts(struct item *item, const struct item_members *members)
{
	const struct config_work *step = item->work;
	uint32_t program = item->workload->program_count - 1;
	int error = 0;

	for (unsigned i = 0; error == 0 && i < step->collective_count; i++) {
		struct config_work part = step->collectives[i];

		part.tenant = step->tenant;
		part.priority = part.priority >= 0 ? part.priority : step->priority;
		part.qps = part.qps != 0 ? part.qps : step->qps;
		part.repeat = step->repeat;
		part.gap_ps = step->gap_ps;
		part.compute_ps += i == 0 ? step->compute_ps : 0;
		item->work = &part;
		error = add_collective(item, members, program);
		item->work = step;
	}
	return error;
}

int
item_program(struct item *item)
{
	const struct config_work *work = item->work;
	bool step = work->kind == CONFIG_WORK_STEP;
	uint32_t parts = step ? work->collective_count : 1;
	struct item_members members;
	int error;

	if ((uint64_t)parts * work->repeat > WORKLOAD_TIMES_MAX) {
		diag_error(item->diag, item->file, work->pos, "workload.repeat",
			   "%u times %u collective%s are %" PRIu64 "; at most %u are remembered",
			   work->repeat, parts, parts == 1 ? "" : "s",
			   (uint64_t)parts * work->repeat, WORKLOAD_TIMES_MAX);
		return -EINVAL;
	}
	error = item_find_members(item, &members);
	if (error == 0)
		error = add_program(item, &members, parts);
	if (error == 0)
		error = step ? add_parts(item, &members)
			     : add_collective(item, &members, item->workload->program_count - 1);
	item_free_members(&members);
	return error;
}
