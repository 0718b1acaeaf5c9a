// SPDX-License-Identifier: BSD-3-Clause
// Packets under way when tenants change; drain.c tells what becomes of them. Control thread.
#pragma once

#include "control/fabric/in_flight_routes.h"
#include "publish.h"
#include "tenant_snapshot.h"

#define DRAIN_LIMIT (10 * PS_PER_MS) // after this what is left of hosts that have moved is dropped

// ---- leaving.c: what the old tables delivered and the new ones do not ---------------------------

// Fills in the lists of a drain from the routes before (`old`) and those of the fabric; adds to the
// topology the VRFs that it needs. Returns 0 or -ENOMEM.
int in_flight_routes_find(struct drain *d, struct fabric *f, const struct tenant_snapshot *before,
			  struct routes *old);
// Whether a drain has anything in force at a switch.
bool in_flight_routes_at(const struct drain *d, uint32_t node);
// Frees the places of `leaving` VRFs that no drain uses any more.
void in_flight_routes_release(struct fabric *f);

// ---- moved.c: which hosts have left which VRFs --------------------------------------------------

// Orders the hosts of a drain.
int drain_host_compare(const void *a, const void *b);
// Fills in the hosts of a drain and its words. Returns 0 or -ENOMEM.
int stale_tenant_find(struct drain *d, const struct topology *t,
		      const struct tenant_snapshot *before);
// What tables drop of a fabric's drains, without hosts that are back where they left; NULL:
// nothing. Returns 0 or -ENOMEM.
int stale_tenant_in_force(const struct fabric *f, struct stale_hosts **out);
// All hosts of one drain. Returns 0 or -ENOMEM.
int stale_tenant_of(const struct fabric *f, const struct drain *d, struct stale_hosts **out);

// ---- drain.c ------------------------------------------------------------------------------------

// The tables of a drain are in force: it is to be looked at.
void drains_begin(struct drain *d, ps_t now);
// When the next is to be looked at, or PS_NEVER.
ps_t drains_next(const struct fabric *f);
// Whether some change's command is not over yet.
bool drains_open(const struct fabric *f);
// Looks at those that are due, and does what follows. Returns 0, -EINVAL with errors in diag, or
// -ENOMEM.
int drains_poll(const struct change_env *env, struct config_diag *diag);
