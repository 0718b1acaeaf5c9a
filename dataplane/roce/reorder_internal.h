// SPDX-License-Identifier: BSD-3-Clause
// Flows, what they hold, and the lists that they stand in. Private to reorder.c, reorder_flow.c and
// reorder_held.c.
#pragma once

#include "reorder.h"
#include "reorder_order.h"
#include "reorder_reads.h"

#define BUCKETS 128u // a power of two
#define WAYS 8u
#define NONE UINT32_MAX

// What a packet is to its flow now.
enum turn { TURN_PAST, TURN_NOW, TURN_LATER };

// Whether the peer has gone back, and where to.
enum back { BACK_NOT, BACK_TO_HOLE, BACK_SOMEWHERE };

struct held {
	struct rte_mbuf *m;
	struct reorder_order order;
	uint32_t behind; // of the run's, of its parent's, or of the free ones
	uint32_t below;  // the first child in a heap; children come later in order
};

struct link {
	uint32_t before, behind; // flows
};

struct flow {
	struct reorder_key key; // qp 0: no flow
	uint32_t expected;
	uint32_t first;                // the first PSN that came, while is_young
	uint32_t hole;                 // the first PSN that was skipped, while has_hole
	uint32_t read_psn, read_bytes; // of the last packet, if a READ request of unknown length
	uint32_t head, tail, strays;   // of what is held: a run and a heap, by PSN; NONE
	struct link waits, doubts;     // in a list of struct reorder
	uint32_t circle;               // of the requests whose responses these are; NONE
	uint16_t path_mtu;             // 0: not known
	uint32_t doubtful;             // the last hole that was missing again, while has_doubtful
	bool has_hole, has_doubtful, is_young;
	bool is_new;     // it holds all that comes, until it knows the first
	bool strayed;    // the host wants a PSN before the expected one
	enum back back;  // and the expected PSN has not come yet
	bool after_read; // the last packet was a READ request
	bool inside;     // the last response has another behind it
	bool idle;       // with a circle: no response is expected
	bool coalesces;  // acknowledgements stand between responses
	ps_t since;      // of the first that is missing, while packets are held
	ps_t used_at;
};

struct list {
	uint32_t first, last; // flows, or NONE
};

struct reorder {
	struct reorder_counters counters;
	struct reorder_settings settings;
	uint32_t free;        // the first entry that holds nothing
	struct list waiting;  // flows that wait for a packet, by `since`
	struct list new;      // flows that wait for those before their first, by `since`
	struct list in_doubt; // flows behind a READ request of unknown length, the newest last
	struct reorder_reads reads;
	struct flow flows[BUCKETS * WAYS];
	struct held held[];
};

// With the packet that it has now, the flow begins to wait for one that is missing, or for another.
void flow_wait(struct reorder *r, struct flow *f);
void flow_wait_no_more(struct reorder *r, struct flow *f);

// The last packet was a READ request of unknown length; it no longer is the last, or its length is
// known.
void flow_doubt(struct reorder *r, struct flow *f, uint32_t psn, uint32_t bytes);
void flow_doubt_no_more(struct reorder *r, struct flow *f);

static inline bool
flow_holds(const struct flow *f)
{
	return f->head != NONE || f->strays != NONE;
}

// Holds a packet.
void flow_hold(struct reorder *r, struct flow *f, struct rte_mbuf *m,
	       const struct reorder_order *o);

// Of a flow that holds packets, the one with the smallest PSN; and so that it holds it no longer.
const struct reorder_order *flow_first(const struct reorder *r, const struct flow *f);
struct rte_mbuf *flow_take_first(struct reorder *r, struct flow *f);

// Packets that may go on.
struct chain {
	struct rte_mbuf *head, *tail;
};

void chain_pass(struct chain *chain, struct rte_mbuf *m);

// Whether a PSN can belong to the same queue pair as another that is recent.
bool flow_is_near(uint32_t psn, uint32_t other);

enum turn flow_turn(const struct flow *f, const struct reorder_order *o);

// The packet passes, and with it the expected PSN moves on.
void flow_advance(struct reorder *r, struct flow *f, const struct reorder_order *o);

// Passes held packets that are in order now, or before; the flow waits for what is missing then.
void flow_pass_held(struct reorder *r, struct flow *f, struct chain *chain);

// A new flow begins with a PSN.
void flow_start(struct reorder *r, struct flow *f, uint32_t psn);

// Goes on without what is missing: all that is held passes, and in its place among them a packet
// that is not (NULL: none).
void flow_skip(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
	       struct chain *chain);

// The requests that a flow of responses belongs to are not known any more.
void flow_forget(struct reorder *r, uint32_t flow);

// The flow, if it is one of responses, gives them up.
void flow_unbind(struct reorder *r, struct flow *f);
