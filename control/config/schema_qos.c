// SPDX-License-Identifier: BSD-3-Clause
// The schema of `qos:` of a switch: priority groups, traffic classes, flow control (credits
// apart), watchdog and
// what else decides a packet's treatment.
#include "schema_keys_internal.h"

#include "scalar.h"

#include <string.h>

#define AT(member) SCHEMA_AT(struct switch_config, member)

static const struct schema_choice ingress_pools[] = {
	{"ingress-lossless", CONFIG_POOL_INGRESS_LOSSLESS},
	{"ingress-lossy", CONFIG_POOL_INGRESS_LOSSY},
	{NULL, 0},
};
static const struct schema_choice egress_pools[] = {
	{"egress-lossless", CONFIG_POOL_EGRESS_LOSSLESS},
	{"egress-lossy", CONFIG_POOL_EGRESS_LOSSY},
	{NULL, 0},
};
static const struct schema_choice schedulers[] = {
	{"dwrr", CONFIG_SCHEDULER_DWRR},
	{"strict", CONFIG_SCHEDULER_STRICT},
	{NULL, 0},
};
static const struct schema_choice trusts[] = {
	{"dscp", CONFIG_TRUST_DSCP}, {"pcp", CONFIG_TRUST_PCP}, {NULL, 0}};
static const struct schema_choice fairnesses[] = {
	{"none", false},
	{"tenant", true},
	{NULL, 0},
};
static const struct schema_choice flow_controls[] = {
	{"pfc", CONFIG_FLOW_CONTROL_PFC},
	{"pfc-asymmetric", CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC},
	{"pause", CONFIG_FLOW_CONTROL_PAUSE},
	{"credit", CONFIG_FLOW_CONTROL_CREDIT},
	{"cbfc", CONFIG_FLOW_CONTROL_CBFC},
	{"none", CONFIG_FLOW_CONTROL_NONE},
	{NULL, 0},
};

// ---- groups and classes -------------------------------------------------------------------------

#define GROUP_AT(member) SCHEMA_AT(struct config_group, member)

static const struct schema_key group_keys[] = {
	{"lossless", SCHEMA_BOOL, .def = "false", .help = "pauses instead of dropping",
	 GROUP_AT(lossless)},
	{"pool", SCHEMA_ENUM, .help = "the ingress pool it is charged to", GROUP_AT(pool),
	 .choices = ingress_pools},
	{"reserved", SCHEMA_BYTES, .def = "0B", .help = "reserved for it, and used before the pool",
	 GROUP_AT(reserved_bytes), .max = SCHEMA_BYTES_MAX},
	{"alpha", SCHEMA_ALPHA, .help = "dynamic threshold", GROUP_AT(limit),
	 .form = &schema_form_alpha},
	{"static", SCHEMA_STATIC, .help = "fixed threshold, instead of alpha", GROUP_AT(limit),
	 SCHEMA_FORM(.type = SCHEMA_BYTES), .excludes = "alpha"},
	{"headroom", SCHEMA_AMOUNT, .def = "auto",
	 .help = "headroom; auto: computed from rate, cable and MTU", GROUP_AT(headroom),
	 .amounts = 1u << CONFIG_AMOUNT_AUTO | 1u << CONFIG_AMOUNT_BYTES},
	{"xon", SCHEMA_BYTES, .def = "0B", .help = "send XON at or below this", GROUP_AT(xon_bytes),
	 .max = SCHEMA_BYTES_MAX},
	{"xon-offset", SCHEMA_AMOUNT, .def = "9216B", .help = "send XON this far below the limit",
	 GROUP_AT(xon_offset), .amounts = 1u << CONFIG_AMOUNT_NONE | 1u << CONFIG_AMOUNT_BYTES},
};

// Adds the keys in a port's map to what less specific sections have set for that port.
static void
note_written(const struct schema *schema, const struct yaml_node *node, unsigned *set)
{
	for (unsigned i = 0; i < schema->count; i++)
		if (yaml_tree_get(node, schema->keys[i].name) != NULL)
			*set |= 1u << i;
}

static void
check_port_group(struct decoder *d, const struct yaml_node *node, void *base)
{
	(void)d;
	note_written(&schema_port_group, node, &((struct config_group *)base)->set);
}

