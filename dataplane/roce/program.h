// SPDX-License-Identifier: BSD-3-Clause
// What a rank of a collective does: programs, their parts, inboxes and senders. program.c says
// how. All is the worker's (rw), but what only set-up writes.
#pragma once

#include "qp.h"

struct part;

struct program {
	struct timer timer; // of its start, and of the end of a compute gap
	struct nic_program settings;
	struct nic_table parts;
	uint32_t part;       // that runs, or is next
	uint32_t time;       // the same
	uint64_t sends_left; // messages of all times that are not acknowledged
	bool started;
	bool runs; // a part does, else it computes or is over
	bool over; // all parts, all times
};

struct part {
	struct program *program;
	ps_t compute;
	uint32_t begun; // times
	uint32_t inbox_count;
	uint32_t full;         // inboxes that have all of this time's messages
	uint64_t messages;     // of its senders, a time
	uint64_t acked;        // of them, ever
	struct inbox *inboxes; // in the order that they were made in
	struct inbox *last_inbox;
	struct program_sender *senders;
	struct program_sender **senders_end;
	struct nic_time times[]; // settings.repeat of them
};

struct inbox {
	struct part *part;
	struct inbox *before; // that it has to be no readier than; NULL: none
	struct inbox *behind; // the same the other way
	struct inbox *next;   // of the part's
	uint32_t messages;    // of each feeder, a time
	uint32_t pending;     // feeders that have brought `complete` messages and no more
	uint64_t complete;    // messages that all feeders have brought
	uint64_t ready;       // that it and those before it have
	struct feeder *feeders;
	struct program_sender *gated;
	struct program_sender **gated_end;
};

// Where a message lies, and what tells the size of the one behind it.
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
	struct message_place found;  // where a packet was last looked for
	struct timer timer;          // of the handover's end
	struct program_sender *next_of_part;
	struct program_sender *next_of_gate;
};

// The timer of a program or of a sender's handover fired.
void program_timeout(struct nic *nic, struct program *p, ps_t now);
void program_handed_over(struct nic *nic, struct program_sender *ps, ps_t now);

// A whole message has arrived.
void program_received(struct nic *nic, struct feeder *feeder, ps_t now);

// The sender has sent its message: goes on to the next if that may be sent.
void program_next(struct sender *s);

// The sender's `acked` has moved on, and maybe `next`: completes messages.
void program_acked(struct nic *nic, struct sender *s, ps_t now);

// The sender goes back to `acked`.
void program_rewind(struct sender *s);

// The message that packet `index` is in; it has been sent and is not acknowledged.
struct message_place program_find(struct sender *s, uint32_t index);

// Before the node runs: sets the first places of a sender whose settings stand, and makes it the
// part's and the gate's (NULL: none); makes a feeder the inbox's.
void program_sender_init(struct program_sender *ps);
void program_enter(struct program *p, uint32_t part, struct program_sender *ps, struct inbox *gate);
void program_enter_feeder(struct inbox *inbox, struct feeder *feeder);
