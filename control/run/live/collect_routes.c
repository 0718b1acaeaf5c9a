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

// Who has a LID: "leaf1", or "h1.eth1". NULL: nobody.
static json_t *
owner_json(const struct topology *t, uint32_t lid)
{
	char name[TOPOLOGY_NAME_MAX];

	for (uint32_t n = 0; n < t->node_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (t->nodes[n].ports[p].lid == lid)
				return json_string(n < t->first_host
							   ? t->nodes[n].name
							   : topology_port_name(t, n, p, name));
	return json_null();
}

// The group of a LID as the switch uses it.
static json_t *
lid_json(const struct live_fabric *live, uint32_t node, uint32_t lid)
{
	const struct tables *tables = live->fabric->tables[node];
	const struct topology *t = live->topology;
	const uint32_t group = tables->lids[lid];
	json_t *via = json_array();

	for (uint32_t i = 0; group < LID_OWN && i < tables->groups[group].count; i++) {
		const struct next_hop *hop = &tables->next_hops[tables->groups[group].first + i];
		const struct topo_port *port = &t->nodes[node].ports[hop->port];

		json_array_append_new(via, json_pack("{s:s,s:s?}", "port", port->name, "node",
						     port->peer_node == TOPOLOGY_NONE
							     ? NULL
							     : t->nodes[port->peer_node].name));
	}
	return json_pack("{s:o,s:b,s:o}", "of", owner_json(t, lid), "own", group == LID_OWN, "via",
			 via);
}

static void
add_lids(json_t *routes, const struct live_fabric *live, uint32_t node)
{
	const struct tables *tables = live->fabric->tables[node];
	json_t *lft = show_child(show_child(routes, live->topology->nodes[node].name), "lft");
	char text[16];

	for (uint32_t lid = 1; lid < tables->lid_count; lid++) {
		snprintf(text, sizeof(text), "%u", lid);
		json_object_set_new(lft, text, lid_json(live, node, lid));
	}
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

		if (list->lid_count != 0)
			add_lids(out, live, i);
		for (uint32_t k = 0; k < list->count; k++)
			add_route(out, live, i, list, &list->routes[k]);
		routes_clear(&learned);
	}
	return out;
}
