// SPDX-License-Identifier: BSD-3-Clause
// The part of a change that is about tenants; private to control/fabric/.
#pragma once

#include "drain.h"

// Tenants as they will be, and what it takes to go back.
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

// Puts the tenants of the configuration, which has changed, into the topology, and makes routes
// anew: tables that are built from now on are of the new. trial: nothing is to drain, nor to be
// renamed. Returns 0, or after tenant_change_undo() -EINVAL with errors in diag or -ENOMEM.
int tenant_change_begin(struct tenant_change *r, const struct change_env *env, bool trial,
			struct config_diag *diag);
// Back to what was. All zero is fine.
void tenant_change_undo(struct tenant_change *r, struct fabric *f);
// The tables are about to be published: counters of tenants in places that others had begin anew.
void tenant_change_prepare_nodes(const struct tenant_change *r, const struct change_env *env);
// They are in force. r is empty then.
void tenant_change_end(struct tenant_change *r, const struct change_env *env);
