// SPDX-License-Identifier: BSD-3-Clause
// Credits of links, lane by lane.
#include "control/fabric/counters.h"
#include "dataplane/base/credit.h"
#include "show_view.h"

static json_t *
lane_json(const struct report_node *n, const struct credits *c, unsigned int lane, ps_t now)
{
	const struct credit_lane *l = &c->lanes[lane];
	const json_int_t block = (json_int_t)counters_cell(n);

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "buffer",
			 (json_int_t)c->profile->granted[lane] * block, "granted",
			 (json_int_t)(l->advertised - l->received) * block, "available",
			 (json_int_t)credit_available(l) * block, "wait_ns",
			 (json_int_t)(pause_clock_total(&l->wait, now) / PS_PER_NS), "rx",
			 (json_int_t)l->updates_rx, "tx", (json_int_t)l->updates_tx, "recovered",
			 (json_int_t)l->recovered * block);
}

static json_t *
collect(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct credits *c = n->node->ports[port].credits;
	json_t *lanes;
	char name[4];

	if (c == NULL)
		return NULL;
	lanes = json_object();
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		if (c->profile->granted[i] == 0 && c->profile->peer[i] == 0)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		json_object_set_new(lanes, name, lane_json(n, c, i, s->now));
	}
	return json_pack("{s:o}", "lanes", lanes);
}

static const struct show_column columns[] = {
	{"port", "12", SHOW_NAME},           {"lane", "3", SHOW_NAME},
	{"buffer", .format = SHOW_BYTES},    {"granted", .format = SHOW_BYTES},
	{"available", .format = SHOW_BYTES}, {"wait", "wait_ns", SHOW_DURATION},
	{"rx", .format = SHOW_COUNT},        {"tx", .format = SHOW_COUNT},
	{"recovered", .format = SHOW_BYTES}, {0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/lanes/*", .columns = columns, .empty = "no link has credits"},
	{0},
};

const struct show_view show_credit = {
	.name = "credit",
	.arguments = "[PORT]",
	.help = "credits of links: buffers, grants and waits of lanes",
	.of = "node or port",
	.port = collect,
	.tables = tables,
};
