// SPDX-License-Identifier: BSD-3-Clause
// What packets of a written route wear. A next hop that is the far end of a tunnel (`vtep`) stands
// for VXLAN to there, by whatever next hops VRF `default` sends that address to: the route follows
// that one (routes_follow_tunnels). A route by a switch of the fabric wears its VRF's tag where the
// tenant has a VLAN. Where the tenant has a VNI it keeps the tunnel of the route that covered its
// prefix before, and only the way there is another; if none did, its packets go plain.
#include "written.h"

#include "routes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

struct wearing {
	const struct topology *t;
	const struct config_via *via; // the one with the far end
	const char *key;
	struct config_diag *diag;
};

static int
refuse(const struct wearing *w, const char *what)
{
	config_error(w->diag, w->t->config->file, w->via->vtep.pos, w->key, "%s", what);
	return -EINVAL;
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
set_leaf(const struct wearing *w, struct route_encap *encap)
{
	const struct topo_node *leaf;
	uint32_t node;

	if (topology_resolve_node(w->t, &w->via->vtep, w->key, &node, w->diag) != 0)
		return -EINVAL;
	if (node >= w->t->leaf_count)
		return refuse(w, "tunnels end at leaves");
	leaf = &w->t->nodes[node];
	memcpy(encap->mac, leaf->router_mac, sizeof(encap->mac));
	if (routes_underlay(w->t) == 6)
		memcpy(encap->remote, leaf->loopback6, sizeof(leaf->loopback6));
	else
		memcpy(encap->remote, leaf->loopback4, sizeof(leaf->loopback4));
	return 0;
}

static int
set_far_end(const struct wearing *w, struct route_encap *encap)
{
	const char *text = w->via->vtep.text;
	uint8_t version = strchr(text, ':') != NULL ? 6 : 4;

	if (inet_pton(version == 6 ? AF_INET6 : AF_INET, text, encap->remote) != 1)
		return lone(w->t) ? refuse(w, "not an IPv4 or IPv6 address") : set_leaf(w, encap);
	if (version != routes_underlay(w->t))
		return refuse(w, version == 6 ? "an IPv6 address, and this end has an IPv4 one"
					      : "an IPv4 address, and this end has an IPv6 one");
	if (lone(w->t) && memcmp(encap->remote, w->t->config->single.vtep.bytes, 16) == 0)
		return refuse(w, "this end's own address");
	if (!w->via->mac.set)
		return refuse(w, "needs `mac:`, the address of the far end's router");
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
wear_tunnel(const struct wearing *w, struct route_list *list, struct route *route)
{
	const struct topo_vrf *vrf = &w->t->vrfs[route->vrf];
	struct route_encap encap = {.kind = CONFIG_ENCAP_VXLAN, .id = w->via->vni};

	if (lone(w->t) && routes_underlay(w->t) == 0)
		return refuse(w, "needs `vtep:` of the switch, the tunnel's end here");
	if (route->vrf == TOPOLOGY_VRF_DEFAULT)
		return refuse(w, "VRF default is what tunnels go through: name a tenant's `vrf:`");
	if (encap.id == 0 && vrf->encap == CONFIG_ENCAP_VXLAN)
		encap.id = vrf->vni;
	if (encap.id == 0)
		return refuse(w, "needs `vni:`, as the route's VRF has none");
	encap.pipe = w->t->vrfs[vrf_of_vni(w->t, encap.id, route->vrf)].pipe;
	if (set_far_end(w, &encap) != 0)
		return -EINVAL;
	if (w->via->mac.set)
		memcpy(encap.mac, w->via->mac.bytes, sizeof(encap.mac));
	route->group = ROUTES_BLACKHOLE;
	route->recursive = true;
	return routes_add_encap(list, &encap, &route->encap);
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
written_wear(const struct topology *t, struct route_list *list, uint32_t node,
	     const struct config_route *from, const struct route_member *members, uint32_t count,
	     const char *key, struct route *route, struct config_diag *diag)
{
	const struct topo_vrf *vrf = &t->vrfs[route->vrf];
	const struct route *before;
	uint32_t onward = 0;

	for (unsigned i = 0; i < from->via_count; i++) {
		const struct wearing w = {t, &from->via[i], key, diag};

		if (w.via->vtep.text == NULL)
			continue;
		return from->via_count == 1 ? wear_tunnel(&w, list, route)
					    : refuse(&w, "is alone: a route has one tunnel");
	}
	for (uint32_t i = 0; i < count; i++)
		onward += routes_leads_on(t, node, members[i].port);
	if (onward == 0 || vrf->encap == CONFIG_ENCAP_PLAIN)
		return 0;
	if (vrf->encap == CONFIG_ENCAP_VLAN && onward < count) {
		config_error(diag, t->config->file, from->pos, key,
			     "next hops to switches have the tag of VLAN %u, the others have none: "
			     "a route cannot have both",
			     vrf->vid);
		return -EINVAL;
	}
	if (vrf->encap == CONFIG_ENCAP_VLAN)
		return routes_add_encap(
			list, &(struct route_encap){.kind = CONFIG_ENCAP_VLAN, .id = vrf->vid},
			&route->encap);
	before = routes_lookup(list, route->vrf, route->prefix.version, route->prefix.address);
	if (before != NULL && before->encap != ROUTES_PLAIN &&
	    list->encaps[before->encap].kind == CONFIG_ENCAP_VXLAN)
		route->encap = before->encap;
	return 0;
}
