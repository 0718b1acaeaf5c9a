// SPDX-License-Identifier: BSD-3-Clause
// Workload items become lists of flows and streams before anything runs. An item that draws (the
// order of a permutation, arrivals, the jitter of starts) draws from a random stream of its own, by
// the fabric's seed and the item's place in the file: what one item draws never depends on another.
//
// What a flow does not say it has from its item, and what the item does not say from its sender's
// settings. A flow between hosts that no route joins is refused, so tenants stay apart by what
// routes say and not by a second rule.
#include "workload_internal.h"

#include "dataplane/roce/arrivals.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define RANDOM_STREAMS UINT64_C(0x776f726b6c6f6164) // "workload": far from the nodes' streams

ps_t
item_draw_start(struct item *item, uint32_t host)
{
	uint64_t jitter = item->hosts[host].start_jitter_ps;

	return item->work->at_ps + (jitter != 0 ? uniform_below(&item->random, jitter + 1) : 0);
}

// The priority that a flow has without a word of its own: the item's, or a draw from its mix.
static int
item_priority(struct item *item)
{
	const struct config_work *work = item->work;
	uint32_t draw;

	if (!work->mixed)
		return work->priority;
	draw = (uint32_t)uniform_below(&item->random, CONFIG_PPM);
	for (int p = 0; p < CONFIG_PRIORITIES - 1; p++) {
		if (draw < work->mix_ppm[p])
			return p;
		draw -= work->mix_ppm[p];
	}
	return CONFIG_PRIORITIES - 1;
}

int
item_add_flow(struct item *item, const struct item_flow *flow)
{
	const struct config_work *work = item->work;
	const struct host_config *host = &item->hosts[flow->src.host];
	struct workload *w = item->workload;
	int priority = flow->priority >= 0 ? flow->priority : item_priority(item);
	struct item_path path;

	if (item_find_path(item, flow, &path) != 0)
		return -EINVAL;
	if (w->flow_count == WORKLOAD_FLOWS_MAX)
		return diag_error(item->diag, item->file, flow->pos, "workload",
				  "more than %u flows", WORKLOAD_FLOWS_MAX);
	w->flows = memory_grow(w->flows, w->flow_count, sizeof(*w->flows), "flows");
	w->flows[w->flow_count++] = (struct flow_spec){
		.src = flow->src.host,
		.dst = flow->dst.host,
		.bytes = flow->bytes,
		.start_ps = flow->start_ps,
		.gap_ps = work->gap_ps,
		.handover_ps = path.handover_ps,
		.repeat = work->repeat != 0 ? work->repeat : 1,
		.qps = work->qps != 0 ? work->qps : host->qps,
		.item = item->index,
		.collective = WORKLOAD_NONE,
		.from_rank = WORKLOAD_NONE,
		.to_rank = WORKLOAD_NONE,
		.inbox = WORKLOAD_NONE,
		.gate = WORKLOAD_NONE,
		.inside = path.inside,
		.tenant = topology_host_tenant(item->topology, flow->src.host),
		.src_port = path.src_port,
		.dst_port = flow->dst.port,
		.priority = priority >= 0 ? (uint8_t)priority : host->priority,
		.op = (uint8_t)work->op,
	};
	return 0;
}

static int (*const kinds[])(struct item *item) = {
	[CONFIG_WORK_FLOW] = item_flow,
	[CONFIG_WORK_FLOWS] = item_flows_file,
	[CONFIG_WORK_STREAM] = item_stream,
	[CONFIG_WORK_INCAST] = item_incast,
	[CONFIG_WORK_PERMUTATION] = item_permutation,
	[CONFIG_WORK_SHIFT] = item_shift,
	[CONFIG_WORK_POISSON] = item_poisson,
	[CONFIG_WORK_ALL_REDUCE] = item_collective,
	[CONFIG_WORK_ALL_GATHER] = item_collective,
	[CONFIG_WORK_REDUCE_SCATTER] = item_collective,
	[CONFIG_WORK_ALL_TO_ALL] = item_collective,
	[CONFIG_WORK_BROADCAST] = item_collective,
	[CONFIG_WORK_STEP] = item_step,
	[CONFIG_WORK_TRACE] = item_trace,
	[CONFIG_WORK_MODEL] = item_model,
};

