// SPDX-License-Identifier: BSD-3-Clause
// The tenants of a topology before topology_retenant(): to roll back to, and to find what a change
// affects. Control thread.
#pragma once

#include "control/model/topology/topology.h"

struct tenant_snapshot {
	struct topo_vrf *vrfs;
	struct topo_tenant *tenants;
	struct topo_border *borders;
	uint16_t vrf_count, tenant_count;
	uint32_t border_count;
	struct tenant_port *ports; // TOPOLOGY_HOST_PORTS_MAX a host
	uint32_t *mtus;            // by link
	uint32_t *component_mtu;   // by switch
};

// Saves all that topology_retenant() changes. Pointers into it stay valid until
// tenant_snapshot_free().
void tenant_snapshot_save(struct tenant_snapshot *s, struct topology *t);
// Restores it and leaves s empty.
void tenant_snapshot_restore(struct tenant_snapshot *s, struct topology *t);
// A zeroed snapshot is fine.
void tenant_snapshot_free(struct tenant_snapshot *s);

static inline const struct tenant_port *
tenant_snapshot_port(const struct tenant_snapshot *s, uint32_t host, uint8_t port)
{
	return &s->ports[host * TOPOLOGY_HOST_PORTS_MAX + port];
}
