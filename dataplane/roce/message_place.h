// SPDX-License-Identifier: BSD-3-Clause
// Where the messages of a program's sender lie. message_place.c says how. Worker only.
#pragma once

#include "qp.h"

struct part;

// Where a message lies, and from what the size of the next one follows.
struct message_place {
	uint32_t begin, end; // packets
	uint32_t next;       // number in its time of the message behind
	uint32_t turn;       // of that: (first + next * step) mod of
	uint16_t last_payload;
};

// Of a sender whose messages are a program's. Messages have one of two sizes, which differ by a
// byte. One without a struct sender brings them to another NIC port's rank inside the host, each
// when its handover ends.
struct program_sender {
	struct sender *sender;
	struct feeder feeder; // without a sender
	struct part *part;
	struct inbox *gate; // NULL: none
	uint32_t lead;
	struct nic_messages messages; // first and step below `of`
	uint32_t packets[2];
	uint16_t last_payload[2];
	ps_t handover;               // of each message, behind the gate
	bool handing;                // the next message is being handed over
	uint32_t times;              // of the part's that have begun
	uint32_t time, k;            // the first message that may not be sent yet
	uint64_t sendable;           // messages that may, ever
	uint64_t begun;              // of them those up to the one that sender->next is in
	uint64_t done;               // acknowledged
	ps_t idle_since;             // when no message was open any more
	uint64_t acked_bytes;        // of those
	struct message_place at;     // the one that sender->next is in, or behind
	struct message_place oldest; // the first not wholly acknowledged
	struct message_place found;  // where a packet was last found
	struct timer timer;          // of the handover's end
	struct program_sender *next_of_part;
	struct program_sender *next_of_gate;
};

// Before the node runs: sets the first places of a sender whose settings stand.
void message_place_init(struct program_sender *ps);

// Moves a place to the message behind it.
void message_place_advance(const struct program_sender *ps, struct message_place *place);

// The sender has sent its message: goes on to the next if that may be sent.
void message_place_next(struct sender *s);

// The sender goes back to `acked`.
void message_place_rewind(struct sender *s);

// The message that packet `index` is in; it has been sent and is not acknowledged.
struct message_place message_place_find(struct sender *s, uint32_t index);
