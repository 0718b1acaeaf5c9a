// SPDX-License-Identifier: BSD-3-Clause
// Routes that switches learn while they run, beside those of the fabric's own (f->routes): in a VRF
// that learns, what was computed from the topology does not count, and what the file writes goes
// before what is learned. Control thread.
#pragma once

#include "control/fabric/fabric.h"

// Has a VRF of a switch learn: until fabric_set_learned() it has the file's routes alone. Tables
// follow when they are next built. Returns 0 or -ENOMEM.
int fabric_learn(struct fabric *f, uint32_t node, uint16_t vrf);

// What a VRF that learns has learned; takes over what the list holds, all of it of that VRF. Tables
// follow when they are next built.
void fabric_set_learned(struct fabric *f, uint32_t node, uint16_t vrf, struct route_list *list);

// The routes that a switch's tables are built from when its own routes are `own`: *out, which is
// `own` or `scratch`; the caller clears scratch in any case. Returns 0 or -ENOMEM.
int fabric_merge_learned(const struct fabric *f, uint32_t node, const struct route_list *own,
			 struct route_list *scratch, const struct route_list **out);
