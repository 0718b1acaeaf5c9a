// SPDX-License-Identifier: BSD-3-Clause
// Changing settings and tenants while nodes run: whole or not at all. Control thread.
#pragma once

#include "publish.h"

// Asked when everything is prepared on all nodes: anything but 0 and nothing has happened.
struct change_commit {
	int (*run)(void *context);
	void *context;
};

// Changes keys of switches' sections and of tenants, as `set` events do: tables are built for every
// node that is touched, and only when all of them hold are they put in force, all at once. What a
// change of tenants leaves under way drains then (drain.h). commit: NULL: none is asked. Returns 0,
// with a warning in diag when a nearer section says otherwise at every switch; -EINVAL with the
// reason in diag and nothing changed anywhere, the configuration included; -ENOMEM likewise; or
// what commit returned, likewise.
int change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
		const struct change_commit *commit, struct config_diag *diag);

// Whether some of the edits are of switches' settings.
bool change_of_switches(const struct config_edit *edits, unsigned count);

// The same for a `set` or `unset` event whose time has come: errors are told at its place in the
// file, and what change_check() has warned of is not told again.
int change_apply(const struct change_env *env, const struct config_event *event,
		 struct config_diag *diag);

// Tries such events (in the order in which they will be applied) one after the other, and takes all
// of them back. Returns 0, with warnings as change_edit(); -EINVAL with the first that would be
// refused in diag, at its place in the file; or -ENOMEM.
int change_check(const struct change_env *env, const struct config_event *const *events,
		 uint32_t count, struct config_diag *diag);
