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
	uint16_t last_label;
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

// With Multipath Reliable Connection, whose PSNs have 24 bits on the wire, it is followed by where
// answers go by each port of the NIC.
static inline size_t
uet_receiver_bytes(const struct nic *nic)
{
	const struct nic_config *c = &nic->cold->config;

	return sizeof(struct uet_receiver) +
	       (c->transport == NIC_TRANSPORT_MRC ? c->port_count : 0) *
		       sizeof(struct frame_address);
}

static inline struct frame_address *
uet_receiver_address(struct uet_receiver *u, uint8_t port)
{
	return (struct frame_address *)(u + 1) + port;
}

// A data packet as its headers have it.
struct uet_data {
	uint32_t psn;
	uint32_t payload;
	uint32_t wire_bytes;
	uint16_t sport;  // big endian
	uint16_t label;  // of IPv6, where the transport uses it
	uint8_t message; // enum uet_message_flags
	bool marked, resent, asks, trimmed;
	bool has_target;
	uint32_t target; // in units of UET_CREDIT_BYTES
};
