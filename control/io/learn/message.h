// SPDX-License-Identifier: BSD-3-Clause
// Decodes rtnetlink messages about routes (rtnetlink(7), linux/rtnetlink.h, linux/nexthop.h,
// linux/neighbour.h), from the kernel or from zebra over FPM. No state; any thread.
#pragma once

#include "control/config/config.h"
#include "dataplane/base/tables.h"

#include <linux/netlink.h>
#include <net/if.h>

#define ATTRIBUTES_MAX 64 // more than any type that is used
// One more than can be used, so that too many can be distinguished from full.
#define LEARN_HOPS_MAX (GROUP_MEMBERS_MAX + 1)

enum learn_kind {
	LEARN_NOTHING, // a message that is ignored
	LEARN_ROUTE,
	LEARN_NEXTHOP, // a nexthop object, or a group of them
	LEARN_NEIGHBOUR,
	LEARN_LINK,
	LEARN_ADDRESS, // of the switch itself
};

struct learn_address {
	uint8_t version;   // 4 or 6; 0: none
	uint8_t bytes[16]; // network byte order; zeros behind an IPv4 address
	uint8_t zeros[3];  // no padding: hops are compared as bytes
};

// A next hop: a nexthop object, or an interface and a gateway, or an interface alone.
struct learn_hop {
	uint32_t id;     // of a nexthop object; 0: none, the other members count
	uint32_t device; // ifindex; 0: packets cannot be sent there as they are
	uint32_t weight; // from 1
	struct learn_address gateway;
};

// The next hops of a route or nexthop object.
struct learn_way {
	bool blackhole; // they are dropped; no hops
	uint32_t count;
	struct learn_hop hops[LEARN_HOPS_MAX];
};

struct learn_message {
	enum learn_kind kind;
	bool gone;       // a deletion
	bool replaces;   // NLM_F_REPLACE
	bool appends;    // NLM_F_APPEND
	bool usable;     // NEIGHBOUR: the kernel would send to its MAC; LINK: up, with a carrier
	uint32_t device; // NEIGHBOUR, LINK, ADDRESS: ifindex
	uint32_t id;     // NEXTHOP
	uint32_t metric; // ROUTE
	uint16_t state;  // NEIGHBOUR: NUD_*
	uint8_t mac[6];  // NEIGHBOUR
	char name[IF_NAMESIZE];       // LINK
	struct learn_address address; // NEIGHBOUR, ADDRESS
	uint32_t table;               // ROUTE: the one that counts
	struct config_prefix prefix;  // ROUTE
	struct learn_way way;         // ROUTE, NEXTHOP; only what `count` covers is set
};

// Decodes a message of nlmsg_len bytes, aligned to 4. Ignores routes of other tables than `table`,
// of other types than unicast and those that drop, with a TOS or a source prefix, cached ones, and
// nexthop objects of bridges. Returns 0, or -EBADMSG for a message that contradicts itself.
int learn_decode(const struct nlmsghdr *message, uint32_t table, struct learn_message *out);

// ---- attributes ---------------------------------------------------------------------------------

// The attributes of a message (netlink(7)), which they point into. NULL: absent; of a type that
// comes twice, the last.
struct attributes {
	const struct nlattr *by_type[ATTRIBUTES_MAX];
};

// Parses `bytes` bytes. Returns 0, or -EBADMSG if an attribute does not fit.
int attributes_parse(const void *from, size_t bytes, struct attributes *out);
// Parses what follows a message's own header of `header` bytes; -EBADMSG also if that does not fit.
int attributes_parse_message(const struct nlmsghdr *message, size_t header, struct attributes *out);

// Copies a value of exactly this size; an absent one leaves `to` unchanged. Returns 0 or -EBADMSG.
int attributes_take(const struct attributes *a, unsigned type, void *to, size_t bytes);
// The same for an address of a family (AF_INET, AF_INET6).
int attributes_take_address(const struct attributes *a, unsigned type, unsigned family,
			    struct learn_address *to);
// 4 or 6; 0 for another family.
uint8_t attributes_version(unsigned family);