static uint32_t
port_group_written(const void *base)
{
	return ((const struct config_group *)base)->set;
}

const struct schema schema_port_group = {SCHEMA_COUNT(group_keys), .inherits = true,
					 .check = check_port_group, .written = port_group_written};

#define ECN_AT(member) SCHEMA_AT(struct config_ecn, member)

static const struct schema_key ecn_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 ECN_AT(on)},
	{"min", SCHEMA_BYTES, .def = "150KB", .help = "at or below, no packet is marked",
	 ECN_AT(min_bytes), .max = SCHEMA_BYTES_MAX},
	{"max", SCHEMA_BYTES, .def = "1500KB", .help = "above, every packet is marked",
	 ECN_AT(max_bytes), .max = SCHEMA_BYTES_MAX},
	{"probability", SCHEMA_PERCENT, .def = "100%", .help = "probability of a mark at max",
	 ECN_AT(probability_ppm)},
};

const struct schema schema_ecn = {SCHEMA_COUNT(ecn_keys)};

#define CLASS_AT(member) SCHEMA_AT(struct config_class, member)

#define CLASS_PORT_KEYS 2 // the first two, which `qos.ports` has too

static const struct schema_key class_keys[] = {
	{"scheduler", SCHEMA_ENUM, .def = "dwrr", .help = "strict classes go first",
	 CLASS_AT(scheduler), .choices = schedulers},
	{"weight", SCHEMA_INTEGER, .def = "50", .help = "weight in DWRR", CLASS_AT(weight),
	 .min = 1, .max = 1000},
	{"pool", SCHEMA_ENUM, .help = "the egress pool it is charged to", CLASS_AT(pool),
	 .choices = egress_pools},
	{"reserved", SCHEMA_BYTES, .def = "0B", .help = "reserved for it, and used before the pool",
	 CLASS_AT(reserved_bytes), .max = SCHEMA_BYTES_MAX},
	{"alpha", SCHEMA_ALPHA, .help = "dynamic threshold", CLASS_AT(limit),
	 .form = &schema_form_alpha},
	{"static", SCHEMA_STATIC, .help = "fixed threshold, instead of alpha", CLASS_AT(limit),
	 SCHEMA_FORM(.type = SCHEMA_BYTES), .excludes = "alpha"},
	{"ecn", SCHEMA_SWITCHED, .def = "off", .help = "ECN marking, {min, max, probability}",
	 CLASS_AT(ecn), SCHEMA_SUB_SWITCHED(schema_ecn)},
	{"red", SCHEMA_BOOL, .def = "off",
	 .help = "drop packets that are not ECT where ECT packets are marked; needs ecn",
	 CLASS_AT(red)},
	{"min-rate", SCHEMA_RATE, .def = "none",
	 .help = "guaranteed rate, served before weights and strict priority",
	 CLASS_AT(min_rate_bps), SCHEMA_RATES, .word = "none"},
	{"max-rate", SCHEMA_RATE, .def = "none", .help = "rate to which it is shaped",
	 CLASS_AT(max_rate_bps), SCHEMA_RATES, .word = "none"},
	{"fairness", SCHEMA_ENUM, .def = "none", .help = "tenant: tenants take turns in the queue",
	 CLASS_AT(tenant_fairness), .choices = fairnesses},
};

static void
check_port_class(struct decoder *d, const struct yaml_node *node, void *base)
{
	(void)d;
	note_written(&schema_port_class, node, &((struct config_class *)base)->set);
}

static uint32_t
port_class_written(const void *base)
{
	return ((const struct config_class *)base)->set;
}

const struct schema schema_port_class = {.keys = class_keys,
					 .count = CLASS_PORT_KEYS,
					 .inherits = true,
					 .check = check_port_class,
					 .written = port_class_written};

static const struct schema_key port_keys[] = {
	{"max-rate", SCHEMA_RATE, .def = "none", .help = "rate to which every port is shaped",
	 AT(port_max_rate_bps), SCHEMA_RATES, .word = "none"},
};

// ---- flow control -------------------------------------------------------------------------------

