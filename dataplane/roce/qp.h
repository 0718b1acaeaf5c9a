// SPDX-License-Identifier: BSD-3-Clause
// What a NIC keeps: private to roce/. All of it is the worker's (rw), but what only set-up writes.
#pragma once

#include "dataplane/queueing/port_tx.h"
#include "frame.h"
#include "nic.h"
#include "timers.h"

// A NIC of few queue pairs lies in one piece.
#define NIC_CHUNK_FIRST 1024

// What takes turns at the transmitter. Those that have something to send stand in a ring by traffic
// class.
enum source_kind { SOURCE_SENDER, SOURCE_STREAM, SOURCE_GENERATOR };

struct source {
	struct source *next;
	struct source *previous; // NULL: not in the ring
	uint8_t kind;            // enum source_kind
};

enum qp_role { QP_SENDER, QP_RESPONDER, QP_RECEIVER, QP_READER };

struct qp {
	uint32_t qpn;
	uint8_t role;     // enum qp_role
	uint8_t port;     // of the NIC's
	uint8_t recovery; // enum nic_recovery
	uint8_t message;  // of a sender: enum message_kind
};

// How a sender's messages look on the wire.
enum message_kind { MESSAGE_WRITE, MESSAGE_WRITE_IMM, MESSAGE_SEND, MESSAGE_READ_RESPONSE };

// What makes a sender more than a flow of its own that goes back N. Most have none of it, so that
// asking for all at once is all that they pay.
enum sender_special {
	SENDER_RESENDS = 1 << 0,   // single packets wait to be sent again
	SENDER_PACED = 1 << 1,     // congestion control has a say
	SENDER_PROGRAM = 1 << 2,   // messages are a program's
	SENDER_RESPONDER = 1 << 3, // messages are responses to READ requests
	SENDER_SPRAYED = 1 << 4,   // packets are acknowledged singly
};

struct resends;
struct pacing;
struct program_sender;
struct responder;
struct sprayed;

struct sender_cold {
	struct resends *resends;        // of selective recovery
	struct pacing *pacing;          // of SENDER_PACED
	struct program_sender *program; // of SENDER_PROGRAM
	struct responder *responder;    // of SENDER_RESPONDER
	struct sprayed *sprayed;        // of SENDER_SPRAYED
};

// The sending end of a flow. Packets are numbered from 0 through all messages, modulo 2^32; the PSN
// of packet i is psn_base + i. Always acked <= next <= high, begin <= next <= end; of a flow of its
// own also begin <= acked.
struct sender {
	struct qp qp;
	uint32_t next;  // to be sent
	uint32_t acked; // all before are acknowledged
	uint32_t begin; // of the message that `next` is in, or behind
	uint32_t end;
	uint32_t high; // all from here on were never sent
	uint32_t psn_base;
	uint16_t path_mtu;
	uint16_t last_payload; // of packet end - 1
	bool open;             // between a repetition's start and its completion
	uint8_t special;       // bits of enum sender_special
	struct source source;

	struct frame_address address __attribute__((aligned(64)));
	struct timer timer; // of the next start, or when open of retransmission
	struct sender_cold *cold;

	uint32_t packets __attribute__((aligned(64))); // of a repetition
	uint32_t repetitions_left;
	ps_t gap;
	ps_t handover;
	ps_t started; // this repetition
	struct nic_flow_result result;
};

struct inbox;
struct gap;

// What brings messages to an inbox.
struct feeder {
	struct inbox *inbox; // NULL: none
	struct feeder *next; // of the inbox's
	uint64_t received;   // messages
	uint32_t from;       // of an exchange: the rank
};

// Of a receiver whose messages count for an inbox, or that keeps track of each missing packet.
struct receiver_cold {
	struct feeder feeder;
	uint64_t *immediates; // beside `ends`: which packets have immediate data
	struct gap *gaps;     // that wait for their reorder timeout, a ring
	uint32_t gap_first;
	uint32_t gap_count;
};

