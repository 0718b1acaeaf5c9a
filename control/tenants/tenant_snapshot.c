// SPDX-License-Identifier: BSD-3-Clause
#include "tenant_snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
free_vrfs(struct topo_vrf *vrfs, uint16_t count)
{
	for (uint16_t i = 0; vrfs != NULL && i < count; i++)
		free(vrfs[i].leaks);
	free(vrfs);
}

void
tenant_snapshot_free(struct tenant_snapshot *s)
{
	free_vrfs(s->vrfs, s->vrf_count);
	free(s->tenants);
	free(s->borders);
	free(s->ports);
	free(s->mtus);
	free(s->component_mtu);
	*s = (struct tenant_snapshot){0};
}

static void *
copy_array(const void *from, size_t count, size_t size)
{
	void *copy = calloc(count + 1, size);

	if (copy != NULL && count != 0)
		memcpy(copy, from, count * size);
	return copy;
}

static struct topo_vrf *
copy_vrfs(const struct topology *t)
{
	struct topo_vrf *vrfs = copy_array(t->vrfs, t->vrf_count, sizeof(*vrfs));
	bool good = vrfs != NULL;

	for (uint16_t i = 0; vrfs != NULL && i < t->vrf_count; i++) {
		vrfs[i].leaks = copy_array(t->vrfs[i].leaks, t->vrfs[i].leak_count,
					   sizeof(*t->vrfs[i].leaks));
		good &= vrfs[i].leaks != NULL;
	}
	if (good)
		return vrfs;
	free_vrfs(vrfs, t->vrf_count);
	return NULL;
}

static void
save_ports(struct tenant_snapshot *s, const struct topology *t)
{
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct topo_port *from = topology_host_port(t, h, p);
			struct tenant_port *to = &s->ports[h * TOPOLOGY_HOST_PORTS_MAX + p];

			to->vrf = from->vrf;
			to->tenant = from->tenant;
			memcpy(to->ip4, from->ip4, sizeof(to->ip4));
			memcpy(to->ip6, from->ip6, sizeof(to->ip6));
		}
	for (uint32_t l = 0; l < t->link_count; l++)
		s->mtus[l] = t->links[l].mtu;
}

static void
swap(struct tenant_snapshot *s, struct topology *t)
{
	const struct tenant_snapshot had = *s;

	s->vrfs = t->vrfs;
	s->vrf_count = t->vrf_count;
	s->tenants = t->tenants;
	s->tenant_count = t->tenant_count;
	s->borders = t->borders;
	s->border_count = t->border_count;
	t->vrfs = had.vrfs;
	t->vrf_count = had.vrf_count;
	t->tenants = had.tenants;
	t->tenant_count = had.tenant_count;
	t->borders = had.borders;
	t->border_count = had.border_count;
}

// What others point to is saved, and the topology goes on with the copies.
int
tenant_snapshot_save(struct tenant_snapshot *s, struct topology *t)
{
	*s = (struct tenant_snapshot){
		.vrfs = copy_vrfs(t),
		.vrf_count = t->vrf_count,
		.tenants = copy_array(t->tenants, t->tenant_count, sizeof(*s->tenants)),
		.tenant_count = t->tenant_count,
		.borders = copy_array(t->borders, t->border_count, sizeof(*s->borders)),
		.border_count = t->border_count,
		.ports = calloc((size_t)t->host_count * TOPOLOGY_HOST_PORTS_MAX + 1,
				sizeof(*s->ports)),
		.mtus = calloc(t->link_count + 1u, sizeof(*s->mtus)),
		.component_mtu =
			copy_array(t->component_mtu, t->first_host, sizeof(*s->component_mtu)),
	};
	if (s->vrfs == NULL || s->tenants == NULL || s->borders == NULL || s->ports == NULL ||
	    s->mtus == NULL || s->component_mtu == NULL) {
		tenant_snapshot_free(s);
		return -ENOMEM;
	}
	save_ports(s, t);
	swap(s, t);
	return 0;
}

void
tenant_snapshot_restore(struct tenant_snapshot *s, struct topology *t)
{
	swap(s, t);
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++) {
			struct topo_port *port = topology_host_port(t, h, p);
			struct topo_port *peer = &t->nodes[port->peer_node].ports[port->peer_port];
			const struct tenant_port *from = tenant_snapshot_port(s, h, p);

			port->vrf = peer->vrf = from->vrf;
			port->tenant = peer->tenant = from->tenant;
			memcpy(port->ip4, from->ip4, sizeof(port->ip4));
			memcpy(port->ip6, from->ip6, sizeof(port->ip6));
		}
	for (uint32_t l = 0; l < t->link_count; l++) {
		const struct topo_link *link = &t->links[l];

		if (link->mtu == s->mtus[l])
			continue;
		t->links[l].mtu = s->mtus[l];
		t->nodes[link->a.node].ports[link->a.port].mtu = s->mtus[l];
		t->nodes[link->b.node].ports[link->b.port].mtu = s->mtus[l];
	}
	memcpy(t->component_mtu, s->component_mtu, t->first_host * sizeof(*t->component_mtu));
	tenant_snapshot_free(s);
}
