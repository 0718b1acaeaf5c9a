// SPDX-License-Identifier: BSD-3-Clause
// One switch's settings, merged.
#pragma once

#include "config_values.h"

#include "dataplane/base/group_mode.h"
#include "dataplane/base/lane_tables.h"

enum config_preset {
	CONFIG_PRESET_NONE,
	CONFIG_PRESET_SPECTRUM_X,
	CONFIG_PRESET_SONIC,
	CONFIG_PRESET_LOSSY,
	CONFIG_PRESET_INFINIBAND,
	CONFIG_PRESET_UEC,
	CONFIG_PRESET_MRC,
};

enum config_pool {
	CONFIG_POOL_INGRESS_LOSSLESS,
	CONFIG_POOL_INGRESS_LOSSY,
	CONFIG_POOL_EGRESS_LOSSLESS,
	CONFIG_POOL_EGRESS_LOSSY,
	CONFIG_POOLS,
	CONFIG_POOL_AUTO = CONFIG_POOLS, // only before merging is finished
};

enum config_trust { CONFIG_TRUST_DSCP, CONFIG_TRUST_PCP };

struct config_group { // a priority group
	bool lossless;
	enum config_pool pool;
	uint64_t reserved_bytes;
	struct config_limit limit;
	struct config_amount headroom; // AUTO or BYTES
	uint64_t xon_bytes;
	struct config_amount xon_offset; // BYTES or NONE
	unsigned set; // of one port: its own keys, a bit each in the order of the schema
};

enum config_scheduler { CONFIG_SCHEDULER_DWRR, CONFIG_SCHEDULER_STRICT };

struct config_ecn {
	bool on;
	uint64_t min_bytes, max_bytes;
	uint32_t probability_ppm;
};

struct config_class { // a traffic class, one queue of each port
	enum config_scheduler scheduler;
	uint32_t weight;
	enum config_pool pool;
	uint64_t reserved_bytes;
	struct config_limit limit;
	struct config_ecn ecn;
	bool red;
	bool tenant_fairness;  // tenants take turns within the queue
	uint64_t min_rate_bps; // 0: none
	uint64_t max_rate_bps; // 0: none
	unsigned set;          // of one port: its own keys, a bit each in the order of the schema
};

// Remarking on the way out: by priority, the new value, or -1 to leave it.
struct config_remark {
	int8_t dscp[CONFIG_PRIORITIES];
	int8_t pcp[CONFIG_PRIORITIES];
};

enum config_watchdog_action {
	CONFIG_WATCHDOG_DROP,
	CONFIG_WATCHDOG_FORWARD,
	CONFIG_WATCHDOG_ALERT
};

struct config_watchdog {
	bool on;
	uint64_t poll_ps;
	uint64_t detect_ps;  // robustness x poll where that was written
	uint32_t robustness; // polls; 0: detect was written as a time
	uint64_t restore_ps;
	enum config_watchdog_action action;
	bool flush;   // drop: what waits in the queue goes too
	bool ingress; // drop: what comes in by the port with the queue's priorities goes too
	unsigned set; // of one port: its own keys, a bit each in the order of the schema
};

// What one port does otherwise than `qos` says for all: the fields whose bit is set in `set`.
enum config_port_qos_set {
	CONFIG_PORT_QOS_TRUST = 1 << 0,
	CONFIG_PORT_QOS_PRIORITY = 1 << 1,
	CONFIG_PORT_QOS_DSCP = 1 << 2,
	CONFIG_PORT_QOS_PCP = 1 << 3,
	CONFIG_PORT_QOS_REMARK = 1 << 4,
	CONFIG_PORT_QOS_MAX_RATE = 1 << 5,
	CONFIG_PORT_QOS_CLASSES = 1 << 6,
	CONFIG_PORT_QOS_PFC = 1 << 7,
	CONFIG_PORT_QOS_GROUPS = 1 << 8,
	CONFIG_PORT_QOS_WATCHDOG = 1 << 9,
};

struct config_port_qos {
	struct config_name name; // "swp3"
	unsigned number;         // 3
	unsigned set;            // bits of enum config_port_qos_set
	unsigned trust_count;
	enum config_trust trust[2];
	uint8_t port_priority;
	uint8_t dscp_to_priority[CONFIG_DSCPS];     // complete
	uint8_t pcp_to_priority[CONFIG_PRIORITIES]; // complete
	struct config_remark remark;
	uint64_t max_rate_bps;                          // 0: none
	struct config_class classes[CONFIG_PRIORITIES]; // complete
	uint8_t pfc_priorities;
	struct config_group groups[CONFIG_PRIORITIES]; // complete
	struct config_watchdog watchdog;               // complete
	struct config_listed dscp_listed, pcp_listed;
};

