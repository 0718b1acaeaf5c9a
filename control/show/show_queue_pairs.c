// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of NICs: whom they speak to, how far they are, and what became of them. What a
// role does not have is left out.
#include "show_part.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static const char *const roles[] = {
	[NIC_ROLE_SENDER] = "sender",
	[NIC_ROLE_RESPONDER] = "responder",
	[NIC_ROLE_RECEIVER] = "receiver",
	[NIC_ROLE_READER] = "reader",
};

static const char *const states[] = {
	[NIC_STATE_READY] = "ready",
	[NIC_STATE_WAITS] = "waits",
	[NIC_STATE_OPEN] = "open",
	[NIC_STATE_COMPLETE] = "complete",
};

static int
add_sent(json_t *to, const struct nic_flow_result *r)
{
	return json_object_update_new(
		to, json_pack("{s:I,s:I,s:I,s:I,s:I}", "completed", (json_int_t)r->repetitions,
			      "retransmitted", (json_int_t)r->retransmitted, "naks_rx",
			      (json_int_t)r->naks, "timeouts", (json_int_t)r->timeouts, "cnps_rx",
			      (json_int_t)r->cnps));
}

static int
add_received(json_t *to, const struct nic_receiver_result *r)
{
	return json_object_update_new(
		to,
		json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "packets", (json_int_t)r->packets,
			  "duplicates", (json_int_t)r->duplicates, "out_of_order",
			  (json_int_t)r->out_of_order, "reorder_max", (json_int_t)r->reorder_max,
			  "naks_tx", (json_int_t)r->naks, "cnps_tx", (json_int_t)r->cnps));
}

static int
add_congestion(json_t *to, const struct congestion_reading *r)
{
	return json_object_update_new(to,
				      json_pack("{s:f,s:f,s:f}", "rate_bps", r->rate_bps,
						"target_bps", r->target_bps, "alpha", r->alpha));
}

static json_t *
pair_json(const struct report_node *n, const struct nic_look *look)
{
	bool sends = look->role == NIC_ROLE_SENDER || look->role == NIC_ROLE_RESPONDER;
	bool receives = look->role == NIC_ROLE_RECEIVER || look->role == NIC_ROLE_READER;
	char address[INET6_ADDRSTRLEN];
	json_t *out;
	int status = 0;

	inet_ntop(look->ip_version == 6 ? AF_INET6 : AF_INET, look->peer_ip, address,
		  sizeof(address));
	out = json_pack("{s:s,s:I,s:s,s:s,s:s,s:I,s:I}", "port", n->ports[look->port].name, "qpn",
			(json_int_t)look->qpn, "role", roles[look->role], "state",
			states[look->state], "peer", address, "peer_qpn",
			(json_int_t)look->peer_qpn, "psn", (json_int_t)look->psn);
	if (out == NULL)
		return NULL;
	if (look->role == NIC_ROLE_RECEIVER || look->role == NIC_ROLE_RESPONDER)
		status |= json_object_set_new(out, "msn", json_integer((json_int_t)look->msn));
	if (sends || look->role == NIC_ROLE_READER)
		status |= add_sent(out, &look->sent);
	if (receives)
		status |= add_received(out, &look->received);
	if (look->paced)
		status |= add_congestion(out, &look->reading);
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
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
int
show_queue_pairs(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;
	int status = 0;

	for (unsigned int i = 0; status == 0 && i < s->nic_count; i++) {
		const struct show_nic *nic = &s->nics[i];
		const struct report_node *n = find_node(s, nic->node);
		json_t *pairs = json_array();

		if (n == NULL || (q->port != NULL && strcmp(q->port, nic->node) != 0)) {
			json_decref(pairs);
			continue;
		}
		found = true;
		for (unsigned int k = 0; k < nic->count; k++)
			status |= json_array_append_new(pairs, pair_json(n, &nic->pairs[k]));
		status |= json_object_set_new(show_child(nodes, n->name), "queue_pairs", pairs);
	}
	if (status != 0)
		return -ENOMEM;
	return found ? 0 : -ENOENT;
}
