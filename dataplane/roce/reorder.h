// SPDX-License-Identifier: BSD-3-Clause
// Puts the packets of queue pairs back in order for a host that goes back N. reorder.c says how.
//
// It knows nothing of ports and queues: it takes parsed packets and returns those that may go on
// now, in order. Worker only, but for what says otherwise.
#pragma once

#include "dataplane/base/packet.h"

#define REORDER_PACKETS_MAX 16384

struct reorder;

struct reorder_counters {
	uint64_t held;      // packets that came before their turn, or may have
	uint64_t released;  // of these, without a timeout or overflow
	uint64_t timeouts;  // times that what was missing did not come
	uint64_t overflows; // times that there was no room to wait
	uint32_t waiting;   // packets held now
};

struct reorder_settings {
	uint32_t packets; // held at most, of all queue pairs together, 1 .. REORDER_PACKETS_MAX
	ps_t timeout;     // after which what is missing counts as lost; above 0
	ps_t first;       // the first packets of a queue pair wait so long for others before them
};

// Returns 0, -EINVAL or -ENOMEM. Control thread.
int reorder_create(struct reorder **out, const struct reorder_settings *settings);

// Packets that are still held are their pool's. NULL is fine. Control thread.
void reorder_destroy(struct reorder *r);

// Takes a packet that stage_parse() has passed, or refused. has_room: there is room to hold it.
// Returns the packets that may go on, in this order, linked by packet_meta()->next; NULL if none
// may.
struct rte_mbuf *reorder_take(struct reorder *r, struct rte_mbuf *m, bool has_room, ps_t now);

// Looks at a packet that the host sends, parsed like the others: what it asks for tells the order
// of the responses, and its responses how far a READ request goes. Returns packets as above.
struct rte_mbuf *reorder_note_sent(struct reorder *r, struct rte_mbuf *m, ps_t now);

// Returns the packets that wait for one that counts as lost by now, as above.
struct rte_mbuf *reorder_expire(struct reorder *r, ps_t now);

// When reorder_expire() may next return something; PS_NEVER when never.
ps_t reorder_next(const struct reorder *r);

// Any thread that does not mind values of different instants.
const struct reorder_counters *reorder_counters(const struct reorder *r);
