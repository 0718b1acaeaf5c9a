// SPDX-License-Identifier: BSD-3-Clause
// A change of settings before it is in force; private to control/tenants/.
#pragma once

#include "tenant_change.h"

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
