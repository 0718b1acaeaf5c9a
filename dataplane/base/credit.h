// SPDX-License-Identifier: BSD-3-Clause
// What a port knows of the credits of its link, lane by lane, in both directions
// (queueing/credits.h says how they work). All counts are running totals of blocks; what goes on
// the wire is their lower bits. Written by the node's worker only.
#pragma once

#include "port.h"

struct credit_lane {
	// What this end sends.
	uint32_t sent;
	uint32_t limit; // up to which it may send, as far as it knows
	uint32_t lost;  // sent, and lost as they began to leave
	// What this end receives.
	uint32_t received;   // or lost on the way, as the far end said
	uint32_t advertised; // up to which the far end may send, as last said
	uint32_t held;       // of a NIC: in the receive buffer. A switch's group knows
	ps_t resend_at;      // when the update is to be sent again

	uint64_t updates_rx;
	uint64_t updates_tx;
	uint64_t recovered;      // blocks that were lost on the way here and are free again
	struct pause_clock wait; // of packets that could go but for credit
};

// The turn of a table of lanes.
struct lane_turn {
	uint8_t at;   // the entry that has it
	int32_t left; // blocks
};

struct credits {
	const struct credit_port *profile;
	uint8_t waiting;  // bit per lane: its update waits for the transmitter
	uint8_t deferred; // bit per lane: its update waits for the least spacing
	uint8_t starved;  // bit per queue whose first packet lacks credit
	uint8_t next;     // lane that the next deferred update is looked for from
	// Of a NIC: what the packet that is coming in holds, unless it waits for the host.
	uint8_t arriving_lane;
	uint32_t arriving;
	ps_t spaced_until; // from the last update that left: the least spacing
	ps_t sync_at;      // when the blocks sent are reported next; PS_NEVER: never
	struct lane_turn turns[LANE_TABLES];
	uint8_t picked;    // the table of the lane picked last; LANE_TABLES: neither
	int32_t high_left; // blocks of the high table before the low one has a turn
	struct credit_lane lanes[PRIORITIES];
};

// Frames that a port has sent without preamble, FCS and gap.
static inline uint64_t
credit_updates_sent(const struct port *p)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; p->credits != NULL && i < PRIORITIES; i++)
		sum += p->credits->lanes[i].updates_tx;
	return sum;
}

// Blocks that the lane may send.
static inline int32_t
credit_available(const struct credit_lane *lane)
{
	return (int32_t)(lane->limit - lane->sent);
}
