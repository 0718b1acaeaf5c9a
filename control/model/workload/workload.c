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

#include <errno.h>
#include <stdlib.h>

#define RANDOM_STREAMS UINT64_C(0x776f726b6c6f6164) // "workload": far from the nodes' streams

int
item_reserve(void **array, uint32_t *capacity, uint32_t count, size_t size)
{
	uint32_t wanted = *capacity != 0 ? 2 * *capacity : 16;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*array, wanted * size);
	if (grown == NULL)
		return -ENOMEM;
	*array = grown;
	*capacity = wanted;
	return 0;
}

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
item_add_flow(struct item *item, const struct item_flow *flow, struct flow_spec **out)
{
	const struct config_work *work = item->work;
	const struct host_config *host = &item->hosts[flow->src.host];
	struct workload *w = item->workload;
	int priority = flow->priority >= 0 ? flow->priority : item_priority(item);
	struct item_path path;

	if (item_find_path(item, flow, &path) != 0)
		return -EINVAL;
	if (w->flow_count == WORKLOAD_FLOWS_MAX) {
		diag_error(item->diag, item->file, flow->pos, "workload", "more than %u flows",
			   WORKLOAD_FLOWS_MAX);
		return -EINVAL;
	}
	if (item_reserve((void **)&w->flows, &w->flow_capacity, w->flow_count, sizeof(*w->flows)) !=
	    0)
		return -ENOMEM;
	w->flows[w->flow_count] = (struct flow_spec){
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
	if (out != NULL)
		*out = &w->flows[w->flow_count];
	w->flow_count++;
	return 0;
}

int
item_stream(struct item *item)
{
	const struct config_work *work = item->work;
	struct item_flow ends = {.pos = work->pos};
	struct workload *w = item->workload;
	struct item_path path;

	if (item_resolve(item, &work->from.items[0], "workload.from", &ends.src) != 0 ||
	    item_resolve(item, &work->to, "workload.to", &ends.dst) != 0 ||
	    item_find_path(item, &ends, &path) != 0)
		return -EINVAL;
	if (item_reserve((void **)&w->streams, &w->stream_capacity, w->stream_count,
			 sizeof(*w->streams)) != 0)
		return -ENOMEM;
	w->streams[w->stream_count++] = (struct stream_spec){
		.src = ends.src.host,
		.dst = ends.dst.host,
		.packet_bytes = work->packet_bytes,
		.rate_bps = work->rate_bps,
		.start_ps = item_draw_start(item, ends.src.host),
		.until_ps = work->until_ps != 0 ? work->until_ps : PS_NEVER,
		.item = item->index,
		.tenant = topology_host_tenant(item->topology, ends.src.host),
		.src_port = path.src_port,
		.dst_port = ends.dst.port,
		.priority = work->priority >= 0 ? (uint8_t)work->priority
						: item->hosts[ends.src.host].priority,
		.ttl = work->ttl,
		.arrivals = (uint8_t)work->arrivals,
	};
	return 0;
}

static int
add_item(struct item *item)
{
	switch (item->work->kind) {
	case CONFIG_WORK_FLOW:
		return item_flow(item);
	case CONFIG_WORK_FLOWS:
		return item_flows_file(item);
	case CONFIG_WORK_STREAM:
		return item_stream(item);
	case CONFIG_WORK_INCAST:
		return item_incast(item);
	case CONFIG_WORK_PERMUTATION:
		return item_permutation(item);
	case CONFIG_WORK_SHIFT:
		return item_shift(item);
	case CONFIG_WORK_POISSON:
		return item_poisson(item);
	case CONFIG_WORK_ALL_REDUCE:
	case CONFIG_WORK_ALL_GATHER:
	case CONFIG_WORK_REDUCE_SCATTER:
	case CONFIG_WORK_ALL_TO_ALL:
	case CONFIG_WORK_STEP:
		return item_program(item);
	}
	return -EINVAL;
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
	w->start_count = before->start_count;
}

int
workload_create(struct workload **out, const struct topology *t, const struct routes *routes,
		const struct host_config *hosts, struct diag *diag)
{
	const struct config *config = t->config;
	struct workload *w = calloc(1, sizeof(*w));
	int result = w == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; i < config->work_count && result != -ENOMEM; i++) {
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
		uint16_t tenant;
		int error = item.work->tenant.text == NULL
				    ? 0
				    : topology_resolve_tenant(t, &item.work->tenant,
							      "workload.tenant", &tenant,
							      item.diag);

		if (error == 0)
			error = add_item(&item);
		if (error == -EINVAL && config->restored) {
			leave_out(w, &before);
			error = 0;
		}
		if (error != 0)
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
	free(w->starts);
	free(w);
}
