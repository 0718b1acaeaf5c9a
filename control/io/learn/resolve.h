// SPDX-License-Identifier: BSD-3-Clause
// Resolves a VRF's rib to routes of a switch, as tables/ takes them. Control thread.
#pragma once

#include "rib.h"

#include "control/model/routes/routes.h"

// The VRF of the routes, and the encapsulation of its packets between switches.
struct resolve_vrf {
	uint16_t index;
	enum config_encap encap;
	uint16_t vid; // VLAN
};

// Why a route cannot be used.
enum resolve_refusal {
	RESOLVE_TOO_MANY,    // next hops, more than a group holds
	RESOLVE_NO_FAR_END,  // it leads to a switch, and the VRF's packets go through tunnels
	RESOLVE_TAG_OF_SOME, // next hops that are switches have the VRF's tag, the others have none
};

// Callbacks of resolving; all may be NULL.
struct resolve_hooks {
	// A route waits for a neighbour whose MAC is not known.
	void (*want)(void *context, uint32_t device, const struct learn_address *address);
	// A route cannot be used. Reported once for all that have the same next hops.
	void (*refuse)(void *context, const struct config_prefix *prefix, enum resolve_refusal why);
	// Whether a port leads to a switch; NULL: none does.
	bool (*leads_on)(void *context, uint16_t port);
	void *context;
};

// Makes the list of a VRF's routes; `out` is empty, the caller clears it.
void resolve_routes(struct rib *rib, const struct resolve_vrf *vrf,
		    const struct resolve_hooks *hooks, struct route_list *out);

// The interface whose connected network has the address, by longest prefix; 0: none.
uint32_t resolve_device(struct rib *rib, const struct learn_address *address);
