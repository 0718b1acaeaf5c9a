// SPDX-License-Identifier: BSD-3-Clause
// The results of flows. A flow is complete when its last queue pair is. For flows that repeat, the
// mean is reported; for a flow of a collective, all messages of one execution together.
#include "flows_internal.h"

#include "control/base/memory.h"

static const char *
item_name(const struct config_work *work)
{
	static const char *const kinds[] = {
		[CONFIG_WORK_FLOW] = "flow",
		[CONFIG_WORK_FLOWS] = "flows",
		[CONFIG_WORK_STREAM] = "stream",
		[CONFIG_WORK_INCAST] = "incast",
		[CONFIG_WORK_PERMUTATION] = "permutation",
		[CONFIG_WORK_SHIFT] = "shift",
		[CONFIG_WORK_POISSON] = "poisson",
		[CONFIG_WORK_ALL_REDUCE] = "all-reduce",
		[CONFIG_WORK_ALL_GATHER] = "all-gather",
		[CONFIG_WORK_REDUCE_SCATTER] = "reduce-scatter",
		[CONFIG_WORK_ALL_TO_ALL] = "all-to-all",
		[CONFIG_WORK_STEP] = "step",
	};

	return work->name.text != NULL ? work->name.text : kinds[work->kind];
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

static void
report_flow(const struct fabric_flows *flows, uint32_t id, struct report_flow *out)
{
	const struct flow_spec *spec = &flows->workload->flows[id];
	const struct flow_state *state = &flows->states[id];
	const struct fabric *f = flows->fabric;
	const struct topology *t = f->topology;

	*out = (struct report_flow){
		.id = id,
		.item = item_name(&t->config->workload[spec->item]),
		.src = topology_host(t, spec->src)->name,
		.dst = topology_host(t, spec->dst)->name,
		.tenant = spec->tenant == TENANT_NONE ? NULL : flows->tenants[spec->tenant],
		.bytes = spec->bytes,
		.start = spec->start_ps,
		.repeat = times_of(flows, spec),
		.ideal = state->ideal,
	};
	for (uint32_t i = 0; i < state->pair_count; i++) {
		const struct queue_pair *pair = &flows->pairs[state->first_pair + i];
		struct nic_flow_result requester, responder = {0};
		struct nic_receiver_result received;
		ps_t fct;

		// The receiver of a READ requests the data and knows when it has all of it.
		if (spec->op == CONFIG_OP_READ) {
			nic_flow_result(f->nics[spec->dst], pair->dst_qpn, &requester);
			nic_flow_result(f->nics[spec->src], pair->src_qpn, &responder);
		} else {
			nic_flow_result(f->nics[spec->src], pair->src_qpn, &requester);
		}
		nic_receiver_result(f->nics[spec->dst], pair->dst_qpn, &received);
		fct = mean_time(spec, &requester);
		out->fct = fct > out->fct ? fct : out->fct;
		out->end = requester.completed > out->end ? requester.completed : out->end;
		if (i == 0 || requester.start < out->start)
			out->start = requester.start;
		out->retransmitted += requester.retransmitted + responder.retransmitted;
		out->reorder_max = received.reorder_max > out->reorder_max ? received.reorder_max
									   : out->reorder_max;
	}
}

struct report_flow *
fabric_flows_report(const struct fabric_flows *flows, uint32_t *count)
{
	struct report_flow *report =
		memory_array(flows->workload->flow_count, sizeof(*report), "flows of the report");

	*count = 0;
	for (uint32_t i = 0; i < flows->workload->flow_count; i++)
		if (flows->states[i].pair_count != 0)
			report_flow(flows, i, &report[(*count)++]);
	return report;
}
