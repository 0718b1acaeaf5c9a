// SPDX-License-Identifier: BSD-3-Clause
// What acknowledgements and NACKs of single packets change at a sender of them (SENDER_SPRAYED),
// whatever transport they came by. Worker only.
#pragma once

#include "sprayed.h"

// Packets by number, as in struct sender. What lies outside of what is under way counts for
// nothing.
struct sprayed_ack {
	uint32_t end;    // all before have arrived
	uint32_t first;  // the first of the bitmap
	uint64_t bitmap; // bit i: first + i has arrived
	bool of_packet;  // a packet caused it:
	uint32_t acked;  // that one,
	ps_t waited;     // which had arrived so much before,
	bool marked;     // with CE or not
};

void sprayed_take_ack(struct nic *nic, struct sender *s, const struct sprayed_ack *a, ps_t now);

struct sprayed_nack {
	uint32_t index;
	bool resent;            // that packet had been sent before
	bool trimmed;           // on its way
	bool early;             // it came, but the receiver's window did not reach so far
	enum entropy_news news; // of its path
};

void sprayed_take_nack(struct nic *nic, struct sender *s, const struct sprayed_nack *n, ps_t now);
