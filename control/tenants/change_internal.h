// SPDX-License-Identifier: BSD-3-Clause
// Private to control/tenants/ and its tests. Control thread.
#pragma once

#include "change.h"
#include "control/fabric/in_flight_routes.h"

// ---- tenant_snapshot.c: the tenants before topology_retenant() ----------------------------------

// To roll back to, and to find what a change affects.
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

// ---- tenant_change.c: the part of a change that concerns tenants --------------------------------

// The new tenants, and what is needed to roll back.
struct tenant_change {
	bool begun;
	struct tenant_snapshot before;
	struct routes *routes;     // of before
	struct drain *drain;       // NULL: nothing is under way that the new tables would not carry
	struct stale_hosts *moved; // of before
	struct fabric_labels *labels; // for the names there are now
	uint16_t *reused;             // tenants in places that others have had
	uint16_t reused_count;
};

// Puts the tenants of the changed configuration into the topology and computes routes, so that
// tables built from now on are for the new tenants. trial: only checks; nothing drains and no
// labels change. Returns 0, or -EINVAL with errors in diag and everything rolled back.
int tenant_change_begin(struct tenant_change *r, const struct change_env *env, bool trial,
			struct diag *diag);
// Rolls back. A zeroed change is fine.
void tenant_change_undo(struct tenant_change *r, struct fabric *f);
// Before tables are published: resets the counters of tenants that reuse an index.
void tenant_change_prepare_nodes(const struct tenant_change *r, const struct change_env *env);
// After tables are published. Leaves r empty.
void tenant_change_end(struct tenant_change *r, const struct change_env *env);

// ---- prepare.c: a change of settings before it is in force --------------------------------------

struct prepared {
	struct fabric *f;
	struct tables **tables;       // by node; NULL: it stays as it is
	struct switch_config *before; // by switch: its settings
	struct switch_config *after;  // and after the change
	bool *differs;                // by switch
	uint32_t changed;             // switches that differ
	uint64_t *excess; // by switch: bytes of pools and headroom beyond its buffer, before
	bool trial;       // only to see whether it holds: hosts always do
	struct tenant_change tenants; // where tenants change
};

// Starts from what is in force. prepared_release() ends it.
void prepared_start(struct prepared *p, struct fabric *f, bool trial);
// Merges the settings of switches that the edits touch and builds tables for those that differ and
// the hosts behind them, or, where tenants change, for all switches. Returns 0, or
// -EINVAL with the errors in diag; then some tables may have been built.
int prepared_prepare(struct prepared *p, const struct config_edit *edits, unsigned count,
		     struct diag *diag);
// Whether the node reads the section of a key.
bool prepared_touches(const struct topo_node *node, const char *key);
// Frees tables that are not published.
void prepared_drop_tables(struct prepared *p);
void prepared_release(struct prepared *p);
