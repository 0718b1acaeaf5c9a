// SPDX-License-Identifier: BSD-3-Clause
#include "in_flight_routes.h"

#include <stdlib.h>

void
drain_destroy(struct drain *d, const struct topology *t)
{
	if (d == NULL)
		return;
	for (uint32_t n = 0; d->lists != NULL && n < t->first_host; n++) {
		routes_clear(&d->lists[n][0]);
		routes_clear(&d->lists[n][1]);
	}
	free(d->lists);
	free(d->hosts);
	free(d->held_vrfs);
	free(d->held_tenants);
	free(d->summary);
	free(d->command);
	free(d);
}

void
in_flight_routes_destroy(struct drain *drains, const struct topology *t)
{
	while (drains != NULL) {
		struct drain *next = drains->next;

		drain_destroy(drains, t);
		drains = next;
	}
}

bool
in_flight_routes_keyed(const struct topo_vrf *vrfs, uint16_t vrf)
{
	return vrfs[vrf].name[0] != '\0' &&
	       (vrf == TOPOLOGY_VRF_DEFAULT || vrfs[vrf].encap != CONFIG_ENCAP_PLAIN);
}

uint16_t
in_flight_routes_find_vrf(const struct topology *t, const struct topo_vrf *like, bool leaving)
{
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].leaving == leaving && (leaving || !t->vrfs[v].held) &&
		    (leaving || in_flight_routes_keyed(t->vrfs, v)) &&
		    t->vrfs[v].encap == like->encap && drain_id(&t->vrfs[v]) == drain_id(like))
			return v;
	return VRF_NONE;
}

void
in_flight_routes_copy(const struct route_list *from, const struct route *route, uint16_t vrf,
		      uint32_t distance, struct route_list *to)
{
	struct route copy = *route;

	copy.vrf = vrf;
	copy.distance = distance;
	if (route->group != ROUTES_BLACKHOLE) {
		const struct route_group *group = &from->groups[route->group];

		copy.group = routes_add_group(to, &from->members[group->first], group->count);
	}
	if (route->encap != ROUTES_PLAIN)
		copy.encap = routes_add_encap(to, &from->encaps[route->encap]);
	routes_append(to, &copy);
}

static void
copy_list(const struct route_list *from, struct route_list *to)
{
	for (uint32_t i = 0; i < from->count; i++)
		in_flight_routes_copy(from, &from->routes[i], from->routes[i].vrf,
				      from->routes[i].distance, to);
}

void
in_flight_routes_compose(const struct drain *drains, const struct topology *t, uint32_t node,
			 const struct route_list *now, struct route_list *out)
{
	copy_list(now, out);
	// A leaving VRF has the routes of the VRF that has its key now...
	for (uint16_t v = 0; v < t->vrf_count; v++) {
		uint16_t base;

		if (!t->vrfs[v].leaving)
			continue;
		base = in_flight_routes_find_vrf(t, &t->vrfs[v], false);
		for (uint32_t i = 0; base != VRF_NONE && i < now->count; i++)
			if (now->routes[i].vrf == base)
				in_flight_routes_copy(now, &now->routes[i], v,
						      now->routes[i].distance, out);
	}
	// ... and those that packets in flight need.
	for (const struct drain *d = drains; d != NULL; d = d->next)
		for (unsigned i = 0; i < 2; i++)
			copy_list(&d->lists[node][i], out);
	routes_sort(out);
}