struct config_trim {
	bool on;
	uint32_t size_bytes;
	uint8_t dscp;
	uint8_t tc;          // the queue that trimmed packets go to
	uint8_t eligible_tc; // bit n: class n
};

enum config_histogram_kind {
	CONFIG_HISTOGRAM_QUEUE,
	CONFIG_HISTOGRAM_GROUP,
	CONFIG_HISTOGRAM_LATENCY
};

struct config_histogram {
	enum config_histogram_kind kind;
	struct config_name where; // "swp1.3": port and traffic class (or priority group)
	unsigned port_number;
	unsigned index;
	uint64_t min;  // bytes; of LATENCY ps
	uint64_t size; // the same
	uint32_t bins;
	uint64_t sample_ps;
	struct diag_pos pos;
};

enum config_flow_control {
	CONFIG_FLOW_CONTROL_PFC,
	CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC,
	CONFIG_FLOW_CONTROL_PAUSE,
	CONFIG_FLOW_CONTROL_CREDIT, // InfiniBand's
	CONFIG_FLOW_CONTROL_CBFC,   // Ultra Ethernet's credits
	CONFIG_FLOW_CONTROL_NONE,
};

// A table by which lanes take turns: entries of a lane and a weight in units of 64 B.
struct config_lane_table {
	uint8_t count;
	uint8_t lanes[LANE_ENTRIES_MAX];
	uint8_t weights[LANE_ENTRIES_MAX];
};

struct config_credit {
	struct config_amount buffer; // AUTO or BYTES: of each lane at each port
	uint64_t update_bytes;       // that must have become free for an update
	bool resend_auto;
	uint64_t resend_ps;
	uint64_t spacing_bytes; // CBFC: between two updates
	uint64_t sync_ps;       // CBFC: between two reports of what was sent
	struct config_lane_table high, low;
	bool limit_unlimited;
	uint32_t limit; // of the high table, in units of 4096 B
};

// What becomes of new frames while link-level retry begins.
enum config_llr_action {
	CONFIG_LLR_BEST_EFFORT, // they go without retry
	CONFIG_LLR_BLOCK,
	CONFIG_LLR_DISCARD,
};

struct config_llr {
	bool on;
	struct config_amount buffer; // AUTO or BYTES: what may be unacknowledged
	uint64_t spacing_bytes;      // between two ACKs
	uint32_t replay_max;
	bool timer_auto;
	uint64_t timer_ps;
	enum config_llr_action action;
};

enum config_opcodes { CONFIG_OPCODES_DATA, CONFIG_OPCODES_ALL };

enum config_weights { CONFIG_WEIGHTS_EQUAL, CONFIG_WEIGHTS_CAPACITY };

// Packets from `src` to `dst` go by `via`, where that is a way.
struct config_pin {
	struct config_name src; // a host, a host's port, a leaf (all its hosts), or an address
	struct config_name dst;
	struct config_name via; // a neighbour, or a port of the switch
	struct diag_pos pos;
};

struct config_notices {
	bool on;
	uint64_t depth_bytes;
	uint64_t hold_ps;
};

struct config_routing {
	enum group_mode mode;
	enum config_weights weights;          // of computed routes' next hops
	uint16_t eligible_udp_dport;          // 0: any UDP or other packet
	enum config_opcodes eligible_opcodes; // DATA: not acknowledgements, CNPs
	uint64_t eligible_dscps;              // bit n: DSCP n
	uint8_t eligible_priorities;          // bit n: priority n
	uint8_t eligible_bth_reserved;        // bits that must be set of the BTH's reserved six
	bool hash_seed_auto;                  // per switch
	uint32_t hash_seed;
	uint64_t flowlet_gap_ps;
	uint32_t utilisation_ppm; // of a link, above which it is busy; 0: it does not count
	struct config_notices notices;
	uint64_t convergence_ps; // from a link event to new routes
	const struct config_pin *pins;
	unsigned pin_count;
	unsigned grade_count;
	// ascending; grade n: depth in [grades[n-1], grades[n])
	uint64_t grades_bytes[CONFIG_GRADES_MAX];
};

// ICMP that a switch sends: echo replies, and errors about packets that it drops.
struct config_icmp {
	bool on;
	uint32_t rate;  // a second of fabric time
	uint32_t burst; // at once
};

// Which addresses a switch answers ARP and neighbour solicitations for, at ports of hosts.
enum config_arp { CONFIG_ARP_OFF, CONFIG_ARP_ON, CONFIG_ARP_PROXY };

// Where a VRF's routes come from beside the file: bits.
enum config_learn_source { CONFIG_LEARN_NETLINK = 1, CONFIG_LEARN_FPM = 2 };

