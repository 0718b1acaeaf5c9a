// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "control/fabric/fabric.h"

#include <arpa/inet.h>

// {"kind": "vxlan", "vni", "to"}, {"kind": "vlan", "vlan"}, or null.
static json_t *
encap_json(const struct topology *t, const struct route_list *list, const struct route *route)
{
	const struct route_encap *encap;
	char to[INET6_ADDRSTRLEN];

	if (route->encap == ROUTES_PLAIN)
		return json_null();
	encap = &list->encaps[route->encap];
	if (encap->kind == CONFIG_ENCAP_VLAN)
		return json_pack("{s:s,s:I}", "kind", "vlan", "vlan", (json_int_t)encap->id);
	inet_ntop(routes_underlay(t) == 6 ? AF_INET6 : AF_INET, encap->remote, to, sizeof(to));
	return json_pack("{s:s,s:I,s:s}", "kind", "vxlan", "vni", (json_int_t)encap->id, "to", to);
}

static json_t *
next_hop_json(const struct topology *t, const struct topo_port *port,
	      const struct route_member *member)
{
	json_t *out =
		json_pack("{s:s,s:s?}", "port", port->name, "node",
			  port->peer_node == TOPOLOGY_NONE ? NULL : t->nodes[port->peer_node].name);

	show_set_mac(out, member->mac);
	return out;
}

static json_t *
route_json(const struct live_fabric *live, uint32_t node, const struct route_list *list,
	   const struct route *route)
{
	static const char *const sources[] = {
		[ROUTE_COMPUTED] = "computed",
		[ROUTE_STATIC] = "static",
		[ROUTE_NETLINK] = "netlink",
		[ROUTE_FPM] = "fpm",
	};
	const struct topology *t = live->topology;
	bool drops = route->group == ROUTES_BLACKHOLE;
	uint32_t count = drops ? 0 : list->groups[route->group].count;
	json_t *via = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const struct route_member *member =
			&list->members[list->groups[route->group].first + i];

		json_array_append_new(
			via, next_hop_json(t, &t->nodes[node].ports[member->port], member));
	}
	return json_pack("{s:s,s:s,s:b,s:o,s:o}", "mode",
			 config_routing_mode_name(live->fabric->switches[node].routing.mode),
			 "source", sources[route->source], "glean", !drops && count == 0, "via",
			 via, "encap", encap_json(t, list, route));
}

static void
add_route(json_t *routes, const struct live_fabric *live, uint32_t node,
	  const struct route_list *list, const struct route *route)
{
	const struct topology *t = live->topology;
	json_t *vrfs = show_child(show_child(routes, t->nodes[node].name), "vrfs");
	char address[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN + 5];

	inet_ntop(route->prefix.version == 6 ? AF_INET6 : AF_INET, route->prefix.address, address,
		  sizeof(address));
	snprintf(prefix, sizeof(prefix), "%s/%u", address, route->prefix.length);
	json_object_set_new(show_child(vrfs, t->vrfs[route->vrf].name), prefix,
			    route_json(live, node, list, route));
}

json_t *
collect_routes(const struct live_fabric *live)
{
	const struct fabric *f = live->fabric;
	json_t *out = json_object();

	for (uint32_t i = 0; i < live->topology->first_host; i++) {
		struct route_list learned = {0};
		const struct route_list *list =
			fabric_merge_learned(f, i, &f->routes->nodes[i], &learned);

		for (uint32_t k = 0; k < list->count; k++)
			add_route(out, live, i, list, &list->routes[k]);
		routes_clear(&learned);
	}
	return out;
}
