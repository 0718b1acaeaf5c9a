// SPDX-License-Identifier: BSD-3-Clause
// The NICs of hosts, with their addresses, and what stands for each of them.
#include "collect.h"

#include <arpa/inet.h>

static const struct device_port *
device_of(const struct live_fabric *live, uint32_t host, uint16_t port)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (!d->detached && d->host == host && d->host_port == port)
			return d;
	}
	return NULL;
}

// A host that the file attaches, and that has been detached, has no NIC.
static bool
is_simulated(const struct live_fabric *live, uint32_t host)
{
	uint32_t node = live->topology->first_host + host;

	return live->fabric->nodes[node] != NULL && !fabric_has_edge(live->fabric, node);
}

static json_t *
nic_json(const struct live_fabric *live, uint32_t host, uint16_t p)
{
	const struct topology *t = live->topology;
	const struct topo_port *nic = topology_host_port(t, host, (uint8_t)p);
	const struct device_port *d = device_of(live, host, p);
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], port[TOPOLOGY_NAME_MAX];
	json_t *out;

	inet_ntop(AF_INET, nic->ip4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, nic->ip6, ip6, sizeof(ip6));
	topology_port_name(t, nic->peer_node, nic->peer_port, port);
	out = json_pack("{s:s,s:s,s:s,s:s*,s:s,s:s,s:s?}", "host", topology_host(t, host)->name,
			"nic", nic->name, "address", ip4, "address6",
			host_uses_ip6(live, host) ? ip6 : NULL, "port", port, "vrf",
			t->vrfs[nic->vrf].name, "tenant",
			nic->tenant != TENANT_NONE ? t->tenants[nic->tenant].name : NULL);
	show_set_mac(out, nic->mac);
	json_object_set_new(
		out, "is",
		d != NULL ? collect_what_is_attached(d)
			  : json_string(is_simulated(live, host) ? "simulated" : "not attached"));
	return out;
}

json_t *
collect_hosts(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	json_t *out = json_array();

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++)
			json_array_append_new(out, nic_json(live, h, p));
	return out;
}
