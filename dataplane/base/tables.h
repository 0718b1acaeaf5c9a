// SPDX-License-Identifier: BSD-3-Clause
// Everything the control side programs into a node, as one immutable snapshot behind one pointer.
// The control thread builds a snapshot, swaps the pointer, moves the generation and frees the old
// one once no worker can hold it; a worker looks at the generation once per turn (node_publish()).
// Nothing in here is ever written after it was published.
//
// Lengths of buffer are in cells, times in picoseconds, rates as byte times (time.h).
#pragma once

#include "lpm.h"
#include "group_mode.h"
#include "lane_tables.h"
#include "packet.h"
#include "pins.h"
#include "time.h"

#include <stdbool.h>
#include <stdint.h>

#define PRIORITIES 8
#define PORTS_MAX 256
#define TENANT_NONE UINT16_MAX
#define LID_NOWHERE UINT32_MAX
#define LID_OWN (UINT32_MAX - 1) // the switch's own
#define GRADES_MAX 16
#define GROUP_MEMBERS_MAX 256

enum pool_id {
	POOL_INGRESS_LOSSLESS,
	POOL_INGRESS_LOSSY,
	POOL_EGRESS_LOSSLESS,
	POOL_EGRESS_LOSSY,
	POOL_HEADROOM,
	POOL_COUNT,
};

// How much a group or queue may take of its pool: reserved, then up to
// limit = fixed + ((shared size - shared use) << up >> down).
// A power-of-two alpha sets up or down; static and unlimited set fixed (and down 63, which leaves
// nothing of the dynamic term).
struct threshold {
	uint64_t fixed;
	uint32_t reserved;
	uint8_t up;
	uint8_t down;
	uint8_t pool; // enum pool_id
};

#define THRESHOLD_UNLIMITED (UINT64_C(1) << 40)
#define POOL_UNLIMITED (UINT32_C(1) << 31)

// Of POOL_HEADROOM, `shared` is POOL_UNLIMITED unless the groups share one headroom pool. Aligned
// so that its size is 16 bytes: a packet finds its pool by a shift, not a multiplication.
struct __attribute__((aligned(16))) pool_profile {
	uint32_t size;   // POOL_UNLIMITED when it has no end
	uint32_t shared; // size - all reserved - all guarantees
	// The per-port level of a two-level threshold: a port's shared use of the pool is at most
	// the free cells << port_up >> port_down, and what is free to its consumers is what that
	// leaves.
	bool port_level;
	uint8_t port_up;
	uint8_t port_down;
};

struct pg_profile {
	struct threshold threshold;
	uint32_t headroom; // 0 for a lossy group
	uint32_t xon;
	uint32_t xon_offset;
	bool xon_by_offset; // false: xon alone decides
	bool lossless;
	uint8_t pfc_priorities; // bit per priority that its XOFF and XON carry
};

// Marking is at dequeue, on the depth in cells without the packet itself.
struct ecn_profile {
	bool enabled;
	uint32_t min;  // never at or below
	uint32_t max;  // always above
	uint32_t cell; // bytes
	uint64_t min_bytes;
	uint64_t slope; // probability per byte above min, in units of 2^-56
};

// A rate that a queue or port is held to, or promised.
struct rate_profile {
	uint64_t byte_time; // 0: none
	ps_t burst;         // how far what was not used may be made up for: a largest frame's time
};

struct tc_profile {
	struct threshold threshold;
	struct ecn_profile ecn;
	uint32_t quantum; // DWRR bytes a round; 0 when strict
	bool red;         // what is not ECT is dropped where ECT would be marked
	bool fair;        // tenants take turns within the queue (DRR)
	struct rate_profile min_rate;
	struct rate_profile max_rate;
};

// What a packet's DSCP and PCP become on the way out, by its priority.
#define REMARK_LEAVE 0xff
struct remark_profile {
	uint8_t dscp[PRIORITIES];
	uint8_t pcp[PRIORITIES];
};

enum watchdog_action { WATCHDOG_DROP, WATCHDOG_FORWARD, WATCHDOG_ALERT };

struct watchdog_profile {
	bool on;
	uint8_t action; // enum watchdog_action
	bool flush;     // DROP: packets in the queue are dropped too
	bool ingress;   // DROP: packets that arrive by the port with the queue's priorities, too
	ps_t detect;
	ps_t restore;
};

