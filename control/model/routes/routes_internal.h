// SPDX-License-Identifier: BSD-3-Clause
// How routes are computed from a topology, and read from a file; private to control/model/routes/.
#pragma once

#include "routes.h"

// Fills the lists of all switches. link_down: as in routes_create().
void routes_compute(struct routes *routes, const struct topology *topology, const bool *link_down);

// Fills the lists of an InfiniBand fabric: by its subnet, or the `lft:` of a lone switch. Returns
// 0, or -EINVAL with the errors in diag (lids.c).
int routes_add_lids(struct routes *routes, const struct topology *topology, const bool *link_down,
		    struct diag *diag);

// A port that leads to another switch.
struct updown_link {
	uint32_t peer;
	uint16_t port;
	uint8_t mac[6]; // of the peer's port
};

// Next hops towards one leaf, up-down; updown.c says how.
struct updown {
	const struct topology *topology;
	const bool *link_down;
	struct updown_link *links; // that are not down, by switch
	uint32_t *first_link;      // by switch; behind the last, how many there are
	uint32_t *rank;            // by switch: greater is higher
	uint32_t *order; // switches from the highest down, those of a part of the fabric together
	uint32_t *down;  // hops to the leaf going down only, or UPDOWN_FAR
	uint32_t *hops;  // hops to the leaf, or UPDOWN_FAR
	uint32_t *queue;
	uint32_t *part_first; // by topology's `component`: its first place in `order`,
	uint32_t *part_end;   // and the one behind its last
};

#define UPDOWN_FAR UINT32_MAX

// Ranks the switches.
void updown_create(struct updown *u, const struct topology *topology, const bool *link_down);
void updown_destroy(struct updown *u);
// Distances to one leaf, of the switches that are joined to it. Returns these, it among them, from
// the highest down: others, of planes for example, have no way there.
const uint32_t *updown_aim(struct updown *u, uint32_t leaf, uint32_t *count);
// The links of one of these switches that are on its shortest ways to the leaf aimed at, in the
// order of ports. Returns how many.
uint32_t updown_next(const struct updown *u, uint32_t node,
		     const struct updown_link *next[PORTS_MAX]);

// What is behind a leaf, as prefixes; advertised.c says which.
struct offer {
	struct config_prefix prefix;
	uint16_t vrf;
	uint16_t port; // index of the leaf's; of a leaf's prefix its first host's
	bool border;   // outside the fabric
};

struct offers {
	struct offer *items;
	uint32_t count;
};

// Of one leaf at a time, by VRF.
struct leaf_offers {
	const struct topology *topology;
	const bool *link_down;
	struct offers local;  // each of its hosts, what is behind borders
	struct offers remote; // what other leaves route: the leaf's prefix where that says the same
	struct offers transit; // what the underlay routes of VRFs that cross it plain
	struct offers gaps;    // what `remote` and `transit` cover but nobody has
	bool *bordered;        // by leaf: some border's prefix lies within its own
};

// link_down: as in routes_create().
void advertised_create(struct leaf_offers *o, const struct topology *topology,
		       const bool *link_down);
void advertised_destroy(struct leaf_offers *o);
void advertised_aim(struct leaf_offers *o, uint32_t leaf);
// The host's port behind a leaf's port, or NULL.
const struct topo_port *advertised_host(const struct topology *topology,
					const struct topo_port *port);

// ---- static routes (static_routes.c) ------------------------------------------------------------

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
