// SPDX-License-Identifier: BSD-3-Clause
// What to examine after a run. `roost check` warns of what settings will do; this says what they
// did.
#include "summary_internal.h"

// Uplinks this uneven lose a fifth of the leaf's bandwidth when they are full.
#define UNEVEN 0.5
// So much of a run paused is no passing burst.
#define PAUSED_SHARE 0.1

struct hints {
	FILE *to;
	unsigned int count;
};

static void
begin(struct hints *h)
{
	if (h->count++ == 0)
		fputc('\n', h->to);
	fputs("look at: ", h->to);
}

static void
hint_lossless(struct hints *h, const struct report_result *r, const struct report_totals *totals)
{
	const struct report_worst *w = &r->figures.lossless_drops;

	if (totals->drops_lossless == 0)
		return;
	begin(h);
	fprintf(h->to,
		"%ju drops in lossless groups or queues, most at %s.%s priority group %u (%ju): "
		"the group's headroom is too small for the rate, cable or MTU, or the headroom "
		"pool is "
		"too small for all groups\n",
		(uintmax_t)totals->drops_lossless, w->node->name, w->node->ports[w->port].name,
		w->priority, (uintmax_t)w->most);
}

static void
hint_open(struct hints *h, const struct report_result *r)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < r->flow_count; i++)
		open += r->flows[i].fct == PS_NEVER;
	if (open == 0)
		return;
	begin(h);
	fprintf(h->to,
		"%u of %u flows are not complete: completion times, slowdowns and goodput leave "
		"them out\n",
		open, r->flow_count);
}

static void
hint_order(struct hints *h, const struct report_result *r, const struct report_totals *totals)
{
	uint64_t resent = summary_retransmitted(r);

	if (resent == 0 || totals->drops != 0 || r->out_of_order == 0)
		return;
	begin(h);
	fprintf(h->to,
		"%ju packets were sent again though none was lost: %ju arrived out of order, which "
		"`hosts.placement: in-order` treats as loss\n",
		(uintmax_t)resent, (uintmax_t)r->out_of_order);
}

static void
hint_pauses(struct hints *h, const struct report_result *r)
{
	const struct report_worst *w = &r->figures.paused;

	if (r->last_event == 0 || (double)w->most < PAUSED_SHARE * (double)r->last_event)
		return;
	begin(h);
	fprintf(h->to,
		"%s.%s was paused for %.0f %% of the run in priority %u: head-of-line blocking: %s "
		"also holds up traffic for other ports\n",
		w->node->name, w->node->ports[w->port].name,
		100.0 * (double)w->most / (double)r->last_event, w->priority,
		w->node->ports[w->port].peer != NULL ? w->node->ports[w->port].peer
						     : "its far side");
}

static void
hint_uplinks(struct hints *h, const struct report_result *r)
{
	double imbalance = r->figures.uplink_imbalance;

	if (imbalance < UNEVEN)
		return;
	begin(h);
	fprintf(h->to,
		"leaves load their uplinks unevenly, by %.0f %% of their mean: flows share some "
		"uplinks while others are idle (see routing.mode and hosts.qps)\n",
		100 * imbalance);
}

void
summary_print_hints(const struct report_result *r, const struct report_totals *totals, FILE *to)
{
	struct hints h = {.to = to};

	hint_lossless(&h, r, totals);
	hint_open(&h, r);
	hint_order(&h, r, totals);
	hint_pauses(&h, r);
	hint_uplinks(&h, r);
}
