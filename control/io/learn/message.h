// SPDX-License-Identifier: BSD-3-Clause
// One rtnetlink message (rtnetlink(7), linux/rtnetlink.h, linux/nexthop.h, linux/neighbour.h) as
// what it says of routes: what the kernel tells and what zebra sends by FPM. Nothing here keeps
// anything; any thread.
#pragma once

#include "attributes.h"

#include "control/config/config.h"
#include "dataplane/base/tables.h"

#include <linux/netlink.h>
#include <net/if.h>

// One more than can be used, so that too many can be distinguished from full.
#define LEARN_HOPS_MAX (GROUP_MEMBERS_MAX + 1)

enum learn_kind {
	LEARN_NOTHING, // a message of no concern
	LEARN_ROUTE,
	LEARN_NEXTHOP, // a nexthop object, or a group of them
	LEARN_NEIGHBOUR,
	LEARN_LINK,
	LEARN_ADDRESS, // of the switch itself
};

// Where to: a nexthop object, or by an interface to a gateway, or to the destination itself.
struct learn_hop {
	uint32_t id;     // of a nexthop object; 0: none, the rest tells
	uint32_t device; // ifindex; 0: nowhere that packets can be sent as they are
	uint32_t weight; // from 1
	struct learn_address gateway;
};

// What packets to a route or nexthop object have in store.
struct learn_way {
	bool blackhole; // they are dropped; no hops
	uint32_t count;
	struct learn_hop hops[LEARN_HOPS_MAX];
};

struct learn_message {
	enum learn_kind kind;
	bool gone;       // it is no more
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
	struct config_prefix prefix;  // ROUTE
	struct learn_way way;         // ROUTE, NEXTHOP; only what `count` covers is set
};

// Decodes a message, whose nlmsg_len bytes are there and aligned to 4. Routes of other tables than
// main, of other types than unicast and those that drop, of a TOS or a source prefix, cached ones,
// and nexthop objects of bridges are of no concern. Returns 0, or -EBADMSG for one that
// contradicts itself.
int learn_decode(const struct nlmsghdr *message, struct learn_message *out);
