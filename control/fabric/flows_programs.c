// SPDX-License-Identifier: BSD-3-Clause
// Operations as programs of the NICs. Each rank runs a program of its own: its parts are the
// operations of that rank, and their inboxes hold the messages that the rank's flows wait for. Only
// these messages connect the ranks.
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

	for (uint32_t r = 0; r < p->member_count; r++)
		if (!fabric_has_nic(flows->fabric, w->members[p->first_member + r].host))
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
create_part(struct fabric_flows *flows, uint32_t collective, uint32_t rank,
	    const uint32_t *messages)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[collective];
	const struct rank_spec *place = rank_of(w, c, rank);
	struct nic *nic = flows->fabric->nics[place->host];
	struct rank_part *part = &flows->parts[c->first_rank + rank];
	int rc;

	if (nic == NULL)
		return 0; // at another rank
	part->program = flows->programs[w->programs[c->program].first_member + place->member];
	rc = nic_add_part(nic, part->program, &(struct nic_part){.compute = c->compute_ps},
			  &part->part);
	for (uint32_t i = 0; rc == 0 && i < place->inbox_count; i++) {
		const struct nic_inbox inbox = {.messages = messages[part->first_inbox + i],
						.apart = place->inboxes_apart};

		rc = nic_add_inbox(nic, part->program, part->part, &inbox,
				   &flows->inboxes[part->first_inbox + i]);
	}
	return rc;
}

// What the parts of a rank wait for, once all of them are there.
static int
create_order(const struct fabric_flows *flows, uint32_t rank)
{
	const struct workload *w = flows->workload;
	const struct rank_spec *r = &w->ranks[rank];
	struct nic *nic = flows->fabric->nics[r->host];
	const struct rank_part *part = &flows->parts[rank];
	int rc = 0;

	for (uint32_t i = 0; nic != NULL && rc == 0 && i < r->after_count; i++)
		rc = nic_add_order(nic, part->program,
				   flows->parts[w->afters[r->first_after + i]].part, part->part);
	return rc;
}

static int
create_program(struct fabric_flows *flows, const struct program_spec *p, const uint32_t *messages)
{
	const struct workload *w = flows->workload;
	const struct collective_spec *c = &w->collectives[p->first_collective];
	int rc = 0;

	for (uint32_t r = 0; rc == 0 && r < p->member_count; r++) {
		const struct member_spec *m = &w->members[p->first_member + r];
		const struct nic_program program = {
			.start = m->start_ps, .gap = p->gap_ps, .repeat = p->repeat};

		if (flows->fabric->nics[m->host] != NULL)
			rc = nic_add_program(flows->fabric->nics[m->host], &program,
					     &flows->programs[p->first_member + r]);
	}
	for (uint32_t i = 0; i < p->collective_count; i++)
		for (uint32_t r = 0; rc == 0 && r < c[i].rank_count; r++)
			rc = create_part(flows, p->first_collective + i, r, messages);
	for (uint32_t i = 0; i < p->collective_count; i++)
		for (uint32_t r = 0; rc == 0 && r < c[i].rank_count; r++)
			rc = create_order(flows, c[i].first_rank + r);
	return rc;
}

// The parts of generated pairs.
static int
create_exchanges(struct fabric_flows *flows, const struct program_spec *p, struct diag *diag)
{
	const struct workload *w = flows->workload;
	uint32_t last = p->first_collective + p->collective_count;
	int rc = 0;

	for (uint32_t i = p->first_collective; i < last; i++)
		for (uint32_t r = 0;
		     rc == 0 && w->collectives[i].generated && r < w->collectives[i].rank_count;
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
	flows->programs = memory_array(w->member_count, sizeof(*flows->programs), "programs");
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