// What ports of one kind share.
struct port_profile {
	struct pg_profile pg[PRIORITIES];
	struct tc_profile tc[PRIORITIES];
	uint64_t byte_time; // 0: as fast as the device takes
	uint32_t preamble;  // bytes before a frame
	uint32_t fcs;       // bytes after it, part of it
	uint32_t gap;       // bytes after which the next may start
	uint32_t mtu;       // largest IP packet
	uint8_t strict;     // bit per traffic class
	uint8_t min_rated;  // bit per traffic class with a minimum rate
	uint8_t max_rated;  // bit per traffic class with a maximum rate
	uint8_t fair;       // bit per traffic class in which tenants take turns
	uint8_t obeyed;     // bit per priority whose received PFC counts
	bool link_pause;    // 802.3x instead of PFC, sent and obeyed
	bool credits;       // instead of pauses: its groups are the receive buffers of lanes
	bool remarks;       // `remark` changes something
	struct remark_profile remark;
	struct rate_profile max_rate; // of the whole port, PFC frames aside
	uint16_t quanta;              // in XOFFs sent
	ps_t refresh;                 // an XOFF is sent again after this long
	ps_t quantum_time;            // 512 bit times: byte_time * 64, in its units
	uint32_t busy_bytes; // sent in UTILISATION_WINDOW above which the link is busy; 0: never
	uint8_t dscp_to_priority[64];
	uint8_t pcp_to_priority[8];
	uint8_t port_priority; // where nothing is trusted or carried
	bool trust_dscp;
	bool trust_pcp;
	bool pcp_first; // of the two, which counts first
	struct watchdog_profile watchdog;
};

struct port_tables {
	const struct port_profile *profile;
	uint8_t mac[6];
	uint16_t vrf;
	uint16_t tenant; // TENANT_NONE
	bool inner;      // a switch of the fabric is behind it: notices are sent and believed here
	bool underlay; // a switch of the fabric is behind it: tunnels and VLANs of tenants end here
	bool edge;     // hosts may be behind it: ARP and neighbour discovery are answered here
	uint16_t pkey; // InfiniBand: the partition of the host behind it, without the membership
		       // bit; 0: any may pass
};

struct next_hop {
	uint8_t mac[6];
	uint16_t port;
};

// A next hop that has a weight stands there as often as its weight says, spread evenly.
struct next_hop_group {
	uint32_t first; // in next_hops; groups may share them
	uint16_t count; // 0: what leads here is dropped; at most GROUP_MEMBERS_MAX
	uint8_t mode;   // enum group_mode
	bool pinned;    // some flows have a path of their own (tables->pins)
	uint32_t encap; // in tunnels->encaps; 0: none
	bool glean;     // count 0: the destination's neighbour is unknown, to be resolved
	uint16_t port;  // of the first next hop, for packets that have no choice: a load less
};

_Static_assert(sizeof(struct next_hop_group) == 16, "a packet finds its group by a shift");

// The encapsulation of a packet between switches: none, the 802.1Q tag of its VRF, or a VXLAN
// header with its VRF's L3VNI.
enum encap_kind { ENCAP_NONE, ENCAP_VLAN, ENCAP_VXLAN };

struct encap {
	uint8_t kind;       // enum encap_kind
	bool pipe;          // VXLAN: the outer DSCP carries the priority alone (RFC 2983)
	uint16_t vid;       // VLAN
	uint16_t mtu;       // VXLAN: of what gets to the far end; UINT16_MAX: any, or not known
	uint32_t vni;       // VXLAN
	uint8_t remote[16]; // VXLAN: the far end, an IPv4 address in the first 4 bytes
	uint8_t mac[6];     // VXLAN: the far router's, the inner destination
};

#define VRF_NONE UINT16_MAX
#define TUNNEL_VIDS 4096

struct tunnel_vni {
	uint32_t vni; // 0: nothing stands here
	uint16_t vrf;
};

