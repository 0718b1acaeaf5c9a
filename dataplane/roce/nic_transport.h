// SPDX-License-Identifier: BSD-3-Clause
// What a NIC speaks, and the settings of each transport but RoCEv2, whose are the NIC's own
// (nic.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// ROW(ID, word): the word as in files and output. Both ends of a queue pair need the same.
#define NIC_TRANSPORTS(ROW) \
	ROW(ROCE, "roce")   \
	ROW(UET, "uet")     \
	ROW(MRC, "mrc")

#define NIC_TRANSPORT_ID(id, word) NIC_TRANSPORT_##id,
enum nic_transport { NIC_TRANSPORTS(NIC_TRANSPORT_ID) NIC_TRANSPORT_KINDS };
#undef NIC_TRANSPORT_ID

static inline const char *
nic_transport_word(enum nic_transport transport)
{
#define NIC_TRANSPORT_WORD(id, word) transport == NIC_TRANSPORT_##id ? word:
	return NIC_TRANSPORTS(NIC_TRANSPORT_WORD) "";
#undef NIC_TRANSPORT_WORD
}

// How a sender chooses the entropy value of a packet, and so its path (entropy.h): ROW(ID, word).
#define ENTROPY_MODES(ROW)  \
	ROW(MIXED, "mixed") \
	ROW(REPS, "reps")   \
	ROW(ROUND, "oblivious")

#define ENTROPY_ID(id, word) ENTROPY_##id,
enum entropy_mode { ENTROPY_MODES(ENTROPY_ID) ENTROPY_KINDS };
#undef ENTROPY_ID

#define ENTROPY_PATHS_MAX 1024u
#define SPRAYED_RTO_MAX (4 * PS_PER_S) // times of sending count 4.398 s (sprayed.h)
#define SPRAYED_WINDOW_MAX 32704u      // PSNs, as offsets of 16 bits with a bitmap behind them

#define MRC_PATHS_MAX 128u // in a plane, of NIC_PORTS_MAX

// What transports share whose packets take many paths and are acknowledged singly (sprayed.h).
struct sprayed_config {
	// Entropy values of a queue pair, of MRC in each plane: a power of two, ENTROPY_PATHS_MAX
	// or MRC_PATHS_MAX at most.
	uint16_t paths;
	uint16_t ack_every; // packets per acknowledgement, unless something asks for one at once
};

struct uet_config {
	enum entropy_mode spray;
	bool credits;         // the receiver grants what senders may send
	uint16_t grant;       // packets in a grant, 1 or more
	uint32_t unsolicited; // packets that a sender may send before the first grant
};

struct mrc_config {
	uint8_t denied;          // a bit per plane, by the NIC's port, that is not to be used
	uint64_t probe_interval; // ps; between two probes of a plane
};
