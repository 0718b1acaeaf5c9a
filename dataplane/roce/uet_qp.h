// SPDX-License-Identifier: BSD-3-Clause
// What the receiving end of a flow over Ultra Ethernet Transport keeps, and what it takes. Worker:
// rw.
#pragma once

#include "qp.h"

struct uet_receiver {
	struct receiver receiver; // expected and begin: PSNs of 32 bits
	// Packets since the last acknowledgement, and the lowest and highest PSN of those.
	uint32_t pending;
	uint32_t lowest;
	uint32_t highest;
	uint32_t last; // that arrived, when, and from which port
	uint16_t last_sport;
	ps_t last_at;
	uint64_t received_bytes;
	// Credits.
	uint64_t needed;           // of payload, ever, as the sender said
	uint64_t granted;          // ever
	uint32_t payload;          // of a packet: the largest seen
	uint32_t occupancy;        // and what such a packet takes of the link's time, in bytes
	bool queued;               // it waits for a grant
	struct uet_receiver *next; // behind it
};

// A data packet as its headers have it.
struct uet_data {
	uint32_t psn;
	uint32_t payload;
	uint32_t wire_bytes;
	uint16_t sport;  // big endian
	uint8_t message; // enum uet_message_flags
	bool marked, resent, asks, trimmed;
	bool has_target;
	uint32_t target; // in units of UET_CREDIT_BYTES
};
