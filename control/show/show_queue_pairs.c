// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of NICs: peers, progress, retransmissions, congestion control. Counters that a
// role does not have are left out.
#include "show_view.h"

#include <arpa/inet.h>
#include <string.h>

static const char *const roles[] = {
	[NIC_ROLE_SENDER] = "sender",
	[NIC_ROLE_RESPONDER] = "responder",
	[NIC_ROLE_RECEIVER] = "receiver",
	[NIC_ROLE_READER] = "reader",
};

static const char *const states[] = {
	[NIC_STATE_READY] = "ready",
	[NIC_STATE_WAITING] = "waits",
	[NIC_STATE_OPEN] = "open",
	[NIC_STATE_COMPLETE] = "complete",
};

static void
add_sent(json_t *to, const struct nic_flow_result *r)
{
	json_object_update_new(
		to, json_pack("{s:I,s:I,s:I,s:I,s:I}", "completed", (json_int_t)r->repetitions,
			      "retransmitted", (json_int_t)r->retransmitted, "naks_rx",
			      (json_int_t)r->naks, "timeouts", (json_int_t)r->timeouts, "cnps_rx",
			      (json_int_t)r->cnps));
}

static void
add_received(json_t *to, const struct nic_receiver_result *r)
{
	json_object_update_new(to, json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "packets",
					     (json_int_t)r->packets, "duplicates",
					     (json_int_t)r->duplicates, "out_of_order",
					     (json_int_t)r->out_of_order, "reorder_max",
					     (json_int_t)r->reorder_max, "naks_tx",
					     (json_int_t)r->naks, "cnps_tx", (json_int_t)r->cnps));
}

static void
add_congestion(json_t *to, const struct congestion_reading *r)
{
	json_object_update_new(to, json_pack("{s:f,s:f,s:f}", "rate_bps", r->rate_bps, "target_bps",
					     r->target_bps, "alpha", r->alpha));
}

static json_t *
pair_json(const struct report_node *n, const struct qp_state *qp)
{
	bool sends = qp->role == NIC_ROLE_SENDER || qp->role == NIC_ROLE_RESPONDER;
	bool receives = qp->role == NIC_ROLE_RECEIVER || qp->role == NIC_ROLE_READER;
	char address[INET6_ADDRSTRLEN];
	json_t *out;

	inet_ntop(qp->ip_version == 6 ? AF_INET6 : AF_INET, qp->peer_ip, address, sizeof(address));
	out = json_pack("{s:s,s:I,s:s,s:s,s:s,s:I,s:I}", "port", n->ports[qp->port].name, "qpn",
			(json_int_t)qp->qpn, "role", roles[qp->role], "state", states[qp->state],
			"peer", address, "peer_qpn", (json_int_t)qp->peer_qpn, "psn",
			(json_int_t)qp->psn);
	if (qp->role == NIC_ROLE_RECEIVER || qp->role == NIC_ROLE_RESPONDER)
		json_object_set_new(out, "msn", json_integer((json_int_t)qp->msn));
	if (sends || qp->role == NIC_ROLE_READER)
		add_sent(out, &qp->sent);
	if (receives)
		add_received(out, &qp->received);
	if (qp->paced)
		add_congestion(out, &qp->reading);
	if (qp->planes != 0)
		json_object_set_new(out, "paths",
				    json_pack("{s:i,s:i,s:i}", "planes", (int)qp->planes, "usable",
					      (int)qp->usable_paths, "assumed_bad",
					      (int)qp->bad_paths));
	return out;
}

static const struct report_node *
find_node(const struct show_state *s, const char *name)
{
	for (unsigned int i = 0; i < s->node_count; i++)
		if (strcmp(s->nodes[i].name, name) == 0)
			return &s->nodes[i];
	return NULL;
}

// {"nodes": {NODE: {"queue_pairs": [{"port", "qpn", "role", "state", "peer", ...}]}}}.
static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL;

	show_child(to, "nodes");
	for (unsigned int i = 0; i < s->nic_count; i++) {
		const struct show_nic *nic = &s->nics[i];
		const struct report_node *n = find_node(s, nic->node);
		json_t *pairs;

		if (n == NULL || (q->port != NULL && strcmp(q->port, nic->node) != 0))
			continue;
		found = true;
		pairs = json_array();
		for (unsigned int k = 0; k < nic->count; k++)
			json_array_append_new(pairs, pair_json(n, &nic->pairs[k]));
		json_object_set_new(show_node(to, n->name), "queue_pairs", pairs);
	}
	return found;
}

// ---- printing ----------------------------------------------------------------------------------

static void
port_cell(struct text_table *t, const struct show_row *row)
{
	text_table_cell(t, "%s.%s", row->names[0], show_string(row->value, "port"));
}

// A count under one of two names, depending on the role; a reader has both, and the first counts.
static void
count_cell(struct text_table *t, const struct show_row *row, const char *key, const char *other)
{
	show_cell(t, row, json_object_get(row->value, key) != NULL ? key : other, SHOW_KNOWN);
}

static void
naks_cell(struct text_table *t, const struct show_row *row)
{
	count_cell(t, row, "naks_rx", "naks_tx");
}

static void
cnps_cell(struct text_table *t, const struct show_row *row)
{
	count_cell(t, row, "cnps_rx", "cnps_tx");
}

static void
rate_cell(struct text_table *t, const struct show_row *row)
{
	const double rate = json_number_value(json_object_get(row->value, "rate_bps"));
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", rate >= 1 && rate < 1e18 ? text_rate(text, (uint64_t)rate) : "-");
}

static const struct show_column columns[] = {
	{"port", .cell = port_cell},
	{"qpn", .format = SHOW_COUNT},
	{"role", .format = SHOW_TEXT},
	{"state", .format = SHOW_TEXT},
	{"peer", .format = SHOW_TEXT},
	{"peer-qpn", "peer_qpn", SHOW_COUNT},
	{"psn", .format = SHOW_COUNT},
	{"retransmitted", .format = SHOW_KNOWN},
	{"naks", .format = SHOW_COUNT, .cell = naks_cell},
	{"out-of-order", "out_of_order", SHOW_KNOWN},
	{"cnps", .format = SHOW_COUNT, .cell = cnps_cell},
	{"rate", .format = SHOW_RATE, .cell = rate_cell},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/queue_pairs/*", .columns = columns, .empty = "no NIC has a queue pair"},
	{0},
};

const struct show_view show_queue_pairs = {
	.name = "queue-pairs",
	.arguments = "[HOST]",
	.help = "queue pairs of NICs and their progress",
	.of = "NIC",
	.needs = SHOW_NEEDS_QUEUE_PAIRS,
	.collect = collect,
	.tables = tables,
};
