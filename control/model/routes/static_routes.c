// SPDX-License-Identifier: BSD-3-Clause
// Static routes. `via` names ports with the MAC address behind them; or neighbours, all links to
// which become next hops of the weight that the file gives; or the far end of a tunnel (`vtep`),
// which means VXLAN to that address, by the next hops to which VRF `default` sends it
// (routes_follow_tunnels). A route through a switch of the fabric gets the tag of its VRF if the
// tenant uses a VLAN. If the tenant uses a VNI, the route keeps the tunnel of the route that
// covered its prefix before, and changes only the next hops; if there was none, its packets are not
// encapsulated.
#include "routes_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

// ---- encapsulation ------------------------------------------------------------------------------

static int
refuse(const struct static_route *s, const struct config_via *via, const char *what)
{
	return diag_error(s->diag, s->topology->config->file, via->vtep.pos, s->via_key, "%s",
			  what);
}

uint8_t
routes_underlay(const struct topology *t)
{
	return topology_is_single(t) ? t->config->single.vtep.version
				     : (uint8_t)t->config->fabric.underlay;
}

// A fabric's leaf: its addresses are known.
static int
set_leaf(const struct static_route *s, const struct config_via *via, struct route_encap *encap)
{
	uint8_t underlay = routes_underlay(s->topology);
	const struct topo_node *leaf;
	uint32_t node;

	if (topology_resolve_node(s->topology, &via->vtep, s->via_key, &node, s->diag) != 0)
		return -EINVAL;
	if (node >= s->topology->leaf_count)
		return refuse(s, via, "tunnels end at leaves");
	leaf = &s->topology->nodes[node];
	memcpy(encap->mac, leaf->router_mac, sizeof(encap->mac));
	memcpy(encap->remote, topology_loopback(leaf, underlay), address_bytes(underlay));
	return 0;
}

static int
set_far_end(const struct static_route *s, const struct config_via *via, struct route_encap *encap)
{
	const char *text = via->vtep.text;
	uint8_t version = strchr(text, ':') != NULL ? 6 : 4;

	if (inet_pton(version == 6 ? AF_INET6 : AF_INET, text, encap->remote) != 1)
		return topology_is_single(s->topology)
			       ? refuse(s, via, "not an IPv4 or IPv6 address")
			       : set_leaf(s, via, encap);
	if (version != routes_underlay(s->topology))
		return refuse(s, via,
			      version == 6 ? "an IPv6 address, and this end has an IPv4 one"
					   : "an IPv4 address, and this end has an IPv6 one");
	if (topology_is_single(s->topology) &&
	    memcmp(encap->remote, s->topology->config->single.vtep.bytes, 16) == 0)
		return refuse(s, via, "this end's own address");
	if (!via->mac.set)
		return refuse(s, via, "needs `mac:`, the address of the far end's router");
	return 0;
}

// The VRF whose VNI this is, or `vrf`.
static uint16_t
vrf_of_vni(const struct topology *t, uint32_t vni, uint16_t vrf)
{
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].name[0] != '\0' && t->vrfs[v].encap == CONFIG_ENCAP_VXLAN &&
		    t->vrfs[v].vni == vni)
			return v;
	return vrf;
}

static int
set_tunnel(const struct static_route *s, const struct config_via *via, struct route *route)
{
	const struct topo_vrf *vrf = &s->topology->vrfs[route->vrf];
	struct route_encap encap = {.kind = CONFIG_ENCAP_VXLAN, .id = via->vni};

	if (topology_is_single(s->topology) && routes_underlay(s->topology) == 0)
		return refuse(s, via, "needs `vtep:` of the switch, the tunnel's end here");
	if (route->vrf == TOPOLOGY_VRF_DEFAULT)
		return refuse(s, via, "tunnels go through VRF default: name a tenant's `vrf:`");
	if (encap.id == 0 && vrf->encap == CONFIG_ENCAP_VXLAN)
		encap.id = vrf->vni;
	if (encap.id == 0)
		return refuse(s, via, "needs `vni:`, as the route's VRF has none");
	encap.pipe = s->topology->vrfs[vrf_of_vni(s->topology, encap.id, route->vrf)].pipe;
	if (set_far_end(s, via, &encap) != 0)
		return -EINVAL;
	if (via->mac.set)
		memcpy(encap.mac, via->mac.bytes, sizeof(encap.mac));
	route->group = ROUTES_BLACKHOLE;
	route->recursive = true;
	route->encap = routes_add_encap(s->list, &encap);
	return 0;
}

bool
routes_leads_on(const struct topology *t, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &t->nodes[node].ports[port];

	if (!topology_is_single(t))
		return p->peer_node < t->first_host;
	for (unsigned i = 0; i < t->config->single.port_count; i++)
		if (t->config->single.ports[i].number == p->number)
			return t->config->single.ports[i].uplink;
	return false;
}

// Sets the encapsulation of the route and, through a tunnel, `recursive` and no group yet.
static int
set_encap(const struct static_route *s, struct route *route)
{
	const struct topology *t = s->topology;
	const struct topo_vrf *vrf = &t->vrfs[route->vrf];
	const struct route *before;
	uint32_t onward = 0;

	for (unsigned i = 0; i < s->from->via_count; i++) {
		const struct config_via *via = &s->from->via[i];

		if (via->vtep.text == NULL)
			continue;
		return s->from->via_count == 1
			       ? set_tunnel(s, via, route)
			       : refuse(s, via,
					"must be the only next hop: a route has one tunnel");
	}
	for (uint32_t i = 0; i < s->member_count; i++)
		onward += routes_leads_on(t, s->node, s->members[i].port);
	if (onward == 0 || vrf->encap == CONFIG_ENCAP_PLAIN)
		return 0;
	if (vrf->encap == CONFIG_ENCAP_VLAN && onward < s->member_count)
		return diag_error(
			s->diag, t->config->file, s->from->pos, s->via_key,
			"next hops to switches have the tag of VLAN %u, the others have none: "
			"a route cannot have both",
			vrf->vid);
	if (vrf->encap == CONFIG_ENCAP_VLAN) {
		route->encap = routes_add_encap(
			s->list, &(struct route_encap){.kind = CONFIG_ENCAP_VLAN, .id = vrf->vid});
		return 0;
	}
	before = routes_lookup(s->list, route->vrf, route->prefix.version, route->prefix.address);
	if (before != NULL && before->encap != ROUTES_PLAIN &&
	    s->list->encaps[before->encap].kind == CONFIG_ENCAP_VXLAN)
		route->encap = before->encap;
	return 0;
}

// ---- next hops ----------------------------------------------------------------------------------

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

	if (strchr(via->port.text, '.') == NULL && !topology_is_single(s->topology)) {
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
	error = set_encap(s, out);
	if (error == 0 && s->member_count != 0)
		out->group = routes_add_group(s->list, s->members, s->member_count);
	return error;
}
