// SPDX-License-Identifier: BSD-3-Clause
// The configuration of a fabric, or of one switch, as plain structs.
//
// A YAML file goes through three steps: yaml_tree.c reads it into a tree that keeps the position of
// every key and value; schema.c, one table, says for each key its type, unit, range, default and
// place in the structs below; decode.c follows the table. Sections about switches (`switch:`,
// `leaf:`, `spine:`, a node's own) and hosts (`hosts:`, a host's own) are checked at load and
// merged on request by config_switch() and config_host(), because the nearest section wins:
//     built-in default < preset < switch < leaf or spine < the node's section.
//
// Times are picoseconds, rates bits per second, sizes bytes, shares parts per million. All strings
// and arrays belong to the struct config and live until config_free(). A struct config is read only
// after loading (but for config_set()) and belongs to the control thread.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIG_PRIORITIES 8
#define CONFIG_DSCPS 64
#define CONFIG_NAME_MAX 32 // characters of a fabric's, node's, tenant's or VRF's name
#define CONFIG_GRADES_MAX 15
#define CONFIG_CPUS_MAX 256
#define CONFIG_PPM 1000000u // 100 %

struct config;
struct config_private;

// Where a key or value stands. Line 0: not in the file (a default or a preset).
struct config_pos {
	uint32_t line;
	uint32_t column;
};

// Something the file names (a host, a port, a queue, a link): existence is checked by who knows.
struct config_name {
	char *text;
	struct config_pos pos;
};

struct config_names {
	struct config_name *items;
	unsigned count;
};

// ---- errors and warnings ------------------------------------------------------------------------

#define CONFIG_ERRORS_MAX 20 // kept; the rest are counted

struct config_message {
	bool warning;
	struct config_pos pos;
	char *text; // "FILE:line:column: key: what is wrong", without a newline
};

// Zero-initialised by the caller, freed by config_diag_free().
struct config_diag {
	struct config_message *messages; // in the order found
	unsigned count;
	unsigned errors; // found, kept or not
	unsigned warnings;
};

// Adds an error or a warning about the file. Any later check (topology, workload) reports this way.
// file: as shown to the user; pos: line 0 leaves line and column out; key: its path, or NULL.
// Control thread.
void config_error(struct config_diag *diag, const char *file, struct config_pos pos,
		  const char *key, const char *format, ...) __attribute__((format(printf, 5, 6)));
void config_warning(struct config_diag *diag, const char *file, struct config_pos pos,
		    const char *key, const char *format, ...) __attribute__((format(printf, 5, 6)));
// Prints every message, one a line, sorted by position ("warning: " before a warning's text), and
// how many errors were not kept.
void config_diag_print(const struct config_diag *diag, FILE *to);
void config_diag_free(struct config_diag *diag);

// The candidate nearest to `word` by edit distance, or NULL when none is near enough to suggest.
const char *config_suggest(const char *word, const char *const *candidates, size_t count);

// ---- values with more than one form -------------------------------------------------------------

enum config_role {
	CONFIG_ROLE_LEAF,
	CONFIG_ROLE_SPINE,
	CONFIG_ROLE_HOST,
};

enum config_amount_kind {
	CONFIG_AMOUNT_BYTES,     // value: bytes
	CONFIG_AMOUNT_PERCENT,   // value: parts per million
	CONFIG_AMOUNT_UNLIMITED, // no value
	CONFIG_AMOUNT_AUTO,      // computed by a later stage
	CONFIG_AMOUNT_NONE,      // switched off
	CONFIG_AMOUNT_ALPHA,     // value: the exponent + 7 (0 is 1/128, 7 is 1, 13 is 64)
};

struct config_amount {
	enum config_amount_kind kind;
	uint64_t value;
};

// What bounds a group's or queue's use of the shared part of its pool.
enum config_limit_kind {
	CONFIG_LIMIT_AUTO,  // only before merging is finished
	CONFIG_LIMIT_ZERO,  // alpha 0
	CONFIG_LIMIT_ALPHA, // alpha = 2^shift
	CONFIG_LIMIT_UNLIMITED,
	CONFIG_LIMIT_STATIC,
};