// The receiving end. Where packets ahead of `expected` are kept, two rings of bits by PSN: which of
// them are here, and which of them end a message.
struct receiver {
	struct qp qp;
	uint32_t expected; // PSN
	uint32_t msn;
	uint32_t unacknowledged; // packets since the last acknowledgement
	uint32_t ahead;          // packets kept beyond `expected`
	uint32_t ring_mask;
	bool nak_sent; // for the packet `expected`
	bool ack_owed; // to a packet ahead of it that requested one
	uint64_t *placed;
	uint64_t *ends;
	ps_t cnp_next; // none before
	struct receiver_cold *cold;

	struct frame_address address __attribute__((aligned(64)));
	struct timer timer; // reorder timeout
	uint32_t begin;     // first PSN of the message that `expected` is in
	// Of selective recovery: behind the last one that was kept or asked for. Not before
	// `expected`, or as good as that.
	uint32_t seen;

	struct nic_receiver_result result __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct sender) == 256, "four cache lines");
_Static_assert(offsetof(struct sender, packets) == 128, "what packets touch: two of them");
_Static_assert(offsetof(struct receiver, address) == 64, "and of a receiver as many");
_Static_assert(offsetof(struct receiver, result) == 128, "before its counters");
_Static_assert(sizeof(struct receiver) == 192, "of three");

// The requesting end of a READ: places the responses as a receiver, requests missing packets, and
// always keeps two requests under way, so that the responder never waits. A
// request covers NIC_WRITE_PACKETS packets at most. Packets count from 0 in each repetition.
struct reader {
	struct receiver receiver;
	struct timer timer; // of the next start, or when open of the next try
	uint16_t path_mtu;
	uint16_t last_payload;
	bool open;
	uint32_t packets;   // of a repetition
	uint32_t received;  // all before are here: the packet that receiver.expected is
	uint32_t requested; // all before were requested
	uint32_t older_end; // of the older of two requests under way, or the only one
	uint32_t repetitions_left;
	ps_t gap;
	ps_t handover;
	ps_t started;
	struct nic_flow_result result;
};

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
	uint8_t port; // of the NIC's
	uint64_t sent;
	struct frame_address address;
	struct frame_template template;
	struct stream *following; // of the NIC's
};

struct chunk;
struct exchanges;
struct misbehaviour;
struct uet_granter;

// What makes a NIC more than one that speaks RoCEv2 and takes every packet as it comes. All of it
// is one check a packet.
enum nic_special {
	NIC_MISBEHAVES = 1 << 0, // packets wait in receive buffers (misbehaviour.h)
	NIC_SPEAKS_UET = 1 << 1, // uet.h
	NIC_SPEAKS_MRC = 1 << 2, // mrc.h
};

// What a NIC has at a port. What a packet touches lies line by line: rings and templates begin at
// one each, what stands before them behind what the NIC has once.
struct nic_port {
	struct port *port;
	uint8_t ready;     // bit per traffic class whose ring is not empty
	uint8_t responses; // bit per queue that holds acknowledgements, requests or CNPs
	uint8_t turn;      // the traffic class that sent last
	uint8_t special;   // the NIC's: bits of enum nic_special
	uint8_t ip4[4];    // InfiniBand: the LID, then the P_Key, each big endian
	struct source *rings[PRIORITIES];   // the last of each
	struct frame_template templates[2]; // of IPv4 (or InfiniBand) and IPv6
	uint32_t busy; // queue pairs that have something to send or await, of those with pacing
	uint32_t pad[11];
};

// A table that grows while the NIC is set up.
struct nic_table {
	void **entries;
	uint32_t count;
	uint32_t capacity;
};

