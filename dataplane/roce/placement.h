// SPDX-License-Identifier: BSD-3-Clause
// What receivers of WRITEs and SENDs and readers of READs have in common: packets that come before
// their turn, and those that are missing. placement.c says how. Worker only.
#pragma once

#include "qp.h"

#define PLACEMENT_GAPS 16 // a power of two
// Requests for missing packets that one packet or timeout can cause.
#define PLACEMENT_REQUESTS_MAX 256

// PSNs that were missing when the one at `end` came.
struct gap {
	uint32_t first;
	uint32_t end;
	ps_t opened_at;
};

// The expected packet begins a message. `seen` is brought up to date here at the latest, because
// after half the circle of PSNs it would seem to be ahead.
static inline void
placement_begin_message(struct receiver *r)
{
	r->begin = r->expected;
	if (psn_diff(r->seen, r->expected) < 0)
		r->seen = r->expected;
}

// A packet arrived `distance` packets ahead of the expected one.
void placement_take_ahead(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t distance,
			  uint8_t opcode, ps_t now);

// What the packets were that placement_advance() moved past.
struct placement_passed {
	uint32_t packets;
	uint32_t messages; // ended
	uint32_t immediates;
};

// The expected packet has come, and some are here from beyond it: moves past them.
struct placement_passed placement_advance(struct nic *nic, struct receiver *r, ps_t now);

// The timer of the reorder timeout fired.
void placement_timeout(struct nic *nic, struct receiver *r, ps_t now);
