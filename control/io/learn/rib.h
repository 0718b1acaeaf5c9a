// SPDX-License-Identifier: BSD-3-Clause
// The routing information of one VRF: the routes and nexthop objects of each source, and the links,
// addresses and neighbours. rib.c describes how it stays up to date. Control thread.
#pragma once

#include "hash.h"
#include "message.h"

#include "control/model/topology/topology.h"

#define RIB_PREFIXES_MAX 1000000u
#define RIB_FACTS_MAX (2 * RIB_PREFIXES_MAX + 500000u) // and other facts
#define RIB_HOPS_MAX 2000000u                          // of all different ways
#define RIB_PORT_NONE UINT16_MAX

// The first wins if metrics are equal.
enum rib_source { RIB_NETLINK, RIB_FPM, RIB_SOURCES };

enum rib_kind { RIB_PREFIX, RIB_ROUTE, RIB_NEXTHOP, RIB_NEIGHBOUR, RIB_LINK, RIB_ADDRESS };

// What identifies a fact; no padding.
struct rib_key {
	uint8_t kind;   // enum rib_kind
	uint8_t source; // enum rib_source
	uint8_t version;
	uint8_t length;
	uint32_t number; // ROUTE: metric; NEXTHOP: id; the others: ifindex
	uint32_t device; // ROUTE: see rib.c
	uint8_t address[16];
};

struct rib_fact {
	struct hash_link link; // in rib.facts
	struct rib_key key;
	bool gone;         // deleted; kept as a mark until the dump ends
	uint32_t seen;     // the last generation of its source that reported it
	uint32_t notified; // the same, by a notification
};

// A way: next hops that many routes may share.
struct rib_way {
	struct hash_link link; // in rib.ways
	uint32_t users;
	bool refused;  // resolve: it was reported that it cannot be used
	uint32_t pass; // resolve: when `verdict` and `group` were found
	uint8_t verdict;
	uint8_t source; // whose nexthop objects it was found by
	uint32_t group;
	bool blackhole;
	uint32_t count;
	struct learn_hop hops[];
};

struct rib_route {
	struct rib_fact fact; // RIB_ROUTE
	struct rib_prefix *prefix;
	struct rib_route *next; // of the same prefix
	struct rib_way *way;
	uint32_t metric;
	bool shadows; // the kernel has others of this key behind it
};

struct rib_prefix {
	struct rib_fact fact; // RIB_PREFIX
	struct config_prefix prefix;
	struct rib_route *routes;
};

struct rib_nexthop {
	struct rib_fact fact; // RIB_NEXTHOP
	struct rib_way *way;
};

struct rib_neighbour {
	struct rib_fact fact; // RIB_NEIGHBOUR
	struct rib_neighbour *next, **back;
	uint16_t state;
	uint8_t mac[6];
	bool usable;
};

struct rib_link {
	struct rib_fact fact; // RIB_LINK
	char name[IF_NAMESIZE];
	uint16_t port; // of the switch that has this name, or RIB_PORT_NONE
	bool usable;
};

struct rib {
	const struct topo_node *place;
	uint64_t seed;
	struct hash facts, ways;
	struct rib_neighbour *neighbours;
	struct rib_prefix **order; // sorted; then those added since
	uint32_t listed, added;
	uint32_t lengths[2][129]; // prefixes of each length, IPv4 and IPv6
	uint32_t prefixes;
	uint32_t hops; // of all ways
	uint32_t generation[RIB_SOURCES];
	bool reading[RIB_SOURCES]; // between rib_begin() and rib_end()
	bool doubtful;             // only a dump can show the effect of a message
	uint64_t changes;          // repeated messages do not count
	uint32_t pass;             // resolve
};

// place: the switch whose ports the interfaces are; outlives the rib.
struct rib *rib_create(const struct topo_node *place);
// NULL is fine.
void rib_destroy(struct rib *rib);

// Applies a message of a source. dumped: from a dump, not a notification. Returns 0, -ENOSPC
// beyond RIB_PREFIXES_MAX prefixes, RIB_FACTS_MAX facts or RIB_HOPS_MAX hops; then nothing has
// changed.
int rib_apply(struct rib *rib, enum rib_source source, const struct learn_message *m, bool dumped);

// A source begins a dump; may come again before rib_end().
void rib_begin(struct rib *rib, enum rib_source source);
// The dump is complete: facts that were not reported since its beginning are removed.
void rib_end(struct rib *rib, enum rib_source source);

// All prefixes with routes, sorted as a route_list is; the array is the rib's.
void rib_sort(struct rib *rib);
// The best route of a prefix: of the least metric, or NULL.
const struct rib_route *rib_best(const struct rib_prefix *prefix);
// Keys of the kernel's facts: of a prefix, and of a NEIGHBOUR or ADDRESS on a device.
struct rib_key rib_prefix_key(const struct config_prefix *prefix);
struct rib_key rib_address_key(enum rib_kind kind, uint32_t device,
			       const struct learn_address *address);
// The fact of this key, or NULL; one that is gone counts as none.
struct rib_fact *rib_find(const struct rib *rib, const struct rib_key *key);
// Whether the address is the switch's own at an interface.
bool rib_is_own(const struct rib *rib, uint32_t device, const struct learn_address *address);
