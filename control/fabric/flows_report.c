// SPDX-License-Identifier: BSD-3-Clause
// The results of flows. A flow is complete when its last queue pair is. For flows that repeat, the
// mean is reported; for a flow of a collective, all messages of one execution together.
#include "flows_internal.h"
#include "gather.h"

#include "control/base/memory.h"
#include "control/config/schema.h"

#include <string.h>

static const char *
item_name(const struct config_work *work)
{
	return work->name.text != NULL ? work->name.text
				       : schema_choice_name(schema_work_kinds, work->kind);
}

const char *
fabric_flows_item(const struct fabric_flows *flows, uint32_t flow)
{
	const struct config *config = flows->fabric->topology->config;

	return item_name(&config->workload[flows->workload->flows[flow].item]);
}

// The mean time of one repetition; PS_NEVER until all of them are complete.
static ps_t
mean_time(const struct flow_spec *spec, const struct nic_flow_result *r)
{
	uint64_t times = r->repetitions;

	if (spec->collective != WORKLOAD_NONE)
		times /= spec->messages.count;
	return r->completed == PS_NEVER || times == 0 ? PS_NEVER : r->busy / times;
}

// How many times a flow is sent.
static uint32_t
times_of(const struct fabric_flows *flows, const struct flow_spec *spec)
{
	const struct workload *w = flows->workload;

	return spec->collective == WORKLOAD_NONE
		       ? spec->repeat
		       : w->programs[w->collectives[spec->collective].program].repeat;
}

// What the NICs that are here know of a flow.
struct flow_part {
	ps_t start, fct, end, ideal;
	uint64_t retransmitted;
	uint64_t reorder_max;
};

static const struct flow_part no_part = {.start = PS_NEVER};

static ps_t
later(ps_t a, ps_t b)
{
	return a > b ? a : b;
}

static void
add_part(struct flow_part *to, const struct flow_part *part)
{
	to->start = time_min(to->start, part->start);
	to->fct = later(to->fct, part->fct);
	to->end = later(to->end, part->end);
	to->ideal = later(to->ideal, part->ideal);
	to->retransmitted += part->retransmitted;
	to->reorder_max = later(to->reorder_max, part->reorder_max);
}

static void
add_requester(const struct flow_spec *spec, const struct nic *nic, uint32_t qpn,
	      struct flow_part *out)
{
	struct nic_flow_result r;

	if (nic == NULL)
		return;
	nic_flow_result(nic, qpn, &r);
	out->fct = later(out->fct, mean_time(spec, &r));
	out->end = later(out->end, r.completed);
	out->start = time_min(out->start, r.start);
	out->retransmitted += r.retransmitted;
}

uint32_t
fabric_flows_requester(const struct fabric_flows *flows, uint32_t flow)
{
	const struct flow_spec *spec = &flows->workload->flows[flow];

	return spec->op == CONFIG_OP_READ ? spec->dst : spec->src;
}

void
fabric_flows_times(const struct fabric_flows *flows, uint32_t flow, ps_t *start, ps_t *end)
{
	const struct nic *nic = flows->fabric->nics[fabric_flows_requester(flows, flow)];
	const struct flow_spec *spec = &flows->workload->flows[flow];
	const struct flow_state *state = &flows->states[flow];
	struct flow_part part = no_part;

	for (uint32_t i = 0; i < state->pair_count; i++) {
		const struct queue_pair *pair = &flows->pairs[state->first_pair + i];

		add_requester(spec, nic, spec->op == CONFIG_OP_READ ? pair->dst_qpn : pair->src_qpn,
			      &part);
	}
	*start = part.start;
	*end = part.start != PS_NEVER ? part.end : PS_NEVER;
}

// The receiver of a READ requests the data and knows when it has all of it.
static void
read_pair(const struct fabric *f, const struct flow_spec *spec, const struct queue_pair *pair,
	  struct flow_part *out)
{
	const struct nic *src = f->nics[spec->src], *dst = f->nics[spec->dst];
	struct nic_receiver_result received;
	struct nic_flow_result responder;

	if (spec->op == CONFIG_OP_READ)
		add_requester(spec, dst, pair->dst_qpn, out);
	else
		add_requester(spec, src, pair->src_qpn, out);
	if (spec->op == CONFIG_OP_READ && src != NULL) {
		nic_flow_result(src, pair->src_qpn, &responder);
		out->retransmitted += responder.retransmitted;
	}
	if (dst == NULL)
		return;
	nic_receiver_result(dst, pair->dst_qpn, &received);
	out->reorder_max = later(out->reorder_max, received.reorder_max);
}

static struct flow_part
read_part(const struct fabric_flows *flows, uint32_t id)
{
	const struct flow_state *state = &flows->states[id];
	struct flow_part part = no_part;

	if (flows->fabric->nics[flows->workload->flows[id].src] != NULL)
		part.ideal = state->ideal;
	for (uint32_t i = 0; i < state->pair_count; i++)
		read_pair(flows->fabric, &flows->workload->flows[id],
			  &flows->pairs[state->first_pair + i], &part);
	return part;
}

static struct report_flow
report_flow(const struct fabric_flows *flows, uint32_t id, const struct flow_part *part)
{
	const struct flow_spec *spec = &flows->workload->flows[id];
	const struct topology *t = flows->fabric->topology;

	return (struct report_flow){
		.id = id,
		.item = item_name(&t->config->workload[spec->item]),
		.src = topology_host(t, spec->src)->name,
		.dst = topology_host(t, spec->dst)->name,
		.tenant = spec->tenant == TENANT_NONE ? NULL : flows->tenants[spec->tenant],
		.bytes = spec->bytes,
		.start = part->start,
		.fct = part->fct,
		.end = part->end,
		.repeat = times_of(flows, spec),
		.ideal = part->ideal,
		.retransmitted = part->retransmitted,
		.reorder_max = (uint32_t)part->reorder_max,
	};
}

static void
use_part(void *context, const struct gather_piece *piece)
{
	struct flow_part *to = context, part = no_part;

	if (piece->count == sizeof(part))
		memcpy(&part, piece->data, sizeof(part));
	add_part(to, &part);
}

int
fabric_flows_report(const struct fabric_flows *flows, struct report_flow **out, uint32_t *count)
{
	struct gather *g = gather_create(flows->fabric->ranks, 0);
	struct report_flow *report = gather_sends(g)
					     ? NULL
					     : memory_array(flows->workload->flow_count,
							    sizeof(*report), "flows of the report");
	int rc;

	*count = 0;
	*out = report;
	for (uint32_t i = 0; i < flows->workload->flow_count; i++) {
		struct flow_part part;

		if (flows->states[i].pair_count == 0)
			continue;
		part = read_part(flows, i);
		gather_at(g, i);
		gather_take(g, i, use_part, &part);
		if (!gather_sends(g))
			report[(*count)++] = report_flow(flows, i, &part);
		else if (memcmp(&part, &no_part, sizeof(part)) != 0)
			gather_put(g, 0, &part, sizeof(part));
	}
	rc = gather_finish(g, use_part, &(struct flow_part){0});
	gather_destroy(g);
	return rc;
}
