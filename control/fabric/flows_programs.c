// SPDX-License-Identifier: BSD-3-Clause
// Collectives as programs of the NICs. Each rank runs a program of its own: its parts are the
// collectives, and their inboxes hold the messages that the rank's flows wait for. Only these
// messages connect the ranks.
#include "flows_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

static const struct rank_spec *
rank_of(const struct workload *w, const struct collective_spec *c, uint32_t rank)
{
	return &w->ranks[c->first_rank + rank];
}

static bool
has_attached_rank(const struct fabric_flows *flows, const struct program_spec *p)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *first = &w->collectives[p->first_collective];

	for (uint32_t r = 0; r < p->rank_count; r++)
		if (!fabric_has_nic(flows->fabric, rank_of(w, first, r)->host))
			return true;
	return false;
}

// By inbox, as in flows->inboxes: the messages that it gets in one execution.
static uint32_t *
count_messages(const struct fabric_flows *flows, uint32_t inboxes)
{
	const struct workload *w = flows->workload;
	uint32_t *messages = memory_array(inboxes, sizeof(*messages), "inboxes");

	for (uint32_t i = 0; i < w->flow_count; i++) {
		const struct flow_spec *f = &w->flows[i];
		uint32_t rank;

		if (f->collective == WORKLOAD_NONE)
			continue;
		rank = w->collectives[f->collective].first_rank + f->to_rank;
		messages[flows->parts[rank].first_inbox + f->inbox] = f->messages.count;
	}
	return messages;
}

static int
create_part(struct fabric_flows *flows, uint32_t collective, uint32_t rank, uint32_t program,
	    const uint32_t *messages)
{
	const struct collective_spec *c = &flows->workload->collectives[collective];
	const struct rank_spec *place = rank_of(flows->workload, c, rank);
	struct nic *nic = flows->fabric->nics[place->host];
	struct rank_part *part = &flows->parts[c->first_rank + rank];
	int rc;

	part->program = program;
	rc = nic_add_part(nic, program, &(struct nic_part){.compute = c->compute_ps}, &part->part);
	for (uint32_t i = 0; rc == 0 && i < place->inbox_count; i++) {
		const struct nic_inbox inbox = {.messages = messages[part->first_inbox + i],
						.apart = place->inboxes_apart};

		rc = nic_add_inbox(nic, program, part->part, &inbox,
				   &flows->inboxes[part->first_inbox + i]);
	}
	return rc;
}

static int
create_program(struct fabric_flows *flows, const struct program_spec *p, const uint32_t *messages)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *first = &w->collectives[p->first_collective];

	for (uint32_t r = 0; r < p->rank_count; r++) {
		struct nic *nic = flows->fabric->nics[rank_of(w, first, r)->host];
		const struct nic_program program = {.start = w->starts[p->first_start + r],
						    .gap = p->gap_ps,
						    .repeat = p->repeat};
		uint32_t id;
		int rc;

		if (nic == NULL)
			continue; // at another rank
		rc = nic_add_program(nic, &program, &id);
		for (uint32_t i = 0; rc == 0 && i < p->collective_count; i++)
			rc = create_part(flows, p->first_collective + i, r, id, messages);
		if (rc != 0)
			return rc;
	}
	return 0;
}

// The parts of generated pairs.
static int
create_exchanges(struct fabric_flows *flows, const struct program_spec *p, struct diag *diag)
{
	const struct workload *w = flows->workload;
	uint32_t last = p->first_collective + p->collective_count;
	int rc = 0;

	for (uint32_t i = p->first_collective; i < last; i++)
		for (uint32_t r = 0; rc == 0 && w->collectives[i].generated && r < p->rank_count;
		     r++)
			rc = flows_add_exchange(flows, i, r, diag);
	return rc;
}

static uint32_t
count_generated(const struct workload *w, const struct program_spec *p)
{
	uint64_t pairs = 0;

	for (uint32_t i = 0; i < p->collective_count; i++)
		pairs += w->collectives[p->first_collective + i].pair_count;
	return (uint32_t)pairs; // below WORKLOAD_PAIRS_MAX
}

int
flows_create_programs(struct fabric_flows *flows, struct diag *diag)
{
	const struct workload *w = flows->workload;
	uint32_t inboxes = 0, *messages;
	int rc = 0;

	for (uint32_t r = 0; r < w->rank_count; r++) {
		flows->parts[r].first_inbox = inboxes;
		inboxes += w->ranks[r].inbox_count;
	}
	flows->inboxes = memory_array(inboxes, sizeof(*flows->inboxes), "inboxes");
	messages = count_messages(flows, inboxes);
	for (uint32_t i = 0; rc == 0 && i < w->program_count; i++) {
		flows->program_left_out[i] = has_attached_rank(flows, &w->programs[i]);
		if (flows->program_left_out[i]) {
			flows->left_out += count_generated(w, &w->programs[i]);
			continue;
		}
		rc = create_program(flows, &w->programs[i], messages);
		if (rc == -EINVAL)
			diag_error(diag, flows->fabric->config->file,
				   flows->fabric->config->workload[w->programs[i].item].pos,
				   "workload.repeat", "more times than a NIC can keep");
		if (rc == 0)
			rc = create_exchanges(flows, &w->programs[i], diag);
	}
	free(messages);
	return rc;
}

void
flows_join_program(const struct fabric_flows *flows, const struct flow_spec *spec, uint32_t index,
		   uint32_t count, struct nic_flow *flow, uint32_t *inbox)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[spec->collective];
	const struct rank_part *from = &flows->parts[c->first_rank + spec->from_rank];
	const struct rank_part *to = &flows->parts[c->first_rank + spec->to_rank];
	const struct flow_messages *m = &spec->messages;

	flow->program = from->program;
	flow->part = from->part;
	// If a message is one byte longer, one queue pair carries that byte.
	flow->messages = (struct nic_messages){
		.count = m->count,
		.base = workload_share(m->base, index, count),
		.extra = index == m->base % count ? m->extra : 0,
		.first = m->first,
		.step = m->step,
		.of = m->of,
	};
	flow->gate = spec->gate == WORKLOAD_NONE ? NIC_NONE
						 : flows->inboxes[from->first_inbox + spec->gate];
	flow->gate_lead = spec->gate_lead;
	*inbox = flows->inboxes[to->first_inbox + spec->inbox];
}
