// SPDX-License-Identifier: BSD-3-Clause
// Packets that edge NICs have held to put them in order.
#include "control/fabric/counters.h"
#include "show_view.h"

static json_t *
collect(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	(void)s;
	if (n->node->ports[port].reorder == NULL)
		return NULL;
	return counters_port(n, port, COUNTERS_REORDER, s->now);
}

static const struct show_column columns[] = {
	{"port", "12", SHOW_NAME},
	{"held", "reorder_held"},
	{"released", "reorder_released"},
	{"waiting", "reorder_waiting"},
	{"timeouts", "reorder_timeouts"},
	{"overflows", "reorder_overflows"},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*", COUNTER_OF_PORT, .columns = columns,
	 .empty = "no attached host has reorder: on"},
	{0},
};

const struct show_view show_reorder = {
	.name = "reorder",
	.arguments = "[PORT]",
	.help = "packets put in order for attached hosts",
	.of = "node or port",
	.port = collect,
	.tables = tables,
};
