// SPDX-License-Identifier: BSD-3-Clause
// One direction of a link: a FIFO of packets, each with the instant its last bit arrives. It is the
// only thing between nodes. One side puts, one side takes, and they may be different workers.
//
// On a wire into a cut-through switch the instant is that at which the switch has the header of a
// frame, and the frame's metadata tells when its last bit arrives (wire_put_head()).
//
// A wire whose two sides run on one worker (always so in virtual time) lets the taker see what has
// been put at once, and grows when it is full. A wire between workers has a fixed size, large
// enough for what the windows allow in flight; its taker sees what the putter published at the end
// of its turn.
//
// A phased wire is between nodes that several threads run in windows that begin and end together
// (drive/parallel.c). Its taker too sees what was published, but it grows: a larger ring is the
// putter's alone until the window's end, when wire_settle() hands it to the taker.
//
// A driver that visits only nodes that have something to do (drive/live.c) lets the wire lower an
// instant of its own to the arrival of what is put.
#pragma once

#include "packet.h"
#include "time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define WIRE_AHEAD_MAX 4

struct wire_slot {
	ps_t arrival;
	struct rte_mbuf *packet;
};

struct wire {
	// Taker's line. The putter reads of it only what a faulty wire needs, and the head when
	// the wire seems to be full.
	struct wire_slot *slots;
	const uint32_t *visible; // what it may take up to: &tail or &published
	uint32_t mask;
	uint32_t head;            // taker: rw (release), putter: ro (acquire)
	uint32_t published;       // putter: wo (release), once a turn; taker: ro (acquire)
	uint32_t corrupt_payload; // putter: probability of a wrong ICRC, in units of 2^-32
	struct wire *next_grown;  // putter: of a phased wire that is to be settled
	ps_t *due;                // the taker's driver: when its node is to be visited
	uint32_t loss;            // putter: probability of loss, same scale
	uint32_t corrupt;         // putter: probability of a wrong FCS, same scale
	uint64_t bit_errors;      // putter: probability that a bit is wrong, in units of 2^-64
	// Putter's line: what it needs for each packet is copied here, so that neither side waits
	// for the other's line.
	uint32_t tail __attribute__((aligned(64))); // putter: rw
	uint32_t head_seen;                         // putter: rw; head when it last mattered
	struct wire_slot *put_slots;
	uint32_t put_mask;
	uint32_t limit;         // packets it may hold; UINT32_MAX: grows
	ps_t last;              // putter: rw; arrival of the packet put last
	ps_t delay;             // propagation + the far node's pipeline latency
	ps_t *wake;             // putter: rw; lowered to the arrival of what is put
	int16_t drop_ip_id_low; // drops packets whose IPv4 ID's low byte is this; -1: none
	bool down;              // driver, between windows
	bool faulty;            // down, or another fault is set
	bool special; // faulty, header_bytes or retry: what is put on other wires pays for none
	bool phased;  // driver, between windows
	bool grown;   // putter: rw; a phased wire's put_slots are not the taker's yet
	bool cut;     // control: one end is at another process (drive/cut.h)
	bool retry;   // control: the link has link-level retry
	uint16_t header_bytes;   // what a cut-through switch at its end needs of a frame; 0: all
	uint32_t published_tail; // putter: rw; of a phased wire, as `published`
};

_Static_assert(sizeof(struct wire) == 128, "a line for each side");

// What `wake` and `due` point to where nobody minds: always 0, so that it is never written.
extern ps_t wire_unwatched;

// `shared`: the two sides are different workers; then `slots` is the fixed capacity. Returns 0,
// -EINVAL when the delay is 0 (nodes would have no lookahead) or slots are past 2^24, or -ENOMEM.
int wire_create(struct wire **out, ps_t delay, bool shared, uint32_t slots);
void wire_destroy(struct wire *w);

// Cold: doubles a wire that is not shared; wire_put() calls it. Returns 0, -ENOBUFS when it is
// shared, or -ENOMEM.
int wire_grow(struct wire *w);

// Gives a shared wire room for more packets, while neither side touches it. Returns 0, -EINVAL when
// there are too many, or -ENOMEM.
int wire_widen(struct wire *w, uint32_t slots);

// Makes an unshared wire phased, or the other way. Between windows.
void wire_set_phased(struct wire *w, bool phased);
// The phased wires that this thread has made grow since the last call, linked by next_grown. At the
// end of its share of a window.
struct wire *wire_take_grown(void);
// Lets the taker of a phased wire that has grown see all of it. Between windows.
void wire_settle(struct wire *w);

// The probability that one of so many bits is wrong: 1 - (1 - b)^bits, in units of 2^-64. Integers
// only, so that every machine has the same.
uint64_t wire_error_probability(uint64_t bit_errors, uint32_t bits);

// After a change of its faults.
static inline void
wire_update_special(struct wire *w)
{
	w->faulty = w->down || w->loss != 0 || w->corrupt != 0 || w->corrupt_payload != 0 ||
		    w->bit_errors != 0 || w->drop_ip_id_low >= 0;
	w->special = w->faulty || w->header_bytes != 0 || w->retry;
}

