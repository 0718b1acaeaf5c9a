// SPDX-License-Identifier: BSD-3-Clause
#include "change_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

void
tenant_snapshot_free(struct tenant_snapshot *s)
{
	topology_free_vrfs(s->vrfs, s->vrf_count);
	free(s->tenants);
	free(s->borders);
	free(s->ports);
	free(s->mtus);
	free(s->component_mtu);
	*s = (struct tenant_snapshot){0};
}

static struct topo_vrf *
copy_vrfs(const struct topology *t)
{
	struct topo_vrf *vrfs = memory_copy(t->vrfs, t->vrf_count, sizeof(*vrfs), "VRFs");

	for (uint16_t i = 0; i < t->vrf_count; i++)
		vrfs[i].leaks = memory_copy(t->vrfs[i].leaks, t->vrfs[i].leak_count,
					    sizeof(*t->vrfs[i].leaks), "joined tenants");
	return vrfs;
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

// Others point to the originals, so they become the snapshot, and the topology goes on with copies.
void
tenant_snapshot_save(struct tenant_snapshot *s, struct topology *t)
{
	*s = (struct tenant_snapshot){
		.vrfs = copy_vrfs(t),
		.vrf_count = t->vrf_count,
		.tenants = memory_copy(t->tenants, t->tenant_count, sizeof(*s->tenants), "tenants"),
		.tenant_count = t->tenant_count,
		.borders = memory_copy(t->borders, t->border_count, sizeof(*s->borders), "borders"),
		.border_count = t->border_count,
		.ports = memory_array((size_t)t->host_count * TOPOLOGY_HOST_PORTS_MAX,
				      sizeof(*s->ports), "host ports"),
		.mtus = memory_array(t->link_count, sizeof(*s->mtus), "link MTUs"),
		.component_mtu = memory_copy(t->component_mtu, t->first_host,
					     sizeof(*s->component_mtu), "switch MTUs"),
	};
	save_ports(s, t);
	swap(s, t);
}

void
tenant_snapshot_restore(struct tenant_snapshot *s, struct topology *t)
{
	swap(s, t);
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++)
			topology_set_tenant_port(t, h, p, tenant_snapshot_port(s, h, p));
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
