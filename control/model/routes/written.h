// SPDX-License-Identifier: BSD-3-Clause
// Routes as a file writes them; private to control/routes/.
#pragma once

#include "routes.h"

// What packets of a route wear: its `encap` and, through a tunnel, `recursive` and no group yet.
// members: what `via` names beside a tunnel. list: the node's, before the route. Returns 0, -EINVAL
// with the error in diag, or -ENOMEM.
int written_wear(const struct topology *topology, struct route_list *list, uint32_t node,
		 const struct config_route *from, const struct route_member *members,
		 uint32_t count, const char *key, struct route *route, struct config_diag *diag);

// A route from the file, for routes_set(); its group is in the list. Returns 0, -EINVAL with
// the errors in diag, or -ENOMEM. key: "routes" or "events.route".
int written_resolve(const struct topology *topology, struct route_list *list, uint32_t node,
		    const struct config_route *from, const char *key, struct route *out,
		    struct config_diag *diag);
