// SPDX-License-Identifier: BSD-3-Clause
// What to examine after a run. `roost check` warns of what settings will do; this says what they
// did.
#include "result.h"

// Uplinks this uneven lose a fifth of the leaf's bandwidth when they are full.
#define UNEVEN 0.5
// So much of a run paused is no passing burst.
#define PAUSED_SHARE 0.1

static void
hint_lossless(json_t *hints, const struct report_result *r)
{
	const struct report_worst *w = &r->figures.lossless_drops;

	if (r->figures.totals.drops_lossless == 0)
		return;
	json_array_append_new(
		hints,
		json_sprintf("%ju drops in lossless groups or queues, most at %s.%s priority group "
			     "%u (%ju): the group's headroom is too small for the rate, cable or "
			     "MTU, or the headroom pool is too small for all groups",
			     (uintmax_t)r->figures.totals.drops_lossless, w->node->name,
			     w->node->ports[w->port].name, w->priority, (uintmax_t)w->most));
}

static void
hint_open(json_t *hints, const struct report_result *r)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < r->flow_count; i++)
		open += r->flows[i].fct == PS_NEVER;
	if (open == 0)
		return;
	json_array_append_new(hints, json_sprintf("%u of %u flows are not complete: completion "
						  "times, slowdowns and goodput leave them out",
						  open, r->flow_count));
}

static void
hint_order(json_t *hints, const struct report_result *r)
{
	uint64_t resent = report_retransmitted(r), trimmed = r->figures.totals.trimmed;

	// What a switch has trimmed is sent again because it was trimmed.
	if (resent <= trimmed || r->figures.totals.drops != 0 || r->out_of_order == 0)
		return;
	json_array_append_new(
		hints,
		json_sprintf("%ju packets were sent again though none was lost: %ju arrived out of "
			     "order. With `hosts.placement: in-order` that counts as loss; with "
			     "out-of-order a gap does after `hosts.reorder-timeout`, which should "
			     "be longer than the longest pause",
			     (uintmax_t)(resent - trimmed), (uintmax_t)r->out_of_order));
}

static void
hint_pauses(json_t *hints, const struct report_result *r)
{
	const struct report_worst *w = &r->figures.paused;
	const char *peer;

	if (r->last_event == 0 || (double)w->most < PAUSED_SHARE * (double)r->last_event)
		return;
	peer = w->node->ports[w->port].peer;
	json_array_append_new(
		hints, json_sprintf("%s.%s was paused for %.0f %% of the run in priority %u: "
				    "%s also holds up traffic for other ports (head-of-line "
				    "blocking)",
				    w->node->name, w->node->ports[w->port].name,
				    100.0 * (double)w->most / (double)r->last_event, w->priority,
				    peer != NULL ? peer : "the other side"));
}

static void
hint_uplinks(json_t *hints, const struct report_result *r)
{
	double imbalance = r->figures.uplink_imbalance;

	if (imbalance < UNEVEN)
		return;
	json_array_append_new(
		hints, json_sprintf("leaves load their uplinks unevenly, by %.0f %% of their mean: "
				    "flows share some uplinks while others are idle (see "
				    "routing.mode and hosts.qps)",
				    100 * imbalance));
}

json_t *
report_hints(const struct report_result *r)
{
	json_t *hints = json_array();

	hint_lossless(hints, r);
	hint_open(hints, r);
	hint_order(hints, r);
	hint_pauses(hints, r);
	hint_uplinks(hints, r);
	return hints;
}
