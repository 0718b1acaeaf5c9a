// SPDX-License-Identifier: BSD-3-Clause
// Flows that arrive at random: at every NIC a Poisson process of its own, whose rate loads the
// NIC's link as asked with flows of the file's mean size, each to another host's NIC drawn evenly,
// of those that receive. Of READs the receiver is the one that requests.
// Every NIC draws from its own streams, so that arrivals at one do not depend on how many others
// there are; flows are listed in the order of their starts.
#include "dataplane/roce/arrivals.h"
#include "workload_internal.h"
#include "sizes.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define GAP_MAX (UINT64_C(1) << 58) // exponential_gap()
// Half a byte in picoseconds at 1 b/s (4 * 10^12), by a load in millionths and shares of SIZES_ONE.
#define GAP_SCALE (UINT64_C(4000000000000) * CONFIG_PPM / SIZES_ONE)

struct source {
	ps_t next;
	ps_t gap; // mean
	uint32_t end;
	struct random when, where; // gaps and sizes; destinations, which may take several draws
};

struct arrivals {
	struct item *item;
	struct item_members members, receivers;
	const struct item_members *targets; // the receivers, or the members
	struct sizes sizes;
	struct source *heap; // the next to send on top
	uint32_t count;
};

static bool
is_before(const struct source *a, const struct source *b)
{
	return a->next != b->next ? a->next < b->next : a->end < b->end;
}

static void
sink(struct arrivals *a, uint32_t at)
{
	for (;;) {
		uint32_t least = at;
		struct source moved;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < a->count; child++)
			if (is_before(&a->heap[child], &a->heap[least]))
				least = child;
		if (least == at)
			return;
		moved = a->heap[at];
		a->heap[at] = a->heap[least];
		a->heap[least] = moved;
		at = least;
	}
}

// Mean size * 8 / (rate * load), to the nearest picosecond; 0: it does not fit.
static ps_t
mean_gap(const struct arrivals *a, const struct topo_endpoint *end)
{
	const struct item *item = a->item;
	uint64_t rate = topology_host_port(item->topology, end->host, end->port)->rate_bps;
	sizes_sum numerator = sizes_mean(&a->sizes) * GAP_SCALE;
	sizes_sum denominator = (sizes_sum)rate * item->work->load_ppm;
	sizes_sum gap = denominator == 0 ? 0 : (numerator + denominator / 2) / denominator;

	return gap < GAP_MAX ? (ps_t)gap : 0;
}

// Whether each sender has a target at another host.
static bool
all_have_targets(const struct arrivals *a)
{
	const struct topo_endpoint *to = a->targets->ends;
	uint32_t others = 0, at_first = 0;

	for (uint32_t i = 0; i < a->targets->count; i++)
		others += to[i].host != to[0].host;
	for (uint32_t i = 0; i < a->count; i++)
		at_first += a->members.ends[i].host == to[0].host;
	return others != 0 || at_first == 0;
}

static int
check_load(const struct arrivals *a, uint64_t expected, bool fits)
{
	const struct item *item = a->item;
	double mean = (double)sizes_mean(&a->sizes) / 2 / SIZES_ONE;

	if (!all_have_targets(a))
		diag_error(item->diag, item->file, item->work->pos, "workload",
			   a->receivers.count != 0
				   ? "all NICs that receive belong to one host, which sends too"
				   : "all NICs belong to one host: there is no destination");
	else if (!fits)
		diag_error(item->diag, item->file, item->work->pos, "workload.load",
			   "flows of %.1f bytes on average would start less than 1 ps or more than "
			   "3 days apart",
			   mean);
	else if (expected > WORKLOAD_FLOWS_MAX)
		diag_error(item->diag, item->file, item->work->pos, "workload.until",
			   "about %" PRIu64 " flows of %.1f bytes on average by then; at most %u",
			   expected, mean, WORKLOAD_FLOWS_MAX);
	else
		return 0;
	return -EINVAL;
}

static int
make_sources(struct arrivals *a)
{
	struct item *item = a->item;
	uint64_t when = random_next(&item->random), where = random_next(&item->random);
	uint64_t expected = 0;
	bool fits = true;

	a->count = a->members.count;
	a->heap = memory_array(a->count, sizeof(*a->heap), "NICs");
	for (uint32_t i = 0; i < a->count; i++) {
		struct source *s = &a->heap[i];

		s->end = i;
		s->when = random_stream(when, i);
		s->where = random_stream(where, i);
		s->gap = mean_gap(a, &a->members.ends[i]);
		s->next = item_draw_start(item, a->members.ends[i].host) +
			  exponential_gap(&s->when, s->gap);
		fits &= s->gap != 0;
		if (s->gap != 0 &&
		    __builtin_add_overflow(expected,
					   (item->work->until_ps - item->work->at_ps) / s->gap,
					   &expected))
			expected = UINT64_MAX;
	}
	if (check_load(a, expected, fits) != 0)
		return -EINVAL;
	for (uint32_t i = a->count / 2; i > 0; i--)
		sink(a, i - 1);
	return 0;
}

// The flow that comes next, and when the one after it comes from there.
static int
add_next(struct arrivals *a)
{
	struct source *s = &a->heap[0];
	const struct topo_endpoint *ends = a->members.ends;
	struct item_flow flow = {
		.src = ends[s->end],
		.bytes = sizes_draw(&a->sizes, &s->when),
		.priority = -1,
		.start_ps = s->next,
		.pos = a->item->work->pos,
	};
	int error;

	do
		flow.dst = a->targets->ends[random_below(&s->where, a->targets->count)];
	while (flow.dst.host == flow.src.host);
	error = item_add_flow(a->item, &flow);
	s->next += exponential_gap(&s->when, s->gap);
	sink(a, 0);
	return error;
}

int
item_poisson(struct item *item)
{
	const struct config_work *work = item->work;
	struct arrivals a = {.item = item};
	const struct config *config = item->topology->config;
	int error = sizes_load(&a.sizes, config->file, config->beside, &work->sizes, item->diag);

	if (error == 0)
		error = item_find_members(item, &a.members);
	if (error == 0 && work->receivers.count != 0)
		error = item_find_receivers(item, &a.receivers);
	a.targets = work->receivers.count != 0 ? &a.receivers : &a.members;
	if (error == 0)
		error = make_sources(&a);
	while (error == 0 && a.heap[0].next < work->until_ps)
		error = add_next(&a);
	free(a.heap);
	item_free_members(&a.members);
	item_free_members(&a.receivers);
	sizes_free(&a.sizes);
	return error;
}
