// SPDX-License-Identifier: BSD-3-Clause
// Changes settings and tenants, atomically, and routes, while nodes run. Packets in flight when
// tenants change drain; drain.c says what becomes of them. Control thread.
#pragma once

#include "control/fabric/fabric.h"

// The fabric of a change, and its time.
struct change_env {
	struct fabric *fabric;
	const struct fabric_hooks *hooks;
	const struct config_step *steps; // of which the route events among the first `done`
	uint32_t done;                   // stay in force
	ps_t now;
};

// Called when everything is prepared on all nodes; any result but 0 cancels the change.
struct change_commit {
	int (*run)(void *context);
	void *context;
};

// Changes keys of switches' sections and of tenants, as `set` events do. Tables are built for every
// node concerned, and only when all of them are valid are they put in force, all at once. Packets
// in flight then drain. commit: NULL: none. Returns 0, with a warning in diag when a more specific
// section overrides the key at every switch; or -EINVAL with the reason in diag, or what commit
// returned, and nothing changed, the configuration included.
int change_edit(const struct change_env *env, const struct config_edit *edits, unsigned count,
		const struct change_commit *commit, struct diag *diag);

// Prepares such a change and rolls it back. addresses: `attach:` of the configuration has changed
// too, as for change_addresses(). Returns as change_edit().
int change_try(const struct change_env *env, const struct config_edit *edits, unsigned count,
	       bool addresses, struct diag *diag);

// Follows the addresses that `attach:` of the configuration gives hosts now, and their MACs in the
// topology, in the same way. Returns 0, or -EINVAL with the reason in diag and nothing changed.
int change_addresses(const struct change_env *env, struct diag *diag);

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

// Computes routes from the present topology and the links as each switch knows them, with the route
// events so far. Returns 0, or -EINVAL with errors in diag.
int change_make_routes(const struct change_env *env, struct routes **out, struct diag *diag);

// Rebuilds the tables of all switches and puts them in force. Returns 0, or -EINVAL with errors in
// diag and nothing changed.
int change_rebuild(const struct change_env *env, struct diag *diag);

// Puts tables (by node; NULL leaves a node as it is) in force, all at once, frees the old ones and
// empties the array.
void change_publish(const struct change_env *env, struct tables **tables);

// ---- packets in flight --------------------------------------------------------------------------

#define DRAIN_LIMIT (10 * PS_PER_MS) // after this what is left of hosts that have moved is dropped

// When the next poll is due, or PS_NEVER.
ps_t drains_next(const struct fabric *f);
// Whether the command of some change is still open.
bool drains_open(const struct fabric *f);
// Polls the drains that are due and acts on the result. Returns 0, or -EINVAL with errors in diag.
int drains_poll(const struct change_env *env, struct diag *diag);