struct config_limit {
	enum config_limit_kind kind;
	int8_t shift;          // LIMIT_ALPHA: -7 .. 6
	uint64_t static_bytes; // LIMIT_STATIC
};

struct config_prefix {
	uint8_t version; // 4 or 6
	uint8_t length;
	uint8_t address[16]; // network byte order, the first 4 for IPv4; no host bits set
};

struct config_mac {
	uint8_t bytes[6];
	bool set;
};

// A link's properties as written or inherited; delay and cable always agree (198,000,000 m/s).
struct config_link {
	uint64_t rate_bps; // 0: as fast as the device takes (`rate: device`)
	uint64_t delay_ps;
	uint64_t cable_mm;
	uint32_t mtu; // bytes of IP packet; 0: what the hosts' MTU and encapsulation need
	struct config_pos pos;
};

// ---- the fabric ---------------------------------------------------------------------------------

enum config_topology {
	CONFIG_TOPOLOGY_LEAF_SPINE,
	CONFIG_TOPOLOGY_EXPLICIT,
	CONFIG_TOPOLOGY_SINGLE, // one switch: `ports` and `routes` below
};

struct config_node {
	struct config_name name;
	enum config_role role;
};

// One end of an explicit link: "leaf1.swp1", "h1.eth1"; port 0: "h1", the host's only one.
struct config_endpoint {
	struct config_name name; // as written
	char *node;
	unsigned port;
};

struct config_explicit_link {
	struct config_endpoint a, b;
	bool rate_set, delay_set, mtu_set; // else links.host or links.fabric of its kind
	struct config_link link;
	struct config_pos pos;
};

struct config_framing {
	uint16_t preamble_bytes;
	uint16_t fcs_bytes;
	uint16_t gap_bytes;
};

struct config_fabric {
	struct config_name name;
	enum config_topology topology;
	struct config_pos topology_pos;
	uint32_t leaves, spines, hosts_per_leaf; // leaf-spine
	uint32_t planes;
	struct config_node *nodes; // explicit
	unsigned node_count;
	struct config_explicit_link *links; // explicit
	unsigned link_count;
	struct config_link host_link;
	struct config_link fabric_link;
	struct config_framing framing;
	uint32_t mtu; // the hosts' IP MTU
	uint64_t seed;
	uint32_t dilation;
};

enum config_idle { CONFIG_IDLE_SLEEP, CONFIG_IDLE_POLL };
enum config_hugepages { CONFIG_HUGEPAGES_AUTO, CONFIG_HUGEPAGES_ON, CONFIG_HUGEPAGES_OFF };

struct config_live {
	uint32_t workers;
	bool cpus_auto;
	uint16_t cpu_count;
	uint16_t cpus[CONFIG_CPUS_MAX];
	enum config_idle idle;
	enum config_hugepages hugepages;
	uint64_t max_lag_ps; // wall time
};

enum config_encap { CONFIG_ENCAP_PLAIN, CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VLAN };

struct config_tenant {
	struct config_name name; // also its VRF
	struct config_names hosts;
	uint32_t vni; // 0: none
	enum config_encap encap;
	bool buffer_set;
	uint64_t guaranteed_bytes;
	struct config_amount share; // PERCENT, ALPHA, or NONE
	struct config_pos buffer_pos;
};

struct config_attach {
	struct config_name host;
	struct config_name netns; // text NULL: none
	struct config_name dev;   // a DPDK device string; text NULL: AF_XDP on a veth into netns
	uint32_t mtu;             // 0: 1500, or the fabric's where the device carries it
};

// ---- workload, events, record -------------------------------------------------------------------

