// SPDX-License-Identifier: BSD-3-Clause
// Learned routes: each VRF that learns, with its rib and its sources. learn.c describes how the
// routes reach the switches. Control thread.
#pragma once

#include "fpm.h"
#include "netlink.h"
#include "resolve.h"

struct learner;

// Everything that a VRF has learned.
struct learn_change {
	uint32_t node;
	uint16_t vrf;
	struct route_list list; // publish() may take it over and leave an empty one
};

struct learn_hooks {
	// Puts all changes in force, or none. Returns 0, or -errno with an error in diag; the
	// changes are then part of the next batch.
	int (*publish)(void *context, struct learn_change *changes, uint32_t count,
		       struct diag *diag);
	// Reports what a user must see, in one line.
	void (*notify)(void *context, uint32_t node, const char *line);
	void *context;
};

// Returns 0 or -errno.
int learn_create(struct learner **out, const struct topology *topology,
		 const struct learn_hooks *hooks);
// NULL is fine.
void learn_destroy(struct learner *l);

struct learn_options {
	uint32_t node;
	uint16_t vrf;
	const struct config_learn *config; // outlives the learner
	int netns_fd;                      // < 0: the present namespace; not closed
};

// Makes a VRF learn routes. Returns 0, or -errno with an error in diag.
int learn_add(struct learner *l, const struct learn_options *options, struct diag *diag);

// A descriptor that is readable when a turn is due, and in how many ms one is due at the latest.
int learn_fd(const struct learner *l);
int learn_wait_ms(const struct learner *l);
// Reads from the sources and publishes what changed.
void learn_turn(struct learner *l);

// Whether everything that the kernel had when VRFs were added is in force.
bool learn_settled(const struct learner *l);

// Probes a neighbour, because a packet came for its address.
void learn_glean(struct learner *l, uint32_t node, uint16_t vrf,
		 const struct learn_address *address);

// The state of a VRF, for `roost show`.
struct learn_view {
	uint32_t node;
	uint16_t vrf;
	const struct config_learn *config;
	const struct rib *rib;
	const struct learn_netlink_counts *counts;
	bool fpm_connected;
	uint64_t fpm_refused; // connections
	uint64_t published;   // how often changes came into force
};

uint32_t learn_count(const struct learner *l);
struct learn_view learn_look(const struct learner *l, uint32_t index);
