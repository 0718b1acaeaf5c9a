// SPDX-License-Identifier: BSD-3-Clause
// Addresses of hosts, and prefixes behind them. A host has the addresses of its place unless its
// tenant gives it others.
#include "addresses.h"
#include "topology_internal.h"

#include "control/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IP4_LEAF_BITS 24
#define IP6_LEAF_BITS 112

static void
give_planned(struct slicing *s, uint32_t host, uint8_t p)
{
	const struct topo_port *port = topology_host_port(&s->next, host, p);
	const struct topo_node *leaf = &s->next.nodes[port->peer_node];
	const struct place place = {leaf->plane, leaf->pod, leaf->pod_number,
				    leaf->ports[port->peer_port].number};

	addresses_ip4(&place, sliced_port(s, host, p)->put.ip4);
	addresses_ip6(&place, sliced_port(s, host, p)->put.ip6);
}

// The port of a host of the tenant. Returns NULL with an error in the diag.
static struct sliced_port *
find_own(struct slicing *s, const struct config_tenant *tenant, const struct config_name *name,
	 const char *key, struct topo_endpoint *end)
{
	struct sliced_port *port;

	if (topology_resolve_endpoint(&s->next, NULL, name, key, end, s->diag) != 0)
		return NULL;
	port = sliced_port(s, end->host, end->port);
	if (port->put.tenant != TENANT_NONE &&
	    strcmp(s->next.tenants[port->put.tenant].name, tenant->name.text) == 0)
		return port;
	diag_error(s->diag, s->next.config->file, name->pos, key,
		   "%s is not one of this tenant's hosts: it is in %s",
		   topology_host(&s->next, end->host)->name,
		   port->put.tenant != TENANT_NONE ? s->next.tenants[port->put.tenant].name
						   : "none");
	return NULL;
}

static void
give_own(struct slicing *s, const struct config_tenant *tenant,
	 const struct config_tenant_address *address)
{
	char key[CONFIG_NAME_MAX + 32];
	struct topo_endpoint end;
	struct sliced_port *port;
	bool *own;

	snprintf(key, sizeof(key), "tenants.%s.addresses", tenant->name.text);
	port = find_own(s, tenant, &address->host, key, &end);
	if (port == NULL)
		return;
	own = address->version == 6 ? &port->own6 : &port->own4;
	if (*own)
		diag_error(s->diag, s->next.config->file, address->pos, key,
			   "%s has an IPv%u address already", address->host.text, address->version);
	*own = true;
	if (address->version == 6) {
		memcpy(port->put.ip6, address->address, sizeof(port->put.ip6));
		port->pos6 = address->pos;
	} else {
		memcpy(port->put.ip4, address->address, sizeof(port->put.ip4));
		port->pos4 = address->pos;
	}
}

void
tenants_give_addresses(struct slicing *s)
{
	const struct config *config = s->next.config;

	for (uint32_t h = 0; h < s->next.host_count; h++)
		for (uint8_t p = 0; p < topology_host(&s->next, h)->port_count; p++)
			give_planned(s, h, p);
	for (unsigned i = 0; i < config->tenant_count; i++)
		for (unsigned j = 0; j < config->tenants[i].address_count; j++)
			give_own(s, &config->tenants[i], &config->tenants[i].addresses[j]);
}

struct config_prefix
topology_leaf_prefix(const struct topo_node *leaf, uint8_t version)
{
	const struct place place = {leaf->plane, leaf->pod, leaf->pod_number, 0};
	uint8_t address[16];

	if (version == 4)
		addresses_ip4(&place, address);
	else
		addresses_ip6(&place, address);
	return address_prefix(version, address, version == 4 ? IP4_LEAF_BITS : IP6_LEAF_BITS);
}

// The leaf of which this is the prefix, or NULL.
static const struct topo_node *
leaf_of_prefix(const struct topology *t, const struct config_prefix *prefix)
{
	for (uint32_t n = 0; n < t->leaf_count; n++) {
		struct config_prefix own = topology_leaf_prefix(&t->nodes[n], prefix->version);

		if (memcmp(&own, prefix, sizeof(own)) == 0)
			return &t->nodes[n];
	}
	return NULL;
}

static void
add_border(struct slicing *s, const struct config_tenant *tenant, const struct config_border *from)
{
	struct topology *t = &s->next;
	char key[CONFIG_NAME_MAX + 32];
	struct topo_endpoint end;

	snprintf(key, sizeof(key), "tenants.%s.border", tenant->name.text);
	if (find_own(s, tenant, &from->host, key, &end) == NULL)
		return;
	for (unsigned i = 0; i < from->prefix_count; i++) {
		const struct topo_node *leaf = leaf_of_prefix(t, &from->prefixes[i]);

		if (leaf != NULL)
			diag_error(s->diag, t->config->file, from->host.pos, key,
				   "the addresses of the hosts of %s cannot be behind %s",
				   leaf->name, from->host.text);
		t->borders =
			memory_grow(t->borders, t->border_count, sizeof(*t->borders), "borders");
		t->borders[t->border_count++] = (struct topo_border){
			.vrf = sliced_port(s, end.host, end.port)->put.vrf,
			.host = end.host,
			.port = end.port,
			.prefix = from->prefixes[i],
			.pos = from->host.pos,
		};
	}
}

void
tenants_find_borders(struct slicing *s)
{
	const struct config *config = s->next.config;

	for (unsigned i = 0; i < config->tenant_count; i++)
		for (unsigned j = 0; j < config->tenants[i].border_count; j++)
			add_border(s, &config->tenants[i], &config->tenants[i].borders[j]);
}