// What begins and ends at this switch, and what passes it (stages/tunnel.h). A switch that has this
// looks into what passes it, so that it is sprayed by what is inside.
struct tunnel_tables {
	uint8_t version;   // of the outer IP header, 4 or 6; 0: no VXLAN begins or ends here
	uint8_t local[16]; // this end
	uint8_t mac[6];    // this router's: what comes out of a tunnel is addressed to it
	uint8_t priority_dscp[PRIORITIES]; // of outer headers, for `pipe`
	uint32_t vni_mask;                 // entries of vnis - 1; their number is a power of 2
	// By vni * TUNNEL_HASH >> 8 & mask, then the next free one; at least one is. NULL: none. Of
	// what passes they tell the tenant (of the VRF).
	struct tunnel_vni *vnis;
	uint16_t *vids; // TUNNEL_VIDS VRFs, or VRF_NONE; NULL: no VLAN ends here
	uint32_t encap_count;
	struct encap *encaps; // [0] is ENCAP_NONE
};
#define TUNNEL_HASH UINT32_C(0x9e3779b1)

#define IPIP_ADDRESSES_MAX 16

struct ipip_address {
	uint8_t version;
	uint8_t bytes[16]; // of version 4 the first 4 bytes
};

// IP-in-IP that ends at this switch (stages/ipip.h).
struct ipip_tables {
	uint32_t count;
	struct ipip_address addresses[IPIP_ADDRESSES_MAX];
	bool pipe;        // the packet inside keeps its DSCP
	bool copies_ecn;  // the packet inside gets the outer ECN, not what RFC 6040 says
	bool uniform_ttl; // the packet inside gets the outer TTL
	bool maps_dscp;   // dscp_to_priority counts, for the outer DSCP
	uint8_t dscp_to_priority[64];
	uint8_t priority_to_pg[PRIORITIES];
};

// A host that has left a VRF. Of packets that were admitted before, those from it or to it are
// dropped wherever they are met (stages/stale_tenant.h).
struct stale_host {
	enum encap_kind kind; // how the VRF's packets cross the fabric
	uint32_t id;          // VNI or VLAN
	uint16_t vrf;         // as this switch numbers it; VRF_NONE: it has none
	uint16_t epoch;       // of the first snapshot without it: what is older is dropped
	uint8_t version;      // of the address
	uint8_t address[16];  // of version 4 the first 4 bytes, then zeros
};

struct stale_hosts {
	uint32_t count;
	struct stale_host *hosts; // in the order of stale_host_compare()
};

// What RoCEv2 packets beside the port and the opcode must be like to be sprayed; `narrow` in struct
// tables tells whether there is anything of the kind.
struct eligible_profile {
	uint64_t dscps;       // bit per DSCP
	uint8_t priorities;   // bit per priority
	uint8_t bth_reserved; // bits of the BTH's byte 4 that must all be set; 0: any
};

// Congestion notices between switches (stages/notice.h).
struct notice_profile {
	bool on;
	uint32_t depth; // cells beyond which a queue is congested
	ps_t hold;      // how long a notice counts
};

// The source address of ICMP errors, at a port of a switch that shares its interfaces with Linux.
struct answer_source {
	uint8_t ip4[4];
	uint8_t ip6[16]; // zeros: there is no address
};

// Answers that a switch makes itself (stages/answer.h).
struct answer_profile {
	bool icmp;       // echo requests, and packets that it must drop
	bool arp;        // ARP and neighbour discovery at ports of hosts
	bool proxy;      // also for addresses that are routed to other ports
	bool linux_own;  // the addresses are Linux's, which answers for them and finds neighbours
	ps_t interval;   // between two, of what is limited
	ps_t burst;      // by how much they may come early
	uint8_t ip4[4];  // the switch's own addresses, in every VRF: its loopback's
	uint8_t ip6[16]; // with `linux_own` the file's, else 192.0.0.8 and zeros: nobody's
	uint8_t gateway4[4]; // that of hosts, at their ports
	uint8_t gateway6[16];
	uint8_t (*link_local)[16]; // of each port
};

// Loopbacks of other switches.
struct loopback_routes {
	struct lpm *trie; // to a place in `groups`; NULL: none. As a rule all tables share one
	uint32_t *groups; // LPM_NONE: no route
};

