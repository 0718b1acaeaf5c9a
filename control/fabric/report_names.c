// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_internal.h"

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

	*out = (struct report_node){
		.node = n,
		.name = place->name,
		.kind = config_role_name(place->role),
	};
	return name_ports(out, t, place);
}

// Names as they are, whatever becomes of those who had them.
struct fabric_labels {
	char **vrfs, **tenants;
	uint16_t vrf_count, tenant_count;
};

void
fabric_free_labels(struct fabric_labels *labels)
{
	if (labels == NULL)
		return;
	for (uint16_t i = 0; labels->vrfs != NULL && i < labels->vrf_count; i++)
		free(labels->vrfs[i]);
	for (uint16_t i = 0; labels->tenants != NULL && i < labels->tenant_count; i++)
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

// `rest` is always there, but nobody's business as long as no host ever was in it.
static bool
is_told(const struct topology *t, uint16_t tenant, const struct fabric_labels *before)
{
	const struct topo_tenant *its = &t->tenants[tenant];

	if (its->name == NULL)
		return false;
	return its->settings != NULL || strcmp(its->name, CONFIG_REST) != 0 ||
	       (before != NULL && tenant < before->tenant_count &&
		before->tenants[tenant] != NULL) ||
	       has_port(t, tenant);
}

int
fabric_list_labels(struct fabric_labels **out, const struct topology *t,
		   const struct fabric_labels *before)
{
	struct fabric_labels *labels = calloc(1, sizeof(*labels));
	bool good = labels != NULL;

	if (good) {
		labels->vrfs = calloc(t->vrf_count + 1u, sizeof(*labels->vrfs));
		labels->tenants = calloc(t->tenant_count + 1u, sizeof(*labels->tenants));
		labels->vrf_count = t->vrf_count;
		labels->tenant_count = t->tenant_count;
		good = labels->vrfs != NULL && labels->tenants != NULL;
	}
	for (uint16_t i = 0; good && i < t->vrf_count; i++)
		good = (labels->vrfs[i] = strdup(t->vrfs[i].name)) != NULL;
	for (uint16_t i = 0; good && i < t->tenant_count; i++)
		if (is_told(t, i, before))
			good = (labels->tenants[i] = strdup(t->tenants[i].name)) != NULL;
	if (!good) {
		fabric_free_labels(labels);
		return -ENOMEM;
	}
	*out = labels;
	return 0;
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