enum config_work_kind {
	CONFIG_WORK_FLOW,
	CONFIG_WORK_FLOWS,
	CONFIG_WORK_STREAM,
	CONFIG_WORK_INCAST,
	CONFIG_WORK_PERMUTATION,
	CONFIG_WORK_ALL_TO_ALL,
};

enum config_op { CONFIG_OP_WRITE, CONFIG_OP_SEND, CONFIG_OP_READ };
enum config_flow_format {
	CONFIG_FLOW_FORMAT_ROOST,
	CONFIG_FLOW_FORMAT_HPCC,
	CONFIG_FLOW_FORMAT_CONWEAVE
};
enum config_arrivals { CONFIG_ARRIVALS_CBR, CONFIG_ARRIVALS_POISSON };
enum config_algorithm { CONFIG_ALGORITHM_DIRECT, CONFIG_ALGORITHM_SHIFT };

struct config_work {
	enum config_work_kind kind;
	struct config_pos pos;
	struct config_name name;   // text NULL: none
	struct config_name tenant; // text NULL: none
	int8_t priority;           // -1: the hosts'
	uint64_t at_ps;
	uint32_t qps; // 0: the hosts'
	uint32_t repeat;
	uint64_t gap_ps;          // between repeats
	struct config_names from; // flow, stream: one; incast: the senders
	struct config_name to;    // flow, stream, incast
	struct config_names
		hosts;           // permutation, all-to-all: these only; empty: all (of the tenant)
	uint64_t size_bytes;     // flow; incast, permutation: from each; all-to-all: per rank
	enum config_op op;       // flow
	struct config_name file; // flows
	enum config_flow_format format;
	uint32_t packet_bytes; // stream: the frame without FCS
	uint64_t rate_bps;     // stream
	enum config_arrivals arrivals;
	uint8_t ttl;                     // stream
	uint64_t until_ps;               // stream; 0: the end of the run
	enum config_algorithm algorithm; // all-to-all
};

// A route's next hop: a neighbour node in a fabric (`via: [spine1]`), a port and the MAC behind it
// on one switch (`via: [{port: swp2, mac: ...}]`).
struct config_via {
	struct config_name node; // text NULL: a port
	struct config_name port; // text NULL: a node
	unsigned port_number;
	struct config_mac mac;
};

struct config_route {
	struct config_pos pos;
	struct config_name vrf;
	struct config_prefix prefix;
	struct config_pos prefix_pos;
	struct config_via *via; // none: a withdrawn route in an event, a blackhole in `routes:`
	unsigned via_count;
};

enum config_event_kind {
	CONFIG_EVENT_LINK,
	CONFIG_EVENT_ROUTE,
	CONFIG_EVENT_SET,
	CONFIG_EVENT_SNAPSHOT,
	CONFIG_EVENT_PORT_TX,
	CONFIG_EVENT_PORT_PFC,
	CONFIG_EVENT_CLEAR,
	CONFIG_EVENT_RESTORE,
};

// What a link event changes; the fields whose bit is set in `changes`.
enum config_link_change {
	CONFIG_LINK_STATE = 1 << 0,
	CONFIG_LINK_RATE = 1 << 1,
	CONFIG_LINK_DELAY = 1 << 2,
	CONFIG_LINK_LOSS = 1 << 3,
	CONFIG_LINK_CORRUPT = 1 << 4,
	CONFIG_LINK_DROP = 1 << 5, // packets whose IPv4 ID ends in ip_id_low_byte
};

struct config_event {
	enum config_event_kind kind;
	struct config_pos pos;
	uint64_t at_ps;
	// LINK
	struct config_name link;
	uint32_t changes;
	bool up;
	uint64_t rate_bps, delay_ps;
	uint32_t loss_ppm, corrupt_ppm;
	uint8_t ip_id_low_byte;
	uint64_t for_ps; // undone after this; 0: stays
	// ROUTE; CLEAR
	struct config_name node; // text NULL: the only switch; CLEAR: all
	struct config_route route;
	// SET
	struct config_name key; // "switch.qos.tc.3.ecn.min"
	struct config_name to;  // its new value, as text
	// PORT_TX, PORT_PFC
	struct config_name port; // "swp2", or "leaf1.swp2" in a fabric
	bool tx_on;
	int8_t queue;       // -1: all
	uint8_t priorities; // PORT_PFC: bit n is priority n
	uint16_t quanta;
	// CLEAR
	bool persistent; // the persistent watermarks, not the user's
	// RESTORE: the queue whose watchdog storm ends
	struct config_name restore; // "swp2.3", or "leaf1.swp2.3" in a fabric
};

