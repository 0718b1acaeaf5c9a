// SPDX-License-Identifier: BSD-3-Clause
// Routes that packets in flight still need after tenants have changed. Control thread.
#pragma once

#include "control/model/routes/routes.h"
#include "dataplane/stages/stale_tenant.h"
#include "dataplane/base/tables.h"

// What one change of tenants has left in flight.
struct drain {
	struct drain *next; // an older change's
	uint16_t epoch;     // packets of older epochs may be in flight
	ps_t began;
	ps_t next_poll;
	bool done;                  // no packet in flight can reach a tenant that its host has left
	bool expired;               // after DRAIN_LIMIT: older packets of moved hosts are dropped
	bool ended;                 // no older packet is in flight
	unsigned clean_polls;       // polls in a row that have found no older packet
	unsigned clean_polls_moved; // ... none of moved hosts
	// By switch: routes for packets from other switches alone, in VRFs that are `leaving`; to
	// [1] moved hosts, [0] others.
	struct route_list (*lists)[2];
	struct drain_host *hosts; // that have moved, in the order of stale_host_compare()
	uint32_t host_count;
	uint16_t *held_vrfs, *held_tenants; // indices whose names are removed
	uint16_t held_vrf_count, held_tenant_count;
	uint64_t in_flight;      // packets of moved hosts at the first poll
	uint64_t dropped_before; // as `tenant-moved`, in the whole fabric
	bool reported;
	char *summary; // "tenant green: h5, h6 from rest"
	char *command; // "set tenants.green.hosts [h5, h6]", or NULL
};

// A host that has left a VRF, as packets of that VRF know it.
struct drain_host {
	struct stale_host host;
	bool drop_at_once; // its VNI or VLAN belongs to another tenant now
};

// The encapsulation and identifier of a VRF's packets between switches.
static inline enum encap_kind
drain_encap(enum config_encap encap)
{
	return encap == CONFIG_ENCAP_VXLAN  ? ENCAP_VXLAN
	       : encap == CONFIG_ENCAP_VLAN ? ENCAP_VLAN
					    : ENCAP_NONE;
}

static inline uint32_t
drain_id(const struct topo_vrf *vrf)
{
	return vrf->encap == CONFIG_ENCAP_VXLAN  ? vrf->vni
	       : vrf->encap == CONFIG_ENCAP_VLAN ? vrf->vid
						 : 0;
}

// Whether packets from other switches are looked up in a VRF; plain ones only in `default`.
bool in_flight_routes_keyed(const struct topo_vrf *vrfs, uint16_t vrf);
// The VRF, leaving or not, whose packets have the same encapsulation and identifier; VRF_NONE.
uint16_t in_flight_routes_find_vrf(const struct topology *t, const struct topo_vrf *like,
				   bool leaving);
// Appends a copy of a route of `from`, in another VRF and at another distance.
void in_flight_routes_copy(const struct route_list *from, const struct route *route, uint16_t vrf,
			   uint32_t distance, struct route_list *to);
// The routes of a switch (`now`) with those that the drains keep there; routes_clear() frees what
// `out` holds.
void in_flight_routes_compose(const struct drain *drains, const struct topology *t, uint32_t node,
			      const struct route_list *now, struct route_list *out);

// Frees one drain, which may be NULL; and a list of them.
void drain_destroy(struct drain *d, const struct topology *t);
void in_flight_routes_destroy(struct drain *drains, const struct topology *t);
