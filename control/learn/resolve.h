// SPDX-License-Identifier: BSD-3-Clause
// What a VRF's rib comes to: routes of a switch, as tables/ takes them. Control thread.
#pragma once

#include "rib.h"

#include "control/routes/routes.h"

// Whom resolving tells; all may be NULL.
struct resolve_hooks {
	// A route waits for a neighbour whose MAC is not known.
	void (*want)(void *context, uint32_t device, const struct learn_address *address);
	// A route cannot be followed, its next hops being more than a group holds. Told once.
	void (*refuse)(void *context, const struct config_prefix *prefix);
	void *context;
};

// Makes the list of a VRF's routes; `out` is empty, the caller clears it. Returns 0, or -ENOMEM
// with nothing in it.
int resolve_routes(struct rib *rib, uint16_t vrf, const struct resolve_hooks *hooks,
		   struct route_list *out);

// The interface on whose network an address is, as the rib's longest prefix has it; 0: none.
uint32_t resolve_device(struct rib *rib, const struct learn_address *address);
