// SPDX-License-Identifier: BSD-3-Clause
// Programs: what the ranks of collectives do on their own. A rank runs the parts of its program in
// turn, each a collective after a time of compute, and repeats all of them `repeat` times. Data
// moves in flows between ranks, each with a fixed number of messages per repetition. Received
// messages are counted by inbox: message k of a flow with a gate may start once every sender to
// that inbox, and to those before it, has delivered k + lead messages of the same repetition;
// without a gate all may start with the part. (Those before it: a rank takes its turns in order,
// though a fast sender may be a turn ahead of a slow one. Where a rank's inboxes are apart, it is
// in several rings at once, whose messages do not wait for one another.) So an algorithm is no more
// than its flows, their chunks and their gates (ring.c, tree.c, halving.c, all_to_all.c), and each
// rank continues as soon as it has what it needs, as with the libraries that this models.
//
// A part ends for a rank when all its inboxes have what is due in this repetition, or, if it
// receives nothing, when all that it sends has been acknowledged; other ranks may be ahead or
// behind by then.
#include "collectives.h"

#include "control/base/memory.h"
#include "control/config/schema.h"

#include <inttypes.h>

static const struct {
	const char *name;
	void (*add_flows)(struct collective *c);
	bool inboxes_apart;
} algorithms[] = {
	[CONFIG_ALGORITHM_RING] = {"ring", collective_ring, true},
	[CONFIG_ALGORITHM_TREE] = {"tree", collective_tree},
	[CONFIG_ALGORITHM_HALVING_DOUBLING] = {"halving-doubling", collective_halving_doubling},
	[CONFIG_ALGORITHM_DIRECT] = {"direct", collective_direct},
	[CONFIG_ALGORITHM_SHIFT] = {"shift", collective_shift},
};

static const char *
kind_name(const struct config_work *work)
{
	return schema_choice_name(schema_work_kinds, work->kind);
}

static const char *
name_of(const struct config_work *work)
{
	return work->name.text != NULL ? work->name.text : kind_name(work);
}

// The sum of all messages: complete turns through the chunks, and the rest.
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

void
collective_add(struct collective *c, const struct collective_flow *flow)
{
	struct item *item = c->item;
	struct workload *w = item->workload;
	const struct collective_spec *spec = &w->collectives[c->index];
	const struct flow_messages *m = &flow->messages;
	const struct item_flow added = {
		.src = c->members->ends[flow->from],
		.dst = c->members->ends[flow->to],
		.bytes = sum_messages(m),
		.handed_bytes = m->base + (m->extra != 0),
		.priority = -1,
		.start_ps = w->starts[w->programs[spec->program].first_start + flow->from] +
			    spec->compute_ps,
		.may_be_inside = true,
		.by_twin = flow->by_twin,
		.pos = item->work->pos,
	};
	struct rank_spec *to = &w->ranks[spec->first_rank + flow->to];
	struct flow_spec *out;

	if (c->error != 0)
		return;
	c->error = m->count <= WORKLOAD_MESSAGES_MAX
			   ? item_add_flow(item, &added)
			   : diag_error(item->diag, item->file, item->work->pos, "workload",
					"%u messages of one rank to another; at most %u", m->count,
					WORKLOAD_MESSAGES_MAX);
	if (c->error != 0)
		return;
	out = &w->flows[w->flow_count - 1];
	out->collective = c->index;
	out->from_rank = flow->from;
	out->to_rank = flow->to;
	out->messages = *m;
	out->inbox = flow->inbox;
	out->gate = flow->gate;
	out->gate_lead = flow->gate_lead;
	if (to->inbox_count <= flow->inbox)
		to->inbox_count = flow->inbox + 1;
}

// item->work is the collective's.
static int
add_collective(struct item *item, const struct item_members *members)
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

	w->collectives =
		memory_grow(w->collectives, c.index, sizeof(*w->collectives), "collectives");
	w->collectives[w->collective_count++] = (struct collective_spec){
		.name = name_of(work),
		.kind = kind_name(work),
		.algorithm = algorithms[work->algorithm].name,
		.item = item->index,
		.bytes = work->size_bytes,
		.first_rank = w->rank_count,
		.rank_count = c.count,
		.first_flow = w->flow_count,
		.program = w->program_count - 1,
		.compute_ps = work->compute_ps,
		.bus_factor_num = (work->kind == CONFIG_WORK_ALL_REDUCE ? 2 : 1) * (c.count - 1),
		.bus_factor_den = c.count,
	};
	for (uint32_t r = 0; r < c.count; r++) {
		w->ranks = memory_grow(w->ranks, w->rank_count, sizeof(*w->ranks), "ranks");
		w->ranks[w->rank_count++] = (struct rank_spec){
			.host = members->ends[r].host,
			.port = members->ends[r].port,
			.inboxes_apart = algorithms[work->algorithm].inboxes_apart,
		};
	}
	algorithms[work->algorithm].add_flows(&c);
	w->collectives[c.index].flow_count = w->flow_count - w->collectives[c.index].first_flow;
	return c.error;
}

static void
add_program(struct item *item, const struct item_members *members, uint32_t parts)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;

	w->programs = memory_grow(w->programs, w->program_count, sizeof(*w->programs), "programs");
	w->programs[w->program_count++] = (struct program_spec){
		.name = name_of(work),
		.kind = kind_name(work),
		.item = item->index,
		.first_collective = w->collective_count,
		.collective_count = parts,
		.rank_count = members->count,
		.repeat = work->repeat,
		.gap_ps = work->gap_ps,
		.first_start = w->start_count,
	};
	for (uint32_t r = 0; r < members->count; r++) {
		w->starts = memory_grow(w->starts, w->start_count, sizeof(*w->starts), "starts");
		w->starts[w->start_count++] = item_draw_start(item, members->ends[r].host);
	}
}

// The parts of a step have from it what they do not say.
static int
add_parts(struct item *item, const struct item_members *members)
{
	const struct config_work *step = item->work;
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
		error = add_collective(item, members);
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

	if ((uint64_t)parts * work->repeat > WORKLOAD_TIMES_MAX)
		return diag_error(item->diag, item->file, work->pos, "workload.repeat",
				  "%u times %u collective%s are %" PRIu64
				  "; at most %u are supported",
				  work->repeat, parts, parts == 1 ? "" : "s",
				  (uint64_t)parts * work->repeat, WORKLOAD_TIMES_MAX);
	error = item_find_members(item, &members);
	if (error == 0) {
		add_program(item, &members, parts);
		error = step ? add_parts(item, &members) : add_collective(item, &members);
	}
	item_free_members(&members);
	return error;
}
