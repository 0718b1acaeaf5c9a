// SPDX-License-Identifier: BSD-3-Clause
// A packet is a struct rte_mbuf in all paces: element = mbuf (128 B) | metadata (64 B) | data.
// While a packet is in the dataplane its metadata is the truth; the mbuf's own fields are written
// where a packet comes from or goes to a device (device/), so that the first cache line of the mbuf
// stays untouched. In virtual time all of it does, and it has no memory of its own (packet.c).
//
// Packets come from a LIFO of the worker (a hot packet is taken again first). The LIFO's refill and
// spill come from its maker: plain memory that grows in virtual time, a store of fixed size in live
// (device/packet_store.h). In live there are two more kinds of packets, told by their address:
// large ones of the store, and those of the mempool that devices receive into and send from.
#pragma once

#include "time.h"

#include <rte_branch_prediction.h>
#include <rte_mbuf_core.h>
#include <rte_prefetch.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_META_BYTES 64
#define PACKET_FRAME_MIN 60 // without FCS: what a wire pads to (802.3 clause 3)
#define PACKET_FRAME_MAX 16000
#define PACKET_TUNNEL_ROOM 74 // what a tunnel's headers and a tag may add to a frame
#define PACKET_ANSWER_ROOM 48 // what an ICMP error puts before the packet that it quotes

// What of the metadata's encap is no index: the inside's queue pair counts for the entropy of the
// outer header.
#define PACKET_ENCAP_QP (UINT32_C(1) << 31)

enum packet_flags {
	PACKET_IN_GUARANTEE = 1 << 0,  // ingress side charged to its tenant's guarantee
	PACKET_OUT_GUARANTEE = 1 << 1, // egress side too
	PACKET_CHARGED = 1 << 2,       // holds cells of the buffer
	PACKET_ELIGIBLE = 1 << 3,      // may be sprayed
	PACKET_IPV6 = 1 << 4,
	PACKET_ROCE = 1 << 5, // UDP 4791, or InfiniBand, with a whole BTH
	// Payload and ICRC counted in wire_bytes but not written: ICRC is made where bytes are.
	PACKET_NO_PAYLOAD = 1 << 6,
	PACKET_TAGGED = 1 << 7,           // when it came in; l3_off is that of the present frame
	PACKET_TRIMMED = 1 << 8,          // this node trimmed it
	PACKET_TRIMMED_UPSTREAM = 1 << 9, // on its way here: UDP says more than IP has
	// Corrupted on the link that it is on, or on one before a cut-through switch.
	PACKET_BAD_FCS = 1 << 10,
	PACKET_BAD_PAYLOAD = 1 << 11, // corrupted behind the BTH: the FCS is right, the ICRC wrong
	// In VXLAN: l3_off, l4_off and ip_proto are the outer header's, PACKET_ROCE and the opcode
	// those of the packet inside, and so are inner_l3_off and inner_l4_off if they are not 0.
	PACKET_TUNNEL = 1 << 12,
	// Its tunnel ends here: all offsets are of the packet inside, what stands before that
	// packet's Ethernet header goes when it is rewritten.
	PACKET_DECAPPED = 1 << 13,
	PACKET_VLAN = 1 << 14,    // its tag said which VRF it belongs to
	PACKET_RESIZED = 1 << 15, // leaves in other headers than it came in: cells are of those
	// Live: sent to be followed (roce/probe.h). What comes from a device never is.
	PACKET_PROBE = 1 << 16,
	// It came in IP-in-IP that ends here, and is classified by that; with PACKET_DECAPPED until
	// it is rewritten.
	PACKET_IPIP = 1 << 17,
	PACKET_INFINIBAND = 1 << 18, // begins with an LRH (base/ib_headers.h)
	// On a link with retry: it has a sequence number, the one that the far end expects.
	PACKET_RETRIED = 1 << 19,
	// What parsing leaves as it came.
	PACKET_ENDURING = PACKET_NO_PAYLOAD | PACKET_BAD_FCS | PACKET_BAD_PAYLOAD | PACKET_PROBE |
			  PACKET_INFINIBAND,
};

