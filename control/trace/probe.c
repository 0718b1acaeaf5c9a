// SPDX-License-Identifier: BSD-3-Clause
// What taps see of a probe, in order of time, becomes its hops: it is received, which begins a hop,
// and sent, or dropped. Of a simulated NIC that sends it, nothing is received before. It has
// arrived where a simulated NIC receives it, which goes no further, and where it is sent to an
// attached host.
#include "trace_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/drop.h"

#include <string.h>

enum probe_end { IN_FLIGHT, DELIVERED, DROPPED, LEFT };

struct probe_hop {
	uint32_t node;
	int in, out;  // -1: none
	ps_t arrived; // with `in`
	ps_t left;    // with `out`; of a drop, when it was dropped
	int reason;   // of a drop, or -1
	int queue;    // -1: none
	uint32_t depth_bytes;
	bool at_queue; // a drop whose depth is known
};

struct trace_probe {
	const struct fabric *fabric;
	struct trace_flow flow;
	struct probe packet;
	json_t *computed; // hops
	struct probe_hop *hops;
	unsigned int count;
	ps_t sent_at;
	enum probe_end end;
	int discarded; // by which reason the host that it was for discards it, or -1
};

int
trace_probe_create(const struct trace_state *s, const json_t *params, uint64_t number,
		   struct trace_probe **out, json_t **answer, struct diag *diag)
{
	struct trace_probe p = {.fabric = s->fabric, .discarded = -1};
	int rc = trace_flow_read(s->fabric, params, &p.flow, diag);

	if (rc == 0)
		rc = trace_probe_make(s->fabric, &p.flow, number, &p.packet, diag);
	if (rc != 0)
		return rc;
	*answer = trace_walk(s, &p.flow);
	p.computed = json_incref(json_object_get(*answer, "hops"));
	*out = memory_copy(&p, 1, sizeof(p), "a probe");
	return 0;
}

void
trace_probe_free(struct trace_probe *p)
{
	if (p == NULL)
		return;
	json_decref(p->computed);
	free(p->hops);
	free(p);
}

const struct probe *
trace_probe_packet(const struct trace_probe *p)
{
	return &p->packet;
}

struct topo_ref
trace_probe_start(const struct trace_probe *p)
{
	const struct topology *t = p->fabric->topology;
	const uint32_t host = t->first_host + p->flow.host;
	const struct topo_port *nic = topology_host_port(t, p->flow.host, p->flow.port);
	const struct node *n = p->fabric->nodes[host];

	if (n == NULL)
		return (struct topo_ref){.node = nic->peer_node, .port = nic->peer_port};
	// Of an edge NIC the port towards the host.
	return (struct topo_ref){
		.node = host,
		.port = (uint16_t)(p->flow.port + (n->nic == NULL ? t->nodes[host].port_count : 0)),
	};
}

void
trace_probe_sent(struct trace_probe *p, ps_t at)
{
	p->sent_at = at;
}

// ---- records ------------------------------------------------------------------------------------

static struct probe_hop *
add_hop(struct trace_probe *p, uint32_t node)
{
	p->hops = memory_grow(p->hops, p->count, sizeof(*p->hops), "hops");
	p->hops[p->count] =
		(struct probe_hop){.node = node, .in = -1, .out = -1, .reason = -1, .queue = -1};
	return &p->hops[p->count++];
}

// The hop that the probe is at.
static struct probe_hop *
hop_at(struct trace_probe *p, uint32_t node)
{
	struct probe_hop *last = p->count != 0 ? &p->hops[p->count - 1] : NULL;

	return last != NULL && last->node == node && last->out < 0 ? last : add_hop(p, node);
}

// Whether a NIC of the fabric stands for the host, and not only before it.
static bool
is_simulated(const struct trace_probe *p, uint32_t node)
{
	const struct node *n = p->fabric->nodes[node];

	return node >= p->fabric->topology->first_host && n != NULL && n->nic != NULL;
}

// It reached the host whose address it carries, which takes no probe.
static bool
is_discarded(const struct trace_probe *p, const struct trace_record *r)
{
	return p->flow.to_host != TOPOLOGY_NONE &&
	       r->port.node == p->fabric->topology->first_host + p->flow.to_host &&
	       r->port.port == p->flow.to_port &&
	       (r->reason == DROP_BAD_ICRC || r->reason == DROP_NOT_FOR_HOST);
}

static void
note_drop(struct trace_probe *p, struct probe_hop *hop, const struct trace_record *r)
{
	p->end = DROPPED;
	hop->reason = r->reason;
	hop->left = r->at;
	hop->at_queue = r->out_port >= 0;
	if (!hop->at_queue)
		return;
	hop->out = r->out_port;
	hop->queue = r->tc;
	hop->depth_bytes = r->depth_bytes;
}

static void
note_received(struct trace_probe *p, const struct trace_record *r)
{
	struct probe_hop *hop = add_hop(p, r->port.node);

	hop->in = r->port.port;
	hop->arrived = r->at;
	if (is_simulated(p, r->port.node) && (r->reason < 0 || is_discarded(p, r))) {
		p->end = DELIVERED;
		p->discarded = r->reason;
	} else if (r->reason >= 0) {
		note_drop(p, hop, r);
	}
}