// True when the far side must take something before more may be put; never for a wire that grows.
static inline bool
wire_full(struct wire *w)
{
	if (likely(w->tail - w->head_seen < w->limit))
		return false;
	w->head_seen = __atomic_load_n(&w->head, __ATOMIC_ACQUIRE);
	return w->tail - w->head_seen >= w->limit;
}

// Puts a packet whose last bit arrives at `arrival`, or when the one before it does, if that is
// later: a link whose delay has just shrunk keeps its order. Returns 0, or -ENOBUFS or -ENOMEM when
// there is no room; then nothing was put.
static inline int
wire_put(struct wire *w, struct rte_mbuf *m, ps_t arrival)
{
	struct wire_slot *slot;

	if (unlikely(w->tail - w->head_seen > w->put_mask)) {
		w->head_seen = __atomic_load_n(&w->head, __ATOMIC_ACQUIRE);
		if (w->tail - w->head_seen > w->put_mask) {
			int rc = wire_grow(w);

			if (rc != 0)
				return rc;
		}
	}
	if (unlikely(arrival < w->last))
		arrival = w->last;
	w->last = arrival;
	slot = &w->put_slots[w->tail & w->put_mask];
	slot->arrival = arrival;
	slot->packet = m;
	w->tail++;
	if (arrival < *w->wake)
		*w->wake = arrival;
	return 0;
}

// Puts a frame of which a cut-through switch has the header at `head` and the last bit at `tail`,
// on a wire with header_bytes. What follows arrives behind its last bit, so a switch receives one
// frame at a time from a wire. Returns as wire_put().
static inline int
wire_put_head(struct wire *w, struct rte_mbuf *m, ps_t head, ps_t tail)
{
	int rc;

	packet_meta(m)->arrived = tail > w->last ? tail : w->last;
	rc = wire_put(w, m, head);
	if (rc == 0 && tail > w->last)
		w->last = tail;
	return rc;
}

// Puts packets that all arrive at one instant, as wire_put() would one by one. Returns how many
// there was room for, from the first on.
static inline uint32_t
wire_put_burst(struct wire *w, struct rte_mbuf **packets, uint32_t count, ps_t arrival)
{
	uint32_t tail = w->tail;

	if (unlikely(tail - w->head_seen + count > w->put_mask + 1)) {
		uint32_t put = 0;

		while (put < count && wire_put(w, packets[put], arrival) == 0)
			put++;
		return put;
	}
	if (unlikely(arrival < w->last))
		arrival = w->last;
	w->last = arrival;
	for (uint32_t i = 0; i < count; i++)
		w->put_slots[(tail + i) & w->put_mask] =
			(struct wire_slot){.arrival = arrival, .packet = packets[i]};
	w->tail = tail + count;
	if (arrival < *w->wake)
		*w->wake = arrival;
	return count;
}

// When the wire is taken from its port: the taker's driver does not visit a node for it any more.
// `wake` of a wire between workers belongs to the one that puts. NULL is fine. The taker.
static inline void
wire_unwatch(struct wire *w)
{
	if (w == NULL)
		return;
	w->due = &wire_unwatched;
	if (w->visible == &w->tail)
		w->wake = &wire_unwatched;
}

// Lets the taker on another worker see what was put.
static inline void
wire_publish(struct wire *w)
{
	__atomic_store_n(&w->published, w->tail, __ATOMIC_RELEASE);
}

// The same of a phased wire, if it is one: at the end of the putting node's turn. What is in a ring
// that the taker does not have arrives after the window, and wire_settle() publishes it.
static inline void
wire_publish_phased(struct wire *w)
{
	if (!w->phased || w->tail == w->published_tail || unlikely(w->grown))
		return;
	w->published_tail = w->tail;
	wire_publish(w);
}

// When the next packet arrives, or PS_NEVER.
static inline ps_t
wire_next(const struct wire *w)
{
	if (w->head == __atomic_load_n(w->visible, __ATOMIC_ACQUIRE))
		return PS_NEVER;
	return w->slots[w->head & w->mask].arrival;
}

// Packets of a wire that are worth looking ahead for: a window seldom takes more.
static inline uint32_t
wire_ahead(const struct wire *w)
{
	uint32_t count = __atomic_load_n(w->visible, __ATOMIC_ACQUIRE) - w->head;

	return count < WIRE_AHEAD_MAX ? count : WIRE_AHEAD_MAX;
}

// Takes the packet whose time wire_next() returned.
static inline struct rte_mbuf *
wire_take(struct wire *w)
{
	struct rte_mbuf *m = w->slots[w->head & w->mask].packet;

	__atomic_store_n(&w->head, w->head + 1, __ATOMIC_RELEASE);
	return m;
}

// Takes the first `count` packets, which the caller has read from the slots.
static inline void
wire_take_burst(struct wire *w, uint32_t count)
{
	__atomic_store_n(&w->head, w->head + count, __ATOMIC_RELEASE);
}

// Brings in the next cache line of slots, behind that of the packet taken next.
static inline void
wire_prefetch(const struct wire *w)
{
	rte_prefetch0(&w->slots[(w->head + 64 / sizeof(struct wire_slot)) & w->mask]);
}

// Packets put and not yet taken, as the taker sees them.
static inline uint32_t
wire_count(const struct wire *w)
{
	return __atomic_load_n(w->visible, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&w->head, __ATOMIC_RELAXED);
}
