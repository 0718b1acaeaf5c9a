// SPDX-License-Identifier: BSD-3-Clause
// A port: where a node ends. Transmit side: eight queues, the scheduler's state, pauses received,
// when the transmitter is free. Receive side: eight priority groups and the PFC they cause. All of
// it is written by the node's worker only.
#pragma once

#include "answer_kind.h"
#include "drop.h"
#include "tables.h"
#include "time.h"
#include "watermark.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>

// A consumer's side of a charge: a priority group's or a queue's.
struct usage {
	uint32_t own;        // cells in neither guarantee nor headroom
	uint32_t guaranteed; // cells under tenants' guarantees
};

// One egress queue. Its depth stands in node->depth, beside those of the other ports: spraying
// compares many ports at once.
struct queue {
	struct rte_mbuf *head;
	struct rte_mbuf *tail;
	struct usage usage;
	uint32_t deficit; // DWRR bytes left in this turn
	uint32_t depth_max;
	uint64_t packets; // sent
	uint64_t bytes;
	uint64_t dropped;
	uint64_t ecn_marked;
} __attribute__((aligned(64)));

// One ingress priority group.
struct priority_group {
	struct usage usage;
	uint32_t headroom; // cells held
	uint32_t used_max;
	uint32_t shared_max;
	uint32_t headroom_max;
	uint64_t packets; // received
	uint64_t bytes;
	uint64_t dropped;
	uint64_t xoff_sent; // XOFFs, refreshes included
	bool xoff;
	uint8_t xoff_priorities; // that the far side must pause for it
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct queue) == 64, "a queue is one cache line");
_Static_assert(sizeof(struct priority_group) == 64, "a group is one cache line");

// An interval that opens and closes, and how long it was open in all; exact, because it sees
// every change.
struct pause_clock {
	ps_t since; // PS_NEVER when closed
	ps_t total;
	ps_t last_start;      // of the last interval; PS_NEVER: there was none
	ps_t last_end;        // of the last one that has ended; PS_NEVER: none has
	uint64_t transitions; // times it opened
};

// The time it was open up to `now`.
static inline ps_t
pause_clock_total(const struct pause_clock *c, ps_t now)
{
	return c->total + (c->since < now ? now - c->since : 0);
}

static inline void
pause_clock_open(struct pause_clock *c, ps_t now)
{
	if (c->since != PS_NEVER)
		return;
	c->since = now;
	c->last_start = now;
	c->transitions++;
}

static inline void
pause_clock_close(struct pause_clock *c, ps_t at)
{
	if (c->since == PS_NEVER)
		return;
	if (at > c->since)
		c->total += at - c->since;
	c->last_end = at;
	c->since = PS_NEVER;
}

// Where the 802.3x pause of the whole link stands behind those of the priorities.
#define PAUSE_LINK PRIORITIES
#define PAUSES (PRIORITIES + 1)

struct tenant_queues;
struct credits;
struct llr;

// What the watchdog knows of a queue; there is none where it was never on.
struct watchdog_queue {
	uint64_t packets; // sent, when it last looked
	ps_t paused;      // time held by pauses until then
	ps_t stuck_since; // PS_NEVER: it is not
	uint64_t storms;
	uint64_t dropped;
	uint64_t dropped_before; // when the last storm began
	bool storm;
};

// What few packets of a queue touch.
struct queue_cold {
	uint16_t latency;  // 1 + the first histogram of its packets' stay; 0: there is none
	ps_t shaped_until; // its maximum rate holds it
	ps_t promised_at;  // its minimum rate is due from here on
	struct tenant_queues *tenants; // where tenants take turns
	uint64_t dropped_bytes;        // of the packets that the queue counts as dropped
	uint64_t ecn_marked_bytes;     // and as marked
	uint64_t red_dropped;
	uint64_t trimmed;        // packets that were trimmed because it was full
	uint64_t trim_sent;      // trimmed packets that left by it
	ps_t last_xoff;          // when a pause of one of its priorities last came
	struct pause_clock held; // by pauses received of whatever priority
	struct watermark_before depth_before;
};

// What few packets of a priority group touch.
struct group_cold {
	struct watermark_before used_before;
	struct watermark_before shared_before;
	struct watermark_before headroom_before;
};

enum port_rx_faults {
	PORT_RX_DOWN = 1 << 0,    // the link is down
	PORT_RX_CORRUPT = 1 << 1, // frames with a wrong FCS may arrive: an event has had frames
				  // corrupted, or a cut-through switch is there; stays set
	PORT_RX_LLR = 1 << 2,     // the link has link-level retry; stays set
};

struct reorder_counters;