// What packet_meta.lane says of a packet on a link with credits.
enum packet_lane {
	PACKET_LANE_NONE = 0,     // it takes no credit: a frame of the port itself
	PACKET_LANE_FIRST = 1,    // lane 0; 1 more for each lane
	PACKET_LANE_LLR = 253,    // no packet, but what link-level retry says (queueing/llr_link.c)
	PACKET_LANE_UPDATE = 254, // it carries credits, as a link packet or ordered set
	PACKET_LANE_SYNC = 255,   // it carries counts of blocks, as a frame
};

// Per-packet state, in the mbuf's private area. Written and read by the worker that holds the
// packet.
struct packet_meta {
	struct rte_mbuf *next; // in a queue
	uint32_t wire_bytes;   // the frame without FCS, as a wire carries it (padded, with payload)
	uint32_t cells;        // ceil(wire_bytes / cell) at the node that holds it
	uint16_t data_off;     // of the frame's first byte, from the end of the metadata
	uint16_t data_len;     // bytes really there: headers only where payload is not materialised
	uint32_t flags;        // enum packet_flags; a 16-bit constant costs the decoder 3 cycles
	uint8_t in_port;
	uint8_t out_port;
	uint8_t priority;
	uint8_t pg; // priority group it is charged to
	uint8_t tc; // traffic class: the queue it is charged to
	uint8_t l3_off;
	uint8_t l4_off;
	uint8_t ip_proto; // of the header at l4_off; 0 in a fragment and where not looked for
	uint8_t dscp;     // as it came in; of a tunnel that ends here, the one that counts
	uint8_t pcp;      // the same, when PACKET_TAGGED
	uint8_t opcode;   // BTH, when PACKET_ROCE
	uint8_t ecn;
	uint16_t vrf;
	uint16_t tenant; // TENANT_NONE where it is not known
	uint16_t epoch; // tables->epoch of the leaf that admitted it to the fabric; 0: none did yet
	uint8_t inner_l3_off; // with PACKET_TUNNEL: of the IP header inside; 0: none is known
	uint8_t inner_l4_off; // the same of UDP after it
	uint32_t encap; // with NODE_TUNNELS: the encapsulation that it leaves in, PACKET_ENCAP_QP
	uint32_t group; // next-hop group, then next hop
	uint8_t outer_dscp; // with PACKET_IPIP, as they came in: a change of tables may ask for the
	uint8_t inner_dscp; // one that did not count
	uint8_t lane;       // on a link with credits: PACKET_LANE_*
	// When it was admitted, of what waits; on a wire into a cut-through switch, when its last
	// bit arrives there.
	ps_t arrived;
};

_Static_assert(sizeof(struct packet_meta) <= PACKET_META_BYTES, "metadata fits the private area");

// Where a packet's memory comes from.
enum packet_kind {
	PACKET_SMALL,     // the stack of the pool: headers, or a short frame
	PACKET_LARGE,     // live: a frame that a device received and that was copied
	PACKET_OF_DEVICE, // live: a mempool
	PACKET_KINDS,
};

// A LIFO of free packets, one per worker.
struct packet_pool {
	struct rte_mbuf **stack; // worker: rw
	uint32_t count;
	uint32_t capacity;
	// Small packets are those less than small_bytes from base, large ones the others that are
	// less than store_bytes from it. In virtual time all are small.
	uintptr_t base;
	uintptr_t small_bytes;
	uintptr_t store_bytes;
	uint32_t data_room;  // bytes a small packet can hold
	uint32_t large_room; // bytes a packet of the other kinds can hold
	// Cold: puts at least one packet on the stack (0) or reports -ENOMEM.
	int (*refill)(struct packet_pool *pool);
	// Cold: the stack is full; takes some of it away.
	void (*spill)(struct packet_pool *pool);
	// Cold: a large packet, or NULL when memory has run out. NULL in virtual time.
	struct rte_mbuf *(*alloc_large)(struct packet_pool *pool);
	// Frees a packet that is not small.
	void (*free_other)(struct packet_pool *pool, struct rte_mbuf *m);
	void *owner;
};