struct config_record {
	uint64_t interval_ps; // 0: no samples
	struct config_names queues;
	struct config_names pcap;
	bool snaplen_full;
	uint32_t snaplen_bytes;
};

struct config_stop {
	bool idle;
	uint64_t time_ps; // when not idle
	struct config_pos pos;
};

// ---- one switch ---------------------------------------------------------------------------------

struct config_port {
	struct config_name name;
	unsigned number; // swpN
	struct config_link link;
	bool link_written;         // cable or delay stands in the file
	struct config_name vrf;    // "default" where not written
	struct config_name tenant; // text NULL: none
	struct config_name dev;    // text NULL: none
	struct config_mac mac;
};

struct config_single {
	enum config_role role;
	struct config_mac mac; // every port's where it has none of its own
	struct config_port *ports;
	unsigned port_count;
	struct config_route *routes;
	unsigned route_count;
};

// ---- everything ---------------------------------------------------------------------------------

struct config {
	char *file; // as named by the user
	struct config_fabric
		fabric; // name, framing, seed, dilation, mtu are set for one switch too
	struct config_single single; // topology SINGLE
	struct config_live live;
	struct config_tenant *tenants;
	unsigned tenant_count;
	struct config_attach *attach;
	unsigned attach_count;
	struct config_work *workload;
	unsigned work_count;
	struct config_event *events; // in file order, not sorted by time
	unsigned event_count;
	struct config_record record;
	struct config_stop stop;
	uint64_t stall_ps;
	struct config_private *private; // the tree the sections are merged from, and the strings
};

// ---- one switch's settings, merged --------------------------------------------------------------

enum config_preset {
	CONFIG_PRESET_NONE,
	CONFIG_PRESET_SPECTRUM_X,
	CONFIG_PRESET_SONIC,
	CONFIG_PRESET_LOSSY,
	CONFIG_PRESET_INFINIBAND_LIKE,
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
};

// Remarking on the way out: by priority, the new value, or -1 to leave it.
struct config_remark {
	int8_t dscp[CONFIG_PRIORITIES];
	int8_t pcp[CONFIG_PRIORITIES];
};

// What one port does otherwise than `qos` says for all: the fields whose bit is set in `set`.
enum config_port_qos_set {
	CONFIG_PORT_QOS_TRUST = 1 << 0,
	CONFIG_PORT_QOS_PRIORITY = 1 << 1,
	CONFIG_PORT_QOS_DSCP = 1 << 2,
	CONFIG_PORT_QOS_PCP = 1 << 3,
	CONFIG_PORT_QOS_REMARK = 1 << 4,
	CONFIG_PORT_QOS_MAX_RATE = 1 << 5,
};

struct config_port_qos {
	struct config_name name; // "swp3"
	unsigned number;         // 3
	unsigned set;            // bits of enum config_port_qos_set
	unsigned trust_count;
	enum config_trust trust[2];
	uint8_t port_priority;
	uint8_t dscp_to_priority[CONFIG_DSCPS];         // complete
	uint8_t pcp_to_priority[CONFIG_PRIORITIES];     // complete
	struct config_remark remark;
	uint64_t max_rate_bps; // 0: none
};

enum config_watchdog_action {
	CONFIG_WATCHDOG_DROP,
	CONFIG_WATCHDOG_FORWARD,
	CONFIG_WATCHDOG_ALERT
};

