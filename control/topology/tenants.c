// SPDX-License-Identifier: BSD-3-Clause
// Tenants and VRFs. In a fabric each tenant has a VRF of its name, and the leaf's port of each of
// its hosts is in it; a host without a tenant is in the VRF `default`. Ports between switches are
// in `default` too, unless there are tenants: then a leaf keeps those in a VRF `transit`, so that
// what comes down from a spine reaches the hosts of all tenants while a host of none reaches no
// tenant's. On a lone switch the ports say which VRF and tenant they are in.
#include "builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VRF_TRANSIT "transit"

// The VRF of that name, added if it is new. Returns its index, or -ENOMEM.
static int
add_vrf(struct topology *t, const char *name)
{
	int found = topology_find_vrf(t, name);
	struct topo_vrf *grown;

	if (found >= 0)
		return found;
	if (t->vrf_count == INT16_MAX)
		return -ENOMEM;
	grown = realloc(t->vrfs, (t->vrf_count + 1u) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	t->vrfs = grown;
	snprintf(grown[t->vrf_count].name, sizeof(grown->name), "%s", name);
	return t->vrf_count++;
}

static int
add_tenant(struct topology *t, const char *name, const struct config_tenant *settings)
{
	int found = topology_find_tenant(t, name);
	struct topo_tenant *grown;

	if (found >= 0)
		return found;
	if (t->tenant_count == INT16_MAX)
		return -ENOMEM;
	grown = realloc(t->tenants, (t->tenant_count + 1u) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	t->tenants = grown;
	grown[t->tenant_count] = (struct topo_tenant){.name = name, .settings = settings};
	return t->tenant_count++;
}

// Puts a host's ports, and its leaves' ports towards it, in the tenant's VRF.
static void
move_host(struct topology *t, struct topo_node *host, uint16_t tenant, uint16_t vrf)
{
	for (uint16_t p = 0; p < host->port_count; p++) {
		struct topo_port *port = &host->ports[p];
		struct topo_port *peer = &t->nodes[port->peer_node].ports[port->peer_port];

		port->tenant = peer->tenant = tenant;
		port->vrf = peer->vrf = vrf;
	}
}

static void
assign_hosts(struct topology *t, const struct config_tenant *settings, uint16_t tenant,
	     uint16_t vrf, struct config_diag *diag)
{
	char key[CONFIG_NAME_MAX + 32];

	snprintf(key, sizeof(key), "tenants.%s.hosts", settings->name.text);
	for (unsigned i = 0; i < settings->hosts.count; i++) {
		const struct config_name *name = &settings->hosts.items[i];
		struct topo_node *host;
		uint32_t index;

		if (topology_resolve_host(t, name, key, &index, diag) != 0)
			continue;
		host = topology_host(t, index);
		if (host->ports[0].tenant != TENANT_NONE)
			config_error(diag, t->config->file, name->pos, key,
				     "%s is already in tenant %s", host->name,
				     t->tenants[host->ports[0].tenant].name);
		else
			move_host(t, host, tenant, vrf);
	}
}

static int
add_tenants(struct topology *t, struct config_diag *diag)
{
	const struct config *config = t->config;

	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *settings = &config->tenants[i];
		const char *name = settings->name.text;
		int tenant, vrf;

		if (strcmp(name, t->vrfs[TOPOLOGY_VRF_DEFAULT].name) == 0 ||
		    strcmp(name, VRF_TRANSIT) == 0) {
			config_error(diag, config->file, settings->name.pos, "tenants",
				     "a tenant cannot be called %s: that VRF is the fabric's own",
				     name);
			continue;
		}
		tenant = add_tenant(t, name, settings);
		vrf = add_vrf(t, name);
		if (tenant < 0 || vrf < 0)
			return -ENOMEM;
		assign_hosts(t, settings, (uint16_t)tenant, (uint16_t)vrf, diag);
	}
	return 0;
}

static int
assign_transit(struct topology *t)
{
	int vrf;

	if (t->tenant_count == 0)
		return 0;
	vrf = add_vrf(t, VRF_TRANSIT);
	if (vrf < 0)
		return -ENOMEM;
	t->transit_vrf = (uint16_t)vrf;
	for (uint32_t n = 0; n < t->leaf_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (t->nodes[t->nodes[n].ports[p].peer_node].role != CONFIG_ROLE_HOST)
				t->nodes[n].ports[p].vrf = t->transit_vrf;
	return 0;
}

// The VRFs and tenants that a lone switch's ports and routes name.
static int
assign_single(struct topology *t)
{
	const struct config_single *s = &t->config->single;

	for (unsigned i = 0; i < s->port_count; i++) {
		const struct config_port *from = &s->ports[i];
		int vrf = from->vrf.text != NULL ? add_vrf(t, from->vrf.text)
						 : TOPOLOGY_VRF_DEFAULT;
		int tenant = from->tenant.text != NULL ? add_tenant(t, from->tenant.text, NULL)
						       : TENANT_NONE;
		struct topo_port *port = t->nodes[0].ports;

		if (vrf < 0 || tenant < 0)
			return -ENOMEM;
		while (port->number != from->number)
			port++;
		port->vrf = (uint16_t)vrf;
		port->tenant = (uint16_t)tenant;
	}
	for (unsigned i = 0; i < s->route_count; i++)
		if (s->routes[i].vrf.text != NULL && add_vrf(t, s->routes[i].vrf.text) < 0)
			return -ENOMEM;
	return 0;
}

int
builder_assign_tenants(struct topology *t, struct config_diag *diag)
{
	unsigned before = diag->errors;
	int error = 0;

	if (add_vrf(t, "default") < 0)
		return -ENOMEM;
	error = add_tenants(t, diag);
	if (error == 0)
		error = t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE ? assign_single(t)
									     : assign_transit(t);
	return error != 0 ? error : diag->errors == before ? 0 : -EINVAL;
}
