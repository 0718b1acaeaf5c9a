// SPDX-License-Identifier: BSD-3-Clause
// A node: a leaf, a spine or a NIC. It owns its ports, queues, buffer, counters, timers and random
// stream and shares nothing with other nodes but the wires between them.
//
// node_run() is the event loop, as an always-inline template: each pipeline instantiates it with
// its own ingress, departure and timer functions and fills the node's ops, through which a driver
// of time calls it.
//
// Events are found by the least of 32-bit keys, `dt << 10 | kind << 8 | port`, dt being the
// picoseconds since the window began. Their order is the model's, at one instant timers, then
// arrivals, then departures, by port within a kind; what the file orders for an instant is applied
// by the driver before it. Windows are short enough (TIME_WINDOW_MAX) for dt to fit 22 bits.
#pragma once

#include "packet.h"
#include "paths.h"
#include "port.h"
#include "random.h"
#include "tables.h"
#include "time.h"

#include <stdbool.h>
#include <stdint.h>

struct node;
struct nic;
struct node_log;
struct glean;

enum node_role { NODE_LEAF, NODE_SPINE, NODE_SUPER, NODE_NIC };

enum node_event { NODE_TIMER = 1, NODE_ARRIVAL = 2, NODE_DEPARTURE = 3 };

#define NODE_KEY_NONE UINT32_MAX
#define NODE_AHEAD_MAX 4
#define NODE_NIC_HOT_LINES 4 // cache lines of a struct nic that every packet touches

struct node_ops {
	// Takes everything that happens at the node before `until` and returns when the next thing
	// may happen, there or where it sent something: never later than the truth, PS_NEVER if
	// never. `start` is where the last call ended, or later if nothing happens before; until -
	// start is at most TIME_WINDOW_MAX. Called by the node's worker.
	ps_t (*advance)(struct node *node, ps_t start, ps_t until);
	// NULL, or fetches what the first packets due at the node will need; their headers have
	// been fetched.
	void (*fetch)(const struct node *node);
};

// What a capture sees. Set by the control side before the node runs; called by the node's worker,
// so only in virtual time.
struct node_tap {
	void (*received)(void *context, struct node *node, struct port *port, struct rte_mbuf *m,
			 ps_t at);
	// `at`: when its last bit has left.
	void (*sent)(void *context, struct node *node, struct port *port, struct rte_mbuf *m,
		     ps_t at);
	// The packet is still charged nowhere and its metadata is as the dropping stage saw it.
	void (*dropped)(void *context, struct node *node, struct rte_mbuf *m,
			enum drop_reason reason, ps_t at);
	void *context;
};

struct node {
	const struct node_ops *ops;
	struct port *ports;
	uint32_t *keys;      // the timer's, then arrivals', then departures'; padded
	uint32_t departures; // where those begin
	uint32_t key_count;  // of all keys, a multiple of 4
	uint16_t port_count;
	uint8_t role;       // enum node_role
	bool whole;         // which variant of a switch's pipeline its tables ask for: the whole
	bool tunnels;       // or not, with tunnels or without
	uint8_t looks;      // bits of enum path_looks; 0: depths and pauses are all that count
	const uint32_t *generation;   // control: rw (release), worker: ro, once per turn (acquire)
	const struct tables *current; // worker: the snapshot of this turn
	struct packet_pool *packets;
	ps_t start;         // of the window
	ps_t until;
	ps_t later;         // the earliest thing known of beyond the window
	ps_t timer_at;      // when the next timer is due
	uint32_t *depth;    // cells queued, by [tc * port_count + port]
	uint8_t *held;      // by port: bit per queue that may not send (paused or frozen)
	struct queue_more *queue_more; // what few packets touch, by port and queue
	struct group_more *group_more;
	uint16_t *turns;    // by next-hop group: whose turn it is in mode `spray`
	uint32_t turn_count;
	uint32_t seen;      // worker: the generation that it has last looked for tables at
	struct random random;
	struct buffer buffer;
	uint64_t (*histograms)[HISTOGRAM_BINS_MAX]; // one of each of tables->histograms
	ps_t *histogram_due;                        // when each takes its next sample
	ps_t pfc_due;       // when the first XOFF is to be sent again, or earlier
	ps_t watchdog_at;   // when the PFC watchdog last looked
	ps_t watchdog_due;  // when it looks next; PS_NEVER: it is off
	struct node_log *log; // of a switch
	struct glean *glean;  // of a switch
	struct nic *nic;    // of a NIC node
	const struct node_tap *tap;
	const char *name;
	uint32_t index;     // in the fabric
	ps_t last_move;     // when a data packet last left
	uint8_t *worse;     // by port: bits of enum path_worse
	struct paths paths; // what few of them choose paths by
	const struct tables *tables; // control: rw (release), worker: ro, in a new generation
	uint32_t own_generation;     // control: rw; of a node that shares none
};

