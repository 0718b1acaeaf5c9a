// SPDX-License-Identifier: BSD-3-Clause
// Who has what of a topology, as it was before topology_retenant(): to go back to, and to tell what
// has changed. Control thread.
#pragma once

#include "control/model/topology/topology.h"

// What a host's port had.
struct tenant_port {
	uint16_t vrf;
	uint16_t tenant;
	uint8_t ip4[4];
	uint8_t ip6[16];
};

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

// Saves all that topology_retenant() changes; what is pointed to in it stays as it is until
// tenant_snapshot_free(). Returns 0 or -ENOMEM with nothing changed.
int tenant_snapshot_save(struct tenant_snapshot *s, struct topology *t);
// Puts it back; s is empty then.
void tenant_snapshot_restore(struct tenant_snapshot *s, struct topology *t);
// All zero is fine.
void tenant_snapshot_free(struct tenant_snapshot *s);

static inline const struct tenant_port *
tenant_snapshot_port(const struct tenant_snapshot *s, uint32_t host, uint8_t port)
{
	return &s->ports[host * TOPOLOGY_HOST_PORTS_MAX + port];
}
