// SPDX-License-Identifier: BSD-3-Clause
// A host that does not take packets as fast as they come: what has arrived waits in the NIC's
// receive buffer, and PFC holds the sender before that runs over. drain.c says how. Worker, but
// for drain_init().
#pragma once

#include "xoff.h"

struct drain_config {
	uint64_t byte_time;    // of the rate at which packets are taken, as in time.h; 0: at once
	uint64_t buffer_bytes; // of each port
	uint64_t xoff_bytes;   // of one priority: above them it is paused,
	uint64_t xon_bytes;    // down to them no longer; xoff_bytes at most
	ps_t stall_every;      // nothing is taken for stall_for from each multiple of it; 0: never
	ps_t stall_for;        // shorter than stall_every
};

// Of one port.
struct drain {
	const struct drain_config *config;
	struct rte_mbuf *head; // it is being taken
	struct rte_mbuf *tail;
	ps_t done_at;      // when `head` has been taken; PS_NEVER when nothing waits
	uint64_t fraction; // of done_at: 2^-20 ps
	ps_t stall_at;     // the next stall's begin, or that of the one under way; PS_NEVER
	uint64_t bytes;    // waiting, frames without FCS
	uint64_t bytes_max;
	uint64_t packets;
	uint64_t priority_bytes[PRIORITIES];
	uint8_t full; // bit per priority that is to be paused
};

// `config` must live as long. Before the node runs.
void drain_init(struct drain *d, const struct drain_config *config);

// A packet came in, and parse let it pass. Returns STAGE_NEXT when the host takes it at once,
// STAGE_CONSUMED when it waits, or DROP_RECEIVE_BUFFER.
int drain_take(struct node *n, struct port *p, struct drain *d, struct xoff *x, struct rte_mbuf *m,
	       ps_t now);

// The first packet that has been taken by `now`, out of the buffer; NULL when there is none.
struct rte_mbuf *drain_next(struct node *n, struct port *p, struct drain *d, struct xoff *x,
			    ps_t now);