struct config_watchdog {
	bool on;
	uint64_t poll_ps;
	uint64_t detect_ps;   // robustness x poll where that was written
	uint32_t robustness;  // polls; 0: detect was written as a time
	uint64_t restore_ps;
	enum config_watchdog_action action;
	bool flush;   // drop: what waits in the queue goes too
	bool ingress; // drop: what comes in by the port with the queue's priorities goes too
};

struct config_trim {
	bool on;
	uint32_t size_bytes;
	uint8_t dscp;
	uint8_t tc;          // the queue that cut packets go to
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
	uint64_t size; // likewise
	uint32_t bins;
	uint64_t sample_ps;
	struct config_pos pos;
};

enum config_flow_control {
	CONFIG_FLOW_CONTROL_PFC,
	CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC,
	CONFIG_FLOW_CONTROL_PAUSE,
	CONFIG_FLOW_CONTROL_CREDIT,
	CONFIG_FLOW_CONTROL_NONE,
};

enum config_routing_mode {
	CONFIG_ROUTING_ECMP,
	CONFIG_ROUTING_ECMP_QP,
	CONFIG_ROUTING_FLOWLET,
	CONFIG_ROUTING_SPRAY,
	CONFIG_ROUTING_RANDOM,
	CONFIG_ROUTING_ADAPTIVE,
	CONFIG_ROUTING_PINNED,
};

enum config_opcodes { CONFIG_OPCODES_DATA, CONFIG_OPCODES_ALL };

struct config_routing {
	enum config_routing_mode mode;
	uint16_t eligible_udp_dport;          // 0: any UDP or other packet
	enum config_opcodes eligible_opcodes; // DATA: not acknowledgements, CNPs
	bool hash_seed_auto;                  // per switch
	uint32_t hash_seed;
	uint64_t flowlet_gap_ps;
	unsigned grade_count;
	uint64_t grades_bytes
		[CONFIG_GRADES_MAX]; // ascending; grade n: depth in [grades[n-1], grades[n])
};

// What a RoCE preset is for, as in `nv set qos roce mode`.
enum config_preset_mode {
	CONFIG_PRESET_MODE_LOSSLESS,
	CONFIG_PRESET_MODE_LOSSY,
	CONFIG_PRESET_MODE_SINGLE_POOL, // lossless, in one ingress pool with the rest
};

struct switch_config {
	enum config_preset preset;
	enum config_preset_mode preset_mode; // of spectrum-x
	uint64_t latency_ps;
	uint64_t buffer_bytes;
	uint32_t cell_bytes;
	struct config_amount pools[CONFIG_POOLS]; // BYTES, PERCENT or UNLIMITED
	struct config_amount port_alpha[CONFIG_POOLS]; // ALPHA or NONE
	uint64_t headroom_pool_bytes; // 0: each group has its own headroom
	unsigned trust_count;                     // 0: port_priority
	enum config_trust trust[2];
	uint8_t port_priority;
	uint8_t dscp_to_priority[CONFIG_DSCPS]; // complete
	uint64_t dscp_listed;                   // bit n: DSCP n is listed, not a default
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
	uint64_t port_max_rate_bps; // of every port; 0: none
	struct config_remark remark;
	struct config_trim trim;
	struct config_watchdog watchdog;
	const struct config_histogram *histograms;
	unsigned histogram_count;
	const struct config_port_qos *ports; // those that differ
	unsigned port_count;
	struct config_routing routing;
};

// ---- one host's settings, merged ----------------------------------------------------------------

enum config_recovery {
	CONFIG_RECOVERY_GO_BACK_N,
	CONFIG_RECOVERY_SELECTIVE,
	CONFIG_RECOVERY_GO_BACK_0
};
enum config_placement { CONFIG_PLACEMENT_IN_ORDER, CONFIG_PLACEMENT_OUT_OF_ORDER };
enum config_congestion {
	CONFIG_CONGESTION_NONE,
	CONFIG_CONGESTION_DCQCN,
	CONFIG_CONGESTION_DCQCN_MLX,
	CONFIG_CONGESTION_WINDOW,
};