struct port {
	// Transmit.
	struct wire *out;                   // NULL: nothing is connected
	ps_t tx_free;                       // when the transmitter is free
	ps_t next_send;                     // when the next departure is due, or PS_NEVER
	const struct port_profile *profile; // of the tables in force
	uint8_t index;
	uint8_t nonempty; // bit per queue
	uint8_t paused;   // bit per queue that received pauses hold
	uint8_t tx_off;   // bit per queue that a user or an event stopped
	uint8_t shaped;   // bit per queue that a rate holds until its shaped_until, or the port's
	uint8_t stormed;  // bit per queue that the watchdog has in a storm and acts on
	uint8_t dwrr_tc;  // whose turn it is
	bool up;
	bool tapped;               // node->tap sees its packets
	uint8_t rated;             // bit per queue whose packets some rate counts
	uint8_t xoffs;             // bit per group in XOFF
	uint8_t rx_faults;         // bits of enum port_rx_faults: why arriving packets are examined
	uint16_t pauses_met;       // bit per priority (and PAUSE_LINK) paused in either direction
	bool gated;                // `credits` or `llr` may hold packets
	struct rte_mbuf *pfc_head; // pause frames waiting for the transmitter, ahead of all queues
	struct rte_mbuf *pfc_tail;
	struct rte_mbuf *pfc_last; // the frame made at pfc_last_at: what changes then joins it;
	ps_t pfc_last_at;          // not to be looked at later, for it may be long gone

	struct credits *credits; // NULL: the link has none
	struct llr *llr;         // link-level retry; NULL: the link has none

	// Receive.
	struct wire *in;

	// Packets and frames.
	uint64_t drops_met; // bit per reason that any packet that came in here was dropped for
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t control_rx; // of them frames that end at the MAC: pauses
	uint64_t control_tx; // of those sent, frames that begin there

	// Of a cut-through switch: the packet that is stored until its last bit arrives, and when
	// that is. It has a next hop and is charged nowhere.
	struct rte_mbuf *partial;
	ps_t partial_until;

	struct queue queues[PRIORITIES];
	struct priority_group groups[PRIORITIES];

	struct queue_cold *queue_cold;   // one a queue
	struct group_cold *group_cold;   // one a group
	struct watchdog_queue *watchdog; // one a queue; NULL: see node->watchdog
	ps_t shaped_until;               // the port's own maximum rate
	uint32_t shared_use[POOL_COUNT]; // cells beyond reserved, where a pool has a port level

	// Pauses received: by priority (and PAUSE_LINK), and by the queue they hold.
	ps_t pause_until[PAUSES];
	ps_t queue_paused_until[PRIORITIES];
	struct pause_clock rx_pause[PAUSES];
	uint64_t pfc_rx[PRIORITIES];
	// Pauses sent.
	ps_t pfc_last_left; // the last bit of pfc_last, while the tap has yet to see it; else 0
	ps_t refresh_at[PRIORITIES]; // by group; PS_NEVER unless XOFF is to be sent again (pfc.c)
	struct pause_clock tx_pause[PAUSES];
	uint64_t pfc_tx[PRIORITIES];
	uint64_t pause_rx; // 802.3x frames
	uint64_t pause_tx;
	uint64_t notices_rx; // congestion notices
	uint64_t notices_tx;
	uint64_t control_lost; // frames that begin at the MAC and were lost as they began to leave
	uint64_t rx_multicast; // frames to a group address, but for those with errors
	uint64_t tx_multicast; // frames of the port itself to a group address
	uint64_t cut_through;  // packets that had their way before their last bit
	uint64_t bad_fcs_forwarded; // of them, those that turned out to have a wrong FCS
	bool partial_stale;         // tables have changed since `partial` got its next hop
	bool link_off;              // by an event of the file; the port is up if neither is set
	bool no_carrier;            // of the device behind it

	uint64_t drops[DROP_COUNT];     // of packets that came in here
	uint64_t answers[ANSWER_COUNT]; // to such packets
	ps_t answer_due; // when the next ICMP would be due at the rate allowed (stages/answer.h)
	// Of an edge NIC's link whose packets are put in order for the host; else NULL.
	const struct reorder_counters *reorder;
} __attribute__((aligned(64)));

_Static_assert(DROP_COUNT <= 64, "a bit for each reason");

static inline void
port_count_drop(struct port *p, enum drop_reason reason)
{
	p->drops[reason]++;
	p->drops_met |= UINT64_C(1) << reason;
}

// What the watchdog knows of a queue, also where it was never on.
static inline const struct watchdog_queue *
port_watchdog(const struct port *p, unsigned int tc)
{
	static const struct watchdog_queue none = {.stuck_since = PS_NEVER};

	return p->watchdog != NULL ? &p->watchdog[tc] : &none;
}

// What node/loop.h reads of a port that another thread may be running is written whole.
static inline void
port_set_nonempty(struct port *p, unsigned int queues)
{
	__atomic_store_n(&p->nonempty, (uint8_t)queues, __ATOMIC_RELAXED);
}

static inline void
queue_set_head(struct queue *q, struct rte_mbuf *m)
{
	__atomic_store_n(&q->head, m, __ATOMIC_RELAXED);
}

// Appends to a queue. The caller accounts for it.
static inline void
queue_push(struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	struct queue *q = &p->queues[tc];

	packet_meta(m)->next = NULL;
	if (q->head == NULL)
		queue_set_head(q, m);
	else
		packet_meta(q->tail)->next = m;
	q->tail = m;
	port_set_nonempty(p, p->nonempty | 1u << tc);
}

// Takes the head of a queue that is not empty.
static inline struct rte_mbuf *
queue_pop(struct port *p, unsigned int tc)
{
	struct queue *q = &p->queues[tc];
	struct rte_mbuf *m = q->head, *next = packet_meta(m)->next;

	queue_set_head(q, next);
	if (next == NULL)
		port_set_nonempty(p, p->nonempty & ~(1u << tc));
	else
		rte_prefetch0(next + 1);
	return m;
}
