// SPDX-License-Identifier: BSD-3-Clause
// The packet's way, node by node: it is put into a copy of each, and goes on from there as it
// leaves. What is said of a hop beside that (the prefix of the route, the depth of the queue, how
// long the packet would wait there) is read from the node and from the routes.
#include "trace_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/wire.h"
#include "dataplane/queueing/transmit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ECN_SLOPE_BITS 56

struct walk {
	const struct trace_state *s;
	const struct trace_flow *flow;
	struct trace_memory memory;
	struct rte_mbuf *m;
	uint32_t node; // where it is
	uint16_t in;   // and by which port it came there
	ps_t elapsed;
	ps_t rest; // until the last bit is there too, at a cut-through switch
	json_t *hops;
	const char *part; // that it leaves to, which another process runs; NULL: it does not
	int verdict; // STAGE_NEXT on its way, STAGE_CONSUMED: it is there; or the reason to drop it
};

// ---- what is said of a hop ----------------------------------------------------------------------

static json_t *
depth_json(const struct node *n, unsigned int port, unsigned int tc)
{
	return json_integer((json_int_t)n->depth[tc * n->port_count + port] * n->current->cell);
}

static json_t *
peer_json(const struct topology *t, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &t->nodes[node].ports[port];
	char name[TOPOLOGY_NAME_MAX];

	if (p->peer_node == TOPOLOGY_NONE)
		return json_null();
	return json_string(topology_port_name(t, p->peer_node, p->peer_port, name));
}

static json_t *
encap_json(const struct tables *t, const struct next_hop_group *group)
{
	const struct encap *encap;
	char to[INET6_ADDRSTRLEN];

	if (group->encap == 0)
		return NULL;
	encap = &t->tunnels->encaps[group->encap];
	if (encap->kind == ENCAP_VLAN)
		return json_pack("{s:s, s:i}", "kind", "vlan", "vlan", (int)encap->vid);
	inet_ntop(t->tunnels->version == 6 ? AF_INET6 : AF_INET, encap->remote, to, sizeof(to));
	return json_pack("{s:s, s:I, s:s}", "kind", "vxlan", "vni", (json_int_t)encap->vni, "to",
			 to);
}

// The longest prefix among the routes that the tables were made of.
static json_t *
prefix_json(const struct walk *w, const struct switch_trace *c)
{
	const struct fabric *f = w->s->fabric;
	const uint8_t version = c->routed.flags & PACKET_IPV6 ? 6 : 4;
	struct route_list learned = {0};
	const struct route_list *list =
		fabric_merge_learned(f, w->node, &f->routes->nodes[w->node], &learned);
	const struct route *route = routes_lookup(list, c->routed.vrf, version, c->destination);
	char address[INET6_ADDRSTRLEN];
	json_t *out = NULL;

	if (w->flow->infiniband)
		return json_sprintf("lid %u", w->flow->to[0] << 8 | w->flow->to[1]);
	if (route != NULL) {
		inet_ntop(version == 6 ? AF_INET6 : AF_INET, route->prefix.address, address,
			  sizeof(address));
		out = json_sprintf("%s/%u", address, (unsigned)route->prefix.length);
	}
	routes_clear(&learned);
	return out;
}

// Each port of the group once.
static json_t *
members_json(const struct walk *w, const struct node *n, const struct next_hop_group *group,
	     const struct packet_meta *routed, int chosen)
{
	const struct topology *t = w->s->fabric->topology;
	const struct next_hop *hops = &n->current->next_hops[group->first];
	unsigned int weights[PORTS_MAX] = {0};
	json_t *out = json_array();

	for (unsigned int i = 0; i < group->count; i++)
		weights[hops[i].port]++;
	for (uint16_t port = 0; port < n->port_count; port++) {
		if (weights[port] == 0)
			continue;
		json_array_append_new(out, json_pack("{s:s, s:o, s:i, s:b, s:b, s:o, s:b}", "port",
						     t->nodes[w->node].ports[port].name, "to",
						     peer_json(t, w->node, port), "weight",
						     (int)weights[port], "up", n->ports[port].up,
						     "paused", n->held[port] >> routed->tc & 1,
						     "depth_bytes", depth_json(n, port, routed->tc),
						     "chosen", chosen == port));
	}
	return out;
}

