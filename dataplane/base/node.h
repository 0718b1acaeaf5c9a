// SPDX-License-Identifier: BSD-3-Clause
// A node: a leaf, a spine or a NIC. It owns its ports, queues, buffer, counters, timers and random
// stream and shares nothing with other nodes but the wires between them. Here is what it holds, and
// how its next events are noted; node/loop.h is the loop that takes them.
//
// Events are found by the least of 32-bit keys, `dt << 10 | kind << 8 | port`, dt being the
// picoseconds since the window began. Their order is the model's: at one instant timers, then
// arrivals, then departures, by port within a kind. Windows are short enough (TIME_WINDOW_MAX) for
// dt to fit 22 bits. Nodes of many ports keep the least keys of every block of them, so that the
// search looks at a quarter of as many.
#pragma once

#include "packet.h"
#include "paths.h"
#include "port.h"
#include "random.h"
#include "spare.h"
#include "tables.h"
#include "time.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct node;
struct nic;
struct edge;
struct node_log;
struct glean;
struct punt;

enum node_role { NODE_LEAF, NODE_SPINE, NODE_SUPER, NODE_NIC };

// What a switch's pipeline can do beside forwarding. New tables choose for the whole node, so that
// packets of a switch that needs neither pay for neither.
enum node_variant {
	NODE_FULL = 1 << 0,        // rates, RED, parts of the buffer, trimming, watchdog, ...
	NODE_TUNNELS = 1 << 1,     // VXLAN and VLANs of tenants, IP-in-IP
	NODE_TENANTS = 1 << 2,     // some packets belong to tenants; with the others always
	NODE_NOTICES = 1 << 3,     // congestion notices are sent; with NODE_FULL they may be, too
	NODE_INFINIBAND = 1 << 4,  // a switch of an InfiniBand fabric, with NODE_TENANTS
	NODE_CUT_THROUGH = 1 << 5, // packets are handled when their header is there
};

enum node_event { NODE_TIMER = 1, NODE_ARRIVAL = 2, NODE_DEPARTURE = 3 };

#define NODE_KEY_NONE UINT32_MAX
#define NODE_KEY_BLOCK 16    // keys: a cache line
#define NODE_NIC_HOT_LINES 4 // cache lines of a struct nic that every packet touches

struct node_ops {
	// Takes everything that happens at the node before `until` and returns when the next thing
	// may happen, there or where it sent something: never later than the truth, PS_NEVER if
	// never. `start` is where the last call ended, or later if nothing happens before; until -
	// start is at most TIME_WINDOW_MAX. Called by the node's worker. node->later is then when
	// something may happen at the node itself, as far as it knows.
	ps_t (*advance)(struct node *node, ps_t start, ps_t until);
	// NULL, or fetches what the first packets due at the node will need; their headers have
	// been fetched.
	void (*fetch)(const struct node *node);
};

// What a capture sees. Set before the node runs, or by the node's worker between two turns, which
// also calls it. Functions may be NULL.
struct node_tap {
	void (*received)(void *context, struct node *node, struct port *port, struct rte_mbuf *m,
			 ps_t at);
	// A packet that counts as received but is about to be dropped as broken on the link.
	void (*refused)(void *context, struct node *node, struct port *port, struct rte_mbuf *m,
			ps_t at);
	// `at`: when its last bit has left.
	void (*sent)(void *context, struct node *node, struct port *port, struct rte_mbuf *m,
		     ps_t at);
	// The packet is still charged nowhere and its metadata is as the dropping stage saw it.
	void (*dropped)(void *context, struct node *node, struct rte_mbuf *m,
			enum drop_reason reason, ps_t at);
	void (*flush)(void *context); // the turn is over
	void *context;
};

// worker: rw; control reads a copy.
struct pool {
	uint32_t used; // cells held, guarantees included (of POOL_HEADROOM: headroom held)
	uint32_t used_max;
	struct watermark_before used_before;
	uint32_t shared_use; // of them beyond every reservation and guarantee
	uint32_t shared_max;
	struct watermark_before shared_before;
	uint32_t xon_below; // with fewer in shared use, some group may send XON (queueing/xon.h)
} __attribute__((aligned(64))); // found by a shift

