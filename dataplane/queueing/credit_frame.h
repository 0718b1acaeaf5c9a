// SPDX-License-Identifier: BSD-3-Clause
// What carries credits over a link. InfiniBand has link packets, and CBFC has ordered sets
// (CF_Update): 8 bytes without preamble, FCS or gap. CBFC also has CC_Update, a frame of 64 bytes.
// Each is kept, and captured, as an Ethernet frame of MAC control; credit_frame.c has its format.
#pragma once

#include "dataplane/base/node.h"

#define CREDIT_FRAME_OPCODE 0xfffe       // EXTENSION: the organization says what it is
#define CREDIT_FRAME_ORDERED_SET_BYTES 8 // on the wire

enum credit_frame_kind {
	CREDIT_FRAME_INFINIBAND = 1, // of a lane: what was sent, up to which the far end may send
	CREDIT_FRAME_FREED = 2,      // of a lane: what was freed
	CREDIT_FRAME_SENT = 3,       // of every lane: what was sent
};

// What a frame says; counts are as on the wire.
struct credit_frame {
	uint8_t kind; // enum credit_frame_kind
	uint32_t lane;
	uint32_t value; // the limit, or what was freed
	uint32_t sent
		[PRIORITIES]; // of CREDIT_FRAME_SENT by lane, of CREDIT_FRAME_INFINIBAND the first
};

// A frame for the port that says nothing yet, or NULL. `lane`: as packet_meta.lane will have it.
struct rte_mbuf *credit_frame_make(struct node *n, const struct port *p, uint8_t lane);

// Writes what a frame says; of CREDIT_FRAME_SENT one lane after the other.
void credit_frame_write_infiniband(struct rte_mbuf *m, unsigned int lane, uint32_t sent,
				   uint32_t limit);
void credit_frame_write_freed(struct rte_mbuf *m, unsigned int lane, uint32_t freed);
void credit_frame_write_sent(struct rte_mbuf *m, unsigned int lane, uint32_t sent);

// Reads a frame of MAC control with the opcode above. Returns false when it contradicts itself.
bool credit_frame_read(struct rte_mbuf *m, struct credit_frame *out);