// Makes a node of `ports` unconnected ports, without tables. `seed`: the fabric's; the random
// stream is the node's own by `index`. Returns 0, -EINVAL for more than PORTS_MAX ports, or
// -ENOMEM.
int node_create(struct node **out, enum node_role role, uint16_t ports, uint32_t index,
		uint64_t seed, struct packet_pool *packets);

// Frees the node and the packets that it holds. Its wires and tables are not its own. NULL is fine.
void node_destroy(struct node *n);

// Leaves a snapshot for the node and returns the one before. A node on its own takes it over when
// it next opens a turn. Nodes that share a generation do so when that has moved, however many have
// been left theirs by then: no turn that begins after node_publish() is one by older tables, and
// none that begins before is one by newer. Between a publication and the next time that snapshots
// are left, each node must have taken over its own (node_take_tables()). Control thread.
const struct tables *node_set_tables(struct node *n, const struct tables *t);

// Has a node look for tables when `generation`, which outlives it, moves. Before it first runs.
void node_share_generation(struct node *n, const uint32_t *generation);

// Puts what has been left for the nodes of a generation in force, at all of them at once. Control
// thread.
void node_publish(uint32_t *generation);

// Worker, between turns: takes over tables that have been put in force since its last turn. What
// they make due begins at `now`.
void node_take_tables(struct node *n, ps_t now);

// Worker: takes over a snapshot that node_set_tables() left, at the instant node->start. Packets
// stay or go to the queues that new maps give their like; what they count for follows the new
// thresholds, pauses the new maps, and groups that may send XON by them do. Cold.
void node_adopt_tables(struct node *n, const struct tables *t);

// Worker, between turns: freezes or frees queues (bit per queue) at `now`.
void node_set_tx_off(struct node *n, struct port *p, uint8_t queues, ps_t now);

// Worker, between turns: the port's link went down or came up at `now`. Pauses received end with a
// link; what arrives by a dead one, and what queues still hold for it, is lost (the caller sets
// wire->down); XOFFs in force are told anew to one that comes up.
void node_set_link(struct node *n, struct port *p, bool up, ps_t now);

// Drops a packet that is charged nowhere: counts the reason at the port it came in by and frees it.
void node_drop(struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t now);

// Worker: shows the tap the PFC frame that was held back from it because it could still gain
// priorities.
void node_show_pfc(struct node *n, struct port *p);

// Worker: hands the tap what it has not seen yet of this turn.
void node_flush_tap(struct node *n);

// Packets in the node's queues.
uint64_t node_queued(const struct node *n);

static inline uint32_t *
node_depth(struct node *n, const struct port *p, unsigned int tc)
{
	return &n->depth[tc * n->port_count + p->index];
}

static inline uint32_t
node_key(const struct node *n, ps_t at, enum node_event kind, unsigned int port)
{
	ps_t dt = at > n->start ? at - n->start : 0;

	return (uint32_t)(dt << 10) | (uint32_t)kind << 8 | port;
}

