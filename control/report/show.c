// SPDX-License-Identifier: BSD-3-Clause
// Every answer about counters is counters.json with less in it: {"time_ns", "nodes": {NAME:
// {"ports": {NAME: ...}}}}, with what a port is (state, rate, MTU, ...) beside what it counts
// where that is asked.
#include "show.h"

#include "control/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Adds a string, or null.
static int
set_text(json_t *to, const char *key, const char *text)
{
	return json_object_set_new(to, key, text != NULL ? json_string(text) : json_null());
}

static int
set_mac(json_t *to, const uint8_t *mac)
{
	return json_object_set_new(to, "mac",
				   json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
						mac[2], mac[3], mac[4], mac[5]));
}

// The object under a key, made when it is missing; NULL when memory ran out.
static json_t *
child(json_t *of, const char *key)
{
	json_t *found = json_object_get(of, key);

	if (found == NULL && json_object_set_new(of, key, json_object()) == 0)
		found = json_object_get(of, key);
	return found;
}

// True when a port is meant by `filter`: everything, its node, "node.port" or its own name.
static bool
port_meant(const struct report_node *n, unsigned int port, const char *filter)
{
	size_t length = strlen(n->name);

	if (filter == NULL || strcmp(filter, n->name) == 0 ||
	    strcmp(filter, n->ports[port].name) == 0)
		return true;
	return strncmp(filter, n->name, length) == 0 && filter[length] == '.' &&
	       strcmp(filter + length + 1, n->ports[port].name) == 0;
}

// What a port is.
static int
add_description(json_t *to, const struct report_node *n, unsigned int port)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *profile = report_profile(n, port);
	const struct report_port *names = &n->ports[port];
	int status = set_text(to, "state", n->node->ports[port].up ? "up" : "down");

	status |= json_object_set_new(to, "rate_bps", json_integer((json_int_t)names->rate_bps));
	status |= set_text(to, "peer", names->peer);
	if (profile == NULL)
		return status;
	status |= json_object_set_new(to, "mtu", json_integer(profile->mtu));
	status |= set_mac(to, t->ports[port].mac);
	status |= set_text(to, "vrf",
			   t->ports[port].vrf < t->vrf_count ? n->vrfs[t->ports[port].vrf] : NULL);
	return status |
	       set_text(to, "tenant",
			t->ports[port].tenant < t->tenant_count ? n->tenants[t->ports[port].tenant]
								: NULL);
}

static json_t *
port_json(const struct report_node *n, unsigned int port, unsigned int parts, bool described,
	  ps_t now)
{
	json_t *counters = counters_port(n, port, parts, now);
	json_t *out = json_object();
	int status = described ? add_description(out, n, port) : 0;

	status |= counters == NULL ? -1 : json_object_update(out, counters);
	json_decref(counters);
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

// {"nodes": {...}} with the ports that `filter` means. Returns 0, -ENOENT when it means none, or
// -ENOMEM.
static int
show_ports(const struct show_state *s, const char *filter, unsigned int parts, bool described,
	   json_t *to)
{
	json_t *nodes = child(to, "nodes");
	bool found = filter == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];

		for (unsigned int k = 0; k < n->node->port_count; k++) {
			json_t *port;

			if (!port_meant(n, k, filter))
				continue;
			found = true;
			port = port_json(n, k, parts, described, s->now);
			if (json_object_set_new(child(child(nodes, n->name), "ports"),
						n->ports[k].name, port) != 0)
				return -ENOMEM;
		}
	}
	return found ? 0 : -ENOENT;
}

static int
show_interface(const struct show_state *s, const char *filter, json_t *to)
{
	return show_ports(s, filter,
			  COUNTERS_TRAFFIC | COUNTERS_PFC | COUNTERS_DROPS | COUNTERS_GROUPS |
				  COUNTERS_QUEUES,
			  true, to);
}

static int
show_pfc(const struct show_state *s, const char *filter, json_t *to)
{
	return show_ports(s, filter, COUNTERS_PFC, false, to);
}

static int
show_queue(const struct show_state *s, const char *filter, json_t *to)
{
	return show_ports(s, filter, COUNTERS_QUEUES, false, to);
}

static int
show_drops(const struct show_state *s, const char *filter, json_t *to)
{
	json_t *advice = child(to, "advice");
	int status = show_ports(s, filter, COUNTERS_DROPS, false, to);

	for (unsigned int i = 0; i < s->node_count && status == 0; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count; k++)
			for (unsigned int r = 0; r < DROP_COUNT; r++)
				if (s->nodes[i].node->ports[k].drops[r] != 0 &&
				    port_meant(&s->nodes[i], k, filter) &&
				    set_text(advice, drop_name(r), drop_advice(r)) != 0)
					status = -ENOMEM;
	return status;
}

static int
show_pool(const struct show_state *s, const char *filter, json_t *to)
{
	json_t *nodes = child(to, "nodes");
	bool found = filter == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];

		if (filter != NULL ? strcmp(filter, n->name) != 0 : n->node->role == NODE_NIC)
			continue;
		found = true;
		if (json_object_set_new(
			    nodes, n->name,
			    counters_node(n, COUNTERS_POOLS | COUNTERS_TENANTS, s->now)) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}

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
		[NODE_LEAF] = "leaf", [NODE_SPINE] = "spine", [NODE_NIC] = "nic"};
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

