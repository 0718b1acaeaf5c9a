// SPDX-License-Identifier: BSD-3-Clause
// What a packet says of its place in the order of a queue pair's packets. Private to reorder.c.
#pragma once

#include "dataplane/base/packet.h"

enum reorder_kind { REORDER_NONE, REORDER_REQUEST, REORDER_RESPONSE };

struct reorder_order {
	enum reorder_kind kind;
	uint32_t psn;
	uint32_t read_bytes; // of a READ request; else 0
	uint16_t payload;    // of a packet that fills the path MTU; else 0
	bool begins;         // a response that begins a message
	bool continues;      // a response with another of its message behind it
	bool ack;            // a plain acknowledgement
};

// Which circle of PSNs it belongs to.
struct reorder_key {
	uint8_t source[16]; // IPv4 in the first 4
	uint32_t qp;        // bits 23:0 the host's; 24 IPv6; 25 responses; 26 always
};

// Reads a packet that stage_parse() has seen. Without an order (REORDER_NONE) it has no key.
struct reorder_order reorder_read(struct rte_mbuf *m, struct reorder_key *key);
