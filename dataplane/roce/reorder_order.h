// SPDX-License-Identifier: BSD-3-Clause
// What a packet says of its place in the order of a queue pair's packets. Private to reorder.c.
#pragma once

#include "dataplane/base/packet.h"

#include <string.h>

enum reorder_kind { REORDER_NONE, REORDER_REQUEST, REORDER_RESPONSE };

struct reorder_order {
	enum reorder_kind kind;
	uint32_t psn;
	uint32_t read_bytes; // of a READ request; else 0
	uint16_t payload;    // of a packet that fills the path MTU; else 0
	bool responded;      // a READ request or an atomic: it has responses with its PSN
	bool begins;         // a response that begins a message
	bool continues;      // a response with another of its message behind it
	bool ack;            // a plain acknowledgement
};

// Which circle of PSNs it belongs to.
struct reorder_key {
	uint8_t source[16]; // the peer's address; IPv4 in the first 4
	uint32_t qp;        // bits 23:0 the destination's; 24 IPv6; 25 responses; 26 always
};

// Reads a packet that stage_parse() has seen. Without an order (REORDER_NONE) it has no key. sent:
// the host sends it, so the peer is its destination.
struct reorder_order reorder_read(struct rte_mbuf *m, bool sent, struct reorder_key *key);

uint32_t reorder_key_hash(const struct reorder_key *key);

static inline bool
reorder_key_equal(const struct reorder_key *key, const struct reorder_key *other)
{
	return key->qp == other->qp && memcmp(key->source, other->source, sizeof(key->source)) == 0;
}

// Whether packets of both have the same peer.
static inline bool
reorder_key_same_peer(const struct reorder_key *key, const struct reorder_key *other)
{
	return ((key->qp ^ other->qp) & 1u << 24) == 0 &&
	       memcmp(key->source, other->source, sizeof(key->source)) == 0;
}

// How many responses a READ has.
static inline uint32_t
reorder_responses(uint32_t bytes, uint32_t path_mtu)
{
	return bytes == 0 ? 1 : (uint32_t)(((uint64_t)bytes + path_mtu - 1) / path_mtu);
}