struct tenant_use {
	uint64_t packets;
	uint64_t bytes;
	uint32_t used; // cells of its packets
	uint32_t used_max;
	struct watermark_before used_before;
	uint64_t dropped;
	uint64_t ecn_marked;
	// Where tenants have parts of the buffer:
	uint32_t guarantee[POOL_COUNT]; // cells held under the guarantee
	uint32_t pool_used[POOL_COUNT]; // all cells of its packets
};

// Packets of one kind that wait in a node's queues. worker: rw; control reads a copy.
struct packet_use {
	uint32_t used;
	uint32_t limit; // from here on the buffer admits no more of them (queueing/packet_memory.h)
	uint32_t used_max;
	struct watermark_before used_before;
};

struct buffer {
	struct pool pools[POOL_COUNT];
	struct packet_use packets[PACKET_KINDS];
	struct tenant_use *tenants;
	uint16_t tenant_count;               // the most that any snapshot had
	uint64_t xoff_ports[PORTS_MAX / 64]; // bit per port with a group in XOFF
};

struct node {
	const struct node_ops *ops;
	struct port *ports;
	// The timer's, then arrivals', then departures'; padded. Of more than one block, the minima
	// of blocks are behind them.
	uint32_t *keys;
	uint32_t departures; // where those begin
	uint32_t key_count;  // of all keys, a multiple of NODE_KEY_BLOCK
	uint16_t port_count;
	uint8_t role;         // enum node_role
	uint8_t variant;      // of a switch's pipeline: bits of enum node_variant
	uint8_t path_inputs;  // bits of enum path_input; 0: depths and pauses are all that count
	bool packets_limited; // in live, as buffer.packets has it; else those are not counted
	// Of a switch: bit per priority group and queue that some packet has met, so that a driver
	// knows which are worth fetching, and a film which it need not read: node_meet(). Worker:
	// rw (relaxed), other threads: ro (relaxed); so are `current` and `start`, and of its
	// ports tx_free, `nonempty` and the queues' heads.
	uint8_t groups_met;
	uint8_t queues_met;
	const uint32_t *generation;   // control: rw (release), worker: ro, once per turn (acquire)
	const struct tables *current; // worker: the snapshot of this turn
	struct packet_pool *packets;
	ps_t start; // of the window
	ps_t until;
	ps_t later;      // the earliest thing known of beyond the window, here
	ps_t timer_at;   // when the next timer is due
	ps_t sent;       // when the first thing sent since the last turn arrives elsewhere
	uint32_t *depth; // cells queued, by [tc * port_count + port]
	uint8_t *held;   // by port: bit per queue that may not send (paused or frozen)
	struct queue_cold *queue_cold; // what few packets touch, by port and queue
	struct group_cold *group_cold;
	struct watchdog_queue *watchdog; // by port and queue; NULL: no tables have had it on
	struct credits *credits;         // by port; NULL: no tables have had them on
	struct llr *llr;                 // by port; NULL: no tables have had it on
	uint16_t *turns;                 // by next-hop group: whose turn it is in mode `spray`
	uint32_t turn_count;
	uint32_t seen; // worker: the generation at which it last checked for tables
	struct random random;
	struct buffer buffer;
	uint64_t (*histograms)[HISTOGRAM_BINS_MAX]; // one of each of tables->histograms
	ps_t *histogram_due;                        // when each takes its next sample
	ps_t pfc_due;         // when the first XOFF is to be sent again, or earlier
	ps_t watchdog_at;     // when the PFC watchdog last checked
	ps_t watchdog_due;    // when it checks next; PS_NEVER: it is off
	ps_t credits_due;     // when the first update of credits is due, or earlier
	ps_t llr_due;         // the same of what link-level retry does
	struct node_log *log; // of a switch
	struct glean *glean;  // of a switch
	struct nic *nic;      // of a NIC node
	const struct node_tap *tap;
	const char *name;
	uint32_t index;    // in the fabric
	ps_t last_sent;    // when a data packet last left
	ps_t *answers_due; // as port->answer_due, by VRF: of what came in by a port of another VRF
	uint32_t answers_due_count;
	const struct answer_source
		*answer_sources;     // control, by request: by port; NULL: the tables'
	uint8_t *port_penalty;       // by port: bits of enum path_penalty
	struct paths paths;          // what few of them choose paths by
	const struct tables *tables; // control: rw (release), worker: ro, in a new generation
	uint32_t own_generation;     // control: rw; of a node that shares none
	struct spares spares;        // memory for new tables
	struct edge *edge;           // of the NIC of an attached host, which has no `nic`
	struct punt *punt;           // of a live switch that speaks LLDP; else NULL
	struct punt *bfd_punt;       // of a live switch that runs BFD sessions; else NULL
};

