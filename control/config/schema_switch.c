// SPDX-License-Identifier: BSD-3-Clause
// The schema of a switch's settings: what stands under `switch:`, `leaf:`, `spine:`, a switch's own
// section, and in a preset. The defaults are what a switch without a preset does.
#include "schema.h"

#include "decode_switch.h"

#define AT(member) SCHEMA_AT(struct switch_config, member)
#define LATER .flags = SCHEMA_LATER

const struct schema_choice schema_presets[] = {
	{"spectrum-x", CONFIG_PRESET_SPECTRUM_X, false},
	{"sonic", CONFIG_PRESET_SONIC, false},
	{"lossy", CONFIG_PRESET_LOSSY, false},
	{"infiniband-like", CONFIG_PRESET_INFINIBAND_LIKE, true},
	{NULL, 0, false},
};

const struct schema_choice schema_routing_modes[] = {
	{"ecmp", CONFIG_ROUTING_ECMP, false},      {"ecmp-qp", CONFIG_ROUTING_ECMP_QP, false},
	{"flowlet", CONFIG_ROUTING_FLOWLET, true}, {"spray", CONFIG_ROUTING_SPRAY, false},
	{"random", CONFIG_ROUTING_RANDOM, false},  {"adaptive", CONFIG_ROUTING_ADAPTIVE, false},
	{"pinned", CONFIG_ROUTING_PINNED, true},   {NULL, 0, false},
};

const struct schema_choice schema_pool_names[] = {
	{"ingress-lossless", CONFIG_POOL_INGRESS_LOSSLESS, false},
	{"ingress-lossy", CONFIG_POOL_INGRESS_LOSSY, false},
	{"egress-lossless", CONFIG_POOL_EGRESS_LOSSLESS, false},
	{"egress-lossy", CONFIG_POOL_EGRESS_LOSSY, false},
	{NULL, 0, false},
};

static const struct schema_choice ingress_pools[] = {
	{"ingress-lossless", CONFIG_POOL_INGRESS_LOSSLESS, false},
	{"ingress-lossy", CONFIG_POOL_INGRESS_LOSSY, false},
	{NULL, 0, false},
};
static const struct schema_choice egress_pools[] = {
	{"egress-lossless", CONFIG_POOL_EGRESS_LOSSLESS, false},
	{"egress-lossy", CONFIG_POOL_EGRESS_LOSSY, false},
	{NULL, 0, false},
};
static const struct schema_choice schedulers[] = {
	{"dwrr", CONFIG_SCHEDULER_DWRR, false},
	{"strict", CONFIG_SCHEDULER_STRICT, false},
	{NULL, 0, false},
};
static const struct schema_choice flow_controls[] = {
	{"pfc", CONFIG_FLOW_CONTROL_PFC, false},
	{"pfc-asymmetric", CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC, true},
	{"pause", CONFIG_FLOW_CONTROL_PAUSE, true},
	{"credit", CONFIG_FLOW_CONTROL_CREDIT, true},
	{"none", CONFIG_FLOW_CONTROL_NONE, false},
	{NULL, 0, false},
};
static const struct schema_choice opcodes[] = {
	{"data", CONFIG_OPCODES_DATA, false},
	{"all", CONFIG_OPCODES_ALL, false},
	{NULL, 0, false},
};

// ---- buffer -------------------------------------------------------------------------------------

#define POOL_SIZES \
	(1u << CONFIG_AMOUNT_BYTES | 1u << CONFIG_AMOUNT_PERCENT | 1u << CONFIG_AMOUNT_UNLIMITED)
#define POOL_KEYS(pool, default_size)                                                   \
	{                                                                               \
		{"size",                                                                \
		 SCHEMA_AMOUNT,                                                         \
		 .def = default_size,                                                   \
		 AT(pools[pool]),                                                       \
		 .amounts = POOL_SIZES,                                                 \
		 .help = "bytes, % of size less headroom, unlimited"},                  \
			{"port-alpha", SCHEMA_TEXT, LATER, .help = "a per-port level"}, \
	}

static const struct schema_key ingress_lossless_keys[] =
	POOL_KEYS(CONFIG_POOL_INGRESS_LOSSLESS, "50%");
