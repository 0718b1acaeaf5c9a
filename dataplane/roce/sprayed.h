// SPDX-License-Identifier: BSD-3-Clause
// What a sender keeps whose packets take many paths and are acknowledged singly (SENDER_SPRAYED):
// of each packet between `acked` and `next` what became of it, the entropy values, and the credit
// that the receiver granted. sprayed.c says how. Worker only, but for making it.
#pragma once

#include "congestion.h"
#include "entropy.h"
#include "qp.h"

enum sprayed_state {
	SPRAYED_ARRIVED, // or was never sent
	SPRAYED_IN_FLIGHT,
	SPRAYED_LOST, // waits among the sender's resends
};

#define SPRAYED_TIME_SHIFT 10

_Static_assert(1 << SPRAYED_TIME_SHIFT == CONGESTION_ROUND_TRIP_ERROR, "round trips are in units");

struct sprayed_packet {
	uint32_t sent_at; // the last time, in units of 2^SPRAYED_TIME_SHIFT ps
	uint16_t entropy; // of that time
	uint8_t state;    // enum sprayed_state
	uint8_t sends;    // 255: that many or more
};

struct mrc_sender;

struct sprayed {
	struct sprayed_packet *packets; // a ring, by number
	uint32_t mask;
	uint32_t window; // packets from `acked` to before `next` at most
	uint32_t in_flight;
	uint32_t asked;       // the last packet that asked for an acknowledgement
	bool credits;         // it sends only what the receiver granted
	uint64_t unsolicited; // bytes of payload that need no grant
	uint64_t granted;     // the same that were granted, ever
	uint64_t needed;      // that the receiver was asked to grant, ever
	uint64_t consumed;    // and that were sent, ever
	uint16_t sport;       // of entropy value 0
	struct entropy entropy;
	struct mrc_sender *mrc; // of that transport, which has no `sport` or `entropy` here; NULL
};

// Where a message lies in the packets of its sender.
struct sprayed_place {
	uint32_t begin, end;
	uint32_t last_payload;
};

// Makes what a new sender needs, with a ring of so many packets, a power of two, or sets what a
// used one has, whose numbers begin at 0 again. Return 0 or -ENOMEM.
int sprayed_create(struct nic *nic, struct sender *s, uint32_t slots);
void sprayed_renew(struct nic *nic, struct sender *s, const struct nic_flow *flow);

static inline struct sprayed_packet *
sprayed_packet_at(const struct sprayed *sp, uint32_t index)
{
	return &sp->packets[index & sp->mask];
}

// Since it was sent the last time, to within a unit.
static inline ps_t
sprayed_time_since(const struct sprayed_packet *p, ps_t now)
{
	return (ps_t)((uint32_t)(now >> SPRAYED_TIME_SHIFT) - p->sent_at) << SPRAYED_TIME_SHIFT;
}

// Whether the sender, which has something to send if `wants`, may do so.
bool sprayed_admits(struct nic *nic, struct sender *s, bool wants, ps_t now);

// Whether the packet that goes next, `index`, is to ask for an acknowledgement at once: a resent
// one, and one behind which nothing may be sent for now.
bool sprayed_asks(const struct sender *s, uint32_t index);

// Packet `index` was sent with that entropy value.
void sprayed_sent(struct nic *nic, struct sender *s, uint32_t index, uint16_t entropy, ps_t now);

// It arrived. Returns whether that is news.
bool sprayed_arrived(struct sender *s, uint32_t index);

// The round trip of a packet that is answered now; 0: it is not known which time it was sent.
ps_t sprayed_round_trip(const struct sprayed *sp, uint32_t index, ps_t now);

// What became of a packet of that entropy value.
void sprayed_learn(struct sprayed *sp, uint16_t entropy, enum entropy_news news);

// It was lost: it goes again. Returns whether that is news.
bool sprayed_lose(struct sender *s, uint32_t index, enum entropy_news news);

// What the sender needs to be granted, ever, in bytes of payload, for what lies in its window: no
// more, because a packet has only 24 bits for it. The receiver is going to be asked for it.
uint64_t sprayed_need(struct sender *s);
