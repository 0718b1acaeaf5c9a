// SPDX-License-Identifier: BSD-3-Clause
// The messages between FRR's bfdd and a data plane that runs its sessions (`bfdd --dplaneaddr`).
// bfd_message.c describes the protocol. What arrives is from outside: everything is checked. Any
// thread.
#pragma once

#include "bfd_session.h"

#define BFD_MESSAGE_HEADER_BYTES 8
#define BFD_MESSAGE_MAX 1024 // bytes of one that is accepted
#define BFD_REPLY_MAX 80     // of one that is made here
#define BFD_INTERFACE_MAX 64

enum bfd_message_type {
	BFD_MESSAGE_ECHO_REQUEST = 0,
	BFD_MESSAGE_ECHO_REPLY = 1,
	BFD_MESSAGE_ADD_SESSION = 2, // or changes it
	BFD_MESSAGE_DELETE_SESSION = 3,
	BFD_MESSAGE_STATE_CHANGE = 4,
	BFD_MESSAGE_REQUEST_COUNTERS = 5,
	BFD_MESSAGE_COUNTERS = 6,
};

// A session as bfdd asks for it.
struct bfd_request {
	struct bfd_settings settings;
	bool multihop, echo, demand;
	uint8_t version; // of IP
	uint8_t local[16], peer[16];
	uint32_t interface_index;          // 0: not said
	char interface[BFD_INTERFACE_MAX]; // "": not said
};

struct bfd_message {
	uint8_t version;
	uint16_t type; // enum bfd_message_type, or another number
	uint16_t id;
	struct bfd_request session;        // ADD_SESSION, DELETE_SESSION
	uint32_t discr;                    // the session's; also REQUEST_COUNTERS
	uint64_t dp_time_us, bfdd_time_us; // ECHO_REQUEST
};

struct bfd_counts {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
};

// Parses the complete messages at the start of a stream's bytes and passes each one on. Returns how
// many bytes they have, or -EPROTO with one line in why if the stream is not of this protocol; the
// rest of it is then useless.
long bfd_take_messages(const uint8_t *bytes, size_t count,
		       void (*take)(void *context, const struct bfd_message *message),
		       void *context, const char **why);

// Build messages, of the protocol's `version`. Return their length. `discr`: the session's, as bfdd
// knows it.
size_t bfd_build_state(uint8_t version, uint32_t discr, const struct bfd_session *s,
		       uint8_t out[static BFD_REPLY_MAX]);
size_t bfd_build_counters(const struct bfd_message *request, const struct bfd_counts *counts,
			  uint8_t out[static BFD_REPLY_MAX]);
size_t bfd_build_echo(const struct bfd_message *request, uint64_t now_us,
		      uint8_t out[static BFD_REPLY_MAX]);
