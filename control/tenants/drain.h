// SPDX-License-Identifier: BSD-3-Clause
// Packets under way when tenants change; drain.c tells what becomes of them. Control thread.
#pragma once

#include "change.h"
#include "slices.h"

#include "dataplane/tables.h"

#define DRAIN_LIMIT (10 * PS_PER_MS) // after this what is left of hosts that have moved is dropped

// What is under way of one change.
struct drain {
	struct drain *next; // an older change's
	uint16_t epoch;     // what was admitted before this is under way
	ps_t began;
	ps_t next_look;
	bool done;            // nothing that is under way can reach a tenant that its host has left
	bool expired;         // the time was up: what is left of moved hosts is dropped
	bool ended;           // a look has found nothing more of it
	unsigned clean;       // looks in a row that have found nothing old
	unsigned clean_moved; // ... nothing of hosts that have moved
	// By switch: routes that only what comes from other switches may take, in VRFs of the
	// topology that are `leaving`; to [1] hosts that have moved, [0] others.
	struct route_list (*lists)[2];
	struct drain_host *hosts; // that have moved, in the order of moved_compare()
	uint32_t host_count;
	uint16_t *held_vrfs, *held_tenants; // places that are nobody's any more
	uint16_t held_vrf_count, held_tenant_count;
	uint64_t under_way;      // packets of moved hosts, as the first look found them
	uint64_t dropped_before; // as `tenant-moved`, in the whole fabric
	bool told;
	char *words; // "tenant green: h5, h6 from rest"
	char *what;  // "set tenants.green.hosts [h5, h6]", or NULL
};

// A host that has left a VRF, as packets of that VRF know it.
struct drain_host {
	struct moved_host host;
	bool at_once; // its VNI or VLAN is another tenant's now: nothing of it may be delivered
};

// What a VRF's packets are known by between switches.
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

// ---- leaving.c: what the old tables delivered and the new ones do not ---------------------------

// Fills in the lists of a drain from the routes before (`old`) and those of the fabric; adds to the
// topology the VRFs that it needs. Returns 0 or -ENOMEM.
int leaving_find(struct drain *d, struct fabric *f, const struct slices *before,
		 struct routes *old);
// The routes of a switch (`now`) with those that the fabric's drains keep there; routes_clear()
// frees what `out` holds. Returns 0 or -ENOMEM.
int leaving_compose(const struct fabric *f, uint32_t node, const struct route_list *now,
		    struct route_list *out);
// Whether a drain has anything in force at a switch.
bool leaving_at(const struct drain *d, uint32_t node);
// The VRF, leaving or not, whose packets are known by the same; VRF_NONE.
uint16_t leaving_find_vrf(const struct topology *t, const struct topo_vrf *like, bool leaving);
// Frees the places of `leaving` VRFs that no drain uses any more.
void leaving_release(struct fabric *f);

// ---- moved.c: which hosts have left which VRFs --------------------------------------------------

// Orders the hosts of a drain.
int drain_host_compare(const void *a, const void *b);
// Fills in the hosts of a drain and its words. Returns 0 or -ENOMEM.
int moved_find(struct drain *d, const struct topology *t, const struct slices *before);
// What tables drop of a fabric's drains, without hosts that are back where they left; NULL:
// nothing. Returns 0 or -ENOMEM.
int moved_in_force(const struct fabric *f, struct moved_tables **out);
// All hosts of one drain. Returns 0 or -ENOMEM.
int moved_of(const struct fabric *f, const struct drain *d, struct moved_tables **out);

// ---- drain.c ------------------------------------------------------------------------------------

void drain_destroy(struct drain *d, const struct topology *t);

// The tables of a drain are in force: it is to be looked at.
void drains_begin(struct drain *d, ps_t now);
// When the next is to be looked at, or PS_NEVER.
ps_t drains_next(const struct fabric *f);
// Whether some change's command is not over yet.
bool drains_open(const struct fabric *f);
// Looks at those that are due, and does what follows. Returns 0, -EINVAL with errors in diag, or
// -ENOMEM.
int drains_look(const struct change_env *env, struct config_diag *diag);
// Frees them all.
void drains_drop(struct fabric *f);