static inline void
node_note_later(struct node *n, ps_t at)
{
	n->later = time_min(n->later, at);
}

typedef uint32_t node_keys __attribute__((vector_size(16), may_alias));

// Sets a key by writing all four that it stands among: the scan loads them at once, and a load of
// which a smaller store has just written a part waits until that store and all before it are over.
static inline void
node_set_key(uint32_t *keys, unsigned int i, uint32_t key)
{
	const node_keys lanes = {0, 1, 2, 3};
	unsigned int lane = i & 3;
	node_keys *four = (node_keys *)__builtin_assume_aligned(&keys[i - lane], 16);
	node_keys chosen = (node_keys)(lanes == (node_keys){lane, lane, lane, lane});

	*four = (*four & ~chosen) | ((node_keys){key, key, key, key} & chosen);
}

// The key of an event due at `at`; one that is due later is noted.
static inline uint32_t
node_key_if_due(struct node *n, ps_t at, enum node_event kind, unsigned int port)
{
	if (at < n->until)
		return node_key(n, at, kind, port);
	node_note_later(n, at);
	return NODE_KEY_NONE;
}

// Sets when a port's next departure is due.
static inline void
node_arm_send(struct node *n, struct port *p, ps_t at)
{
	p->next_send = at;
	node_set_key(n->keys, n->departures + p->index,
		     node_key_if_due(n, at, NODE_DEPARTURE, p->index));
}

// Makes the node's timer due at `at` at the latest.
static inline void
node_arm_timer(struct node *n, ps_t at)
{
	if (at >= n->timer_at)
		return;
	n->timer_at = at;
	node_set_key(n->keys, 0, node_key_if_due(n, at, NODE_TIMER, 0));
}

// Sets the key of a port's next arrival, due at `at`.
static inline void
node_arm_arrival(struct node *n, struct port *p, ps_t at)
{
	node_set_key(n->keys, 1u + p->index, node_key_if_due(n, at, NODE_ARRIVAL, p->index));
}

// What a driver may do for nodes that it is about to run, in this order and some time apart.
static inline void
node_prefetch(const struct node *n)
{
	rte_prefetch0(n);
	rte_prefetch0((const char *)n + 64);
	rte_prefetch0((const char *)n + 128);
}

static inline void
node_prefetch_ports(const struct node *n)
{
	for (uint32_t i = 0; i < n->key_count; i += 16)
		rte_prefetch0(&n->keys[i]);
	for (unsigned int i = 0; i < n->port_count; i++) {
		rte_prefetch0(&n->ports[i]);
		rte_prefetch0((const char *)&n->ports[i] + 64);
	}
	if (n->role == NODE_NIC)
		for (unsigned int line = 0; line < NODE_NIC_HOT_LINES; line++)
			rte_prefetch0((const char *)n->nic + 64 * line);
}

static inline void
node_prefetch_wires(const struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		rte_prefetch0(p->in);
		rte_prefetch0((const char *)p->in + 64);
		rte_prefetch0(p->out);
		rte_prefetch0((const char *)p->out + 64);
	}
}

static inline void
node_prefetch_slots(const struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct wire *w = n->ports[i].in;

		if (w != NULL)
			rte_prefetch0(&w->slots[w->head & w->mask]);
	}
}

// Packets of a wire that are worth looking ahead for: a window seldom takes more.
static inline uint32_t
node_ahead(const struct wire *w)
{
	uint32_t count = w->tail - w->head;

	return count < NODE_AHEAD_MAX ? count : NODE_AHEAD_MAX;
}

// Of a NIC: its first packets meet queue pairs that nothing else would fetch.
static inline void
node_prefetch_packets(const struct node *n)
{
	if (n->role != NODE_NIC)
		return;
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct wire *w = n->ports[i].in;

		for (uint32_t k = 0; w != NULL && k < node_ahead(w); k++)
			packet_prefetch(w->slots[(w->head + k) & w->mask].packet);
	}
}

