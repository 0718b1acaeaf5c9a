// SPDX-License-Identifier: BSD-3-Clause
// Tenants as they will be: worked out beside a topology, then put into it; private to
// control/topology/.
#pragma once

#include "topology.h"

// What a host's port gets, or a port of a lone switch.
struct sliced_port {
	uint16_t vrf;
	uint16_t tenant;
	uint8_t ip4[4];
	uint8_t ip6[16];
	struct config_pos pos4, pos6; // where the file gives the address
	bool own4, own6;              // it does
};

struct slicing {
	struct topology next; // the topology with VRFs, tenants and borders of its own
	bool *vrf_used;       // by VRF and tenant: they stay or are new
	bool *tenant_used;
	struct sliced_port *ports; // TOPOLOGY_HOST_PORTS_MAX a host; of a lone switch by port
	struct config_diag *diag;
};

static inline struct sliced_port *
sliced_port(const struct slicing *s, uint32_t host, uint8_t port)
{
	return &s->ports[host * TOPOLOGY_HOST_PORTS_MAX + port];
}

// Gives hosts the addresses of the plan, and over them those that the file gives its tenants'; and
// takes the tenants' borders. VRFs, leaks and the hosts' tenants are known. Errors are in the diag.
// Returns 0 or -ENOMEM.
int tenants_give_addresses(struct slicing *s);
int tenants_find_borders(struct slicing *s);
// Whether any VRF would know two of one address, or of one prefix behind hosts. Errors are in the
// diag. Returns 0 or -ENOMEM.
int tenants_check_claims(const struct slicing *s);

// Frees VRFs and what they hold.
void tenants_free(struct topo_vrf *vrfs, uint16_t count);
