// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "control/fabric/learned.h"

#include <arpa/inet.h>
#include <string.h>

static const char *
address_text(struct arena *arena, int version, const uint8_t *address)
{
	char *text = arena_alloc(arena, INET6_ADDRSTRLEN);

	inet_ntop(version == 6 ? AF_INET6 : AF_INET, address, text, INET6_ADDRSTRLEN);
	return text;
}

static const char *
prefix_text(struct arena *arena, const struct config_prefix *prefix)
{
	char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 5];
	int length;

	inet_ntop(prefix->version == 6 ? AF_INET6 : AF_INET, prefix->address, address,
		  sizeof(address));
	length = snprintf(text, sizeof(text), "%s/%u", address, prefix->length);
	return arena_text(arena, text, (size_t)length);
}

static struct show_encap
encap_of(struct arena *arena, const struct live_fabric *live, const struct route_list *list,
	 const struct route *route)
{
	const struct route_encap *encap;

	if (route->encap == ROUTES_PLAIN)
		return (struct show_encap){0};
	encap = &list->encaps[route->encap];
	if (encap->kind == CONFIG_ENCAP_VLAN)
		return (struct show_encap){.id = encap->id};
	return (struct show_encap){
		.vxlan = true,
		.id = encap->id,
		.to = address_text(arena, routes_underlay(live->topology), encap->remote)};
}

static const struct show_next_hop *
next_hops_of(struct arena *arena, const struct topology *t, const struct topo_port *ports,
	     const struct route_member *members, uint32_t count)
{
	struct show_next_hop *hops = arena_alloc(arena, count * sizeof(*hops));

	for (uint32_t i = 0; i < count; i++) {
		const struct topo_port *port = &ports[members[i].port];

		hops[i] = (struct show_next_hop){
			.port = port->name,
			.node = port->peer_node == TOPOLOGY_NONE ? NULL
								 : t->nodes[port->peer_node].name,
		};
		memcpy(hops[i].mac, members[i].mac, sizeof(hops[i].mac));
	}
	return hops;
}

static struct show_route
route_of(struct arena *arena, const struct live_fabric *live, uint32_t node,
	 const struct route_list *list, const struct route *route)
{
	static const char *const sources[] = {
		[ROUTE_COMPUTED] = "computed",
		[ROUTE_STATIC] = "static",
		[ROUTE_NETLINK] = "netlink",
		[ROUTE_FPM] = "fpm",
	};
	const struct topology *t = live->topology;
	struct show_route out = {
		.node = t->nodes[node].name,
		.vrf = t->vrfs[route->vrf].name,
		.prefix = prefix_text(arena, &route->prefix),
		.mode = config_routing_mode_name(live->fabric->switches[node].routing.mode),
		.source = sources[route->source],
		.encap = encap_of(arena, live, list, route),
	};

	if (route->group != ROUTES_BLACKHOLE) {
		out.next_hop_count = list->groups[route->group].count;
		out.next_hops = next_hops_of(arena, t, t->nodes[node].ports,
					     &list->members[list->groups[route->group].first],
					     out.next_hop_count);
		out.glean = out.next_hop_count == 0;
	}
	return out;
}

void
collect_routes(struct show_state *s, struct arena *arena, const struct live_fabric *live)
{
	const struct fabric *f = live->fabric;
	struct show_route *routes = NULL;

	for (uint32_t i = 0; i < live->topology->first_host; i++) {
		struct route_list learned = {0};
		const struct route_list *list =
			fabric_merge_learned(f, i, &f->routes->nodes[i], &learned);

		for (uint32_t k = 0; k < list->count; k++) {
			routes = arena_grow(arena, routes, s->route_count, sizeof(*routes));
			routes[s->route_count++] = route_of(arena, live, i, list, &list->routes[k]);
		}
		routes_clear(&learned);
	}
	s->routes = routes;
}
