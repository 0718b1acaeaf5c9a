// SPDX-License-Identifier: BSD-3-Clause
// Routes as a file writes them: `via` names ports with the MAC behind them, or neighbours, of which
// each link has the weight that is written, or the far end of a tunnel (wear.c).
#include "written.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct via_context {
	const struct topology *t;
	uint32_t node;
	const char *key;
	struct route_member *members;
	uint32_t *count;
	struct config_diag *diag;
};

static int
add_member(const struct via_context *c, const struct config_name *name, uint16_t port,
	   const uint8_t *mac, uint32_t weight)
{
	const char *file = c->t->config->file;

	for (uint32_t i = 0; i < *c->count; i++) {
		if (c->members[i].port == port && memcmp(c->members[i].mac, mac, 6) == 0) {
			config_error(c->diag, file, name->pos, c->key, "%s is there twice",
				     name->text);
			return -EINVAL;
		}
	}
	if (*c->count == GROUP_MEMBERS_MAX) {
		config_error(c->diag, file, name->pos, c->key, "a route has at most %d next hops",
			     GROUP_MEMBERS_MAX);
		return -EINVAL;
	}
	c->members[*c->count].port = port;
	c->members[*c->count].weight = weight;
	memcpy(c->members[(*c->count)++].mac, mac, 6);
	return 0;
}

// All ports towards a neighbour.
static int
add_neighbour(const struct via_context *c, const struct config_via *via)
{
	const struct topo_node *node = &c->t->nodes[c->node];
	uint32_t neighbour;
	bool found = false;

	if (topology_resolve_node(c->t, &via->node, c->key, &neighbour, c->diag) != 0)
		return -EINVAL;
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *port = &node->ports[p];

		if (port->peer_node != neighbour)
			continue;
		if (add_member(c, &via->node, p, c->t->nodes[neighbour].ports[port->peer_port].mac,
			       via->weight) != 0)
			return -EINVAL;
		found = true;
	}
	if (found)
		return 0;
	config_error(c->diag, c->t->config->file, via->node.pos, c->key, "no link joins %s and %s",
		     node->name, via->node.text);
	return -EINVAL;
}

// One port: "swp2", or "leaf1.swp2" of the same switch.
static int
add_port(const struct via_context *c, const struct config_via *via)
{
	const struct topo_node *node = &c->t->nodes[c->node];
	char name[TOPOLOGY_NAME_MAX];
	struct config_name full = {.text = via->port.text, .pos = via->port.pos};
	const struct topo_port *port;
	struct topo_ref ref;

	if (strchr(via->port.text, '.') == NULL &&
	    c->t->config->fabric.topology != CONFIG_TOPOLOGY_SINGLE) {
		snprintf(name, sizeof(name), "%s.%.40s", node->name, via->port.text);
		full.text = name;
	}
	if (topology_resolve_port(c->t, &full, c->key, &ref, c->diag) != 0)
		return -EINVAL;
	port = &c->t->nodes[ref.node].ports[ref.port];
	if (ref.node != c->node) {
		config_error(c->diag, c->t->config->file, via->port.pos, c->key,
			     "%s is not a port of %s", via->port.text, node->name);
		return -EINVAL;
	}
	if (via->mac.set)
		return add_member(c, &via->port, ref.port, via->mac.bytes, via->weight);
	if (port->peer_node != TOPOLOGY_NONE)
		return add_member(c, &via->port, ref.port,
				  c->t->nodes[port->peer_node].ports[port->peer_port].mac,
				  via->weight);
	config_error(c->diag, c->t->config->file, via->port.pos, c->key,
		     "%s needs `mac:`, the address of what is behind it", via->port.text);
	return -EINVAL;
}

static int
resolve_via(const struct topology *t, uint32_t node, const struct config_route *route,
	    const char *key, struct route_member members[static GROUP_MEMBERS_MAX], uint32_t *count,
	    struct config_diag *diag)
{
	const struct via_context c = {
		.t = t,
		.node = node,
		.key = key,
		.members = members,
		.count = count,
		.diag = diag,
	};
	int error = 0;

	*count = 0;
	for (unsigned i = 0; error == 0 && i < route->via_count; i++) {
		const struct config_via *via = &route->via[i];

		if (via->vtep.text == NULL)
			error = via->port.text != NULL ? add_port(&c, via) : add_neighbour(&c, via);
	}
	return error;
}

int
written_resolve(const struct topology *t, struct route_list *list, uint32_t node,
		const struct config_route *from, const char *key, struct route *out,
		struct config_diag *diag)
{
	struct route_member members[GROUP_MEMBERS_MAX];
	char vrf_key[32], via_key[32];
	uint32_t count;
	int error;

	snprintf(vrf_key, sizeof(vrf_key), "%s.vrf", key);
	snprintf(via_key, sizeof(via_key), "%s.via", key);
	*out = (struct route){.prefix = from->prefix,
			      .source = ROUTE_STATIC,
			      .group = ROUTES_BLACKHOLE,
			      .encap = ROUTES_PLAIN};
	if (topology_resolve_vrf(t, &from->vrf, vrf_key, &out->vrf, diag) != 0 ||
	    resolve_via(t, node, from, via_key, members, &count, diag) != 0)
		return -EINVAL;
	error = written_wear(t, list, node, from, members, count, via_key, out, diag);
	if (error == 0 && count != 0)
		error = routes_add_group(list, members, count, &out->group);
	return error;
}