static void
add_choice(const struct switch_trace *c, json_t *hop)
{
	static const char *const words[] = {
		[TRACE_ONLY] = "only",
		[TRACE_PIN] = "pin",
		[TRACE_HASH] = "hash",
		[TRACE_STATE] = "state",
	};

	if (c->choice == TRACE_NONE || words[c->choice] == NULL)
		return;
	json_object_set_new(hop, "choice", json_string(words[c->choice]));
	if (c->new_flowlet)
		json_object_set_new(hop, "new_flowlet", json_true());
	if (c->choice != TRACE_HASH)
		return;
	json_object_set_new(hop, "hash", json_integer(c->hash));
	json_object_set_new(hop, "hash_of",
			    json_string(c->with_qp ? "addresses, protocol, ports, queue pair"
						   : "addresses, protocol, ports"));
}

static void
add_route(const struct walk *w, const struct node *n, const struct switch_trace *c, int out_port,
	  json_t *hop)
{
	const struct tables *t = n->current;
	const struct next_hop_group *group = &t->groups[c->routed.group];
	json_t *route = json_pack("{s:o*, s:s, s:o*}", "prefix", prefix_json(w, c), "mode",
				  config_routing_mode_name(group->mode), "encap",
				  encap_json(t, group));

	json_object_set_new(hop, "route", route);
	add_choice(c, hop);
	json_object_set_new(hop, "members", members_json(w, n, group, &c->routed, out_port));
}

// Which VRF, tenant, priority and queue; only packets that were classified have them.
static void
add_class(const struct topology *t, const struct packet_meta *meta, json_t *hop)
{
	json_object_update_new(hop,
			       json_pack("{s:s, s:i, s:i, s:i}", "vrf",
					 meta->vrf < t->vrf_count ? t->vrfs[meta->vrf].name : "",
					 "priority", (int)meta->priority, "group", (int)meta->pg,
					 "queue", (int)meta->tc));
	if (meta->tenant < t->tenant_count && t->tenants[meta->tenant].name != NULL)
		json_object_set_new(hop, "tenant", json_string(t->tenants[meta->tenant].name));
	if (meta->flags & PACKET_DECAPPED)
		json_object_set_new(hop, "tunnel_ends", json_true());
}

// With what probability a packet that leaves such a queue is marked.
static double
mark_probability(const struct ecn_profile *ecn, uint32_t depth)
{
	if (depth <= ecn->min)
		return 0;
	if (depth > ecn->max)
		return 1;
	return (double)((uint64_t)depth * ecn->cell - ecn->min_bytes) * (double)ecn->slope /
	       (double)(UINT64_C(1) << ECN_SLOPE_BITS);
}

// How long a port sends until the far end can handle the packet. Sets what is still to come then.
static ps_t
send_time(struct walk *w, const struct port *p, uint32_t bytes)
{
	const struct port_profile *profile = p->profile;
	const uint32_t frame = bytes + profile->preamble + profile->fcs;
	const ps_t all = time_of_bytes(profile->byte_time, frame);
	ps_t header = all;

	if (p->out->header_bytes != 0)
		header = port_header_arrival(p, frame, 0, all + p->out->delay) - p->out->delay;
	w->rest = all - header;
	return header;
}

// Whether a cut-through switch stores the packet as it leaves at another rate, or without its outer
// headers (stages/cut_through.h).
static bool
is_stored(const struct walk *w, const struct node *n, const struct switch_trace *c)
{
	return n->ports[w->in].profile->byte_time !=
		       n->ports[packet_meta(w->m)->out_port].profile->byte_time ||
	       c->routed.flags & PACKET_DECAPPED;
}