static const struct schema_key ingress_lossy_keys[] = POOL_KEYS(CONFIG_POOL_INGRESS_LOSSY, "50%");
static const struct schema_key egress_lossless_keys[] =
	POOL_KEYS(CONFIG_POOL_EGRESS_LOSSLESS, "unlimited");
static const struct schema_key egress_lossy_keys[] = POOL_KEYS(CONFIG_POOL_EGRESS_LOSSY, "50%");

static const struct schema_key pools_keys[] = {
	{"ingress-lossless", SCHEMA_MAP,
	 .sub = &(const struct schema){SCHEMA_COUNT(ingress_lossless_keys)}},
	{"ingress-lossy", SCHEMA_MAP,
	 .sub = &(const struct schema){SCHEMA_COUNT(ingress_lossy_keys)}},
	{"egress-lossless", SCHEMA_MAP,
	 .sub = &(const struct schema){SCHEMA_COUNT(egress_lossless_keys)}},
	{"egress-lossy", SCHEMA_MAP,
	 .sub = &(const struct schema){SCHEMA_COUNT(egress_lossy_keys)}},
};

static const struct schema_key headroom_pool_keys[] = {
	{"size", SCHEMA_BYTES, LATER, .def = "0B", .help = "0: each group has its own headroom"},
};

static const struct schema_key buffer_keys[] = {
	{"size", SCHEMA_BYTES, .def = "64MB", .help = "the whole buffer", AT(buffer_bytes),
	 .min = 1, .max = SCHEMA_BYTES_MAX},
	{"cell", SCHEMA_INTEGER, .def = "192", .help = "bytes of a cell; 1 for byte-exact",
	 AT(cell_bytes), .min = 1, .max = 16384},
	{"pools", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(pools_keys)}},
	{"headroom-pool", SCHEMA_MAP,
	 .sub = &(const struct schema){SCHEMA_COUNT(headroom_pool_keys)}},
};

// ---- qos ----------------------------------------------------------------------------------------

#define GROUP_AT(member) SCHEMA_AT(struct config_group, member)

static const struct schema_key group_keys[] = {
	{"lossless", SCHEMA_BOOL, .def = "false", .help = "pauses instead of dropping",
	 GROUP_AT(lossless)},
	{"pool", SCHEMA_ENUM, .help = "the ingress pool it is charged to", GROUP_AT(pool),
	 .choices = ingress_pools},
	{"reserved", SCHEMA_BYTES, .def = "0B", .help = "its own before the pool's",
	 GROUP_AT(reserved_bytes), .max = SCHEMA_BYTES_MAX},
	{"alpha", SCHEMA_CUSTOM, .help = "dynamic threshold", GROUP_AT(limit),
	 .decode = decode_alpha},
	{"static", SCHEMA_CUSTOM, .help = "fixed threshold, in alpha's place", GROUP_AT(limit),
	 .decode = decode_static},
	{"headroom", SCHEMA_AMOUNT, .def = "auto", .help = "auto: from rate, cable and MTU",
	 GROUP_AT(headroom), .amounts = 1u << CONFIG_AMOUNT_AUTO | 1u << CONFIG_AMOUNT_BYTES},
	{"xon", SCHEMA_BYTES, .def = "0B", .help = "XON at or below this", GROUP_AT(xon_bytes),
	 .max = SCHEMA_BYTES_MAX},
	{"xon-offset", SCHEMA_AMOUNT, .def = "9216B", .help = "XON this far below the limit",
	 GROUP_AT(xon_offset), .amounts = 1u << CONFIG_AMOUNT_NONE | 1u << CONFIG_AMOUNT_BYTES},
};

#define ECN_AT(member) SCHEMA_AT(struct config_ecn, member)

static const struct schema_key ecn_keys[] = {
	{"min", SCHEMA_BYTES, .def = "150KB", .help = "never marked up to here", ECN_AT(min_bytes),
	 .max = SCHEMA_BYTES_MAX},
	{"max", SCHEMA_BYTES, .def = "1500KB", .help = "always marked above", ECN_AT(max_bytes),
	 .max = SCHEMA_BYTES_MAX},
	{"probability", SCHEMA_PERCENT, .def = "100%", .help = "of a mark at max",
	 ECN_AT(probability_ppm)},
};