// What a NIC has once and few packets touch.
struct nic_cold {
	struct timers timers;
	struct nic_config config; // congestion_parameters: a copy of its own
	uint32_t open_flows;
	uint32_t qp_capacity;
	struct nic_table programs;
	struct nic_table inboxes;
	struct exchanges *exchanges; // NULL: none
	struct misbehaviour *misbehaviour;
	struct uet_granter *granters;        // by port; NULL: it grants no credit
	struct nic_path_counts *path_counts; // by port; NULL with RoCEv2
	struct stream *streams;
	uint64_t stream_received;
	struct chunk *chunks; // memory of queue pairs and streams, beyond the first
	char *chunk;          // what is carved from now
	size_t chunk_used;
	size_t chunk_bytes;
	size_t bytes;
};

struct nic {
	struct node *node;
	struct qp **qps; // by number less NIC_QPN_FIRST
	uint32_t qp_limit;
	int32_t header_bytes; // these as in the configuration
	int32_t ack_bytes;
	uint32_t ack_every;
	ps_t rto;
	struct nic_cold *cold;
	struct nic_port ports[]; // of the node's
};

_Static_assert(offsetof(struct nic, ports) + offsetof(struct nic_port, rings) == 64, "a line");
_Static_assert(offsetof(struct nic_port, templates) == 80, "rings are one");
_Static_assert(sizeof(struct nic_port) % 64 == 0, "all ports lie alike");

// The queue pair of a number below NIC_QPN_EXCHANGES, or NULL.
static inline struct qp *
nic_find_qp(const struct nic *nic, uint32_t qpn)
{
	uint32_t slot = qpn - NIC_QPN_FIRST;

	return likely(slot < nic->qp_limit) ? nic->qps[slot] : NULL;
}

static inline struct nic_port *
nic_port_of(struct nic *nic, const struct qp *qp)
{
	return &nic->ports[qp->port];
}

static inline const struct frame_template *
nic_template(const struct nic_port *np, const struct frame_address *a)
{
	return &np->templates[a->network == FRAME_IP6];
}

// Sets a timer and makes the node wake up for it.
static inline void
nic_set_timer(struct nic *nic, struct timer *timer, ps_t at)
{
	timer->due = at;
	if (at < timer->queued_at)
		timers_queue(&nic->cold->timers, timer);
	node_arm_timer(nic->node, at);
}

// Zeroed memory in whole cache lines, for as long as the NIC lives; NULL when there is none.
void *nic_alloc(struct nic *nic, size_t bytes);

// Appends to a table and returns 0 or -ENOMEM.
int nic_table_add(struct nic *nic, struct nic_table *table, void *entry);

static inline void
nic_note_nonempty(struct nic_port *np)
{
	np->port->nonempty = np->ready | np->responses;
}

// Puts a packet that answers another in the port's queue of its class. NULL: memory has run out.
static inline void
nic_respond(struct nic_port *np, struct rte_mbuf *m)
{
	struct port *p = np->port;

	if (unlikely(m == NULL)) {
		port_count_drop(p, DROP_NO_MBUF);
		return;
	}
	np->responses |= (uint8_t)(1u << packet_meta(m)->tc);
	queue_push(p, packet_meta(m)->tc, m);
}

// Puts a source at the end of its class's ring, unless it is in it.
static inline void
source_ready(struct nic_port *np, struct source *s, unsigned int tc)
{
	struct source *last = np->rings[tc];

	if (s->previous != NULL)
		return;
	if (last == NULL) {
		s->next = s->previous = s;
		np->ready |= (uint8_t)(1u << tc);
		nic_note_nonempty(np);
	} else {
		s->previous = last;
		s->next = last->next;
		last->next->previous = s;
		last->next = s;
	}
	np->rings[tc] = s;
}

// Takes a source out of its ring, if it is in it.
static inline void
source_idle(struct nic_port *np, struct source *s, unsigned int tc)
{
	if (s->previous == NULL)
		return;
	if (s->next == s) {
		np->rings[tc] = NULL;
		np->ready &= (uint8_t) ~(1u << tc);
		nic_note_nonempty(np);
	} else {
		s->previous->next = s->next;
		s->next->previous = s->previous;
		if (np->rings[tc] == s)
			np->rings[tc] = s->previous;
	}
	s->previous = NULL;
}
