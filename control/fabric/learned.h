// SPDX-License-Identifier: BSD-3-Clause
// Routes that switches learn while they run, beside the fabric's own (f->routes). A VRF that learns
// ignores routes computed from the topology, and routes written in the file override learned ones.
// Control thread.
#pragma once

#include "control/fabric/fabric.h"

// Makes a VRF of a switch learn: until fabric_set_learned() it has only the routes of the file.
// Takes effect when tables are next built.
void fabric_learn(struct fabric *f, uint32_t node, uint16_t vrf);

// Sets what a VRF that learns has learned; takes over the list, which must only have routes of that
// VRF. Takes effect when tables are next built.
void fabric_set_learned(struct fabric *f, uint32_t node, uint16_t vrf, struct route_list *list);

// The routes that a switch's tables are built from when its own routes are `own`: either `own` or
// `scratch`, which the caller clears in any case.
const struct route_list *fabric_merge_learned(const struct fabric *f, uint32_t node,
					      const struct route_list *own,
					      struct route_list *scratch);
