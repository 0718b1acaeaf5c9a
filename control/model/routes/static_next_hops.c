// SPDX-License-Identifier: BSD-3-Clause
// Next hops of static routes. `via` names ports with the MAC address behind them; or neighbours, all
// links to which become next hops of the weight that the file gives; or the far end of a tunnel
// (static_encap.c).
#include "static_routes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
add_member(struct static_route *s, const struct config_name *name, uint16_t port,
	   const uint8_t *mac, uint32_t weight)
{
	const char *file = s->topology->config->file;

	for (uint32_t i = 0; i < s->member_count; i++) {
		if (s->members[i].port == port && memcmp(s->members[i].mac, mac, 6) == 0)
			return diag_error(s->diag, file, name->pos, s->via_key, "%s appears twice",
					  name->text);
	}
	if (s->member_count == GROUP_MEMBERS_MAX)
		return diag_error(s->diag, file, name->pos, s->via_key,
				  "a route has at most %d next hops", GROUP_MEMBERS_MAX);
	s->members[s->member_count].port = port;
	s->members[s->member_count].weight = weight;
	memcpy(s->members[s->member_count++].mac, mac, 6);
	return 0;
}

// All ports towards a neighbour.
static int
add_neighbour(struct static_route *s, const struct config_via *via)
{
	const struct topo_node *node = &s->topology->nodes[s->node];
	uint32_t neighbour;
	bool found = false;

	if (topology_resolve_node(s->topology, &via->node, s->via_key, &neighbour, s->diag) != 0)
		return -EINVAL;
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *port = &node->ports[p];

		if (port->peer_node != neighbour)
			continue;
		if (add_member(s, &via->node, p,
			       s->topology->nodes[neighbour].ports[port->peer_port].mac,
			       via->weight) != 0)
			return -EINVAL;
		found = true;
	}
	if (found)
		return 0;
	return diag_error(s->diag, s->topology->config->file, via->node.pos, s->via_key,
			  "no link joins %s and %s", node->name, via->node.text);
}

// One port: "swp2", or "leaf1.swp2" of the same switch.
static int
add_port(struct static_route *s, const struct config_via *via)
{
	const struct topo_node *node = &s->topology->nodes[s->node];
	char name[TOPOLOGY_NAME_MAX];
	struct config_name full = {.text = via->port.text, .pos = via->port.pos};
	const struct topo_port *port;
	struct topo_ref ref;

	if (strchr(via->port.text, '.') == NULL &&
	    s->topology->config->fabric.topology != CONFIG_TOPOLOGY_SINGLE) {
		snprintf(name, sizeof(name), "%s.%.40s", node->name, via->port.text);
		full.text = name;
	}
	if (topology_resolve_port(s->topology, &full, s->via_key, &ref, s->diag) != 0)
		return -EINVAL;
	port = &s->topology->nodes[ref.node].ports[ref.port];
	if (ref.node != s->node)
		return diag_error(s->diag, s->topology->config->file, via->port.pos, s->via_key,
				  "%s is not a port of %s", via->port.text, node->name);
	if (via->mac.set)
		return add_member(s, &via->port, ref.port, via->mac.bytes, via->weight);
	if (port->peer_node != TOPOLOGY_NONE)
		return add_member(s, &via->port, ref.port,
				  s->topology->nodes[port->peer_node].ports[port->peer_port].mac,
				  via->weight);
	return diag_error(s->diag, s->topology->config->file, via->port.pos, s->via_key,
			  "%s needs `mac:`, the address of what is behind it", via->port.text);
}

static int
resolve_via(struct static_route *s)
{
	int error = 0;

	s->member_count = 0;
	for (unsigned i = 0; error == 0 && i < s->from->via_count; i++) {
		const struct config_via *via = &s->from->via[i];

		if (via->vtep.text == NULL)
			error = via->port.text != NULL ? add_port(s, via) : add_neighbour(s, via);
	}
	return error;
}

int
static_route_resolve(struct static_route *s, struct route *out)
{
	char vrf_key[32];
	int error;

	snprintf(vrf_key, sizeof(vrf_key), "%s.vrf", s->key);
	snprintf(s->via_key, sizeof(s->via_key), "%s.via", s->key);
	*out = (struct route){.prefix = s->from->prefix,
			      .source = ROUTE_STATIC,
			      .group = ROUTES_BLACKHOLE,
			      .encap = ROUTES_PLAIN};
	if (topology_resolve_vrf(s->topology, &s->from->vrf, vrf_key, &out->vrf, s->diag) != 0 ||
	    resolve_via(s) != 0)
		return -EINVAL;
	error = static_route_set_encap(s, out);
	if (error == 0 && s->member_count != 0)
		out->group = routes_add_group(s->list, s->members, s->member_count);
	return error;
}
