// SPDX-License-Identifier: BSD-3-Clause
// The end of a tunnel trusts packets that come from other switches. A packet from a host counts as
// one once its leaf has sent it on without encapsulation: the host could put a VXLAN header around
// anything, and it would appear in any tenant's VRF. So no VRF but the underlay sends plain packets
// to the end of a tunnel. Wherever its routes would do that, usually a default route, a blackhole
// for that address alone precedes them.
//
// The previous underlay, in a VRF of its own while tenants change, is left alone: no host's port is
// in it.
#include "build_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// Where tunnels end, all by the same version of IP.
struct ends {
	uint8_t version;
	uint8_t common; // leading bits that all have in common
	uint32_t count;
	uint8_t (*addresses)[16];
};

static void
add_end(struct ends *e, const uint8_t *address)
{
	uint8_t *to = e->addresses[e->count++];

	memcpy(to, address, address_bytes(e->version));
	while (!tables_same_bits(to, e->addresses[0], e->common))
		e->common--;
}

// Tunnels of a fabric end at its leaves; of a lone switch at itself and where its routes say.
static void
list_ends(struct ends *e, const struct topology *t, const struct route_list *routes)
{
	uint32_t most = 1 + (topology_is_single(t) ? routes->encap_count : t->leaf_count);

	e->version = tables_tunnel_version(t);
	if (e->version == 0)
		return;
	e->common = 8 * address_bytes(e->version);
	e->addresses = memory_array(most, sizeof(*e->addresses), "ends of tunnels");
	if (!topology_is_single(t)) {
		for (uint32_t n = 0; n < t->leaf_count; n++)
			add_end(e, topology_loopback(&t->nodes[n], e->version));
		return;
	}
	add_end(e, t->config->single.vtep.bytes);
	for (uint32_t i = 0; i < routes->encap_count; i++)
		if (routes->encaps[i].kind == CONFIG_ENCAP_VXLAN)
			add_end(e, routes->encaps[i].remote);
}

// Whether what a route leads on may come to another switch plain.
static bool
leads_plain(const struct tables_draft *draft, const struct route_list *routes,
	    const struct route *route)
{
	const struct route_group *group;

	if (route->group == ROUTES_BLACKHOLE || route->encap != ROUTES_PLAIN)
		return false;
	group = &routes->groups[route->group];
	for (uint32_t i = 0; i < group->count; i++)
		if (draft->t->ports[routes->members[group->first + i].port].underlay)
			return true;
	return false;
}

// Whether a VRF's route may cover the end of a tunnel, and leads there plain.
static bool
may_lead(const struct tables_draft *draft, const struct route_list *routes, const struct ends *e,
	 const struct route *route)
{
	unsigned bits = route->prefix.length < e->common ? route->prefix.length : e->common;

	return route->vrf != TOPOLOGY_VRF_DEFAULT && !draft->topology->vrfs[route->vrf].leaving &&
	       route->prefix.version == e->version &&
	       tables_same_bits(route->prefix.address, e->addresses[0], bits) &&
	       leads_plain(draft, routes, route);
}

// Puts blackholes into `guarded`, which has the same routes, for a VRF that may lead there.
static void
guard_vrf(const struct tables_draft *draft, const struct route_list *routes, const struct ends *e,
	  uint16_t vrf, struct route_list *guarded)
{
	struct route blackhole = {.vrf = vrf, .group = ROUTES_BLACKHOLE, .encap = ROUTES_PLAIN};

	for (uint32_t i = 0; i < e->count; i++) {
		const struct route *route = routes_lookup(routes, vrf, e->version, e->addresses[i]);

		if (route == NULL || !leads_plain(draft, routes, route))
			continue;
		blackhole.prefix = address_host_prefix(e->version, e->addresses[i]);
		routes_set(guarded, &blackhole);
	}
}

void
tables_guard_tunnels(const struct tables_draft *draft, const struct route_list *routes,
		     struct route_list *guarded)
{
	struct ends e = {0};
	int last = -1; // VRF that has been guarded

	list_ends(&e, draft->topology, routes);
	*guarded = *routes;
	routes_copy(guarded, routes);
	for (uint32_t i = 0; e.count != 0 && i < routes->count; i++) {
		const struct route *route = &routes->routes[i];

		if (route->vrf == last || !may_lead(draft, routes, &e, route))
			continue;
		last = route->vrf;
		guard_vrf(draft, routes, &e, route->vrf, guarded);
	}
	free(e.addresses);
}