// The queue that it would join, and how long that would take if nothing else of the port went
// first: the frame that is being sent, what is in the queue, and the frame itself. `stored`: how
// long the switch waits for its last bit before.
static void
add_queue(struct walk *w, const struct node *n, ps_t stored, json_t *hop)
{
	const struct packet_meta *meta = packet_meta(w->m);
	const struct topology *t = w->s->fabric->topology;
	const struct port *p = &n->ports[meta->out_port];
	const struct port_profile *profile = p->profile;
	const struct ecn_profile *ecn = &profile->tc[meta->tc].ecn;
	const uint32_t depth = n->depth[meta->tc * n->port_count + meta->out_port];
	const ps_t at = w->s->now + w->elapsed + stored;
	const ps_t busy = p->tx_free > at ? p->tx_free - at : 0;
	const ps_t wait = busy + stored +
			  time_of_bytes(profile->byte_time, (uint64_t)depth * n->current->cell);
	const ps_t send = send_time(w, p, meta->wire_bytes);

	json_object_update_new(hop,
			       json_pack("{s:s, s:o, s:I, s:o, s:b, s:I, s:I, s:I}", "out",
					 t->nodes[w->node].ports[meta->out_port].name, "to",
					 peer_json(t, w->node, meta->out_port), "bytes",
					 (json_int_t)meta->wire_bytes, "depth_bytes",
					 depth_json(n, meta->out_port, meta->tc), "paused",
					 n->held[meta->out_port] >> meta->tc & 1, "wait_ps",
					 (json_int_t)wait, "serialization_ps", (json_int_t)send,
					 "link_ps", (json_int_t)p->out->delay));
	if (meta->flags & PACKET_TRIMMED)
		json_object_set_new(hop, "trimmed", json_true());
	if (ecn->enabled)
		json_object_set_new(hop, "ecn",
				    json_pack("{s:I, s:I, s:f}", "min_bytes",
					      (json_int_t)ecn->min * ecn->cell, "max_bytes",
					      (json_int_t)ecn->max * ecn->cell, "probability",
					      mark_probability(ecn, depth)));
	if (p->out->loss != 0)
		json_object_set_new(hop, "loss",
				    json_real((double)p->out->loss / (double)UINT32_MAX));
	w->elapsed += wait + send + p->out->delay;
}

// Why a leaf has no route to a host: "h2 is in VRF red, h5 in VRF blue". For free(); NULL: for some
// other reason.
static char *
explain(const struct walk *w)
{
	const struct topology *t = w->s->fabric->topology;
	const struct topo_port *from = topology_host_port(t, w->flow->host, w->flow->port), *to;

	if (w->verdict != DROP_NO_ROUTE || w->flow->to_host == TOPOLOGY_NONE)
		return NULL;
	to = topology_host_port(t, w->flow->to_host, w->flow->to_port);
	if (topology_vrfs_joined(t, from->vrf, to->vrf))
		return NULL;
	return memory_format("%s is in VRF %s, %s in VRF %s, and the two are not joined",
			     topology_host(t, w->flow->host)->name, t->vrfs[from->vrf].name,
			     topology_host(t, w->flow->to_host)->name, t->vrfs[to->vrf].name);
}

static void
add_drop(const struct walk *w, json_t *hop)
{
	const enum drop_reason reason = (enum drop_reason)w->verdict;
	char *why = explain(w);

	json_object_set_new(hop, "drop",
			    json_pack("{s:s, s:s, s:s*}", "reason", drop_name(reason), "advice",
				      drop_advice(reason), "why", why));
	free(why);
}

// ---- hops ---------------------------------------------------------------------------------------

static json_t *
add_hop(const struct walk *w)
{
	const struct topo_node *node = &w->s->fabric->topology->nodes[w->node];
	json_t *hop =
		json_pack("{s:s, s:s}", "node", node->name, "role", config_role_name(node->role));

	json_array_append_new(w->hops, hop);
	return hop;
}

// To the far end of a port.
static void
go_on(struct walk *w, uint16_t out)
{
	const struct topo_port *port = &w->s->fabric->topology->nodes[w->node].ports[out];

	if (port->peer_node == TOPOLOGY_NONE) {
		w->verdict = STAGE_CONSUMED; // it leaves the fabric
		return;
	}
	if (!fabric_is_here(w->s->fabric, port->peer_node)) {
		w->part = topology_part_of(w->s->fabric->topology, port->peer_node)->name.text;
		w->verdict = STAGE_CONSUMED;
		return;
	}
	w->node = port->peer_node;
	w->in = port->peer_port;
}

static void
leave_host(struct walk *w)
{
	const struct topology *t = w->s->fabric->topology;
	const struct node *n;
	json_t *hop;

	w->node = t->first_host + w->flow->host;
	n = w->s->nodes[w->node];
	hop = add_hop(w);
	json_object_set_new(hop, "out", json_string(t->nodes[w->node].ports[w->flow->port].name));
	json_object_set_new(hop, "to", peer_json(t, w->node, w->flow->port));
	if (n != NULL) {
		const struct port *p = &n->ports[w->flow->port];
		ps_t send;

		if (!p->up || p->out == NULL) {
			w->verdict = DROP_LINK_DOWN;
			add_drop(w, hop);
			return;
		}
		send = send_time(w, p, packet_meta(w->m)->wire_bytes);
		json_object_update_new(hop, json_pack("{s:I, s:I, s:I}", "wait_ps", (json_int_t)0,
						      "serialization_ps", (json_int_t)send,
						      "link_ps", (json_int_t)p->out->delay));
		w->elapsed += send + p->out->delay;
	}
	go_on(w, w->flow->port);
}

