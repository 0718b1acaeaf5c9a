// SPDX-License-Identifier: BSD-3-Clause
// All-to-all: every rank has a chunk for every other. `direct` sends all at once; `shift` takes
// turns, in the k-th of which rank i sends to i + k and so every rank receives from one.
//
// Where there are many pairs none is listed: the NICs generate them in the same order.
#include "collectives.h"

#include "control/base/memory.h"
#include "dataplane/roce/nic_exchange.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t
count_pairs(const struct collective *c)
{
	return (uint64_t)c->count * (c->count - 1);
}

static uint64_t
pair_bytes(const struct collective *c, uint32_t from, uint32_t to)
{
	return c->pair_bytes != NULL ? c->pair_bytes[(size_t)from * c->count + to]
				     : workload_share(c->bytes, to, c->count);
}

// Rank i sends to i + 1 first, then to i + 2, and so on, so that receivers are not met in step.
static void
list_pairs(struct collective *c, bool in_turns)
{
	for (uint32_t k = 1; k < c->count; k++) {
		for (uint32_t i = 0; i < c->count; i++) {
			uint32_t to = (i + k) % c->count;
			uint64_t bytes = pair_bytes(c, i, to);
			const struct collective_flow flow = {
				.from = i,
				.to = to,
				.inbox = in_turns ? k - 1 : 0,
				.gate = in_turns && k > 1 ? k - 2 : WORKLOAD_NONE,
				.gate_lead = 1,
				.messages = collective_messages(bytes, 1),
			};

			// Chunks of no byte are not sent, unless the next turn waits for them: then
			// they are a packet all the same.
			if (bytes != 0 || in_turns)
				collective_add(c, &flow);
		}
	}
}

// Why the pairs cannot be generated, or NULL.
static const char *
why_listed(const struct collective *c)
{
	const struct item *item = c->item;

	if (c->pair_bytes != NULL)
		return "equal parts";
	if (c->bytes < c->count)
		return "at least one byte for each rank";
	if (c->bytes / c->count >= NIC_EXCHANGE_MESSAGE_MAX)
		return "less than 34 GB for each rank";
	for (uint32_t i = 0; i < c->count; i++)
		if ((item->work->qps != 0 ? item->work->qps
					  : item->hosts[c->members->ends[i].host].qps) != 1)
			return "one queue pair for each pair of ranks (qps: 1)";
	return NULL;
}

// `why`: why they are not generated, or NULL.
static int
refuse_number(const struct collective *c, uint64_t most, const char *why)
{
	const struct item *item = c->item;

	return diag_error(item->diag, item->file, item->work->pos, "workload",
			  "all pairs of %u ranks are %" PRIu64 " flows; the limit is %" PRIu64
			  " in total%s%s",
			  c->count, count_pairs(c), most,
			  why != NULL ? "; generated pairs need " : "", why != NULL ? why : "");
}

// By host: what its ranks are sent, and by whom.
struct host_ranks {
	uint32_t count;
	uint64_t bytes;
};

// Counts the pairs inside hosts. Of n ranks in a host each is sent its share by n - 1.
static void
count_inside(const struct collective *c, struct collective_spec *spec)
{
	uint32_t hosts = c->item->topology->host_count;
	struct host_ranks *by_host = memory_array(hosts, sizeof(*by_host), "hosts");

	for (uint32_t r = 0; r < c->count; r++) {
		struct host_ranks *host = &by_host[c->members->ends[r].host];

		host->count++;
		host->bytes += workload_share(c->bytes, r, c->count);
	}
	for (uint32_t h = 0; h < hosts; h++) {
		if (by_host[h].count == 0)
			continue;
		spec->inside_count += (uint64_t)by_host[h].count * (by_host[h].count - 1);
		spec->inside_bytes += by_host[h].bytes * (by_host[h].count - 1);
	}
	free(by_host);
}

static void
generate_pairs(struct collective *c, bool in_turns)
{
	struct workload *w = c->item->workload;
	struct collective_spec *spec = &w->collectives[c->index];
	uint64_t before = w->flow_count + workload_generated_before(w, c->index);

	if (before + count_pairs(c) > WORKLOAD_PAIRS_MAX) {
		c->error = refuse_number(c, WORKLOAD_PAIRS_MAX, NULL);
		return;
	}
	c->error = item_check_pairs(c->item, c->members);
	spec->generated = true;
	spec->in_turns = in_turns;
	spec->pair_count = count_pairs(c);
	count_inside(c, spec);
	spec->peers = c->item->work->peers;
	spec->priority = c->item->work->priority;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct host_config *host = &c->item->hosts[c->members->ends[i].host];
		struct rank_spec *rank = &w->ranks[spec->first_rank + i];
		uint64_t bytes = workload_share(c->bytes, 0, c->count);

		rank->handover_ps = item_handover(host, bytes);
		rank->forward_ps = item_forward(host, bytes);
	}
}

static void
add_pairs(struct collective *c, bool in_turns)
{
	const struct config_work *work = c->item->work;
	uint64_t pairs = count_pairs(c);
	bool wanted = work->pairs == CONFIG_PAIRS_GENERATED || work->peers != 0;
	const char *why = why_listed(c);

	if (wanted || (work->pairs == CONFIG_PAIRS_AUTO && pairs > WORKLOAD_PAIRS_LISTED)) {
		if (why == NULL) {
			generate_pairs(c, in_turns);
			return;
		}
		if (wanted) {
			c->error = diag_error(c->item->diag, c->item->file, work->pos,
					      "workload.pairs", "generated pairs need %s", why);
			return;
		}
	}
	if (c->item->workload->flow_count + pairs > WORKLOAD_FLOWS_MAX)
		c->error = refuse_number(c, WORKLOAD_FLOWS_MAX, why);
	else
		list_pairs(c, in_turns);
}

void
collective_direct(struct collective *c)
{
	add_pairs(c, false);
}

void
collective_shift(struct collective *c)
{
	add_pairs(c, true);
}
