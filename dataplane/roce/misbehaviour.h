// SPDX-License-Identifier: BSD-3-Clause
// What a NIC does wrong, in one place, so that one that does nothing wrong asks a single question
// for each packet: a receiver that is slow or stalls (drain.c), a pause storm (storm.h).
#pragma once

#include "dataplane/stages/stage.h"
#include "drain.h"
#include "nic.h"
#include "storm.h"
#include "timers.h"

struct misbehaviour_port {
	struct drain drain;
	struct xoff xoff;
};

// Of a NIC. Worker: rw.
struct misbehaviour {
	struct timer timer; // at misbehaviour_due()
	struct drain_config drain_config;
	struct storm storm;
	bool drains;
	uint16_t port_count;
	struct misbehaviour_port ports[]; // of the node's
};

// `drain`, `storm`: NULL for none; copied. The timer is the caller's to add and set.
// Returns 0, -EINVAL for values that drain.h and storm.h rule out, or -ENOMEM. Before the node
// runs.
int misbehaviour_create(struct misbehaviour **out, uint16_t ports, const struct drain_config *drain,
			const struct storm_config *storm);

// Frees what waits, too. NULL is fine.
void misbehaviour_destroy(struct misbehaviour *b, struct packet_pool *packets);

// A packet came in: as drain_take().
int misbehaviour_take(struct misbehaviour *b, struct node *n, struct port *p, struct rte_mbuf *m,
		      ps_t now);

// When misbehaviour_timer() is to be called; PS_NEVER for never.
ps_t misbehaviour_due(const struct misbehaviour *b);

// Does what is due at `now`; packets that the host has taken go to `take`.
void misbehaviour_timer(struct misbehaviour *b, struct node *n, ps_t now, stage_fn *take);

// Packets that wait.
uint64_t misbehaviour_held(const struct misbehaviour *b);
