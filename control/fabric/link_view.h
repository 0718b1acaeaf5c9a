// SPDX-License-Identifier: BSD-3-Clause
// Links as switches know them: routes follow a link's change when `routing.convergence` has passed
// at a switch (converge.c), and until then whatever else makes routes anew goes by the links as the
// switch's routes had them. Control thread.
#pragma once

#include "control/fabric/fabric.h"

// Before a link goes down or comes up: switches that will not notice at once go on knowing the
// links as they are. Returns 0 or -ENOMEM.
int link_view_keep(struct fabric *f);
// A switch knows the links as they are.
void link_view_drop(struct fabric *f, uint32_t node);

// Has switches of routes that were made from the links as they are have those that follow from the
// links as each knows them. Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int link_view_apply(const struct fabric *f, struct routes *routes, struct config_diag *diag);
