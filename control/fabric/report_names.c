// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void
name_ports(struct report_node *out, const struct topology *t, const struct topo_node *place)
{
	struct report_port *ports = memory_array(place->port_count, sizeof(*ports), "port names");

	out->ports = ports;
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
			memory_text(topology_port_name(t, port->peer_node, port->peer_port, peer));
	}
}

void
fabric_name_node(struct report_node *out, const struct topology *t, uint32_t node,
		 const struct node *n)
{
	const struct topo_node *place = &t->nodes[node];

	*out = (struct report_node){
		.node = n,
		.name = place->name,
		.kind = config_role_name(place->role),
	};
	name_ports(out, t, place);
}

// Names at one time, valid whatever becomes of the topology.
struct fabric_labels {
	char **vrfs, **tenants;
	uint16_t vrf_count, tenant_count;
};

void
fabric_free_labels(struct fabric_labels *labels)
{
	if (labels == NULL)
		return;
	for (uint16_t i = 0; i < labels->vrf_count; i++)
		free(labels->vrfs[i]);
	for (uint16_t i = 0; i < labels->tenant_count; i++)
		free(labels->tenants[i]);
	free(labels->vrfs);
	free(labels->tenants);
	free(labels);
}

static bool
has_port(const struct topology *t, uint16_t tenant)
{
	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (t->nodes[n].ports[p].tenant == tenant)
				return true;
	return false;
}

// `rest` always exists but is shown only once a host has been in it.
static bool
is_shown(const struct topology *t, uint16_t tenant, const struct fabric_labels *before)
{
	const struct topo_tenant *its = &t->tenants[tenant];

	if (its->name == NULL)
		return false;
	return its->settings != NULL || strcmp(its->name, CONFIG_REST) != 0 ||
	       (before != NULL && tenant < before->tenant_count &&
		before->tenants[tenant] != NULL) ||
	       has_port(t, tenant);
}

struct fabric_labels *
fabric_list_labels(const struct topology *t, const struct fabric_labels *before)
{
	struct fabric_labels *labels = memory_new(sizeof(*labels), "tenant names");

	labels->vrfs = memory_array(t->vrf_count, sizeof(*labels->vrfs), "VRF names");
	labels->tenants = memory_array(t->tenant_count, sizeof(*labels->tenants), "tenant names");
	labels->vrf_count = t->vrf_count;
	labels->tenant_count = t->tenant_count;
	for (uint16_t i = 0; i < t->vrf_count; i++)
		labels->vrfs[i] = memory_text(t->vrfs[i].name);
	for (uint16_t i = 0; i < t->tenant_count; i++)
		if (is_shown(t, i, before))
			labels->tenants[i] = memory_text(t->tenants[i].name);
	return labels;
}

void
fabric_label(struct fabric *f, struct fabric_labels *labels)
{
	for (uint32_t i = 0; i < f->topology->node_count; i++) {
		f->names[i].vrfs = (const char *const *)labels->vrfs;
		f->names[i].tenants = (const char *const *)labels->tenants;
	}
	fabric_free_labels(f->labels);
	f->labels = labels;
}

void
fabric_unname_node(struct report_node *n, uint16_t port_count)
{
	for (uint16_t i = 0; n->ports != NULL && i < port_count; i++)
		free((char *)(uintptr_t)n->ports[i].peer);
	free((void *)(uintptr_t)n->ports);
}