struct vrf {
	struct lpm *ip4; // to an index of groups
	struct lpm *ip6;
	// Apart from the rest: those make for a smaller trie, which every packet of a host passes.
	// What these cover no other route does.
	struct loopback_routes loopbacks4;
	struct loopback_routes loopbacks6;
	uint16_t tenant; // of what comes out of a tunnel or with a tag; TENANT_NONE
	bool pipe;       // what comes out of a tunnel keeps its DSCP
};

struct tenant_profile {
	// By pool: cells set aside, and the share in cells; share_up/share_down serve a share by
	// alpha as in struct threshold. A pool without a share has share POOL_UNLIMITED.
	uint32_t guaranteed[POOL_COUNT];
	struct threshold share[POOL_COUNT];
};

// Packets that their queue has no room for are trimmed to `size` bytes and go to another queue.
struct trim_profile {
	uint16_t size;    // of the frame without FCS; 0: off
	uint8_t dscp;     // what a trimmed packet carries
	uint8_t tc;       // the queue it goes to
	uint8_t eligible; // bit per traffic class whose packets are trimmed
};

enum histogram_kind { HISTOGRAM_QUEUE, HISTOGRAM_GROUP, HISTOGRAM_LATENCY };

#define HISTOGRAM_BINS_MAX 64

// Bin 0 holds what is below `min`, the last what is at or above min + (bins - 2) x width.
struct histogram_profile {
	uint8_t kind; // enum histogram_kind
	uint8_t port;
	uint8_t index;  // priority group or traffic class
	uint8_t bins;   // 3 .. HISTOGRAM_BINS_MAX
	uint64_t min;   // bytes; of HISTOGRAM_LATENCY ps
	uint64_t width; // of a bin but the first and the last
	ps_t sample;    // QUEUE, GROUP: looked at every so often; LATENCY takes every packet
};

// How many packets of a kind (enum packet_kind) may wait in a node's queues; all 0: any number.
struct packet_limit {
	uint32_t own;      // of groups that hold at least `floor` cells, outside headroom
	uint32_t headroom; // of these, in headroom too
	uint32_t most;     // of all groups
	uint32_t resume;   // XONs go out while at most so many wait
	uint32_t floor;
};

// Credits on links (queueing/credits.h): InfiniBand's, or those of Ultra Ethernet (CBFC).
enum credit_kind { CREDIT_INFINIBAND, CREDIT_CBFC };

// What a port grants and is granted, in blocks of tables->cell bytes; by lane.
struct credit_port {
	uint32_t granted[PRIORITIES]; // its receive buffer; 0: the lane is not in use
	uint32_t peer[PRIORITIES];    // what the far end grants at first
	uint32_t update;              // blocks that must have become free for an update
	ps_t resend;                  // an update is sent again after this long
	ps_t spacing;                 // updates keep at least this distance; 0: none
	ps_t sync;                    // CBFC: how often the blocks sent are reported; 0: never
};

struct credit_tables {
	uint8_t kind;                      // enum credit_kind
	uint8_t lanes;                     // bit per lane in use
	uint8_t block_shift;               // a block has 1 << block_shift bytes
	uint32_t most;                     // blocks that may be advertised ahead
	uint32_t mask;                     // of the counters on the wire
	uint8_t queue_to_lane[PRIORITIES]; // which lane a queue sends on
	struct lane_tables arbitration;
	struct credit_port ports[]; // of the node's
};

// Link-level retry (queueing/llr.h): what becomes of new frames while a link starts.
enum llr_action { LLR_ACTION_BEST_EFFORT, LLR_ACTION_BLOCK, LLR_ACTION_DISCARD };

struct llr_port {
	uint32_t limit;  // no frame is begun with more bytes than these unacknowledged
	uint32_t frames; // a power of two: the most that may be unacknowledged
	uint32_t replay_max;
	uint8_t action; // enum llr_action
	ps_t spacing;   // ACKs keep at least this distance
	ps_t timer;     // without progress, frames are sent again after this long
	// What the two follow from when the link's rate or delay changes.
	uint32_t spacing_bytes;
	uint32_t tail_bytes; // on the link before an ACK, at the most; 0: `timer` is given
	ps_t latencies;      // of the far ends of a round trip
};

