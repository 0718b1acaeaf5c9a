// SPDX-License-Identifier: BSD-3-Clause
// What each switch routes where: lists of prefixes by VRF, groups of next hops that many prefixes
// share, and encapsulations. computed.c makes them from a topology, create.c from a
// lone switch's `routes:`; a route event edits them; tables/ turns a list into what the dataplane
// reads. Control thread.
#pragma once

#include "control/model/subnet/subnet.h"
#include "control/model/topology/topology.h"

// The group of a route that drops what it covers.
#define ROUTES_BLACKHOLE UINT32_MAX

struct route_member {
	uint16_t port; // index at the node
	uint8_t mac[6];
	uint32_t weight; // against the group's others; 0: as `routing.weights` says
};

struct route_group {
	uint32_t first; // in members
	uint32_t count; // .. GROUP_MEMBERS_MAX; 0: ARP or ND find the destination
};

// How packets of a route are encapsulated between switches.
struct route_encap {
	enum config_encap kind; // VLAN or VXLAN
	bool pipe;
	uint32_t id;        // VLAN id or VNI, of the VRF that the packet is for
	uint8_t remote[16]; // VXLAN: the far leaf's loopback, of the fabric's underlay version
	uint8_t mac[6];     // VXLAN: its router's
	// VXLAN: of an IP packet that gets there by any of the paths, with what the tunnel adds; 0:
	// not known, as in a lone switch. The same for all to one far end.
	uint32_t mtu;
};

#define ROUTES_PLAIN UINT32_MAX

// Where a route comes from.
enum route_source { ROUTE_COMPUTED, ROUTE_STATIC, ROUTE_NETLINK, ROUTE_FPM };

struct route {
	struct config_prefix prefix;
	uint16_t vrf;
	uint8_t source;    // enum route_source
	bool recursive;    // VXLAN: its group is that of the route to the far end
	bool loopback;     // computed, to a switch's own address
	uint32_t group;    // or ROUTES_BLACKHOLE
	uint32_t encap;    // in encaps, or ROUTES_PLAIN
	uint32_t distance; // of routes of one prefix routes_sort() leaves the nearest
};

// One node's. Routes are sorted by VRF, IP version, address, length; no two have the same prefix.
struct route_list {
	struct route *routes;
	uint32_t count;
	struct route_group *groups; // no two have the same members
	uint32_t group_count;
	struct route_member *members;
	uint32_t member_count;
	struct route_encap *encaps; // no two are the same
	uint32_t encap_count;
	// InfiniBand, which has these instead of routes: the group of each LID, ROUTES_OWN_LID
	// or ROUTES_NO_LID.
	uint32_t *lids;
	uint32_t lid_count; // 0: an Ethernet fabric
};

#define ROUTES_NO_LID UINT32_MAX
#define ROUTES_OWN_LID (UINT32_MAX - 1) // the switch's

struct routes {
	struct route_list *nodes; // by node of the topology; hosts' are empty
	uint32_t node_count;
};

// The routes of a topology. link_down: by link, true for those that carry nothing; NULL: none.
// Returns 0, or -EINVAL with the errors in diag (only for a lone switch's `routes:`).
int routes_create(struct routes **out, const struct topology *topology, const bool *link_down,
		  struct diag *diag);
// NULL is fine.
void routes_destroy(struct routes *routes);

// Gives all switches the groups of a subnet's LIDs, in place of what they had: the port of the LFT,
// and behind it the others that the engine could take. link_down: as in routes_create(). (lids.c)
void routes_take_subnet(struct routes *routes, const struct topology *topology,
			const struct subnet *subnet, const bool *link_down);

// Frees what a list holds.
void routes_clear(struct route_list *list);

// The group of these members, added when it is new.
uint32_t routes_add_group(struct route_list *list, const struct route_member *members,
			  uint32_t count);
// Adds a group without a search for one of the same members; none: ARP or ND find the destination.
uint32_t routes_append_group(struct route_list *list, const struct route_member *members,
			     uint32_t count);
// The encapsulation, added when it is new.
uint32_t routes_add_encap(struct route_list *list, const struct route_encap *encap);
// The same where the caller knows that it is new.
uint32_t routes_append_encap(struct route_list *list, const struct route_encap *encap);
// Appends a route; routes_sort() must follow the last.
void routes_append(struct route_list *list, const struct route *route);
// Of routes of one prefix the nearest stays.
void routes_sort(struct route_list *list);

// Makes the routes of one list a copy of another's; its groups and encapsulations are left alone.
void routes_copy(struct route_list *to, const struct route_list *from);

// The route of exactly this prefix, or NULL.
struct route *routes_find(const struct route_list *list, uint16_t vrf,
			  const struct config_prefix *prefix);
// Replaces or adds the route; keeps the order.
void routes_set(struct route_list *list, const struct route *route);
// Removes the route if there is one.
void routes_remove(struct route_list *list, uint16_t vrf, const struct config_prefix *prefix);
// The longest prefix that covers the address (4 or 16 bytes), or NULL. Not fast.
const struct route *routes_lookup(const struct route_list *list, uint16_t vrf, uint8_t version,
				  const uint8_t *address);

// Whether a switch of the fabric is behind a switch's port; of a lone switch: whether it is an
// uplink.
bool routes_leads_on(const struct topology *topology, uint32_t node, uint16_t port);

// The IP version of headers around tunnels; 0: a lone switch without an end of tunnels.
uint8_t routes_underlay(const struct topology *topology);
// Gives recursive routes the group by which VRF `default` sends to their tunnel's far end;
// blackholes those whose far end it has no way to. underlay: its IP version, 4 or 6.
void routes_follow_tunnels(struct route_list *list, uint8_t underlay);

// True when what one host's port sends to the other's has a route at the sender's leaf, in a VRF
// that knows the other's.
bool routes_join(const struct routes *routes, const struct topology *topology, uint32_t from_host,
		 uint8_t from_port, uint32_t to_host, uint8_t to_port);

// Applies a route event: sets or, without `via`, removes a route of one switch, whose index goes to
// *node. Returns 0, -EINVAL with the error in diag and nothing changed.
int routes_apply_event(struct routes *routes, const struct topology *topology,
		       const struct config_event *event, uint32_t *node, struct diag *diag);
// The same for all route events among the first steps: what they have set stays set when routes are
// made anew from the topology.
int routes_apply_steps(struct routes *routes, const struct topology *topology,
		       const struct config_step *steps, uint32_t count, struct diag *diag);
// Whether the file's route events would apply. Returns 0, or -EINVAL with the errors in diag.
int routes_check_events(const struct topology *topology, struct diag *diag);
