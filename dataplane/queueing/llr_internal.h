// SPDX-License-Identifier: BSD-3-Clause
// What the two files of link-level retry share.
#pragma once

#include "llr.h"

// What goes on the wire instead of a frame that the far end discards, and what an ordered set says.
// Its packet has PACKET_LANE_LLR.
struct llr_mark {
	uint8_t address[6]; // reserved: no tenant's
	uint8_t set;        // enum llr_set; LLR_SETS: a frame
	uint8_t bad;        // with a wrong FCS
	uint32_t sequence;
};

// NULL: there is no memory.
struct rte_mbuf *llr_make_mark(struct node *n, const struct port *p, uint8_t set);
// Sends a frame of the replay buffer, the first time or again, at `now`. The transmitter's time is
// the caller's.
void llr_send_frame(struct node *n, struct port *p, uint32_t sequence, ps_t now);
// An ordered set is to leave as soon as the transmitter is free. With LLR_ACK it says what is to be
// said then.
void llr_request_set(struct node *n, struct port *p, enum llr_set set, ps_t now);

// What has come in. `bad`: with a wrong FCS.
void llr_take_set(struct node *n, struct port *p, enum llr_set set, uint32_t sequence, ps_t now);
void llr_take_expected(struct node *n, struct port *in, ps_t now);
void llr_take_other(struct node *n, struct port *in, uint32_t sequence, bool bad, ps_t now);
// A new frame has joined the replay buffer.
void llr_note_sent(struct node *n, struct port *p, ps_t now);
