// SPDX-License-Identifier: BSD-3-Clause
// Workload items become lists of flows and streams before anything runs. An item that draws (the
// order of a permutation, the jitter of starts) draws from a random stream of its own, by the
// fabric's seed and the item's place in the file: what one item draws never depends on another.
//
// What a flow does not say it has from its item, and what the item does not say from its sender's
// settings. A flow between hosts that no route joins is refused, so tenants stay apart by what
// routes say and not by a second rule.
#include "items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_STREAMS UINT64_C(0x776f726b6c6f6164) // "workload": far from the nodes' streams

// Makes room for one element more. Returns 0 or -ENOMEM.
static int
reserve(void **array, uint32_t *capacity, uint32_t count, size_t size)
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

// A draw from [0, limit].
static uint64_t
draw_up_to(struct random *random, uint64_t limit)
{
	__extension__ typedef unsigned __int128 wide;

	return limit == 0 ? 0 : (uint64_t)((wide)random_next(random) * ((wide)limit + 1) >> 64);
}

static const char *
tenant_name(const struct topology *t, uint32_t host)
{
	uint16_t tenant = topology_host_tenant(t, host);

	return tenant == TENANT_NONE ? "no tenant" : t->tenants[tenant].name;
}

int
item_check_pair(const struct item *item, uint32_t src, uint32_t dst, struct config_pos pos)
{
	const struct topology *t = item->topology;
	const char *from = topology_host(t, src)->name, *to = topology_host(t, dst)->name;
	uint16_t tenant = topology_host_tenant(t, src);

	if (src == dst) {
		config_error(item->diag, item->file, pos, "workload", "%s would send to itself",
			     from);
		return -EINVAL;
	}
	if (item->work->tenant.text != NULL &&
	    (tenant == TENANT_NONE ||
	     strcmp(t->tenants[tenant].name, item->work->tenant.text) != 0)) {
		config_error(item->diag, item->file, pos, "workload", "%s is not in tenant %s",
			     from, item->work->tenant.text);
		return -EINVAL;
	}
	if (routes_join(item->routes, t, src, dst))
		return 0;
	if (tenant != topology_host_tenant(t, dst))
		config_error(item->diag, item->file, pos, "workload",
			     "traffic between tenants that no route joins: %s (%s) to %s (%s)",
			     from, tenant_name(t, src), to, tenant_name(t, dst));
	else
		config_error(item->diag, item->file, pos, "workload",
			     "no route leads from %s to %s", from, to);
	return -EINVAL;
}

int
item_add_flow(struct item *item, const struct item_flow *flow)
{
	const struct config_work *work = item->work;
	const struct host_config *host = &item->hosts[flow->src];
	struct workload *w = item->workload;
	int8_t priority = flow->priority >= 0 ? flow->priority : work->priority;

	if (item_check_pair(item, flow->src, flow->dst, flow->pos) != 0)
		return -EINVAL;
	if (w->flow_count == WORKLOAD_FLOWS_MAX) {
		config_error(item->diag, item->file, flow->pos, "workload", "more than %u flows",
			     WORKLOAD_FLOWS_MAX);
		return -EINVAL;
	}
	if (reserve((void **)&w->flows, &w->flow_capacity, w->flow_count, sizeof(*w->flows)) != 0)
		return -ENOMEM;
	w->flows[w->flow_count++] = (struct flow_spec){
		.src = flow->src,
		.dst = flow->dst,
		.bytes = flow->bytes,
		.start_ps = work->at_ps + flow->after_ps +
			    draw_up_to(&item->random, host->start_jitter_ps),
		.gap_ps = work->gap_ps,
		.repeat = work->repeat != 0 ? work->repeat : 1,
		.qps = work->qps != 0 ? work->qps : host->qps,
		.item = item->index,
		.collective = flow->collective,
		.tenant = topology_host_tenant(item->topology, flow->src),
		.priority = priority >= 0 ? (uint8_t)priority : host->priority,
		.op = (uint8_t)work->op,
	};
	return 0;
}

