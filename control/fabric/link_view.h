// SPDX-License-Identifier: BSD-3-Clause
// The state of links as each switch knows it. Routes follow a change of a link once
// `routing.convergence` has passed at a switch (control/events/converge.c). Until then other
// changes compute routes from the links as the switch's current routes have them. Control thread.
#pragma once

#include "control/fabric/fabric.h"

// Before a link goes down or comes up: switches that notice later keep the present state.
void link_view_keep(struct fabric *f);
// A switch has noticed the present state.
void link_view_drop(struct fabric *f, uint32_t node);

// Replaces the routes of switches with a view of their own, in routes made from the present links,
// by those that follow from the view. Returns 0, or -EINVAL with errors in diag.
int link_view_apply(const struct fabric *f, struct routes *routes, struct diag *diag);
