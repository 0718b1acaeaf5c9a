// SPDX-License-Identifier: BSD-3-Clause
// What the operations of programs send (graph_flows.c). Data moves in flows between ranks, each
// with a fixed number of messages per repetition. Received messages are counted by inbox: message k
// of a flow with a gate may start once every sender to that inbox, and to those before it, has
// delivered k + lead messages of the same repetition; without a gate all may start with the
// operation. (Those before it: a rank takes its turns in order, though a fast sender may be a turn
// ahead of a slow one. Where a rank's inboxes are apart, it is in several rings at once, whose
// messages do not wait for one another.) So an algorithm is no more than its flows, their chunks
// and their gates (ring.c, tree.c, halving.c, all_to_all.c, send.c), and each rank continues as
// soon as it has what it needs, as with the libraries that this models.
//
// An operation ends at a rank when all its inboxes have what is due in this repetition, or, if it
// receives nothing, when all that it sends has been acknowledged; other ranks may be ahead or
// behind by then.
#include "collectives.h"

#include "control/base/memory.h"

#include <inttypes.h>

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
	const struct rank_spec *from = &w->ranks[spec->first_rank + flow->from];
	const struct flow_messages *m = &flow->messages;
	const struct item_flow added = {
		.src = c->members->ends[flow->from],
		.dst = c->members->ends[flow->to],
		.bytes = sum_messages(m),
		.handed_bytes = m->base + (m->extra != 0),
		.priority = -1,
		.start_ps = w->members[w->programs[spec->program].first_member + from->member]
				    .start_ps +
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

struct flow_messages
collective_chunks(struct collective *c)
{
	const struct item *item = c->item;
	uint64_t chunk = item->work->chunk_bytes, count = (c->bytes + chunk - 1) / chunk;

	if (count > WORKLOAD_MESSAGES_MAX)
		c->error = diag_error(item->diag, item->file, item->work->pos, "workload.chunk",
				      "%" PRIu64 " bytes in chunks of %" PRIu64 " are %" PRIu64
				      " messages; at most %u",
				      c->bytes, chunk, count, WORKLOAD_MESSAGES_MAX);
	return collective_messages(c->bytes, (uint32_t)(count != 0 ? count : 1));
}

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

const char *
collective_algorithm_name(const struct config_work *work)
{
	return work->kind == CONFIG_WORK_SEND      ? "send"
	       : work->kind == CONFIG_WORK_COMPUTE ? "compute"
						   : algorithms[work->algorithm].name;
}

bool
collective_inboxes_apart(const struct config_work *work)
{
	return algorithms[work->algorithm].inboxes_apart;
}

void
collective_add_flows(struct collective *c)
{
	enum config_work_kind kind = c->item->work->kind;

	if (kind == CONFIG_WORK_COMPUTE || c->count < 2)
		return;
	if (kind == CONFIG_WORK_SEND)
		collective_send(c);
	else if (kind == CONFIG_WORK_BROADCAST)
		collective_broadcast(c);
	else
		algorithms[c->item->work->algorithm].add_flows(c);
}
