// SPDX-License-Identifier: BSD-3-Clause
// Only the NIC that requests a flow knows when it begins and ends, so the worker of that NIC reads
// the times. Flows that have ended are not read again.
#include "film_flows.h"

#include "control/base/memory.h"
#include "control/film/film.h"

#include <stdlib.h>

#define READ_MS 1000

struct film_flows {
	struct live_fabric *live;
	struct report_flow
		*reports; // of the flows that are listed; workers write those of their own
	uint32_t count;
	uint32_t *by_host; // places in `reports`, by the host that requests
	uint32_t *first;   // of a host's in `by_host`, and behind the last host all
	json_t *list;
	uint32_t changes;
	int64_t due_ms;
};

// Sorts the flows by the host that knows their times.
static void
sort_by_host(struct film_flows *f)
{
	const struct fabric_flows *flows = f->live->flows;
	const uint32_t hosts = f->live->topology->host_count;
	uint32_t *next;

	f->by_host = memory_array(f->count, sizeof(*f->by_host), "flows of a film");
	f->first = memory_array(hosts + 1, sizeof(*f->first), "hosts");
	for (uint32_t i = 0; i < f->count; i++)
		f->first[fabric_flows_requester(flows, f->reports[i].id) + 1]++;
	for (uint32_t h = 0; h < hosts; h++)
		f->first[h + 1] += f->first[h];
	next = memory_copy(f->first, hosts, sizeof(*next), "hosts");
	for (uint32_t i = 0; i < f->count; i++)
		f->by_host[next[fabric_flows_requester(flows, f->reports[i].id)]++] = i;
	free(next);
}

struct film_flows *
film_flows_create(struct live_fabric *live)
{
	struct film_flows *f = memory_new(sizeof(*f), "flows of films");
	struct flow_pair first;

	f->live = live;
	f->reports = memory_array(FILM_FLOWS_MAX, sizeof(*f->reports), "flows of films");
	for (uint32_t i = 0; i < live->workload->flow_count && f->count < FILM_FLOWS_MAX; i++)
		if (fabric_flows_pair(live->flows, i, 0, &first) == 0)
			f->reports[f->count++] =
				(struct report_flow){.id = i, .start = PS_NEVER, .fct = PS_NEVER};
	sort_by_host(f);
	return f;
}

void
film_flows_destroy(struct film_flows *f)
{
	if (f == NULL)
		return;
	json_decref(f->list);
	free(f->reports);
	free(f->by_host);
	free(f->first);
	free(f);
}

// On the worker that owns the node.
static void
read_times(void *context, struct node *n, ps_t now)
{
	struct film_flows *f = context;
	const struct live_fabric *live = f->live;
	uint32_t host;

	(void)now;
	if (n->nic == NULL)
		return;
	host = topology_host_of(live->topology, n->index);
	for (uint32_t i = f->first[host]; i < f->first[host + 1]; i++) {
		struct report_flow *report = &f->reports[f->by_host[i]];

		if (report->fct != PS_NEVER)
			continue;
		fabric_flows_times(live->flows, report->id, &report->start, &report->end);
		if (report->end != PS_NEVER)
			report->fct = report->end - report->start;
	}
}

static void
make_list(struct film_flows *f)
{
	const struct film_options options = {
		.fabric = f->live->fabric,
		.workload = f->live->workload,
		.flows = f->live->flows,
	};
	json_t *list = film_list_flows(&options, f->reports, f->count);

	if (f->list != NULL && json_equal(f->list, list)) {
		json_decref(list);
		return;
	}
	json_decref(f->list);
	f->list = list;
	f->changes++;
}

uint32_t
film_flows_poll(struct film_flows *f, int64_t now_ms)
{
	if (now_ms < f->due_ms)
		return f->changes;
	f->due_ms = now_ms + READ_MS;
	if (f->count != 0)
		live_call(&f->live->drive, read_times, f);
	make_list(f);
	return f->changes;
}

json_t *
film_flows_list(const struct film_flows *f)
{
	return f->list;
}