struct tables {
	uint8_t priority_to_pg[PRIORITIES];
	uint8_t priority_to_tc[PRIORITIES];
	uint8_t tc_priorities[PRIORITIES]; // bit per priority mapped to a queue
	uint32_t cell;                     // bytes
	uint64_t cell_magic; // ceil(2^32 / cell): cells = (bytes + cell - 1) * cell_magic >> 32
	struct pool_profile pools[POOL_COUNT];
	uint32_t grades[GRADES_MAX]; // cells, ascending, padded with UINT32_MAX
	bool eligible_data_only;     // of RoCE packets only those that carry data are sprayed
	bool eligible_narrow;        // eligible_profile counts too
	uint16_t eligible_udp_dport;
	uint32_t hash_seed;
	struct eligible_profile eligible_profile;
	ps_t flowlet_gap;  // idle time that ends a flowlet
	bool flowlets;     // some group chooses by flowlet
	bool utilisation;  // some port's links may be busy
	struct pins *pins; // NULL: none
	struct notice_profile notices;
	struct packet_limit packet_limits[PACKET_KINDS];
	bool cut_through;    // packets are forwarded before their last bit has arrived
	bool tenant_buffers; // some tenant has a guarantee or a share here
	bool port_levels;    // some pool has a per-port level
	bool latency_wanted; // some histogram wants to know how long packets stay
	struct trim_profile trim;
	bool trims; // a switch that packets may have passed trims some: those are routed too
	ps_t watchdog_poll; // 0: the watchdog is off at all ports
	struct answer_profile answers;
	struct tunnel_tables *tunnels; // NULL: nothing is encapsulated here
	struct ipip_tables *ipip;      // NULL: no IP-in-IP ends here
	// NULL: no host has left a VRF recently. Not NULL, even if empty: switches without tunnels
	// stamp epochs too.
	struct stale_hosts *stale_hosts;
	uint16_t epoch; // of what is admitted under this snapshot (packet_meta.epoch); never 0
	struct credit_tables *credits; // NULL: no port has credits
	struct llr_port *llr;          // by port; NULL: no port has link-level retry
	uint16_t histogram_count;
	uint16_t vrf_count;
	uint16_t tenant_count;
	uint16_t port_count;
	uint32_t group_count;
	uint32_t next_hop_count;
	uint32_t profile_count;
	// InfiniBand: by LID an index of groups, or LID_NOWHERE. NULL: an Ethernet fabric.
	uint32_t *lids;
	uint32_t lid_count;
	uint8_t vl_to_pg[PRIORITIES]; // the priority group of what arrives on a VL
	struct vrf *vrfs;
	struct next_hop_group *groups;
	struct next_hop *next_hops;
	struct tenant_profile *tenants;
	struct port_profile *profiles;
	struct port_tables *ports;
	struct histogram_profile *histograms;
};

static inline uint32_t
tables_cells(const struct tables *t, uint32_t bytes)
{
	return (uint32_t)(((uint64_t)(bytes + t->cell - 1) * t->cell_magic) >> 32);
}

// Frees a snapshot that no worker can reach any more. NULL is fine.
void tables_destroy(struct tables *t);
// Its parts.
void tunnel_tables_destroy(struct tunnel_tables *t);
void stale_hosts_destroy(struct stale_hosts *stale);

// The VRF of a VNI, or VRF_NONE.
static inline uint16_t
tunnel_find_vni(const struct tunnel_tables *t, uint32_t vni)
{
	uint32_t i = vni * TUNNEL_HASH >> 8;

	if (t->vnis == NULL)
		return VRF_NONE;
	for (;; i++) {
		const struct tunnel_vni *at = &t->vnis[i & t->vni_mask];

		if (at->vni == vni)
			return at->vni == 0 ? VRF_NONE : at->vrf;
		if (at->vni == 0)
			return VRF_NONE;
	}
}

// True when the two MAC addresses are equal.
static inline bool
mac_equal(const uint8_t *a, const uint8_t *b)
{
	uint32_t a4, b4;
	uint16_t a2, b2;

	__builtin_memcpy(&a4, a, 4);
	__builtin_memcpy(&b4, b, 4);
	__builtin_memcpy(&a2, a + 4, 2);
	__builtin_memcpy(&b2, b + 4, 2);
	return a4 == b4 && a2 == b2;
}
