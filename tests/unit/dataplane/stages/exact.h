// SPDX-License-Identifier: BSD-3-Clause
// Frames that end where their memory does: what reads past them is seen.
#pragma once

#include "../harness.h"

#include "dataplane/base/checksum.h"

#include <stdlib.h>
#include <string.h>

#define L3 14u

// A packet whose data end with its memory. `wire`: the frame's length on the wire.
static inline struct rte_mbuf *
exact(const uint8_t *frame, uint32_t present, uint32_t wire)
{
	struct rte_mbuf *m = malloc(sizeof(*m) + PACKET_META_BYTES + present);

	assert_non_null(m);
	memset(packet_meta(m), 0xa5, PACKET_META_BYTES);
	packet_init_frame(m, 0, (uint16_t)present);
	if (wire > packet_meta(m)->wire_bytes)
		packet_meta(m)->wire_bytes = wire;
	memcpy(packet_data(m), frame, present);
	return m;
}

static inline void
fix_checksum(uint8_t *frame, uint32_t l3)
{
	uint16_t sum = checksum_ipv4_header(frame + l3, (frame[l3] & 0xfu) * 4);

	memcpy(frame + l3 + 10, &sum, 2);
}

// Writes an IPv6 frame whose headers behind the IPv6 header are `chain`, followed by UDP of port
// 4791.
static inline uint32_t
write_chain(uint8_t *data, uint8_t first, const uint8_t *chain, uint32_t length)
{
	uint32_t bytes = harness_write_frame(
		data, &(struct frame){.ip6 = true, .dport = 4791, .dscp = 46, .ecn = 1});

	memmove(data + 54 + length, data + 54, bytes - 54);
	if (length != 0)
		memcpy(data + 54, chain, length);
	data[L3 + 6] = first;
	data[L3 + 4] = (uint8_t)((bytes - 54 + length) >> 8);
	data[L3 + 5] = (uint8_t)(bytes - 54 + length);
	return bytes + length;
}
