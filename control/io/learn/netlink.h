// SPDX-License-Identifier: BSD-3-Clause
// The kernel of one network namespace as a source of routes and neighbours. netlink.c describes how
// its changes are followed. Control thread.
#pragma once

#include "rib.h"

#include <stdbool.h>
#include <stdint.h>

struct learn_netlink;

struct learn_netlink_counts {
	uint64_t messages;
	uint64_t dumps;    // completed
	uint64_t overruns; // the kernel had more messages than the socket held
	uint64_t refused;  // messages that contradict themselves, or beyond the limits
	uint64_t asked;    // neighbours
};

struct learn_netlink_options {
	struct rib *rib;
	int netns_fd;   // < 0: the present namespace
	bool routes;    // also routes and nexthop objects, not only links, addresses and neighbours
	uint32_t table; // that routes are in
};

// Follows the kernel from the first turn on. Returns 0 or -errno.
int learn_netlink_open(struct learn_netlink **out, const struct learn_netlink_options *options);
// NULL is fine.
void learn_netlink_close(struct learn_netlink *n);

// Two descriptors: a turn is due when one can be read.
void learn_netlink_fds(const struct learn_netlink *n, int fds[2]);
// Reads and applies what has arrived, up to a limit per turn.
void learn_netlink_turn(struct learn_netlink *n, int64_t now_ms);
// In how many ms a turn is due at the latest; -1: when a descriptor is readable.
int learn_netlink_wait_ms(const struct learn_netlink *n, int64_t now_ms);

// Whether everything that the kernel had when this was opened was read.
bool learn_netlink_settled(const struct learn_netlink *n);

// Makes the kernel probe a neighbour for its MAC, at a limited rate.
void learn_netlink_ask(struct learn_netlink *n, uint32_t device,
		       const struct learn_address *address, int64_t now_ms);

const struct learn_netlink_counts *learn_netlink_counts(const struct learn_netlink *n);

// ---- probing neighbours -------------------------------------------------------------------------

// How often neighbours are probed is limited, so that a table full of next hops that do not answer
// does not flood a link.
#define PROBE_SLOTS 1024       // a power of 2
#define PROBE_INTERVAL_MS 1000 // the same neighbour is probed this often
#define PROBE_MAX 500          // probes of all neighbours in that time

// Zeros: no neighbour was probed.
struct probe_limiter {
	int64_t since_ms; // when `count` began
	uint32_t count;
	struct {
		uint64_t key; // of the neighbour; 0: none
		int64_t at_ms;
	} last[PROBE_SLOTS]; // of two in one slot, the later replaces the earlier
};

// Whether a neighbour on a device (ifindex) may be probed now, and counts that as done.
bool probe_limiter_allow(struct probe_limiter *a, uint32_t device,
			 const struct learn_address *address, int64_t now_ms);
