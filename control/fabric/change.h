// SPDX-License-Identifier: BSD-3-Clause
// Changing settings while nodes run: whole or not at all. Control thread.
#pragma once

#include "fabric.h"

// Frees tables that are no longer in force, once no node uses them.
struct change_retire {
	void (*run)(void *context, struct tables *old);
	void *context;
};

// Changes one key of a switch section, as a `set` event does ("switch.qos.tc.3.ecn.min", "100KB"):
// tables are built for every node that it touches, and only when all of them hold are they put in
// force. Returns 0, with a warning in diag when a nearer section says otherwise at every switch;
// -EINVAL with the reason in diag and nothing changed anywhere, the configuration included; or
// -ENOMEM likewise.
int change_set(struct fabric *f, const char *key, const char *value,
	       const struct change_retire *retire, struct config_diag *diag);

// The same for a `set` event whose time has come: errors are told at its place in the file, and
// what change_check() has warned of is not told again.
int change_apply(struct fabric *f, const struct config_event *event,
		 const struct change_retire *retire, struct config_diag *diag);

// Tries `set` events (in the order in which they will be applied) one after the other, and takes
// all of them back. Returns 0, with warnings as change_set(); -EINVAL with the first that would be
// refused in diag, at its place in the file; or -ENOMEM.
int change_check(struct fabric *f, const struct config_event *const *sets, uint32_t count,
		 struct config_diag *diag);
