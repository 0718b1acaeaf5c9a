// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry, port by port.
#include "control/fabric/counters.h"
#include "dataplane/base/llr.h"
#include "show_view.h"

static json_t *
collect(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct llr *l = n->node->ports[port].llr;
	json_t *out;

	if (l == NULL || n->node->ports[port].out == NULL)
		return NULL;
	out = json_pack("{s:s,s:s,s:I}", "tx", llr_tx_state_word(l->tx_state), "rx",
			llr_rx_state_word(l->rx_state), "frames", (json_int_t)(l->next - l->first));
	json_object_update_new(out, counters_port(n, port, COUNTERS_LLR, s->now));
	return out;
}

static const struct show_column columns[] = {
	{"port", "12", SHOW_NAME},
	{"tx", .format = SHOW_TEXT},
	{"rx", .format = SHOW_TEXT},
	{"frames", .format = SHOW_COUNT},
	{"outstanding", "llr_outstanding"},
	{"wait", "llr_wait_ns", SHOW_DURATION},
	{"replays", "llr_tx_replay"},
	{"again", "llr_tx_again"},
	{"flushes", "llr_tx_flush"},
	{"bad", "llr_rx_bad"},
	{"nack", "llr_tx_nack"},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*", COUNTER_OF_PORT, .columns = columns,
	 .empty = "no link has link-level retry"},
	{0},
};

const struct show_view show_llr = {
	.name = "llr",
	.arguments = "[PORT]",
	.help = "link-level retry: states, frames sent again and received with errors",
	.of = "node or port",
	.port = collect,
	.tables = tables,
};
