// SPDX-License-Identifier: BSD-3-Clause
// Packets in flight when tenants change; drain.c says what becomes of them. Control thread.
#pragma once

#include "control/fabric/in_flight_routes.h"
#include "publish.h"
#include "tenant_snapshot.h"

#define DRAIN_LIMIT (10 * PS_PER_MS) // after this what is left of hosts that have moved is dropped

// ---- in_flight_find.c: routes of the old tables that the new ones lack --------------------------

// Fills in the lists of a drain from the old routes and those of the fabric; adds to the topology
// the VRFs that it needs. Returns 0, or -EINVAL with the error in diag if there are too many VRFs.
int in_flight_routes_find(struct drain *d, struct fabric *f, const struct tenant_snapshot *before,
			  const struct routes *old, struct diag *diag);
// Whether a drain has anything in force at a switch.
bool in_flight_routes_at(const struct drain *d, uint32_t node);
// Frees the indices of `leaving` VRFs that no drain uses any more.
void in_flight_routes_release(struct fabric *f);

// ---- moved_hosts.c: hosts that have left a VRF --------------------------------------------------

// Orders the hosts of a drain.
int drain_host_compare(const void *a, const void *b);
// Fills in the hosts of a drain and its summary.
void moved_hosts_find(struct drain *d, const struct topology *t,
		      const struct tenant_snapshot *before);
// What tables drop because of the fabric's drains, without hosts that have come back; NULL:
// nothing.
struct stale_hosts *moved_hosts_in_force(const struct fabric *f);
// All hosts of one drain; NULL: none.
struct stale_hosts *moved_hosts_of(const struct fabric *f, const struct drain *d);

// ---- drain.c ------------------------------------------------------------------------------------

// Starts polling a drain, whose tables are in force.
void drains_begin(struct drain *d, ps_t now);
// When the next poll is due, or PS_NEVER.
ps_t drains_next(const struct fabric *f);
// Whether the command of some change is still open.
bool drains_open(const struct fabric *f);
// Polls the drains that are due and acts on the result. Returns 0, or -EINVAL with errors in diag.
int drains_poll(const struct change_env *env, struct diag *diag);
