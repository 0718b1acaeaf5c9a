// SPDX-License-Identifier: BSD-3-Clause
// What a port counts. An interval of pause that is still open counts up to the instant of the
// report; one that has run out without the node having looked since counts up to its end, and has
// ended there. "drops" names only reasons that occurred.
#include "counters.h"

#include "counter.h"
#include "counters_internal.h"
#include "dataplane/base/drop.h"

static struct counters_pause
pause_at(const struct pause_clock *c, ps_t end, ps_t now)
{
	struct counters_pause out = {
		.total = pause_clock_total(c, time_min(now, end)),
		.last_start = c->last_start,
		.last_end = c->last_end,
		.transitions = c->transitions,
		.paused = c->since != PS_NEVER && end > now,
	};

	if (c->since != PS_NEVER && end <= now)
		out.last_end = end;
	return out;
}

struct counters_pause
counters_rx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->rx_pause[priority], p->pause_until[priority], now);
}

struct counters_pause
counters_tx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->tx_pause[priority], PS_NEVER, now);
}

static json_t *
drops(const struct port *p)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < DROP_COUNT; i++)
		if (p->drops[i] != 0)
			json_object_set_new(out, drop_name(i),
					    json_integer((json_int_t)p->drops[i]));
	return out;
}

// The eight groups, or queues.
static json_t *
eight(enum counter_scope scope, unsigned int parts, struct counter_place at)
{
	json_t *out = json_array();

	for (at.index = 0; at.index < PRIORITIES; at.index++) {
		json_t *one = json_object();

		counter_add(one, scope, parts, &at);
		json_array_append_new(out, one);
	}
	return out;
}

json_t *
counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now)
{
	const struct counter_place at = {.n = n, .port = port, .now = now};
	json_t *out = json_object();

	counter_add(out, COUNTER_OF_PORT, parts, &at);
	if (parts & COUNTERS_DROPS)
		json_object_set_new(out, "drops", drops(&n->node->ports[port]));
	if (parts & COUNTERS_GROUPS)
		json_object_set_new(out, "pg", eight(COUNTER_OF_GROUP, parts, at));
	if (parts & COUNTERS_QUEUES)
		json_object_set_new(out, "queue", eight(COUNTER_OF_QUEUE, parts, at));
	return out;
}
