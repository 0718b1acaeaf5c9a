// SPDX-License-Identifier: BSD-3-Clause
// Who has what of a topology, as it was before topology_retenant(): to go back to, and to tell what
// has changed. Control thread.
#pragma once

#include "control/model/topology/topology.h"

// What a host's port had.
struct slice_port {
	uint16_t vrf;
	uint16_t tenant;
	uint8_t ip4[4];
	uint8_t ip6[16];
};

struct slices {
	struct topo_vrf *vrfs;
	struct topo_tenant *tenants;
	struct topo_border *borders;
	uint16_t vrf_count, tenant_count;
	uint32_t border_count;
	struct slice_port *ports; // TOPOLOGY_HOST_PORTS_MAX a host
	uint32_t *mtus;           // by link
	uint32_t *part_mtu;       // by switch
};

// Saves all that topology_retenant() changes; what is pointed to in it stays as it is until
// slices_free(). Returns 0 or -ENOMEM with nothing changed.
int slices_save(struct slices *s, struct topology *t);
// Puts it back; s is empty then.
void slices_restore(struct slices *s, struct topology *t);
// All zero is fine.
void slices_free(struct slices *s);

static inline const struct slice_port *
slices_port(const struct slices *s, uint32_t host, uint8_t port)
{
	return &s->ports[host * TOPOLOGY_HOST_PORTS_MAX + port];
}
