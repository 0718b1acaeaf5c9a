// SPDX-License-Identifier: BSD-3-Clause
// Recomputes routes and rebuilds tables while nodes run, and puts them in force on all nodes at
// once. Control thread.
#pragma once

#include "control/fabric/fabric.h"
#include "control/fabric/hooks.h"

// The fabric of a change, and its time.
struct change_env {
	struct fabric *fabric;
	const struct fabric_hooks *hooks;
	const struct config_step *steps; // of which the route events among the first `done`
	uint32_t done;                   // stay in force
	ps_t now;
};

// Computes routes from the present topology and the links as each switch knows them, with the route
// events so far.
// Returns 0, or -EINVAL with errors in diag.
int change_make_routes(const struct change_env *env, struct routes **out, struct diag *diag);

// Rebuilds the tables of all switches and puts them in force. Returns 0, or -EINVAL with errors in
// diag and nothing changed.
int change_rebuild(const struct change_env *env, struct diag *diag);

// Puts tables (by node; NULL leaves a node as it is) in force, all at once, frees the old ones and
// empties the array.
void change_publish(const struct change_env *env, struct tables **tables);