static void
note_sent(struct trace_probe *p, const struct trace_record *r)
{
	const struct topo_node *node = &p->fabric->topology->nodes[r->port.node];
	struct probe_hop *hop = hop_at(p, r->port.node);
	uint32_t peer;

	hop->out = r->port.port;
	hop->left = r->at;
	hop->queue = r->tc;
	if (r->port.port >= node->port_count) { // an edge NIC's, to its host
		p->end = DELIVERED;
		return;
	}
	peer = node->ports[r->port.port].peer_node;
	if (peer == TOPOLOGY_NONE || !fabric_is_here(p->fabric, peer))
		p->end = LEFT;
	else if (p->fabric->nodes[peer] == NULL)
		p->end = DELIVERED;
}

void
trace_probe_note(struct trace_probe *p, const struct trace_record *r)
{
	if (p->end != IN_FLIGHT)
		return;
	if (r->event == TRACE_RECEIVED)
		note_received(p, r);
	else if (r->event == TRACE_SENT)
		note_sent(p, r);
	else
		note_drop(p, hop_at(p, r->port.node), r);
}

bool
trace_probe_has_ended(const struct trace_probe *p)
{
	return p->end != IN_FLIGHT;
}

// ---- what is said of it -------------------------------------------------------------------------

static const char *
port_name(const struct trace_probe *p, uint32_t node, int port)
{
	return port < 0 ? NULL : p->fabric->names[node].ports[port].name;
}

static json_t *
time_json(const struct trace_probe *p, bool known, ps_t at)
{
	return known ? json_integer((json_int_t)(at - p->sent_at)) : NULL;
}

static json_t *
drop_json(const struct trace_probe *p, const struct probe_hop *hop)
{
	const enum drop_reason reason = (enum drop_reason)hop->reason;
	json_t *drop;

	if (hop->reason < 0)
		return NULL;
	drop = json_pack("{s:s, s:s, s:o}", "reason", drop_name(reason), "advice",
			 drop_advice(reason), "at_ps", time_json(p, true, hop->left));
	if (hop->at_queue)
		json_object_set_new(drop, "depth_bytes", json_integer(hop->depth_bytes));
	return drop;
}

static json_t *
hop_json(const struct trace_probe *p, const struct probe_hop *hop)
{
	const struct topo_node *node = &p->fabric->topology->nodes[hop->node];
	const bool has_left = hop->out >= 0 && hop->reason < 0;

	return json_pack(
		"{s:s, s:s, s:s*, s:o*, s:s*, s:o*, s:o*, s:o*}", "node", node->name, "role",
		config_role_name(node->role), "in", port_name(p, hop->node, hop->in), "arrived_ps",
		time_json(p, hop->in >= 0, hop->arrived), "out", port_name(p, hop->node, hop->out),
		"queue", hop->queue < 0 ? NULL : json_integer(hop->queue), "left_ps",
		time_json(p, has_left, hop->left), "drop", drop_json(p, hop));
}

// Whether a hop of a switch is as it was computed. Those of hosts can be no others.
static bool
is_as_computed(const struct trace_probe *p, const struct probe_hop *hop, const json_t *computed)
{
	const char *node = json_string_value(json_object_get(computed, "node"));
	const char *out = json_string_value(json_object_get(computed, "out"));

	if (node == NULL || strcmp(node, p->fabric->topology->nodes[hop->node].name) != 0)
		return false;
	return hop->out < 0 || out == NULL || strcmp(out, port_name(p, hop->node, hop->out)) == 0;
}

// Computed hops begin with the host's, which the fabric may have no part of.
static bool
took_computed_path(const struct trace_probe *p)
{
	const uint32_t first_host = p->fabric->topology->first_host;
	size_t next = 1;

	for (unsigned int i = 0; i < p->count; i++)
		if (p->hops[i].node < first_host &&
		    !is_as_computed(p, &p->hops[i], json_array_get(p->computed, next++)))
			return false;
	return true;
}

// Of a delivered probe when it arrived at the host's NIC, or left for a host that the fabric has no
// NIC of.
static ps_t
last_time(const struct trace_probe *p)
{
	const struct probe_hop *hop;

	if (p->count == 0)
		return p->sent_at;
	hop = &p->hops[p->count - 1];
	if (hop->reason >= 0)
		return hop->left;
	if (hop->in >= 0 && (hop->out < 0 || hop->node >= p->fabric->topology->first_host))
		return hop->arrived;
	return hop->left;
}

json_t *
trace_probe_json(const struct trace_probe *p)
{
	static const char *const ends[] = {
		[IN_FLIGHT] = "in-flight",
		[DELIVERED] = "delivered",
		[DROPPED] = "dropped",
		[LEFT] = "left",
	};
	json_t *hops = json_array();

	for (unsigned int i = 0; i < p->count; i++)
		json_array_append_new(hops, hop_json(p, &p->hops[i]));
	return json_pack("{s:s, s:I, s:I, s:b, s:s*, s:o}", "result", ends[p->end], "sent_at_ps",
			 (json_int_t)p->sent_at, "time_ps", (json_int_t)(last_time(p) - p->sent_at),
			 "as_computed", took_computed_path(p), "discarded_as",
			 p->discarded < 0 ? NULL : drop_name((enum drop_reason)p->discarded),
			 "hops", hops);
}