struct host_config {
	enum config_recovery recovery;
	enum config_placement placement;
	enum config_congestion congestion;
	uint32_t path_mtu; // 256..4096; 0: auto
	uint32_t ack_every;
	uint8_t priority;
	int8_t dscp;     // -1: auto, config_priority_dscp() of the priority
	int8_t ack_dscp; // -1: auto, the data's
	uint8_t cnp_dscp;
	uint64_t cnp_interval_ps;
	uint64_t rto_ps;
	uint32_t reorder_window; // packets
	uint64_t reorder_timeout_ps;
	uint8_t ip_version; // 4 or 6
	uint32_t qps;
	uint64_t start_jitter_ps;
	uint32_t clock_ppm;
	int32_t header_bytes; // -1: auto, real frames
	int32_t ack_bytes;    // -1: auto
};

// ---- loading ------------------------------------------------------------------------------------

// Reads and checks a file. Returns 0 with *out set (warnings may be in diag), -EINVAL with the
// errors in diag and *out NULL, -ENOMEM. A file that cannot be read is an error in diag too.
int config_load(struct config **out, const char *path, struct config_diag *diag);
// The same from memory; `name` stands for the path in messages. text need not end in a NUL.
int config_load_text(struct config **out, const char *text, size_t length, const char *name,
		     struct config_diag *diag);
void config_free(struct config *config);

// The merged settings of a switch: defaults, preset, `switch:`, `leaf:` or `spine:`, and the
// section named node_name. Complete: no AUTO pool or limit remains. Its arrays belong to the config.
// Returns 0, -ENOMEM, or -EINVAL when the sections contradict each other (never after a load without
// errors, for any node of the file).
int config_switch(const struct config *config, const char *node_name, enum config_role role,
		  struct switch_config *out);
// The merged settings of a host: defaults, `hosts:`, the section named `name`.
int config_host(const struct config *config, const char *name, struct host_config *out);

// Where a merged value came from.
enum config_origin { CONFIG_ORIGIN_DEFAULT, CONFIG_ORIGIN_PRESET, CONFIG_ORIGIN_FILE };
struct config_mark {
	enum config_origin origin;
	struct config_pos pos; // FILE only
};
// config_switch() that also tells where each value came from: marks[i] belongs to the member of
// struct switch_config at byte offset i. marks has sizeof(struct switch_config) entries.
int config_switch_marked(const struct config *config, const char *node_name, enum config_role role,
			 struct switch_config *out, struct config_mark *marks);

// Changes one key of a switch section, as a `set` event does: key "switch.qos.tc.3.ecn.min" (or
// leaf., spine., a node's name), value "100KB". Later config_switch() calls see it. Returns 0, or
// -EINVAL with the reason in diag and nothing changed.
int config_set(struct config *config, const char *key, const char *value, struct config_diag *diag);
// Takes back the last config_set() that succeeded and was not taken back.
void config_set_undo(struct config *config);

// True when some section of the file asks for packets to be trimmed, whether or not that is on at present. Presets
// do not.
bool config_trims(const struct config *config);

// The DSCP that stands for a priority: the lowest listed DSCP that maps to it, else the lowest of
// any, else -ENOENT. (26 for priority 3 in spectrum-x, 3 in sonic.)
int config_priority_dscp(const struct switch_config *settings, unsigned priority);

// The name of a value as written in the file.
const char *config_pool_name(enum config_pool pool);
const char *config_routing_mode_name(enum config_routing_mode mode);
const char *config_preset_name(enum config_preset preset);
const char *config_preset_mode_name(enum config_preset_mode mode);
const char *config_role_name(enum config_role role);

// `text` as a duration in ps, by the same rules as the file's values, for command lines. Returns 0, or
// -EINVAL with the reason in why.
int config_parse_duration(const char *text, uint64_t *out_ps, char why[static 160]);