static int
show_fabric(const struct show_state *s, const char *filter, json_t *to)
{
	const struct show_fabric *f = s->fabric;
	json_t *nodes = child(to, "nodes");
	int status = set_text(to, "name", f->name);

	(void)filter;
	status |= set_text(to, "file", f->file);
	status |= set_text(to, "state", f->state);
	status |= json_object_set_new(to, "dilation", json_integer(f->dilation));
	status |= set_text(to, "idle", f->idle);
	status |= add_workers(to, f);
	for (unsigned int i = 0; i < s->node_count; i++)
		status |= json_object_set_new(nodes, s->nodes[i].name, node_line(&s->nodes[i]));
	return (add_links(to, f) | status) != 0 ? -ENOMEM : 0;
}

static json_t *
route_json(const struct show_route *r)
{
	json_t *via = json_array();
	json_t *out = json_pack("{s:s,s:o}", "mode", r->mode, "via", via);
	int status = out == NULL ? -1 : 0;

	for (unsigned int i = 0; i < r->next_hop_count && status == 0; i++) {
		json_t *hop = json_object();

		status |= set_text(hop, "port", r->next_hops[i].port);
		status |= set_text(hop, "node", r->next_hops[i].node);
		status |= set_mac(hop, r->next_hops[i].mac);
		status |= json_array_append_new(via, hop);
	}
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}

// {"nodes": {NODE: {"vrfs": {VRF: {PREFIX: {"mode", "via": [...]}}}}}}. `filter`: a node; `vrf`:
// one VRF.
static int
show_route(const struct show_state *s, const char *filter, const char *vrf, json_t *to)
{
	json_t *nodes = child(to, "nodes");
	bool found = filter == NULL && vrf == NULL;

	for (unsigned int i = 0; i < s->route_count; i++) {
		const struct show_route *r = &s->routes[i];

		if ((filter != NULL && strcmp(filter, r->node) != 0) ||
		    (vrf != NULL && strcmp(vrf, r->vrf) != 0))
			continue;
		found = true;
		if (json_object_set_new(child(child(child(nodes, r->node), "vrfs"), r->vrf),
					r->prefix, route_json(r)) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}

static const struct {
	const char *word;
	int (*show)(const struct show_state *s, const char *filter, json_t *to);
} shows[] = {
	{"fabric", show_fabric}, {"interface", show_interface}, {"pfc", show_pfc},
	{"queue", show_queue},   {"pool", show_pool},           {"drops", show_drops},
	{"route", NULL},
};

#define SHOW_COUNT (sizeof(shows) / sizeof(*shows))

const char *const *
show_words(size_t *count)
{
	static const char *words[SHOW_COUNT];

	for (size_t i = 0; i < SHOW_COUNT; i++)
		words[i] = shows[i].word;
	*count = SHOW_COUNT;
	return words;
}

static int
show_refuse_word(const char *what, char *why, size_t why_size)
{
	size_t count;
	const char *const *words = show_words(&count);
	const char *near = config_suggest(what, words, count);

	snprintf(why, why_size, "there is no show %.40s%s%s%s", what,
		 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
		 near != NULL ? "\"?" : "");
	return -EINVAL;
}

static int
show_refuse_filter(const char *what, const char *port, const char *vrf, char *why, size_t why_size)
{
	if (vrf != NULL)
		snprintf(why, why_size, "no route%s%.40s in a VRF %.40s",
			 port != NULL ? " of " : "", port != NULL ? port : "", vrf);
	else
		snprintf(why, why_size, "%s: there is no %s %.80s", what,
			 strcmp(what, "pool") == 0 || strcmp(what, "route") == 0 ? "node"
										 : "node or port",
			 port);
	return -EINVAL;
}

int
show_answer(const struct show_state *s, const json_t *params, json_t **out, char *why,
	    size_t why_size)
{
	const char *what = NULL, *port = NULL, *vrf = NULL;
	json_t *answer;
	json_error_t error;
	size_t i = 0;
	int status;

	*out = NULL;
	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s,s?:s,s?:s}",
			   "what", &what, "port", &port, "vrf", &vrf) != 0) {
		snprintf(why, why_size,
			 "show wants \"what\", and may have \"port\" and \"vrf\": %s", error.text);
		return -EINVAL;
	}
	while (i < SHOW_COUNT && strcmp(shows[i].word, what) != 0)
		i++;
	if (i == SHOW_COUNT)
		return show_refuse_word(what, why, why_size);
	answer = json_pack("{s:I}", "time_ns", (json_int_t)(s->now / PS_PER_NS));
	status = shows[i].show != NULL ? shows[i].show(s, port, answer)
				       : show_route(s, port, vrf, answer);
	if (status == 0) {
		*out = answer;
		return 0;
	}
	json_decref(answer);
	if (status == -ENOENT)
		return show_refuse_filter(what, port, vrf, why, why_size);
	return status;
}
