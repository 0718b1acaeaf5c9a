// SPDX-License-Identifier: BSD-3-Clause
// The encapsulation of static routes. A next hop that is the far end of a tunnel (`vtep`) means VXLAN
// to that address, by the next hops to which VRF `default` sends it (routes_follow_tunnels). A route
// through a switch of the fabric gets the tag of its VRF if the tenant uses a VLAN. If the tenant
// uses a VNI, the route keeps the tunnel of the route that covered its prefix before, and changes
// only the next hops; if there was none, its packets are not encapsulated.
#include "static_routes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

struct far_end {
	const struct static_route *route;
	const struct topology *t;
	const struct config_via *via;
};

static int
refuse(const struct far_end *end, const char *what)
{
	return diag_error(end->route->diag, end->t->config->file, end->via->vtep.pos,
			  end->route->via_key, "%s", what);
}

static bool
lone(const struct topology *t)
{
	return t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
}

uint8_t
routes_underlay(const struct topology *t)
{
	return lone(t) ? t->config->single.vtep.version : (uint8_t)t->config->fabric.underlay;
}

// A fabric's leaf: its addresses are known.
static int
set_leaf(const struct far_end *end, struct route_encap *encap)
{
	const struct topo_node *leaf;
	uint32_t node;

	if (topology_resolve_node(end->t, &end->via->vtep, end->route->via_key, &node,
				  end->route->diag) != 0)
		return -EINVAL;
	if (node >= end->t->leaf_count)
		return refuse(end, "tunnels end at leaves");
	leaf = &end->t->nodes[node];
	memcpy(encap->mac, leaf->router_mac, sizeof(encap->mac));
	if (routes_underlay(end->t) == 6)
		memcpy(encap->remote, leaf->loopback6, sizeof(leaf->loopback6));
	else
		memcpy(encap->remote, leaf->loopback4, sizeof(leaf->loopback4));
	return 0;
}

static int
set_far_end(const struct far_end *end, struct route_encap *encap)
{
	const char *text = end->via->vtep.text;
	uint8_t version = strchr(text, ':') != NULL ? 6 : 4;

	if (inet_pton(version == 6 ? AF_INET6 : AF_INET, text, encap->remote) != 1)
		return lone(end->t) ? refuse(end, "not an IPv4 or IPv6 address")
				    : set_leaf(end, encap);
	if (version != routes_underlay(end->t))
		return refuse(end, version == 6 ? "an IPv6 address, and this end has an IPv4 one"
						: "an IPv4 address, and this end has an IPv6 one");
	if (lone(end->t) && memcmp(encap->remote, end->t->config->single.vtep.bytes, 16) == 0)
		return refuse(end, "this end's own address");
	if (!end->via->mac.set)
		return refuse(end, "needs `mac:`, the address of the far end's router");
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
set_tunnel(const struct far_end *end, struct route *route)
{
	const struct topo_vrf *vrf = &end->t->vrfs[route->vrf];
	struct route_encap encap = {.kind = CONFIG_ENCAP_VXLAN, .id = end->via->vni};

	if (lone(end->t) && routes_underlay(end->t) == 0)
		return refuse(end, "needs `vtep:` of the switch, the tunnel's end here");
	if (route->vrf == TOPOLOGY_VRF_DEFAULT)
		return refuse(end,
			      "VRF default is what tunnels go through: name a tenant's `vrf:`");
	if (encap.id == 0 && vrf->encap == CONFIG_ENCAP_VXLAN)
		encap.id = vrf->vni;
	if (encap.id == 0)
		return refuse(end, "needs `vni:`, as the route's VRF has none");
	encap.pipe = end->t->vrfs[vrf_of_vni(end->t, encap.id, route->vrf)].pipe;
	if (set_far_end(end, &encap) != 0)
		return -EINVAL;
	if (end->via->mac.set)
		memcpy(encap.mac, end->via->mac.bytes, sizeof(encap.mac));
	route->group = ROUTES_BLACKHOLE;
	route->recursive = true;
	route->encap = routes_add_encap(end->route->list, &encap);
	return 0;
}

bool
routes_leads_on(const struct topology *t, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &t->nodes[node].ports[port];

	if (!lone(t))
		return p->peer_node < t->first_host;
	for (unsigned i = 0; i < t->config->single.port_count; i++)
		if (t->config->single.ports[i].number == p->number)
			return t->config->single.ports[i].uplink;
	return false;
}

int
static_route_set_encap(const struct static_route *s, struct route *route)
{
	const struct topology *t = s->topology;
	const struct topo_vrf *vrf = &t->vrfs[route->vrf];
	const struct route *before;
	uint32_t onward = 0;

	for (unsigned i = 0; i < s->from->via_count; i++) {
		const struct far_end end = {s, t, &s->from->via[i]};

		if (end.via->vtep.text == NULL)
			continue;
		return s->from->via_count == 1
			       ? set_tunnel(&end, route)
			       : refuse(&end, "must be the only next hop: a route has one tunnel");
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
