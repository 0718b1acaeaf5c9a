// SPDX-License-Identifier: BSD-3-Clause
// What a rank does: programs, their parts and inboxes (see program.c). The worker reads and writes
// all of it, except what only set-up writes.
#pragma once

#include "message_place.h"

struct part;
struct exchange_part;

// What an exchange does for a part, whose messages it generates, and for its one inbox.
struct exchange_part_ops {
	// The part has begun once more, or its inbox has moved on: messages may have become free to
	// be sent.
	void (*review)(struct nic *nic, struct exchange_part *x, ps_t now);
	// A rank's message has arrived whole: `count` of them had come before.
	void (*arrived)(struct nic *nic, struct exchange_part *x, uint32_t from, uint64_t count,
			ps_t now);
	// The inbox has moved on by a time. Returns how many ranks have not brought the next one's
	// message.
	uint32_t (*next_time)(struct exchange_part *x);
};

struct exchange_part {
	const struct exchange_part_ops *ops;
};

// Parts in the order in which they came.
struct part_queue {
	struct part *first, *last;
};

struct program {
	struct timer timer; // of the start of a time, and of the end of computing
	struct nic_program settings;
	struct nic_table parts;
	uint32_t time;             // that runs, or is next
	uint32_t left;             // parts of this time that are not over
	struct part_queue ready;   // they wait for no part any more
	struct part_queue waiting; // to compute, one at a time
	struct part *computing;    // NULL: none
	uint64_t sends_left;       // messages of all times that are not acknowledged
	bool over;                 // all parts, all times
};

// That a part waits for another one.
struct part_order {
	struct part *later;
	struct part_order *next; // of the earlier part
};

struct part {
	struct program *program;
	ps_t compute;
	uint32_t earlier_count; // parts that it waits for, each time
	uint32_t earlier_left;  // of them, that are not over
	struct part_order *orders;
	struct part_order **orders_end;
	struct part *next; // of a queue of the program's
	uint32_t begun;    // times
	bool runs;
	uint32_t inbox_count;
	uint32_t full;         // inboxes that have all of this time's messages
	uint64_t messages;     // of its senders, a time
	uint64_t acked;        // of them, ever
	struct inbox *inboxes; // in the order that they were made in
	struct inbox *last_inbox;
	struct exchange_part *exchange; // NULL: none
	struct program_sender *senders;
	struct program_sender **senders_end;
	struct nic_time times[]; // settings.repeat of them
};

struct inbox {
	struct part *part;
	struct inbox *before;           // that it has to be no readier than; NULL: none
	struct inbox *behind;           // the same the other way
	struct inbox *next;             // of the part's
	uint32_t messages;              // of each feeder, a time
	uint32_t pending;               // feeders that have brought `complete` messages and no more
	uint64_t complete;              // messages that all feeders have brought
	uint64_t ready;                 // that it and those before it have
	struct exchange_part *exchange; // instead of feeders; NULL: none
	struct feeder *feeders;
	struct program_sender *gated;
	struct program_sender **gated_end;
};

// The timer of a program or of a sender's handover fired.
void program_timeout(struct nic *nic, struct program *p, ps_t now);
void program_handed_over(struct nic *nic, struct program_sender *ps, ps_t now);

// A whole message has arrived.
void program_received(struct nic *nic, struct feeder *feeder, ps_t now);

// The sender's `acked` has moved on, and maybe `next`: completes messages.
void program_acked(struct nic *nic, struct sender *s, ps_t now);

// For exchanges: lets a sender send what may be sent by now; all ranks have brought a message; and
// ends the part if it runs and is over.
void program_release(struct nic *nic, struct program_sender *ps, ps_t now);
void program_inbox_advance(struct nic *nic, struct inbox *inbox, ps_t now);
void program_proceed(struct nic *nic, struct part *part, ps_t now);

// Before the node runs: adds a sender to the part and the gate (NULL: none), and a feeder to the
// inbox.
void program_enter(struct program *p, uint32_t part, struct program_sender *ps, struct inbox *gate);
void program_enter_feeder(struct inbox *inbox, struct feeder *feeder);
