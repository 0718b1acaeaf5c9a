// SPDX-License-Identifier: BSD-3-Clause
// The end of a tunnel believes what comes from other switches, and a packet that a host has sent is
// one of those once its leaf has sent it on plain: the host could put VXLAN around what it likes
// and have it appear in any tenant's VRF. So no VRF but the underlay sends anything plain to where
// a tunnel ends. Wherever its routes would, by a way out (0.0.0.0/0) as a rule, a blackhole stands
// in front of them for that address alone.
//
// The underlay as it was, in a VRF of its own while tenants change, is left as it is: no host's
// port is in it.
#include "build_internal.h"

#include "control/base/memory.h"

#include <errno.h>
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

	memcpy(to, address, e->version == 6 ? 16 : 4);
	while (!tables_same_bits(to, e->addresses[0], e->common))
		e->common--;
}

// Tunnels of a fabric end at its leaves; of a lone switch at itself and where its routes say.
static int
list_ends(struct ends *e, const struct topology *t, const struct route_list *routes)
{
	const struct config *config = t->config;
	bool lone = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;

	e->version = tables_tunnel_version(t);
	e->common = e->version == 6 ? 128 : 32;
	if (e->version == 0)
		return 0;
	e->addresses =
		calloc((lone ? routes->encap_count : t->leaf_count) + 1u, sizeof(*e->addresses));
	if (e->addresses == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; !lone && n < t->leaf_count; n++)
		add_end(e, e->version == 6 ? t->nodes[n].loopback6 : t->nodes[n].loopback4);
	if (lone)
		add_end(e, config->single.vtep.bytes);
	for (uint32_t i = 0; lone && i < routes->encap_count; i++)
		if (routes->encaps[i].kind == CONFIG_ENCAP_VXLAN)
			add_end(e, routes->encaps[i].remote);
	return 0;
}

// Whether what a route leads on may come to another switch plain.
static bool
leads_plain(const struct tables_draft *draft, const struct route_list *routes,
	    const struct route *route)
{
	const struct route_group *group;
	bool plain = false;

	if (route->group == ROUTES_BLACKHOLE || route->encap != ROUTES_PLAIN)
		return false;
	group = &routes->groups[route->group];
	for (uint32_t i = 0; !plain && i < group->count; i++)
		plain = draft->t->ports[routes->members[group->first + i].port].underlay;
	return plain;
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
	struct route blackhole = {
		.prefix = {.version = e->version, .length = e->version == 6 ? 128 : 32},
		.vrf = vrf,
		.group = ROUTES_BLACKHOLE,
		.encap = ROUTES_PLAIN};

	for (uint32_t i = 0; i < e->count; i++) {
		const struct route *route = routes_lookup(routes, vrf, e->version, e->addresses[i]);

		if (route == NULL || !leads_plain(draft, routes, route))
			continue;
		memcpy(blackhole.prefix.address, e->addresses[i], sizeof(e->addresses[i]));
		routes_set(guarded, &blackhole);
	}
}

int
tables_guard_tunnels(const struct tables_draft *draft, const struct route_list *routes,
		     struct route_list *guarded)
{
	struct ends e = {0};
	int last = -1; // VRF that has been guarded
	int error = list_ends(&e, draft->topology, routes);

	*guarded = *routes;
	guarded->routes = memory_array(routes->count + 1u, sizeof(*guarded->routes), "routes");
	guarded->capacity = routes->count + 1;
	if (routes->count != 0)
		memcpy(guarded->routes, routes->routes, routes->count * sizeof(*guarded->routes));
	for (uint32_t i = 0; error == 0 && e.count != 0 && i < routes->count; i++) {
		const struct route *route = &routes->routes[i];

		if (route->vrf == last || !may_lead(draft, routes, &e, route))
			continue;
		last = route->vrf;
		guard_vrf(draft, routes, &e, route->vrf, guarded);
	}
	free(e.addresses);
	return error;
}