static const struct schema_key pfc_keys[] = {
	{"priorities", SCHEMA_BITS, .def = "[3]", .help = "priorities that PFC pauses",
	 AT(pfc_priorities), .max = CONFIG_PRIORITIES - 1, .form = &schema_form_priorities},
	{"quanta", SCHEMA_INTEGER, .def = "65535",
	 .help = "pause time in each XOFF, in units of 512 bit times", AT(pfc_quanta), .min = 0,
	 .max = 65535},
	{"refresh", SCHEMA_DURATION, .def = "auto",
	 .help = "auto: after half the quanta, or sooner if the longest frame may delay it",
	 AT(pfc_refresh_ps), .word = "auto",
	 .flag_offset = offsetof(struct switch_config, pfc_refresh_auto), .min = 1000,
	 .max = SCHEMA_HOUR_PS},
};

#define WATCHDOG_AT(member) SCHEMA_AT(struct config_watchdog, member)

static const struct schema_choice actions[] = {
	{"drop", CONFIG_WATCHDOG_DROP},
	{"forward", CONFIG_WATCHDOG_FORWARD},
	{"alert", CONFIG_WATCHDOG_ALERT},
	{NULL, 0},
};

// A detect that is a time takes the place of a farther section's polls.
static void
forget_robustness(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	(void)d, (void)key, (void)node;
	((struct config_watchdog *)base)->robustness = 0;
}

// That poll is not above detect and restore is check_switch.c's: they may come from other sections.
static const struct schema_key watchdog_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 WATCHDOG_AT(on)},
	{"detect", SCHEMA_DURATION, .def = "300ms",
	 .help = "a queue paused this long without progress is in a storm", WATCHDOG_AT(detect_ps),
	 .min = SCHEMA_WATCHDOG_MIN_PS, .max = SCHEMA_WATCHDOG_MAX_PS, .check = forget_robustness},
	{"robustness", SCHEMA_INTEGER, .help = "number of polls, instead of detect",
	 WATCHDOG_AT(robustness), .min = 1, .max = 1000, .excludes = "detect"},
	{"restore", SCHEMA_DURATION, .def = "300ms",
	 .help = "a storm ends after this long without a pause", WATCHDOG_AT(restore_ps),
	 .min = SCHEMA_WATCHDOG_MIN_PS, .max = SCHEMA_WATCHDOG_MAX_PS},
	{"action", SCHEMA_ENUM, .def = "drop", .help = "alert: only write to the log",
	 WATCHDOG_AT(action), .choices = actions},
	{"flush", SCHEMA_BOOL, .def = "on", .help = "with drop: also drop what waits in the queue",
	 WATCHDOG_AT(flush)},
	{"ingress", SCHEMA_BOOL, .def = "off",
	 .help = "with drop: also drop what comes in at the port with the queue's priorities",
	 WATCHDOG_AT(ingress)},
	{"poll", SCHEMA_DURATION, .def = "100ms", .help = "time between checks, of all ports",
	 WATCHDOG_AT(poll_ps), .min = SCHEMA_WATCHDOG_MIN_PS, .max = SCHEMA_POLL_MAX_PS},
};
#define WATCHDOG_COUNT (sizeof(watchdog_keys) / sizeof(watchdog_keys[0]))

const struct schema schema_watchdog = {SCHEMA_COUNT(watchdog_keys)};

static void
check_port_watchdog(struct decoder *d, const struct yaml_node *node, void *base)
{
	(void)d;
	note_written(&schema_port_watchdog, node, &((struct config_watchdog *)base)->set);
}

static uint32_t
port_watchdog_written(const void *base)
{
	return ((const struct config_watchdog *)base)->set;
}

// All but the last.
const struct schema schema_port_watchdog = {.keys = watchdog_keys,
					    .count = WATCHDOG_COUNT - 1,
					    .inherits = true,
					    .check = check_port_watchdog,
					    .written = port_watchdog_written};

// ---- remarking, trimming ------------------------------------------------------------------------

#define REMARK_AT(member) SCHEMA_AT(struct config_remark, member)

#define REMARK_FORM(max_)                                                                        \
	SCHEMA_FORM(SCHEMA_NAMED, .pattern = SCHEMA_PRIORITY_PATTERN, .words = "PRIORITY",       \
		    .item = &(const struct schema_form){SCHEMA_INTEGER, .min = 0, .max = (max_), \
							.other = &schema_form_none},             \
		    .other = &schema_form_none)

