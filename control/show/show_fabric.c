// SPDX-License-Identifier: BSD-3-Clause
// The fabric as a whole: its nodes, links and workers, and the routes of its switches.
#include "show_part.h"

#include <errno.h>
#include <string.h>

static int
add_links(json_t *to, const struct show_fabric *f)
{
	json_t *links = json_array();
	int status = 0;

	for (unsigned int i = 0; i < f->link_count; i++) {
		const struct show_link *l = &f->links[i];

		status |= json_array_append_new(
			links, json_pack("{s:s,s:s,s:I,s:I,s:s}", "a", l->a, "b", l->b, "rate_bps",
					 (json_int_t)l->rate_bps, "delay_ps", (json_int_t)l->delay,
					 "state", l->up ? "up" : "down"));
	}
	return json_object_set_new(to, "links", links) | status;
}

static int
add_workers(json_t *to, const struct show_fabric *f)
{
	json_t *workers = json_array();
	int status = 0;

	for (unsigned int i = 0; i < f->worker_count; i++) {
		const struct show_worker *w = &f->workers[i];

		status |= json_array_append_new(
			workers,
			json_pack("{s:i,s:i,s:I,s:I,s:I}", "cpu", (int)w->cpu, "nodes",
				  (int)w->nodes, "lag_ns", (json_int_t)w->lag_ns, "lag_max_ns",
				  (json_int_t)w->lag_max_ns, "slips", (json_int_t)w->slips));
	}
	return json_object_set_new(to, "workers", workers) | status;
}

static json_t *
node_line(const struct report_node *n)
{
	static const char *const roles[] = {
		[NODE_LEAF] = "leaf",
		[NODE_SPINE] = "spine",
		[NODE_SUPER] = "super",
		[NODE_NIC] = "nic",
	};
	uint64_t received = 0, sent = 0, drops = 0;
	unsigned int up = 0;

	for (unsigned int i = 0; i < n->node->port_count; i++) {
		const struct port *p = &n->node->ports[i];

		up += p->up;
		received += p->rx_packets;
		sent += p->tx_packets;
		for (unsigned int r = 0; r < DROP_COUNT; r++)
			drops += p->drops[r];
	}
	return json_pack("{s:s,s:i,s:i,s:I,s:I,s:I}", "role", roles[n->node->role], "ports",
			 (int)n->node->port_count, "ports_up", (int)up, "rx_packets",
			 (json_int_t)received, "tx_packets", (json_int_t)sent, "dropped",
			 (json_int_t)drops);
}

int
show_fabric(const struct show_state *s, const struct show_question *q, json_t *to)
{
	const struct show_fabric *f = s->fabric;
	json_t *nodes = show_child(to, "nodes");
	int status = show_set_text(to, "name", f->name);

	(void)q;
	status |= show_set_text(to, "file", f->file);
	status |= show_set_text(to, "state", f->state);
	status |= json_object_set_new(to, "dilation", json_integer(f->dilation));
	status |= show_set_text(to, "idle", f->idle);
	status |= add_workers(to, f);
	for (unsigned int i = 0; i < s->node_count; i++)
		status |= json_object_set_new(nodes, s->nodes[i].name, node_line(&s->nodes[i]));
	return (add_links(to, f) | status) != 0 ? -ENOMEM : 0;
}

// {"kind": "vxlan", "vni", "to"}, {"kind": "vlan", "vlan"}, or null.
static json_t *
encap_json(const struct show_encap *e)
{
	if (e->id == 0)
		return json_null();
	return e->vxlan ? json_pack("{s:s,s:I,s:s}", "kind", "vxlan", "vni", (json_int_t)e->id,
				    "to", e->to)
			: json_pack("{s:s,s:I}", "kind", "vlan", "vlan", (json_int_t)e->id);
}

static json_t *
route_json(const struct show_route *r)
{
	json_t *via = json_array();
	json_t *out = json_pack("{s:s,s:s,s:b,s:o,s:o}", "mode", r->mode, "source", r->source,
				"glean", r->glean, "via", via, "encap", encap_json(&r->encap));
	int status = out == NULL ? -1 : 0;

	for (unsigned int i = 0; i < r->next_hop_count && status == 0; i++) {
		json_t *hop = json_object();

		status |= show_set_text(hop, "port", r->next_hops[i].port);
		status |= show_set_text(hop, "node", r->next_hops[i].node);
		status |= show_set_mac(hop, r->next_hops[i].mac);
		status |= json_array_append_new(via, hop);
	}
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

// {"nodes": {NODE: {"vrfs": {VRF: {PREFIX: {"mode", "source", "glean", "via": [...], "encap"}}}}}}.
int
show_route(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL && q->vrf == NULL;

	for (unsigned int i = 0; i < s->route_count; i++) {
		const struct show_route *r = &s->routes[i];

		if ((q->port != NULL && strcmp(q->port, r->node) != 0) ||
		    (q->vrf != NULL && strcmp(q->vrf, r->vrf) != 0))
			continue;
		found = true;
		if (json_object_set_new(
			    show_child(show_child(show_child(nodes, r->node), "vrfs"), r->vrf),
			    r->prefix, route_json(r)) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}