struct config_listen {
	uint8_t version;     // of the address, 4 or 6
	uint8_t address[16]; // network byte order
	uint16_t port;
	struct diag_pos pos; // line 0: not written
};

// A VRF that learns its routes from a network namespace.
struct config_learn {
	struct config_name vrf;
	struct config_name netns;    // text NULL: that which the command was run in
	uint32_t table;              // of the kernel
	unsigned source;             // bits of enum config_learn_source
	struct config_listen fpm;    // CONFIG_LEARN_FPM
	struct config_name fpm_user; // who may connect there: a user's name or number, or "any"
	struct diag_pos pos;
};

#define CONFIG_IPIP_ADDRESSES 16

// IP-in-IP that ends at the switch.
struct config_ipip {
	bool on;
	bool pipe;        // dscp: the packet inside keeps its own
	bool copies_ecn;  // ecn: not by RFC 6040
	bool uniform_ttl; // ttl: the outer one counts
	unsigned address_count;
	struct config_address addresses[CONFIG_IPIP_ADDRESSES]; // without their places in the file
	struct config_listed dscp_listed, group_listed;         // which maps are written
	uint8_t dscp_to_priority[CONFIG_DSCPS];
	uint8_t priority_to_group[CONFIG_PRIORITIES]; // complete
};

// What a RoCE preset is for, as in `nv set qos roce mode`.
enum config_preset_mode {
	CONFIG_PRESET_MODE_LOSSLESS,
	CONFIG_PRESET_MODE_LOSSY,
	CONFIG_PRESET_MODE_SINGLE_POOL, // lossless, in one ingress pool with the rest
};

// Whether links have credits.
static inline bool
config_has_credits(enum config_flow_control flow_control)
{
	return flow_control == CONFIG_FLOW_CONTROL_CREDIT ||
	       flow_control == CONFIG_FLOW_CONTROL_CBFC;
}

// Bytes of the blocks that credits count.
static inline uint32_t
config_block_bytes(enum config_flow_control flow_control)
{
	return flow_control == CONFIG_FLOW_CONTROL_CREDIT ? 64 : 128;
}

struct switch_config {
	enum config_preset preset;
	enum config_preset_mode preset_mode; // of spectrum-x
	uint64_t latency_ps;
	bool cut_through;
	uint32_t header_bytes; // that a cut-through switch needs
	uint64_t buffer_bytes;
	uint32_t cell_bytes;
	struct config_amount pools[CONFIG_POOLS];      // BYTES, PERCENT or UNLIMITED
	struct config_amount port_alpha[CONFIG_POOLS]; // ALPHA or NONE
	uint64_t headroom_pool_bytes;                  // 0: each group has its own headroom
	unsigned trust_count;                          // 0: port_priority
	enum config_trust trust[2];
	uint8_t port_priority;
	uint8_t dscp_to_priority[CONFIG_DSCPS]; // complete
	// Of the four maps below; only dscp_listed is kept when merging is finished.
	struct config_listed dscp_listed, pcp_listed, group_listed, class_listed;
	uint8_t pcp_to_priority[CONFIG_PRIORITIES];
	uint8_t priority_to_group[CONFIG_PRIORITIES];
	uint8_t priority_to_class[CONFIG_PRIORITIES];
	struct config_group groups[CONFIG_PRIORITIES];
	struct config_class classes[CONFIG_PRIORITIES];
	enum config_flow_control flow_control;
	uint8_t pfc_priorities; // bit n: priority n
	uint16_t pfc_quanta;
	bool pfc_refresh_auto; // again after half the quanta
	uint64_t pfc_refresh_ps;
	struct config_credit credit;
	struct config_llr llr;
	uint64_t port_max_rate_bps; // of every port; 0: none
	struct config_remark remark;
	struct config_trim trim;
	struct config_watchdog watchdog;
	const struct config_histogram *histograms;
	unsigned histogram_count;
	const struct config_port_qos *ports; // those that differ
	unsigned port_count;
	struct config_routing routing;
	struct config_icmp icmp;
	struct config_ipip ipip;
	enum config_arp arp;
	bool lldp;                         // live only
	const struct config_learn *learns; // live only
	unsigned learn_count;
};

// Bit per class that a priority maps to; with credits, the lanes in use.
static inline uint8_t
config_used_classes(const struct switch_config *settings)
{
	uint8_t used = 0;

	for (unsigned p = 0; p < CONFIG_PRIORITIES; p++)
		used |= (uint8_t)(1u << settings->priority_to_class[p]);
	return used;
}

// Whether it forwards packets before their last bit has arrived. Link-level retry takes frames as a
// whole.
static inline bool
config_cuts_through(const struct switch_config *settings)
{
	return settings->cut_through && !settings->llr.on;
}
