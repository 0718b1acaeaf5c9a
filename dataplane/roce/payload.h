// SPDX-License-Identifier: BSD-3-Clause
// Where a packet becomes bytes: a NIC writes only headers and counts its payload, and short frames
// are counted padded. A device or a capture needs it all.
#pragma once

#include "dataplane/base/ib_headers.h"
#include "dataplane/base/packet.h"

#include <stddef.h>
#include <stdint.h>

// Completes a packet in place: payload as zeros, a valid ICRC, padding to the smallest frame.
// Returns 0, -EMSGSIZE when the packet's room is too small, or -EINVAL when it is not the RoCEv2
// packet that it claims to be. The worker that holds the packet.
int payload_write(struct rte_mbuf *m, uint32_t data_room);

// How long a packet is in a capture: the frame without FCS; of InfiniBand with its VCRC.
static inline uint32_t
payload_captured_bytes(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	return meta->wire_bytes + (meta->flags & PACKET_INFINIBAND ? IB_VCRC_BYTES : 0);
}

// payload_copy() of the first `length` of these bytes.
int payload_capture(struct rte_mbuf *m, uint8_t *to, size_t length);

// Copies the first `length` bytes of the whole frame (at most wire_bytes) to `to`, completing them
// the same. Returns 0 or -EINVAL. The worker that holds the packet.
int payload_copy(struct rte_mbuf *m, uint8_t *to, size_t length);