static void
pass_switch(struct walk *w)
{
	const struct topology *t = w->s->fabric->topology;
	const struct node *n = w->s->nodes[w->node];
	const struct packet_meta *meta = packet_meta(w->m);
	struct switch_trace *c = trace_copy(n, &w->memory);
	json_t *hop = add_hop(w);
	ps_t stored;

	json_object_set_new(hop, "in", json_string(t->nodes[w->node].ports[w->in].name));
	w->verdict = switch_trace(c, &c->node.ports[w->in], w->m, w->s->now + w->elapsed);
	if (c->has_class)
		add_class(t, &c->class, hop);
	if (c->has_route)
		add_route(w, n, c, w->verdict == STAGE_NEXT ? meta->out_port : -1, hop);
	stored = w->verdict == STAGE_NEXT && is_stored(w, n, c) ? w->rest : 0;
	trace_copy_free(c);
	if (w->verdict == STAGE_NEXT && n->ports[meta->out_port].out->down)
		w->verdict = DROP_LINK_DOWN;
	if (w->verdict >= 0) {
		add_drop(w, hop);
		return;
	}
	if (w->verdict == STAGE_NEXT) {
		add_queue(w, n, stored, hop);
		go_on(w, meta->out_port);
	}
}

// Whether the NIC takes it: a simulated one only what is for its address.
static int
take(const struct walk *w, const struct node *n)
{
	const struct topo_port *nic = &w->s->fabric->topology->nodes[w->node].ports[w->in];
	const uint8_t lid[2] = {nic->lid >> 8, nic->lid & 0xff};
	const uint8_t *own = w->flow->infiniband ? lid : w->flow->ip6 ? nic->ip6 : nic->ip4;
	const size_t bytes = w->flow->infiniband ? sizeof(lid) : w->flow->ip6 ? 16 : 4;
	struct switch_trace *c;
	int verdict;

	if (n == NULL || n->nic == NULL)
		return STAGE_NEXT;
	c = trace_copy(n, &w->memory);
	verdict = nic_trace(&c->node, &c->node.ports[w->in], w->m, w->s->now + w->elapsed);
	trace_copy_free(c);
	if (verdict == STAGE_NEXT && memcmp(own, w->flow->to, bytes) != 0)
		verdict = DROP_NOT_FOR_HOST;
	return verdict;
}

static void
reach_host(struct walk *w)
{
	const struct topology *t = w->s->fabric->topology;
	json_t *hop = add_hop(w);

	json_object_set_new(hop, "in", json_string(t->nodes[w->node].ports[w->in].name));
	w->verdict = take(w, w->s->nodes[w->node]);
	if (w->verdict >= 0)
		add_drop(w, hop);
	else
		w->verdict = STAGE_CONSUMED;
}

json_t *
trace_walk(const struct trace_state *s, const struct trace_flow *flow)
{
	struct walk w = {.s = s, .flow = flow, .verdict = STAGE_NEXT};
	json_t *out;

	trace_memory_create(&w.memory);
	w.hops = json_array();
	w.m = trace_flow_packet(s->fabric, flow, w.memory.packets);
	leave_host(&w);
	while (w.verdict == STAGE_NEXT) {
		if (w.node < s->fabric->topology->first_host)
			pass_switch(&w);
		else
			reach_host(&w);
	}
	out = json_pack("{s:o, s:I, s:s, s:s*, s:I, s:o, s:o}", "packet",
			trace_flow_json(s->fabric, flow), "at_ps", (json_int_t)s->now, "result",
			w.verdict >= 0   ? "dropped"
			: w.part != NULL ? "left"
					 : "delivered",
			"part", w.part, "time_ps", (json_int_t)w.elapsed, "hops", w.hops, "paths",
			trace_paths(s, flow, &w.memory));
	trace_memory_destroy(&w.memory);
	return out;
}

int
trace_answer(const struct trace_state *s, const json_t *params, json_t **out, struct diag *diag)
{
	struct trace_flow flow = {0};
	int rc = trace_flow_read(s->fabric, params, &flow, diag);

	if (rc == 0)
		*out = trace_walk(s, &flow);
	return rc;
}
