// SPDX-License-Identifier: BSD-3-Clause
// What a NIC keeps: private to roce/. All of it is the worker's (rw), but what only set-up writes.
#pragma once

#include "../port_tx.h"
#include "frame.h"
#include "nic.h"
#include "timers.h"

// A NIC of few queue pairs lies in one piece.
#define NIC_CHUNK_FIRST 1024

// What takes turns at the transmitter. Those that have something to send stand in a ring by traffic
// class.
struct source {
	struct source *next;
	struct source *previous; // NULL: not in the ring
	bool stream;             // else a sender's
};

enum qp_role { QP_SENDER, QP_RECEIVER };

struct qp {
	uint32_t qpn;
	uint32_t role; // enum qp_role
};

// The sending end of a flow. Packets are numbered from 0 through all repetitions, modulo 2^32; the
// PSN of packet i is psn_base + i. Always acked <= next <= high, acked <= next <= end.
struct sender {
	struct qp qp;
	uint32_t next;  // to be sent
	uint32_t acked; // all before are acknowledged
	uint32_t begin; // of this repetition
	uint32_t end;
	uint32_t high; // all from here on were never sent
	uint32_t psn_base;
	uint16_t path_mtu;
	uint16_t last_payload; // of packet end - 1
	bool open;             // between a repetition's start and its completion
	struct source source;

	struct frame_address address __attribute__((aligned(64)));
	struct timer timer; // of the next start, or when open of retransmission
	uint32_t packets;   // of a repetition
	uint32_t repetitions_left;

	uint64_t bytes __attribute__((aligned(64)));
	ps_t gap;
	ps_t started; // this repetition
	struct nic_flow_result result;
};

// The receiving end. Of out-of-order placement two rings of bits, by PSN: which packets ahead of
// `expected` have been placed, and which of them end a message.
struct receiver {
	struct qp qp;
	uint32_t expected; // PSN
	uint32_t msn;
	uint32_t unacknowledged; // packets since the last acknowledgement
	uint32_t ahead;          // packets placed beyond `expected`
	uint32_t ring_mask;
	bool nak_sent; // for the packet `expected`
	uint64_t *placed;
	uint64_t *ends;
	ps_t cnp_next; // none before
	struct frame_address address __attribute__((aligned(64)));
	struct timer timer; // reorder timeout
	struct nic_receiver_result result;
};

_Static_assert(offsetof(struct sender, bytes) == 128, "what packets touch: two cache lines");
_Static_assert(offsetof(struct receiver, address) == 64, "and of a receiver as many");

struct stream {
	struct source source;
	struct timer timer; // of the next arrival, when nothing waits
	ps_t next_at;       // when the next packet arrives
	uint64_t fraction;  // and 2^-20 ps of it
	uint64_t interval;
	ps_t until;
	uint32_t packet_bytes;
	uint32_t headers_bytes; // of them Ethernet, IP and UDP
	uint8_t arrivals;
	uint8_t tc;
	uint64_t sent;
	struct frame_address address;
	struct frame_template template;
	struct stream *following; // of the NIC's
};

struct chunk;

// What a packet touches comes first, line by line.
struct nic {
	struct node *node;
	struct port *port;
	struct qp **qps; // by number less NIC_QPN_FIRST
	uint32_t qp_limit;
	uint8_t ready;     // bit per traffic class whose ring is not empty
	uint8_t responses; // bit per queue that holds acknowledgements or CNPs
	uint8_t turn;      // the traffic class that sent last
	uint8_t ip4[4];    // these as in the configuration
	int32_t header_bytes;
	int32_t ack_bytes;
	uint32_t ack_every;
	ps_t rto;

	struct source *rings[PRIORITIES] __attribute__((aligned(64))); // the last of each
	struct frame_template templates[2];                            // of IPv4 and IPv6
	struct timers timers;
	struct nic_config config;
	uint32_t open_flows;
	uint32_t qp_capacity;
	struct stream *streams;
	uint64_t stream_received;
	struct chunk *chunks; // memory of queue pairs and streams, beyond the first
	char *chunk;          // what is carved from now
	size_t chunk_used;
	size_t chunk_bytes;
	size_t bytes;
	char first_chunk[NIC_CHUNK_FIRST] __attribute__((aligned(64)));
};

static inline const struct frame_template *
nic_template(const struct nic *nic, const struct frame_address *a)
{
	return &nic->templates[a->ip6];
}

// Sets a timer and sees to it that the node wakes up for it.
static inline void
nic_set_timer(struct nic *nic, struct timer *timer, ps_t at)
{
	timer_set(&nic->timers, timer, at);
	node_arm_timer(nic->node, at);
}

static inline void
nic_note_nonempty(struct nic *nic)
{
	nic->port->nonempty = nic->ready | nic->responses;
}

// Puts a source at the end of its class's ring, unless it is in it.
static inline void
source_ready(struct nic *nic, struct source *s, unsigned int tc)
{
	struct source *last = nic->rings[tc];

	if (s->previous != NULL)
		return;
	if (last == NULL) {
		s->next = s->previous = s;
		nic->ready |= (uint8_t)(1u << tc);
		nic_note_nonempty(nic);
	} else {
		s->previous = last;
		s->next = last->next;
		last->next->previous = s;
		last->next = s;
	}
	nic->rings[tc] = s;
}

// Takes a source out of its ring, if it is in it.
static inline void
source_idle(struct nic *nic, struct source *s, unsigned int tc)
{
	if (s->previous == NULL)
		return;
	if (s->next == s) {
		nic->rings[tc] = NULL;
		nic->ready &= (uint8_t) ~(1u << tc);
		nic_note_nonempty(nic);
	} else {
		s->previous->next = s->next;
		s->next->previous = s->previous;
		if (nic->rings[tc] == s)
			nic->rings[tc] = s->previous;
	}
	s->previous = NULL;
}
