// SPDX-License-Identifier: BSD-3-Clause
// The part of a change that concerns tenants; private to control/tenants/.
#pragma once

#include "drain.h"

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
