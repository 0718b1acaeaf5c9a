// SPDX-License-Identifier: BSD-3-Clause
// One end of a link that datagrams carry (udp.h): what a datagram says, and what follows from it.
// Neither end trusts the other, so every datagram is examined; a carrier may lose, repeat and
// reorder them. It has no socket and reads no clock: see carrier.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARRIER_WINDOW 1024u // numbers behind the latest one that are remembered
// Both ends say so often that they are there, and a link is down after so long without a word.
#define CARRIER_HELLO_NS UINT64_C(200000000)
#define CARRIER_DEAD_NS UINT64_C(1000000000)
// Delays are compared with the least of the present interval and the one before it.
#define CARRIER_LEAST_NS UINT64_C(5000000000)
#define CARRIER_MORE_MAX_NS UINT64_C(3600000000000) // an hour: no delay, but a stamp that lies
#define CARRIER_REPORT_MAX 1024u                    // bytes

// In network byte order, before the frame or before a carrier_hello.
struct carrier_head {
	uint32_t magic;
	uint8_t version;
	uint8_t kind; // enum carrier_kind
	uint16_t zero;
	uint64_t session; // of the sender: another one each time that its device is opened
	uint64_t sent_ns; // on the sender's own clock
	uint32_t number;  // of a frame; of a hello: that of the next frame
} __attribute__((packed));

struct carrier_hello {
	uint64_t heard_session; // the last one heard; 0: none yet
	uint64_t echo_ns;       // sent_ns of the last hello heard; 0: none yet
	uint64_t held_ns;       // since that came
} __attribute__((packed));

// What an end reports to the other one with each hello, behind it. The users of both ends know what
// the bytes mean.
struct carrier_report {
	uint32_t length;
	uint8_t bytes[CARRIER_REPORT_MAX];
};

enum carrier_kind {
	CARRIER_FRAME = 1,
	CARRIER_HELLO = 2,
	CARRIER_BYE = 3, // the sender's device closes
};

// Written by the thread that reads the socket, one at a time; the control thread reads counters.
struct carrier {
	uint64_t session;       // of this end; never 0
	uint64_t peer_session;  // 0: nothing heard yet
	bool heard_back;        // the far end has heard this one
	bool held;              // the far end is to see the link as down; control thread only
	bool restarted;         // the far end has since the link was asked about last
	uint64_t heard_ns;      // when the far end was heard last; 0: never, or it has said goodbye
	uint64_t hello_ns;      // when its last hello came,
	uint64_t hello_sent_ns; // and its sent_ns
	uint32_t next;          // the number expected
	uint64_t seen[CARRIER_WINDOW / 64]; // bit number % CARRIER_WINDOW: that frame has come

	struct carrier_report heard; // the far end's last one,
	uint64_t heard_sent_ns;      // and when that sent it, on its own clock; 0: none yet
	uint32_t heard_count;        // odd while these two are written

	uint64_t lost;       // frames that have not come, or too late
	uint64_t late;       // of those: frames that came behind later ones: dropped
	uint64_t duplicates; // frames that had come already: dropped
	uint64_t early;      // frames that came while the link was down here: dropped
	uint64_t malformed;  // datagrams that make no sense: dropped
	uint64_t round_trip_ns, round_trip_min_ns; // 0: not known yet

	// By how much one-way delays exceed the least one: carrier.c.
	uint64_t least_since_ns;                 // when the present interval began
	int64_t least_ns, before_ns;             // the least delay in it, and in the one before
	uint64_t variation_ns, variation_max_ns; // the mean, and the most of this session
};

void carrier_init(struct carrier *c, uint64_t session);

// The head of a frame of that number, and a whole hello (or goodbye).
void carrier_write_head(const struct carrier *c, uint32_t number, uint64_t now_ns,
			struct carrier_head *head);
void carrier_write_hello(const struct carrier *c, enum carrier_kind kind, uint32_t next,
			 uint64_t now_ns, struct carrier_head *head, struct carrier_hello *hello);

// Takes a datagram: `length` bytes behind a whole head, of which `body` holds at least as many as a
// hello and a report have, if there are so many. up: the link is up at this end. Returns whether it
// is a frame that is to be delivered.
bool carrier_take(struct carrier *c, const struct carrier_head *head, const void *body,
		  size_t length, bool up, uint64_t now_ns);

// Whether both ends hear each other.
bool carrier_hears(const struct carrier *c, uint64_t now_ns);
// Copies the far end's last report. Returns when that was sent, on the far end's clock, or 0 if
// none has come. Any thread.
uint64_t carrier_heard(const struct carrier *c, struct carrier_report *out);
// The same as carrier_hears() for a link. A far end that has restarted shows once as a link that
// is down, so that both ends begin anew.
bool carrier_link(struct carrier *c, uint64_t now_ns);