static const struct schema_key new_dscp = {
	"DSCP",         SCHEMA_INTEGER,  .size = sizeof(int8_t), .max = CONFIG_DSCPS - 1,
	.word = "none", .word_value = -1};
static const struct schema_key new_pcp = {
	"PCP",          SCHEMA_INTEGER,  .size = sizeof(int8_t), .max = CONFIG_PRIORITIES - 1,
	.word = "none", .word_value = -1};
static const struct schema_key remark_keys[] = {
	{"dscp", SCHEMA_TABLE, .def = "none", .help = "DSCP; the ECN bits stay", REMARK_AT(dscp),
	 .item = &new_dscp, .word = "none", REMARK_FORM(CONFIG_DSCPS - 1)},
	{"pcp", SCHEMA_TABLE, .def = "none", .help = "PCP, where the frame is tagged",
	 REMARK_AT(pcp), .item = &new_pcp, .word = "none", REMARK_FORM(CONFIG_PRIORITIES - 1)},
};

const struct schema schema_remark = {SCHEMA_COUNT(remark_keys),
				     .size = sizeof(struct config_remark)};

#define TRIM_AT(member) SCHEMA_AT(struct config_trim, member)

static void
check_trim_size(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	const struct config_trim *trim = base;

	(void)key;
	if (trim->size_bytes % 4 != 0)
		decode_error(d, node->pos, "a size of %u bytes is not a multiple of 4",
			     trim->size_bytes);
}

static const struct schema_key trim_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 TRIM_AT(on)},
	{"size", SCHEMA_BYTES, .def = "256B", .help = "size of a trimmed frame, a multiple of 4",
	 TRIM_AT(size_bytes), .min = 256, .max = 1024, .check = check_trim_size},
	{"dscp", SCHEMA_INTEGER, .def = "11",
	 .help = "DSCP of trimmed packets, by which the receiver recognises them", TRIM_AT(dscp),
	 .min = 0, .max = CONFIG_DSCPS - 1},
	{"tc", SCHEMA_INTEGER, .def = "4",
	 .help = "class of trimmed packets; it must be lossy and not eligible itself", TRIM_AT(tc),
	 .min = 0, .max = CONFIG_PRIORITIES - 1},
	{"eligible-tc", SCHEMA_BITS, .def = "[1]", .help = "classes whose packets are trimmed",
	 TRIM_AT(eligible_tc), .max = CONFIG_PRIORITIES - 1, .form = &schema_form_priorities},
};

const struct schema schema_trim = {SCHEMA_COUNT(trim_keys)};

// ---- all of it ----------------------------------------------------------------------------------

static const struct schema_form priority = {SCHEMA_INTEGER, .min = 0, .max = CONFIG_PRIORITIES - 1};
#define NUMBER_MAP(pattern_, from)                                                                \
	{                                                                                         \
		SCHEMA_NAMED, .pattern = (pattern_), .words = from ", default", .item = &priority \
	}
#define NUMBERS_OR_DEFAULT "^([0-7]|default)$"

const struct schema_form schema_form_dscp_map =
	NUMBER_MAP("^([0-9]|[1-5][0-9]|6[0-3]|default)$", "DSCP");
const struct schema_form schema_form_pcp_map = NUMBER_MAP(NUMBERS_OR_DEFAULT, "PCP");
const struct schema_form schema_form_priority_map = NUMBER_MAP(NUMBERS_OR_DEFAULT, "PRIORITY");
const struct schema_form schema_form_remark = {SCHEMA_MAP, .sub = &schema_remark,
					       .other = &schema_form_none};
static const struct schema_form trust_word = {SCHEMA_ENUM, .choices = trusts};
const struct schema_form schema_form_trust = {SCHEMA_LIST, .max = 2, .item = &trust_word};
#define HISTOGRAMS_MAX 1024

static const struct schema_form histogram = {SCHEMA_MAP, .sub = &schema_histogram};
static const struct schema_form one_port = {SCHEMA_MAP, .sub = &schema_port};