// Drops a packet that is charged nowhere: counts the reason at the port it came in by and frees it.
void node_drop(struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t now);

// For taps: the bytes in the queue of a packet that is being dropped; 0 if it was dropped before a
// queue was chosen (drop_is_at_queue()).
uint64_t node_drop_depth(const struct node *n, struct rte_mbuf *m, enum drop_reason reason);

// Worker: shows the tap the PFC frame that was held back from it because it could still gain
// priorities.
void node_show_pfc(struct node *n, struct port *p);

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
node_write_key(uint32_t *keys, unsigned int i, uint32_t key)
{
	const node_keys lanes = {0, 1, 2, 3};
	unsigned int lane = i & 3;
	node_keys *four = (node_keys *)__builtin_assume_aligned(&keys[i - lane], 16);
	node_keys chosen = (node_keys)(lanes == (node_keys){lane, lane, lane, lane});

	*four = (*four & ~chosen) | ((node_keys){key, key, key, key} & chosen);
}

static inline uint32_t *
node_minima(const struct node *n)
{
	return n->keys + n->key_count;
}

// Notes the least keys of a block: four of them, each the least of every fourth key.
static inline void
node_note_minima(struct node *n, unsigned int block)
{
	const uint32_t *keys = __builtin_assume_aligned(n->keys + block * NODE_KEY_BLOCK, 64);
	uint32_t *minima = __builtin_assume_aligned(node_minima(n) + block * 4, 16);
	uint32_t least[4];

	for (unsigned int lane = 0; lane < 4; lane++) {
		const uint32_t a = keys[lane] < keys[lane + 4] ? keys[lane] : keys[lane + 4];
		const uint32_t b = keys[lane + 8] < keys[lane + 12] ? keys[lane + 8]
								    : keys[lane + 12];

		least[lane] = a < b ? a : b;
	}
	memcpy(minima, least, sizeof(least));
}

static inline bool
node_has_minima(const struct node *n)
{
	return n->key_count > NODE_KEY_BLOCK;
}

static inline void
node_set_key(struct node *n, unsigned int i, uint32_t key)
{
	node_write_key(n->keys, i, key);
	if (node_has_minima(n))
		node_note_minima(n, i / NODE_KEY_BLOCK);
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
	node_set_key(n, n->departures + p->index, node_key_if_due(n, at, NODE_DEPARTURE, p->index));
}

// A packet is to be charged to this group and wait in such a queue.
static inline void
node_meet(struct node *n, unsigned int pg, unsigned int tc)
{
	if (likely(n->groups_met >> pg & n->queues_met >> tc & 1))
		return;
	__atomic_store_n(&n->groups_met, (uint8_t)(n->groups_met | 1u << pg), __ATOMIC_RELAXED);
	__atomic_store_n(&n->queues_met, (uint8_t)(n->queues_met | 1u << tc), __ATOMIC_RELAXED);
}

// Makes the node's timer due at `at` at the latest.
static inline void
node_arm_timer(struct node *n, ps_t at)
{
	if (at >= n->timer_at)
		return;
	n->timer_at = at;
	node_set_key(n, 0, node_key_if_due(n, at, NODE_TIMER, 0));
}

// Sets the key of a port's next arrival, due at `at`.
static inline void
node_arm_arrival(struct node *n, struct port *p, ps_t at)
{
	node_set_key(n, 1u + p->index, node_key_if_due(n, at, NODE_ARRIVAL, p->index));
}
