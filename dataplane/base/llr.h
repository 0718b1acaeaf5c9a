// SPDX-License-Identifier: BSD-3-Clause
// What a port knows of the link-level retry of its link, in both directions (queueing/llr.h says
// how it works). Written by the node's worker only.
#pragma once

#include "port.h"

// Ordered sets of 8 bytes, in the order of their counters.
enum llr_set { LLR_INIT, LLR_INIT_ECHO, LLR_ACK, LLR_NACK, LLR_SETS };

#define LLR_SET_BYTES 8

// What the sending side does: ROW(ID, word), the word as in output. INIT waits for the far end's
// LLR_INIT_ECHO, ADVANCE sends new frames, REPLAY sends frames of the replay buffer again.
#define LLR_TX_STATES(ROW)      \
	ROW(INIT, "init")       \
	ROW(ADVANCE, "advance") \
	ROW(REPLAY, "replay")

// The receiving side, in the same way. OFF: the link has been down, and an LLR_INIT is to come.
// SEND_NACK: a NACK waits for the transmitter. NACK_SENT: nothing is said before the expected frame
// is here.
#define LLR_RX_STATES(ROW)          \
	ROW(OFF, "off")             \
	ROW(SEND_ACKS, "send-acks") \
	ROW(SEND_NACK, "send-nack") \
	ROW(NACK_SENT, "nack-sent")

#define LLR_TX_ID(id, word) LLR_TX_##id,
#define LLR_RX_ID(id, word) LLR_RX_##id,
enum llr_tx_state { LLR_TX_STATES(LLR_TX_ID) };
enum llr_rx_state { LLR_RX_STATES(LLR_RX_ID) };
#undef LLR_TX_ID
#undef LLR_RX_ID

static inline const char *
llr_tx_state_word(enum llr_tx_state state)
{
#define LLR_TX_WORD(id, word) state == LLR_TX_##id ? word:
	return LLR_TX_STATES(LLR_TX_WORD) "";
#undef LLR_TX_WORD
}

static inline const char *
llr_rx_state_word(enum llr_rx_state state)
{
#define LLR_RX_WORD(id, word) state == LLR_RX_##id ? word:
	return LLR_RX_STATES(LLR_RX_WORD) "";
#undef LLR_RX_WORD
}

// A frame that is not acknowledged.
struct llr_frame {
	struct rte_mbuf *held; // NULL: it has gone on the wire without error, and in its turn
	uint32_t bytes;        // as a wire carries it, without FCS
};

struct llr {
	const struct llr_port *profile;
	uint8_t tx_state;
	uint8_t rx_state;
	uint8_t waiting; // bit per ordered set that waits for the transmitter; ACK is NACK too
	bool deferred;   // an ACK waits for the least spacing
	bool blocked;    // new frames wait: the buffer is full, or the link starts
	// What this end sends. Sequence numbers are running counts.
	uint32_t replays;     // begun since the far end last acknowledged something
	uint32_t first;       // the oldest frame that is not acknowledged
	uint32_t next;        // of the next new frame
	uint32_t accepted;    // what the far end accepts next, when all on the wire has arrived
	uint32_t replay_at;   // what is sent again next
	uint32_t mask;        // of `frames`
	uint64_t outstanding; // bytes that are not acknowledged
	struct llr_frame *frames;
	// Of progress: a timeout later frames, or LLR_INIT, are sent again. Never goes back.
	ps_t since;
	// What it receives.
	uint32_t expected;
	uint32_t last; // that arrived, good or bad
	ps_t spaced_until;

	uint64_t sets_tx[LLR_SETS];
	uint64_t sets_rx[LLR_SETS];
	uint64_t tx_discard;
	uint64_t tx_ok;
	uint64_t tx_poisoned;
	uint64_t tx_replay;   // replays completed
	uint64_t tx_again;    // frames sent again
	uint64_t tx_flush;    // times that it gave up
	uint64_t extra_bytes; // on the wire beside the port's tx_bytes, framing included
	uint64_t rx_seq_error;
	uint64_t rx_ok;
	uint64_t rx_poisoned;
	uint64_t rx_bad;
	uint64_t rx_missing;
	uint64_t rx_duplicate;
	uint64_t rx_replay;
	struct pause_clock wait; // while `blocked`
};

// Whether frames are to be sent again before new ones.
static inline bool
llr_replays(const struct port *p)
{
	return p->llr != NULL && p->llr->tx_state == LLR_TX_REPLAY;
}

// Frames that wait in the replay buffer because the far end does not have them.
static inline uint32_t
llr_held(const struct port *p)
{
	return p->llr != NULL ? p->llr->next - p->llr->accepted : 0;
}
