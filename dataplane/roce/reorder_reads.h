// SPDX-License-Identifier: BSD-3-Clause
// The READ requests and atomics that the host has sent and whose responses it lacks: they say which
// PSN the next response has. Private to reorder.c.
//
// A packet names the queue pair that it goes to, but not the one that it comes from. So what the
// host sends to a queue pair, a circle of PSNs, and the flow of the responses have to be brought
// together: a response is in the range of PSNs that the host asks for. If more than one circle
// explains it, nothing is known. An acknowledgement shows the circle as well, but less surely,
// because a queue pair that never reads gets acknowledgements, too. What it shows counts until a
// response of another flow disproves it.
#pragma once

#include "reorder_order.h"

#define READS_NONE UINT32_MAX
#define READS_CIRCLES 256u // a power of two
// Of a queue pair; a host has no more in flight.
#define READS_IN_FLIGHT 256u // a power of two

struct reads_circle {
	struct reorder_key key;  // qp 0: none
	uint32_t flow;           // that has the responses; READS_NONE: not known
	bool is_sure;            // of the flow
	uint32_t last;           // PSN of the last request
	uint32_t end;            // no response has this PSN, or one behind it
	uint32_t first, count;   // of what the host waits for, in psns[]
	uint32_t before, behind; // of the circles that are not sure
	ps_t used_at;
	uint32_t psns[READS_IN_FLIGHT];
};

struct reorder_reads {
	uint32_t unsure; // the first circle that is not sure
	struct reads_circle circles[READS_CIRCLES];
};

void reads_init(struct reorder_reads *reads);

// The host sends a request. Returns its circle, or READS_NONE. `lost` becomes the flow whose circle
// is not known any more, or READS_NONE.
uint32_t reads_note(struct reorder_reads *reads, const struct reorder_key *key,
		    const struct reorder_order *o, ps_t now, uint32_t *lost);

// The circle that explains a packet of a flow which has none; READS_NONE if none does, or several.
uint32_t reads_find(const struct reorder_reads *reads, const struct reorder_key *key,
		    const struct reorder_order *o);

// Returns the flow that was thought to be the circle's, or READS_NONE.
uint32_t reads_bind(struct reorder_reads *reads, uint32_t circle, uint32_t flow);

// The circle has no flow any more.
void reads_release(struct reorder_reads *reads, uint32_t circle);

// Whether the host waits for something, and whether a PSN may be that of a response.
bool reads_cover(const struct reads_circle *c, uint32_t psn);

// A response has reached the host.
void reads_passed(struct reorder_reads *reads, uint32_t circle, uint32_t psn);

// Whether a response is missing that begins a message; its PSN.
bool reads_next(const struct reads_circle *c, uint32_t *psn);