int
item_stream(struct item *item)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;
	uint32_t src, dst;

	if (topology_resolve_host(item->topology, &work->from.items[0], "workload.from", &src,
				  item->diag) != 0 ||
	    topology_resolve_host(item->topology, &work->to, "workload.to", &dst, item->diag) !=
		    0 ||
	    item_check_pair(item, src, dst, work->pos) != 0)
		return -EINVAL;
	if (reserve((void **)&w->streams, &w->stream_capacity, w->stream_count,
		    sizeof(*w->streams)) != 0)
		return -ENOMEM;
	w->streams[w->stream_count++] = (struct stream_spec){
		.src = src,
		.dst = dst,
		.packet_bytes = work->packet_bytes,
		.rate_bps = work->rate_bps,
		.start_ps = work->at_ps +
			    draw_up_to(&item->random, item->hosts[src].start_jitter_ps),
		.until_ps = work->until_ps != 0 ? work->until_ps : PS_NEVER,
		.item = item->index,
		.tenant = topology_host_tenant(item->topology, src),
		.priority = work->priority >= 0 ? (uint8_t)work->priority
						: item->hosts[src].priority,
		.ttl = work->ttl,
		.arrivals = (uint8_t)work->arrivals,
	};
	return 0;
}

// The chunk of `bytes` that goes to one of `ranks`: equal parts, the first `bytes % ranks` a byte
// longer.
static uint64_t
chunk(uint64_t bytes, uint32_t ranks, uint32_t rank)
{
	return bytes / ranks + (rank < bytes % ranks);
}

// Rank i sends to i + 1 first, then to i + 2, and so on, so that receivers are not met in step.
static int
add_pairs(struct item *item, const uint32_t *members, uint32_t count, uint32_t collective)
{
	int error = 0;

	for (uint32_t k = 1; error == 0 && k < count; k++) {
		for (uint32_t i = 0; error == 0 && i < count; i++) {
			uint32_t to = (i + k) % count;
			const struct item_flow flow = {
				.src = members[i],
				.dst = members[to],
				.bytes = chunk(item->work->size_bytes, count, to),
				.priority = -1,
				.collective = collective,
				.pos = item->work->pos,
			};

			if (flow.bytes != 0)
				error = item_add_flow(item, &flow);
		}
	}
	return error;
}

int
item_all_to_all(struct item *item)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;
	uint32_t index = w->collective_count, *members, count;
	int error;

	if (work->algorithm != CONFIG_ALGORITHM_DIRECT) {
		config_error(item->diag, item->file, work->pos, "workload.algorithm",
			     "only direct is available in this version");
		return -EINVAL;
	}
	error = item_members(item, &members, &count);
	if (error != 0)
		return error;
	error = reserve((void **)&w->collectives, &w->collective_capacity, index,
			sizeof(*w->collectives));
	if (error == 0) {
		w->collectives[w->collective_count++] = (struct collective_spec){
			.name = work->name.text != NULL ? work->name.text : "all-to-all",
			.kind = "all-to-all",
			.item = item->index,
			.ranks = count,
			.bytes = work->size_bytes,
			.first_flow = w->flow_count,
			.bus_factor_num = count - 1,
			.bus_factor_den = count,
		};
		error = add_pairs(item, members, count, index);
		w->collectives[index].flow_count = w->flow_count - w->collectives[index].first_flow;
	}
	free(members);
	return error;
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
	case CONFIG_WORK_ALL_TO_ALL:
		return item_all_to_all(item);
	}
	return -EINVAL;
}

int
workload_create(struct workload **out, const struct topology *t, const struct routes *routes,
		const struct host_config *hosts, struct config_diag *diag)
{
	const struct config *config = t->config;
	struct workload *w = calloc(1, sizeof(*w));
	int result = w == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; i < config->work_count && result != -ENOMEM; i++) {
		struct item item = {
			.workload = w,
			.topology = t,
			.routes = routes,
			.hosts = hosts,
			.work = &config->workload[i],
			.index = i,
			.file = config->file,
			.random = random_stream(config->fabric.seed, RANDOM_STREAMS + i),
			.diag = diag,
		};
		uint16_t tenant;
		int error = item.work->tenant.text == NULL
				    ? 0
				    : topology_resolve_tenant(t, &item.work->tenant,
							      "workload.tenant", &tenant, diag);

		if (error == 0)
			error = add_item(&item);
		if (error != 0)
			result = error;
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
	free(w->collectives);
	free(w);
}