static inline void
node_prefetch_more(const struct node *n)
{
	if (n->ops->fetch != NULL)
		n->ops->fetch(n);
}

// When the next packet arrives at a port; fetches it.
static inline ps_t
node_next_arrival(const struct port *p)
{
	ps_t at = p->in == NULL ? PS_NEVER : wire_next(p->in);

	if (at != PS_NEVER)
		packet_prefetch(p->in->slots[p->in->head & p->in->mask].packet);
	return at;
}

// Opens a turn: takes over new tables.
static inline void
node_open(struct node *n, ps_t start, ps_t until)
{
	n->start = start;
	n->until = until;
	n->later = PS_NEVER;
	if (unlikely(__atomic_load_n(n->generation, __ATOMIC_ACQUIRE) != n->seen))
		node_take_tables(n, start);
}

// Reads each port's next events into keys.
static inline void
node_read_keys(struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		node_arm_arrival(n, p, node_next_arrival(p));
		node_arm_send(n, p, p->next_send);
	}
	node_set_key(n->keys, 0, node_key_if_due(n, n->timer_at, NODE_TIMER, 0));
}

// The pipeline's three functions.
//
// Ingress takes one packet through its stages and returns the verdict of the last one that saw it:
// a drop reason, or below 0 when the packet has gone on or was consumed (stages/stage.h).
typedef int node_ingress_fn(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);
// A departure: the port's transmitter may be free.
typedef void node_port_fn(struct node *n, struct port *p, ps_t now);
// Handles all timers due at `now` and returns when the next is due.
typedef ps_t node_timer_fn(struct node *n, ps_t now);

// Takes what arrives at a port at `now`, packet by packet: their keys are equal, so they follow one
// another in any case, and a burst from a device costs one look for the next event.
static __rte_always_inline void
node_arrive(struct node *n, struct port *p, ps_t now, node_ingress_fn *ingress)
{
	ps_t next;

	// Until a timer has become due: that goes first.
	do {
		struct rte_mbuf *m = wire_take(p->in);
		int verdict;

		next = wire_next(p->in);
		if (next != PS_NEVER)
			packet_prefetch(p->in->slots[p->in->head & p->in->mask].packet);
		verdict = ingress(n, p, m, now);
		if (unlikely(verdict >= 0))
			node_drop(n, m, (enum drop_reason)verdict, now);
	} while (unlikely(next == now) && n->timer_at > now);
	node_arm_arrival(n, p, next);
}

static __rte_always_inline uint32_t
node_least_key(const struct node *n)
{
	const uint32_t *keys = __builtin_assume_aligned(n->keys, 64);
	uint32_t least = keys[0];

	if (n->port_count == 1) { // a NIC: its timer, arrival and departure
		least = keys[1] < least ? keys[1] : least;
		return keys[2] < least ? keys[2] : least;
	}
	for (uint32_t i = 0; i < n->key_count; i++)
		least = keys[i] < least ? keys[i] : least;
	return least;
}

// The loop of node_ops.advance, in a turn that node_open() has opened.
static __rte_always_inline ps_t
node_run(struct node *n, node_ingress_fn *ingress, node_port_fn *send, node_timer_fn *timer)
{
	const ps_t start = n->start;
	uint32_t key;

	node_read_keys(n);
	while ((key = node_least_key(n)) != NODE_KEY_NONE) {
		ps_t now = start + (key >> 10);
		struct port *p = &n->ports[key & 0xff];

		switch (key >> 8 & 3) {
		case NODE_ARRIVAL:
			node_arrive(n, p, now, ingress);
			break;
		case NODE_DEPARTURE:
			send(n, p, now);
			break;
		default:
			node_set_key(n->keys, 0, NODE_KEY_NONE);
			n->timer_at = PS_NEVER;
			node_arm_timer(n, timer(n, now));
			break;
		}
	}
	if (unlikely(n->tap != NULL))
		node_flush_tap(n);
	return n->later;
}
