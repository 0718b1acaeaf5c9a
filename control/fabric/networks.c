// SPDX-License-Identifier: BSD-3-Clause
#include "fabric.h"

#include "in_flight_routes.h"

#include <arpa/inet.h>
#include <string.h>

static const char *
network_name(const struct config_tenant *settings)
{
	static const char *const names[] = {
		[CONFIG_NETWORK_EAST_WEST] = "east-west",
		[CONFIG_NETWORK_STORAGE] = "storage",
		[CONFIG_NETWORK_NORTH_SOUTH] = "north-south",
		[CONFIG_NETWORK_OUT_OF_BAND] = "out-of-band",
	};

	return names[settings != NULL ? settings->network : CONFIG_NETWORK_EAST_WEST];
}

static const char *
encap_name(enum config_encap encap)
{
	return encap == CONFIG_ENCAP_VXLAN  ? "vxlan"
	       : encap == CONFIG_ENCAP_VLAN ? "vlan"
					    : "plain";
}

static json_t *
list_hosts(const struct topology *t, uint16_t tenant)
{
	json_t *hosts = json_array();

	for (uint32_t h = 0; h < t->host_count; h++)
		if (topology_host_tenant(t, h) == tenant)
			json_array_append_new(hosts, json_string(topology_host(t, h)->name));
	return hosts;
}

static json_t *
list_joins(const struct topology *t, const struct topo_vrf *vrf)
{
	json_t *joins = json_array();

	for (uint16_t i = 0; i < vrf->leak_count; i++)
		json_array_append_new(joins, json_string(t->vrfs[vrf->leaks[i]].name));
	return joins;
}

static json_t *
list_borders(const struct topology *t, uint16_t vrf)
{
	json_t *borders = json_array();

	for (uint32_t i = 0; i < t->border_count; i++) {
		const struct topo_border *b = &t->borders[i];
		char address[INET6_ADDRSTRLEN];

		if (b->vrf != vrf)
			continue;
		inet_ntop(b->prefix.version == 4 ? AF_INET : AF_INET6, b->prefix.address, address,
			  sizeof(address));
		json_array_append_new(borders,
				      json_pack("{s:s,s:o}", "host",
						topology_host(t, b->host)->name, "prefix",
						json_sprintf("%s/%u", address, b->prefix.length)));
	}
	return borders;
}

static json_t *
describe(const struct topology *t, uint16_t index)
{
	const struct topo_vrf *vrf = &t->vrfs[index];
	return json_pack("{s:s,s:s,s:s,s:I,s:s,s:o,s:o,s:o}", "tenant", vrf->name, "network",
			 network_name(t->tenants[vrf->tenant].settings), "encap",
			 encap_name(vrf->encap), "id", (json_int_t)drain_id(vrf), "dscp",
			 vrf->pipe ? "pipe" : "uniform", "hosts", list_hosts(t, vrf->tenant),
			 "joins", list_joins(t, vrf), "border", list_borders(t, index));
}

// False for an index without a tenant, or where a tenant's last packets drain.
static bool
is_tenant(const struct topo_vrf *vrf)
{
	return vrf->name[0] != '\0' && vrf->tenant != TENANT_NONE && !vrf->held;
}

json_t *
fabric_list_networks(const struct topology *t)
{
	json_t *networks = json_array();
	int rest = topology_find_vrf(t, CONFIG_REST);

	for (uint16_t i = 0; i < t->vrf_count; i++)
		if (is_tenant(&t->vrfs[i]) && i != rest)
			json_array_append_new(networks, describe(t, i));
	if (rest >= 0 && is_tenant(&t->vrfs[rest]))
		json_array_append_new(networks, describe(t, (uint16_t)rest));
	return networks;
}