static inline struct packet_meta *
packet_meta(struct rte_mbuf *m)
{
	return (struct packet_meta *)(m + 1);
}

static inline uint8_t *
packet_data(struct rte_mbuf *m)
{
	return (uint8_t *)(m + 1) + PACKET_META_BYTES + packet_meta(m)->data_off;
}

// Which enum packet_kind a packet is.
static inline unsigned int
packet_kind(const struct packet_pool *pool, const struct rte_mbuf *m)
{
	uintptr_t offset = (uintptr_t)m - pool->base;

	return (unsigned int)(offset >= pool->small_bytes) +
	       (unsigned int)(offset >= pool->store_bytes);
}

// Bytes of data that a packet can hold.
static inline uint32_t
packet_room(const struct packet_pool *pool, const struct rte_mbuf *m)
{
	return packet_kind(pool, m) == PACKET_SMALL ? pool->data_room : pool->large_room;
}

// Brings in what a node will read first: metadata and headers.
static inline void
packet_prefetch(struct rte_mbuf *m)
{
	rte_prefetch0(m + 1);
	rte_prefetch0((uint8_t *)(m + 1) + PACKET_META_BYTES);
}

// A small packet with undefined contents, or NULL when memory has run out.
static inline struct rte_mbuf *
packet_alloc(struct packet_pool *pool)
{
	if (unlikely(pool->count == 0) && pool->refill(pool) != 0)
		return NULL;
	return pool->stack[--pool->count];
}

// Cold: a packet with room for so many bytes of data, or NULL.
static inline struct rte_mbuf *
packet_alloc_bytes(struct packet_pool *pool, uint32_t bytes)
{
	if (bytes <= pool->data_room)
		return packet_alloc(pool);
	return pool->alloc_large != NULL && bytes <= pool->large_room ? pool->alloc_large(pool)
								      : NULL;
}

static inline void
packet_free(struct packet_pool *pool, struct rte_mbuf *m)
{
	if (unlikely((uintptr_t)m - pool->base >= pool->small_bytes)) {
		pool->free_other(pool, m);
		return;
	}
	if (unlikely(pool->count == pool->capacity))
		pool->spill(pool);
	pool->stack[pool->count++] = m;
}

// Makes a pool on plain memory that grows as it needs to; for virtual time, no EAL.
// `data_room`: bytes of data a packet holds. Returns 0 or -ENOMEM.
int packet_pool_create(struct packet_pool **out, uint32_t data_room);

// Returns all of the pool's memory; its packets are gone. NULL is fine.
void packet_pool_destroy(struct packet_pool *pool);

// Whether a pool, wire or NIC of virtual time has lacked memory since packet_pool_create(): packets
// were lost or late for that, and what a fabric does from then on is not what its file says. Any
// thread.
bool packet_memory_lacked(void);
void packet_memory_note_lack(void);

// Packets that the pool has made so far (their memory is packet_pool_bytes()).
uint64_t packet_pool_size(const struct packet_pool *pool);
uint64_t packet_pool_bytes(const struct packet_pool *pool);

// Fills in a packet that came from outside with `len` bytes already at its data offset.
static inline void
packet_init_frame(struct rte_mbuf *m, uint16_t data_off, uint16_t len)
{
	struct packet_meta *meta = packet_meta(m);

	meta->data_off = data_off;
	meta->data_len = len;
	meta->wire_bytes = len < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : len;
	meta->flags = 0;
	meta->epoch = 0;
	meta->lane = PACKET_LANE_NONE;
	meta->l3_off = 14; // of frames that are not parsed: pauses
}

// The same of an InfiniBand packet, which ends with its ICRC and is never padded.
static inline void
packet_init_infiniband(struct rte_mbuf *m, uint16_t data_off, uint16_t len)
{
	packet_init_frame(m, data_off, len);
	packet_meta(m)->wire_bytes = len;
	packet_meta(m)->flags = PACKET_INFINIBAND;
	packet_meta(m)->l3_off = 0;
}
