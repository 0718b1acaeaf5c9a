// SPDX-License-Identifier: BSD-3-Clause
// The counters of link-level retry, by SAI's names: rows of counter.c.
#pragma once

#include "dataplane/base/llr.h"

// What a port knows of it, also where the link has none.
static inline const struct llr *
counter_llr(const struct port *p)
{
	static const struct llr none = {.wait = {.since = PS_NEVER}};

	return p->llr != NULL ? p->llr : &none;
}

// clang-format off

#define LLR_ROWS(ROW) \
	ROW(PORT, LLR, llr_tx_init, TOTAL, "sets", counter_llr(p)->sets_tx[LLR_INIT], \
	    "LLR_INIT sent ([llr.md](llr.md))") \
	ROW(PORT, LLR, llr_tx_init_echo, TOTAL, "sets", \
	    counter_llr(p)->sets_tx[LLR_INIT_ECHO], "LLR_INIT_ECHO sent") \
	ROW(PORT, LLR, llr_tx_ack, TOTAL, "sets", counter_llr(p)->sets_tx[LLR_ACK], \
	    "LLR_ACK sent") \
	ROW(PORT, LLR, llr_tx_nack, TOTAL, "sets", counter_llr(p)->sets_tx[LLR_NACK], \
	    "LLR_NACK sent") \
	ROW(PORT, LLR, llr_tx_discard, TOTAL, "frames", counter_llr(p)->tx_discard, \
	    "frames dropped while the link was starting, with `init-action: discard`") \
	ROW(PORT, LLR, llr_tx_ok, TOTAL, "frames", counter_llr(p)->tx_ok, \
	    "numbered frames that began to leave with a right FCS, including those sent again") \
	ROW(PORT, LLR, llr_tx_poisoned, TOTAL, "frames", counter_llr(p)->tx_poisoned, \
	    "numbered frames that began to leave with a wrong FCS: always 0, because no switch with " \
	    "retry forwards one") \
	ROW(PORT, LLR, llr_tx_replay, TOTAL, "replays", counter_llr(p)->tx_replay, \
	    "replays completed") \
	ROW(PORT, LLR, llr_tx_again, TOTAL, "frames", counter_llr(p)->tx_again, \
	    "frames sent again") \
	ROW(PORT, LLR, llr_tx_flush, TOTAL, "times", counter_llr(p)->tx_flush, \
	    "the port gave up after `replay-max` replays") \
	ROW(PORT, LLR, llr_outstanding, GAUGE, "bytes", counter_llr(p)->outstanding, \
	    "what is in the replay buffer: sent and not acknowledged") \
	ROW(PORT, LLR, llr_wait_ns, TOTAL, "ns", NS(pause_clock_total(&counter_llr(p)->wait, now)), \
	    "how long new frames had to wait because the replay buffer was full, or the link was " \
	    "starting (`init-action: block`)") \
	ROW(PORT, LLR, llr_rx_init, TOTAL, "sets", counter_llr(p)->sets_rx[LLR_INIT], \
	    "LLR_INIT received") \
	ROW(PORT, LLR, llr_rx_init_echo, TOTAL, "sets", \
	    counter_llr(p)->sets_rx[LLR_INIT_ECHO], "LLR_INIT_ECHO received") \
	ROW(PORT, LLR, llr_rx_ack, TOTAL, "sets", counter_llr(p)->sets_rx[LLR_ACK], \
	    "LLR_ACK received") \
	ROW(PORT, LLR, llr_rx_nack, TOTAL, "sets", counter_llr(p)->sets_rx[LLR_NACK], \
	    "LLR_NACK received") \
	ROW(PORT, LLR, llr_rx_ack_nack_seq_error, TOTAL, "sets", \
	    counter_llr(p)->rx_seq_error, "received ACKs and NACKs of frames that are not in the " \
	    "replay buffer") \
	ROW(PORT, LLR, llr_rx_ok, TOTAL, "frames", counter_llr(p)->rx_ok, \
	    "numbered frames that arrived with a right FCS") \
	ROW(PORT, LLR, llr_rx_poisoned, TOTAL, "frames", counter_llr(p)->rx_poisoned, \
	    "numbered frames that left with a wrong FCS: always 0, as `llr_tx_poisoned`") \
	ROW(PORT, LLR, llr_rx_bad, TOTAL, "frames", counter_llr(p)->rx_bad, \
	    "frames that arrived with a wrong FCS; the sender resends them") \
	ROW(PORT, LLR, llr_rx_missing_seq, TOTAL, "frames", counter_llr(p)->rx_missing, \
	    "frames that arrived while an earlier one was missing") \
	ROW(PORT, LLR, llr_rx_duplicate_seq, TOTAL, "frames", counter_llr(p)->rx_duplicate, \
	    "frames that had arrived before") \
	ROW(PORT, LLR, llr_rx_replay, TOTAL, "replays", counter_llr(p)->rx_replay, \
	    "replays received: the frame numbers went back")

// clang-format on