static const struct schema_key trust_item = {"TRUST", SCHEMA_ENUM,
					     .size = sizeof(enum config_trust), .choices = trusts};
const struct schema_key schema_priority_item = {"PRIORITY", SCHEMA_INTEGER, .size = 1,
						.max = CONFIG_PRIORITIES - 1};

// ---- one port -----------------------------------------------------------------------------------

#define PORT_AT(member) SCHEMA_AT(struct config_port_qos, member)
#define PORT_LISTED(member) .flag_offset = offsetof(struct config_port_qos, member)

static const struct schema_key port_pfc_keys[] = {
	{"priorities", SCHEMA_BITS, .help = "priorities that PFC pauses at the port",
	 PORT_AT(pfc_priorities), .max = CONFIG_PRIORITIES - 1, .form = &schema_form_priorities,
	 .required = 1},
};

// In the order of the bits of enum config_port_qos_set.
static const struct schema_key one_port_keys[] = {
	{"trust", SCHEMA_ARRAY, .flags = SCHEMA_UNIQUE,
	 .help = "marks to trust: the first of them that a packet carries", PORT_AT(trust),
	 PORT_LISTED(trust_count), .item = &trust_item, .form = &schema_form_trust},
	{"port-priority", SCHEMA_INTEGER, .help = "priority of packets without a trusted mark",
	 PORT_AT(port_priority), .min = 0, .max = 7},
	{"dscp-to-priority", SCHEMA_TABLE, .help = "unlisted: DSCP / 8", PORT_AT(dscp_to_priority),
	 PORT_LISTED(dscp_listed), .item = &schema_priority_item, .form = &schema_form_dscp_map},
	{"pcp-to-priority", SCHEMA_TABLE, .help = "unlisted: PCP", PORT_AT(pcp_to_priority),
	 PORT_LISTED(pcp_listed), .item = &schema_priority_item, .form = &schema_form_pcp_map},
	{"remark", SCHEMA_MAP, .help = "DSCP and PCP on the way out", PORT_AT(remark),
	 .sub = &schema_remark, .word = "none", .form = &schema_form_remark},
	{"max-rate", SCHEMA_RATE, .help = "rate to which it is shaped", PORT_AT(max_rate_bps),
	 SCHEMA_RATES, .word = "none"},
	{"tc", SCHEMA_NUMBERED, .help = "scheduling of its queues", PORT_AT(classes),
	 .sub = &schema_port_class},
	{"pfc", SCHEMA_MAP, .help = "which priorities are paused",
	 .sub = &(const struct schema){SCHEMA_COUNT(port_pfc_keys)}},
	{"pg", SCHEMA_NUMBERED, .help = "its priority groups", PORT_AT(groups),
	 .sub = &schema_port_group},
	{"watchdog", SCHEMA_SWITCHED, .help = "PFC watchdog, for its queues", PORT_AT(watchdog),
	 SCHEMA_SUB_SWITCHED(schema_port_watchdog)},
};

static uint32_t
select_port(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_port_qos *port = base;

	(void)node;
	if (port->number == 0)
		memset(&port->remark, -1, sizeof(port->remark));
	decode_port_number(d, &port->name, &port->number);
	return port->number != 0 ? UINT32_MAX : 0;
}

static void
check_port(struct decoder *d, const struct yaml_node *node, void *base)
{
	(void)d;
	note_written(&schema_port, node, &((struct config_port_qos *)base)->set);
}

static uint32_t
port_written(const void *base)
{
	return ((const struct config_port_qos *)base)->set;
}

const struct schema schema_port = {SCHEMA_COUNT(one_port_keys),
				   .size = sizeof(struct config_port_qos), .select = select_port,
				   .check = check_port, .written = port_written};

#define LISTED(member) \
	.flag_offset = offsetof(struct switch_config, member), .item = &schema_priority_item