const struct schema schema_ecn = {SCHEMA_COUNT(ecn_keys)};

#define CLASS_AT(member) SCHEMA_AT(struct config_class, member)

static const struct schema_key class_keys[] = {
	{"scheduler", SCHEMA_ENUM, .def = "dwrr", .help = "strict goes first", CLASS_AT(scheduler),
	 .choices = schedulers},
	{"weight", SCHEMA_INTEGER, .def = "50", .help = "of DWRR", CLASS_AT(weight), .min = 1,
	 .max = 1000},
	{"pool", SCHEMA_ENUM, .help = "the egress pool it is charged to", CLASS_AT(pool),
	 .choices = egress_pools},
	{"reserved", SCHEMA_BYTES, .def = "0B", .help = "its own before the pool's",
	 CLASS_AT(reserved_bytes), .max = SCHEMA_BYTES_MAX},
	{"alpha", SCHEMA_CUSTOM, .help = "dynamic threshold", CLASS_AT(limit),
	 .decode = decode_alpha},
	{"static", SCHEMA_CUSTOM, .help = "fixed threshold, in alpha's place", CLASS_AT(limit),
	 .decode = decode_static},
	{"ecn", SCHEMA_CUSTOM, .def = "off", .help = "{min, max, probability}, or off",
	 CLASS_AT(ecn), .decode = decode_ecn},
	{"red", SCHEMA_BOOL, LATER, .def = "off",
	 .help = "drop what is not ECT where ECT is marked"},
	{"min-rate", SCHEMA_RATE, LATER, .help = "guaranteed rate"},
	{"max-rate", SCHEMA_RATE, LATER, .help = "shaping rate"},
};

static const struct schema_key pfc_keys[] = {
	{"priorities", SCHEMA_CUSTOM, .def = "[3]", .help = "that PFC pauses", AT(pfc_priorities),
	 .decode = decode_priorities},
	{"quanta", SCHEMA_INTEGER, .def = "65535", .help = "of 512 bit times, in each XOFF",
	 AT(pfc_quanta), .min = 0, .max = 65535},
	{"refresh", SCHEMA_DURATION, .def = "auto", .help = "auto: after half the quanta",
	 AT(pfc_refresh_ps), .word = "auto",
	 .flag_offset = offsetof(struct switch_config, pfc_refresh_auto), .min = 1000,
	 .max = SCHEMA_HOUR_PS},
};

static const struct schema_key watchdog_keys[] = {
	{"poll", SCHEMA_DURATION, LATER, .help = "how often it looks"},
	{"detect", SCHEMA_DURATION, LATER, .help = "paused this long without progress"},
	{"restore", SCHEMA_DURATION, LATER, .help = "quiet this long"},
	{"action", SCHEMA_ENUM, LATER, .help = "drop, forward or alert"},
};

static const struct schema_key qos_port_keys[] = {
	{"max-rate", SCHEMA_RATE, LATER, .help = "shaping rate of every port"},
};

