// SPDX-License-Identifier: BSD-3-Clause
// Static routes: those that a file writes. Private to control/model/routes/.
#pragma once

#include "routes.h"

// A static route of a node, on its way into the node's list.
struct static_route {
	const struct topology *topology;
	struct route_list *list; // the node's, without the route
	uint32_t node;
	const struct config_route *from;
	const char *key; // "routes" or "events.route", for messages
	struct diag *diag;
	// By static_route_resolve():
	char via_key[32];
	struct route_member members[GROUP_MEMBERS_MAX]; // what `via` names beside a tunnel
	uint32_t member_count;
};

// The route, for routes_set(); its group is in the list. The caller sets the members of `s` down to
// diag. Returns 0, or -EINVAL with the errors in diag.
int static_route_resolve(struct static_route *s, struct route *out);

// Sets the encapsulation of the route and, through a tunnel, `recursive` and no group yet. Returns 0,
// or -EINVAL with the error in diag.
int static_route_set_encap(const struct static_route *s, struct route *route);