static const struct schema_key qos_keys[] = {
	{"trust", SCHEMA_ARRAY, .flags = SCHEMA_UNIQUE, .def = "[dscp, pcp]",
	 .help = "marks to trust: the first of them that a packet carries", AT(trust),
	 .flag_offset = offsetof(struct switch_config, trust_count), .item = &trust_item,
	 .form = &schema_form_trust},
	{"port-priority", SCHEMA_INTEGER, .def = "0",
	 .help = "priority of packets without a trusted mark", AT(port_priority), .min = 0,
	 .max = 7},
	{"dscp-to-priority", SCHEMA_TABLE, .def = "{26: 3, 48: 6}", .help = "unlisted: DSCP / 8",
	 AT(dscp_to_priority), LISTED(dscp_listed), .form = &schema_form_dscp_map},
	{"pcp-to-priority", SCHEMA_TABLE, .def = "{3: 3}", .help = "unlisted: PCP",
	 AT(pcp_to_priority), LISTED(pcp_listed), .form = &schema_form_pcp_map},
	{"priority-to-pg", SCHEMA_TABLE, .def = "{3: 3, default: 0}",
	 .help = "which priority group a priority is in", AT(priority_to_group),
	 LISTED(group_listed), .form = &schema_form_priority_map},
	{"priority-to-tc", SCHEMA_TABLE, .def = "{3: 3, 6: 6, default: 0}",
	 .help = "which traffic class a priority is in", AT(priority_to_class),
	 LISTED(class_listed), .form = &schema_form_priority_map},
	{"pg", SCHEMA_NUMBERED, .def = "{3: {lossless: true}}", .help = "priority groups",
	 AT(groups), .sub = &(const struct schema){SCHEMA_COUNT(group_keys)}},
	{"tc", SCHEMA_NUMBERED,
	 .def = "{3: {ecn: {min: 150KB, max: 1500KB, probability: 100%}},"
		" 6: {scheduler: strict},"
		" 0: {ecn: {min: 150KB, max: 1500KB, probability: 100%}}}",
	 .help = "traffic classes", AT(classes),
	 .sub = &(const struct schema){SCHEMA_COUNT(class_keys)}},
	{"port", SCHEMA_MAP, .help = "every port",
	 .sub = &(const struct schema){SCHEMA_COUNT(port_keys)}},
	{"ports", SCHEMA_NAMED, .flags = SCHEMA_MERGED,
	 .help = "settings of single ports: {swp1: {...}}",
	 SCHEMA_ITEMS(struct switch_config, ports, port_count), .sub = &schema_port,
	 SCHEMA_FORM(SCHEMA_NAMED, .pattern = SCHEMA_PORT_PATTERN, .words = "swpN",
		     .item = &one_port)},
	{"flow-control", SCHEMA_ENUM, .def = "pfc", .help = "what keeps lossless groups lossless",
	 AT(flow_control), .choices = flow_controls},
	{"pfc", SCHEMA_MAP, .help = "which priorities are paused, and for how long",
	 .sub = &(const struct schema){SCHEMA_COUNT(pfc_keys)}},
	{"credit", SCHEMA_MAP, .flags = SCHEMA_FIXED,
	 .help = "receive buffers, grants and lanes of flow-control credit and cbfc",
	 .sub = &schema_credit},
	{"llr", SCHEMA_MAP, .flags = SCHEMA_FIXED,
	 .help = "link-level retry: resend frames that arrive with errors", AT(llr),
	 .sub = &schema_llr},
	{"watchdog", SCHEMA_SWITCHED, .def = "off",
	 .help = "PFC watchdog, for queues that a pause holds", AT(watchdog),
	 SCHEMA_SUB_SWITCHED(schema_watchdog)},
	{"remark", SCHEMA_MAP, .def = "none", .help = "DSCP and PCP on the way out", AT(remark),
	 .sub = &schema_remark, .word = "none", .form = &schema_form_remark},
	{"trim", SCHEMA_SWITCHED, .def = "off",
	 .help = "trim packets to their headers instead of dropping them", AT(trim),
	 SCHEMA_SUB_SWITCHED(schema_trim)},
	{"histograms", SCHEMA_LIST, .help = "histograms of depth, occupancy and latency",
	 SCHEMA_ITEMS(struct switch_config, histograms, histogram_count), .sub = &schema_histogram,
	 .max = HISTOGRAMS_MAX, .word = "none", .check = check_histograms,
	 SCHEMA_FORM(SCHEMA_LIST, .item = &histogram, .other = &schema_form_none)},
};

const struct schema schema_qos = {SCHEMA_COUNT(qos_keys)};