static const struct schema_key qos_keys[] = {
	{"trust", SCHEMA_CUSTOM, .def = "[dscp, pcp]", .help = "the first that the packet carries",
	 AT(trust), .decode = decode_trust},
	{"port-priority", SCHEMA_INTEGER, .def = "0",
	 .help = "of a packet that carries nothing trusted", AT(port_priority), .min = 0, .max = 7},
	{"dscp-to-priority", SCHEMA_CUSTOM, .def = "{26: 3, 48: 6}", .help = "unlisted: DSCP / 8",
	 AT(dscp_to_priority), .decode = decode_dscp_map},
	{"pcp-to-priority", SCHEMA_CUSTOM, .def = "{3: 3}", .help = "unlisted: PCP",
	 AT(pcp_to_priority), .decode = decode_pcp_map},
	{"priority-to-pg", SCHEMA_CUSTOM, .def = "{3: 3, default: 0}", .help = "priority groups",
	 AT(priority_to_group), .decode = decode_group_map},
	{"priority-to-tc", SCHEMA_CUSTOM, .def = "{3: 3, 6: 6, default: 0}",
	 .help = "traffic classes", AT(priority_to_class), .decode = decode_class_map},
	{"pg", SCHEMA_NUMBERED, .def = "{3: {lossless: true}}", .help = "priority groups",
	 AT(groups),
	 .sub = &(const struct schema){SCHEMA_COUNT(group_keys), .check = check_one_limit}},
	{"tc", SCHEMA_NUMBERED,
	 .def = "{3: {ecn: {min: 150KB, max: 1500KB, probability: 100%}},"
		" 6: {scheduler: strict},"
		" 0: {ecn: {min: 150KB, max: 1500KB, probability: 100%}}}",
	 .help = "traffic classes", AT(classes),
	 .sub = &(const struct schema){SCHEMA_COUNT(class_keys), .check = check_one_limit}},
	{"port", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(qos_port_keys)}},
	{"flow-control", SCHEMA_ENUM, .def = "pfc", .help = "what keeps lossless groups lossless",
	 AT(flow_control), .choices = flow_controls},
	{"pfc", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(pfc_keys)}},
	{"watchdog", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(watchdog_keys)}},
	{"remark", SCHEMA_MAP, LATER, .help = "DSCP and PCP on the way out"},
	{"trim", SCHEMA_MAP, LATER, .help = "cut instead of drop"},
	{"histograms", SCHEMA_LIST, LATER, .help = "of queue depths"},
};

// ---- routing ------------------------------------------------------------------------------------

static const struct schema_key eligible_keys[] = {
	{"udp-dport", SCHEMA_INTEGER, .def = "4791", .help = "or any",
	 AT(routing.eligible_udp_dport), .min = 1, .max = 65535, .word = "any"},
	{"opcodes", SCHEMA_ENUM, .def = "data", .help = "data: no ACKs, no CNPs",
	 AT(routing.eligible_opcodes), .choices = opcodes},
};

static const struct schema_key routing_keys[] = {
	{"mode", SCHEMA_ENUM, .def = "ecmp", .help = "how a path is chosen", AT(routing.mode),
	 .choices = schema_routing_modes},
	{"eligible", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(eligible_keys)}},
	{"hash-seed", SCHEMA_INTEGER, .def = "auto", .help = "auto: per switch",
	 AT(routing.hash_seed), .min = 0, .max = UINT32_MAX, .word = "auto",
	 .flag_offset = offsetof(struct switch_config, routing.hash_seed_auto)},
	{"flowlet-gap", SCHEMA_DURATION, LATER, .def = "256us",
	 .help = "idle time that ends a flowlet", AT(routing.flowlet_gap_ps)},
	{"grades", SCHEMA_CUSTOM,
	 .def = "[64KB, 128KB, 256KB, 512KB]",
	 .help = "queue depths that bound the grades", AT(routing.grades_bytes),
	 .decode = decode_grades},
	{"link-utilisation", SCHEMA_BOOL, LATER, .def = "off",
	 .help = "as an input beside queue depth"},
	{"pinned", SCHEMA_LIST, LATER, .help = "static paths"},
	{"spine-notices", SCHEMA_BOOL, LATER, .def = "off", .help = "congestion notices to leaves"},
	{"convergence", SCHEMA_DURATION, LATER, .def = "0ns",
	 .help = "from a link event to new routes"},
};

static const struct schema_key switch_keys[] = {
	{"preset", SCHEMA_ENUM, .help = "values for these keys to start from", AT(preset),
	 .choices = schema_presets},
	{"latency", SCHEMA_DURATION, .def = "0ns", .help = "fixed, of every packet", AT(latency_ps),
	 .min = 0, .max = SCHEMA_HOUR_PS},
	{"buffer", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(buffer_keys)}},
	{"qos", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(qos_keys)}},
	{"routing", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(routing_keys)}},
	{"slices", SCHEMA_INTEGER, LATER, .def = "1",
	 .help = "parts of a switch, each to its worker"},
	{"slice-latency", SCHEMA_DURATION, LATER, .help = "between slices"},
};

const struct schema schema_switch = {SCHEMA_COUNT(switch_keys),
				     .size = sizeof(struct switch_draft)};
const struct schema schema_single_settings = {
	SCHEMA_COUNT(switch_keys),
	.size = sizeof(struct switch_draft),
	.beside = &schema_single,
	.unknown_passed_over = true,
};
