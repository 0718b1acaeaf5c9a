// SPDX-License-Identifier: BSD-3-Clause
#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
name_ports(struct report_node *out, const struct topology *t, const struct topo_node *place)
{
	struct report_port *ports = calloc(place->port_count, sizeof(*ports));

	out->ports = ports;
	if (ports == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < place->port_count; i++) {
		const struct topo_port *port = &place->ports[i];
		char peer[TOPOLOGY_NAME_MAX];

		ports[i].name = port->name;
		ports[i].rate_bps = port->rate_bps;
		if (port->peer_node == TOPOLOGY_NONE)
			continue;
		ports[i].peer_kind = config_role_name(t->nodes[port->peer_node].role);
		ports[i].uplink = place->role < t->nodes[port->peer_node].role &&
				  port->peer_node < t->first_host;
		ports[i].peer =
			strdup(topology_port_name(t, port->peer_node, port->peer_port, peer));
		if (ports[i].peer == NULL)
			return -ENOMEM;
	}
	return 0;
}

int
fabric_name_node(struct report_node *out, const struct topology *t, uint32_t node,
		 const struct node *n)
{
	const struct topo_node *place = &t->nodes[node];
	const char **vrfs = calloc(t->vrf_count + 1u, sizeof(*vrfs));
	const char **tenants = calloc(t->tenant_count + 1u, sizeof(*tenants));

	*out = (struct report_node){
		.node = n,
		.name = place->name,
		.vrfs = vrfs,
		.tenants = tenants,
		.kind = config_role_name(place->role),
	};
	if (vrfs == NULL || tenants == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < t->vrf_count; i++)
		vrfs[i] = t->vrfs[i].name;
	for (uint16_t i = 0; i < t->tenant_count; i++)
		tenants[i] = t->tenants[i].name;
	return name_ports(out, t, place);
}

void
fabric_unname_node(struct report_node *n, uint16_t port_count)
{
	for (uint16_t i = 0; n->ports != NULL && i < port_count; i++)
		free((char *)(uintptr_t)n->ports[i].peer);
	free((void *)(uintptr_t)n->ports);
	free((void *)(uintptr_t)n->vrfs);
	free((void *)(uintptr_t)n->tenants);
}
