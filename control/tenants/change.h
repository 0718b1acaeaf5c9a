// SPDX-License-Identifier: BSD-3-Clause
// Changes settings and tenants, atomically, while nodes run. Control thread.
#pragma once

#include "publish.h"

// Called when everything is prepared on all nodes; any result but 0 cancels the change.
struct change_commit {
	int (*run)(void *context);
	void *context;
};

// Changes keys of switches' sections and of tenants, as `set` events do. Tables are built for every
// node concerned, and only when all of them are valid are they put in force, all at once. Packets
// in flight then drain (drain.h). commit: NULL: none. Returns 0, with a warning in diag when a more
// specific section overrides the key at every switch; or -EINVAL with the reason in diag, or what
// commit returned, and nothing changed, the configuration included.
int change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
		const struct change_commit *commit, struct diag *diag);

// Whether some of the edits concern settings of switches.
bool change_of_switches(const struct config_edit *edits, unsigned count);

// The same for a `set` or `unset` event that is due: errors are reported at its place in the file,
// and warnings of change_check() are not repeated.
int change_apply(const struct change_env *env, const struct config_event *event, struct diag *diag);

// Tries such events, in the order in which they will be applied, and rolls all of them back.
// Returns 0, with warnings as change_edit(), or -EINVAL with the first refusal in diag, at its
// place in the file.
int change_check(const struct change_env *env, const struct config_event *const *events,
		 uint32_t count, struct diag *diag);
