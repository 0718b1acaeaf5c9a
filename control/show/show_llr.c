// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry, port by port.
#include "control/fabric/counters.h"
#include "dataplane/base/llr.h"
#include "show_view.h"

static json_t *
collect(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	static const char *const tx_states[] = {
		[LLR_TX_INIT] = "init", [LLR_TX_ADVANCE] = "advance", [LLR_TX_REPLAY] = "replay"};
	static const char *const rx_states[] = {[LLR_RX_OFF] = "off",
						[LLR_RX_SEND_ACKS] = "send-acks",
						[LLR_RX_SEND_NACK] = "send-nack",
						[LLR_RX_NACK_SENT] = "nack-sent"};
	const struct llr *l = n->node->ports[port].llr;

	if (l == NULL || n->node->ports[port].out == NULL)
		return NULL;
	return json_pack("{s:{s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}}", "llr", "tx",
			 tx_states[l->tx_state], "rx", rx_states[l->rx_state], "frames",
			 (json_int_t)(l->next - l->first), "outstanding",
			 (json_int_t)l->outstanding, "wait_ns",
			 (json_int_t)(pause_clock_total(&l->wait, s->now) / PS_PER_NS), "replays",
			 (json_int_t)l->tx_replay, "again", (json_int_t)l->tx_again, "flushes",
			 (json_int_t)l->tx_flush, "bad", (json_int_t)l->rx_bad, "nack",
			 (json_int_t)l->sets_tx[LLR_NACK]);
}

static const struct show_column columns[] = {
	{"port", "12", SHOW_NAME},
	{"tx", .format = SHOW_TEXT},
	{"rx", .format = SHOW_TEXT},
	{"frames", .format = SHOW_COUNT},
	{"outstanding", .format = SHOW_BYTES},
	{"wait", "wait_ns", SHOW_DURATION},
	{"replays", .format = SHOW_COUNT},
	{"again", .format = SHOW_COUNT},
	{"flushes", .format = SHOW_COUNT},
	{"bad", .format = SHOW_COUNT},
	{"nack", .format = SHOW_COUNT},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/llr", .columns = columns, .empty = "no link has link-level retry"},
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
