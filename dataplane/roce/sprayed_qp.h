// SPDX-License-Identifier: BSD-3-Clause
// The receiver of a flow over Ultra Ethernet Transport or Multipath Reliable Connection: its state,
// what it accepts, and what it answers. Packets of such a flow take many paths, and each is
// acknowledged by itself. Worker: rw.
#pragma once

#include "qp.h"

struct sprayed_receiver {
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
	uint64_t needed;               // of payload, ever, as the sender said
	uint64_t granted;              // ever
	uint32_t payload;              // of a packet: the largest seen
	uint32_t occupancy;            // and what such a packet takes of the link's time, in bytes
	bool queued;                   // it waits for a grant
	struct sprayed_receiver *next; // behind it
};

// With Multipath Reliable Connection, whose PSNs have 24 bits on the wire, it is followed by where
// answers go by each port of the NIC.
static inline size_t
sprayed_receiver_bytes(const struct nic *nic)
{
	const struct nic_config *c = &nic->cold->config;

	return sizeof(struct sprayed_receiver) +
	       (c->transport == NIC_TRANSPORT_MRC ? c->port_count : 0) *
		       sizeof(struct frame_address);
}

static inline struct frame_address *
sprayed_receiver_address(struct sprayed_receiver *sr, uint8_t port)
{
	return (struct frame_address *)(sr + 1) + port;
}

// A data packet as its headers have it.
struct sprayed_data {
	uint32_t psn;
	uint32_t payload;
	uint32_t wire_bytes;
	uint16_t sport; // big endian
	uint16_t label; // of IPv6, where the transport uses it
	bool ends;      // it is its message's last
	bool immediate; // and has immediate data
	bool marked, resent, asks, trimmed;
	bool has_target;
	uint32_t target; // in units of UET_CREDIT_BYTES
};

// What answers have in common.
struct sprayed_answer {
	uint16_t sport; // big endian: of the packet that it answers
	uint16_t label; // of that packet, where the transport uses it
	bool marked;    // that packet came with CE
	bool resent;    // and had been sent before
	ps_t waited;    // how long it had arrived before
};

struct sprayed_sack {
	uint32_t cack_psn, acked_psn, first_psn;
	uint64_t bitmap;
	uint64_t received_bytes;
	uint32_t out_of_order;
	uint8_t mpr;
};

// Why a NACK refuses a packet: as the transports number it.
enum sprayed_refusal { SPRAYED_REFUSED_TRIMMED = 1, SPRAYED_REFUSED_OUT_OF_WINDOW = 11 };