static int
add_item(struct item *item)
{
	const struct config_name *tenant = &item->work->tenant;
	uint16_t found;

	if (tenant->text != NULL &&
	    topology_resolve_tenant(item->topology, tenant, "workload.tenant", &found,
				    item->diag) != 0)
		return -EINVAL;
	return kinds[item->work->kind](item);
}

// Takes back what an item has begun.
static void
leave_out(struct workload *w, const struct workload *before)
{
	w->flow_count = before->flow_count;
	w->stream_count = before->stream_count;
	w->program_count = before->program_count;
	w->collective_count = before->collective_count;
	w->rank_count = before->rank_count;
	w->after_count = before->after_count;
	w->member_count = before->member_count;
}

// A NIC must not be faster than the chunks that it sends on come.
static int
check_chunks(const struct topology *t, const struct host_config *hosts, struct diag *diag)
{
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++) {
			uint64_t rate = topology_host_port(t, h, (uint8_t)p)->rate_bps;
			char nic[CONFIG_TEXT], inside[CONFIG_TEXT];

			if (hosts[h].inside_chunk_bytes == 0 || rate <= hosts[h].inside_rate_bps)
				continue;
			return diag_error(diag, t->config->file, (struct diag_pos){0},
					  "hosts.inside.chunk",
					  "%s.%s sends at %s, faster than chunks come at an "
					  "inside.rate of %s: raise it, or leave chunk out",
					  topology_host(t, h)->name,
					  topology_host_port(t, h, (uint8_t)p)->name,
					  config_rate_text(rate, nic),
					  config_rate_text(hosts[h].inside_rate_bps, inside));
		}
	return 0;
}

int
workload_create(struct workload **out, const struct topology *t, const struct routes *routes,
		const struct host_config *hosts, struct diag *diag)
{
	const struct config *config = t->config;
	struct workload *w = memory_new(sizeof(*w), "workload");
	int result = check_chunks(t, hosts, diag);

	for (uint32_t i = 0; i < config->work_count; i++) {
		const struct workload before = *w;
		struct diag said = {0};
		struct item item = {
			.workload = w,
			.topology = t,
			.routes = routes,
			.hosts = hosts,
			.work = &config->workload[i],
			.index = i,
			.file = config->file,
			.random = random_stream(config->fabric.seed, RANDOM_STREAMS + i),
			.diag = config->restored ? &said : diag,
		};
		int error = add_item(&item);

		if (error != 0 && config->restored)
			leave_out(w, &before);
		else if (error != 0)
			result = error;
		diag_soften(&said, NULL, diag);
		diag_free(&said);
	}
	if (result != 0)
		workload_destroy(w);
	else
		*out = w;
	return result;
}

// Adds to *sum, which stops at INT64_MAX: the largest number of JSON.
static void
add_bytes(uint64_t *sum, uint64_t bytes, uint64_t times)
{
	uint64_t product;

	if (__builtin_mul_overflow(bytes, times, &product) ||
	    __builtin_add_overflow(*sum, product, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

uint64_t
workload_generated_before(const struct workload *w, uint32_t collective)
{
	uint64_t pairs = 0;

	for (uint32_t i = 0; i < collective; i++)
		pairs += w->collectives[i].pair_count;
	return pairs;
}

uint64_t
workload_count_flows(const struct workload *w, uint64_t *bytes)
{
	uint64_t flows = 0, sum = 0;

	for (uint32_t i = 0; i < w->flow_count; i++) {
		if (w->flows[i].inside)
			continue;
		flows++;
		add_bytes(&sum, w->flows[i].bytes, w->flows[i].repeat);
	}
	for (uint32_t i = 0; i < w->collective_count; i++) {
		const struct collective_spec *c = &w->collectives[i];

		if (!c->generated)
			continue;
		flows += c->pair_count - c->inside_count;
		add_bytes(&sum, collective_wire_bytes(c), w->programs[c->program].repeat);
	}
	if (bytes != NULL)
		*bytes = sum;
	return flows;
}

void
workload_destroy(struct workload *w)
{
	if (w == NULL)
		return;
	free(w->flows);
	free(w->streams);
	free(w->programs);
	free(w->collectives);
	free(w->ranks);
	free(w->afters);
	free(w->members);
	arena_free(&w->names);
	free(w);
}
