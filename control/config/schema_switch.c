// SPDX-License-Identifier: BSD-3-Clause
// The schema of a switch's settings: what stands under `switch:`, `leaf:`, `spine:`, a switch's own
// section, and in a preset. The defaults are what a switch without a preset does.
#include "schema_keys_internal.h"
#include "scalar.h"

#include <string.h>

#define AT(member) SCHEMA_AT(struct switch_config, member)

const struct schema_choice schema_presets[] = {
	{"spectrum-x", CONFIG_PRESET_SPECTRUM_X},
	{"sonic", CONFIG_PRESET_SONIC},
	{"lossy", CONFIG_PRESET_LOSSY},
	{"infiniband", CONFIG_PRESET_INFINIBAND},
	{"uec", CONFIG_PRESET_UEC},
	{"mrc", CONFIG_PRESET_MRC},
	{NULL, 0},
};

const struct schema_choice schema_preset_modes[] = {
	{"lossless", CONFIG_PRESET_MODE_LOSSLESS},
	{"lossy", CONFIG_PRESET_MODE_LOSSY},
	{"lossless-single-pool", CONFIG_PRESET_MODE_SINGLE_POOL},
	{NULL, 0},
};

#define ROUTING_MODE(id, word) {word, GROUP_##id},
const struct schema_choice schema_routing_modes[] = {
	// clang-format off
	GROUP_MODES(ROUTING_MODE)
	// clang-format on
	{NULL, 0},
};

const struct schema_choice schema_pool_names[] = {
	{"ingress-lossless", CONFIG_POOL_INGRESS_LOSSLESS},
	{"ingress-lossy", CONFIG_POOL_INGRESS_LOSSY},
	{"egress-lossless", CONFIG_POOL_EGRESS_LOSSLESS},
	{"egress-lossy", CONFIG_POOL_EGRESS_LOSSY},
	{NULL, 0},
};

static const struct schema_choice weights[] = {
	{"equal", CONFIG_WEIGHTS_EQUAL},
	{"capacity", CONFIG_WEIGHTS_CAPACITY},
	{NULL, 0},
};

static const struct schema_choice opcodes[] = {
	{"data", CONFIG_OPCODES_DATA},
	{"all", CONFIG_OPCODES_ALL},
	{NULL, 0},
};

// ---- buffer -------------------------------------------------------------------------------------

#define POOL_SIZES \
	(1u << CONFIG_AMOUNT_BYTES | 1u << CONFIG_AMOUNT_PERCENT | 1u << CONFIG_AMOUNT_UNLIMITED)
#define PORT_ALPHAS (1u << CONFIG_AMOUNT_NONE | 1u << CONFIG_AMOUNT_ALPHA)
#define POOL_KEYS(pool, default_size)                                                           \
	{                                                                                       \
		{"size",                                                                        \
		 SCHEMA_AMOUNT,                                                                 \
		 .def = default_size,                                                           \
		 AT(pools[pool]),                                                               \
		 .amounts = POOL_SIZES,                                                         \
		 .help = "size of the pool; % of the buffer less headroom"},                    \
			{"port-alpha",         SCHEMA_AMOUNT,                                   \
			 .def = "none",        .help = "what one port may use of what is free", \
			 AT(port_alpha[pool]), .amounts = PORT_ALPHAS},                         \
	}

static const struct schema_key ingress_lossless_keys[] =
	POOL_KEYS(CONFIG_POOL_INGRESS_LOSSLESS, "50%");
static const struct schema_key ingress_lossy_keys[] = POOL_KEYS(CONFIG_POOL_INGRESS_LOSSY, "50%");
static const struct schema_key egress_lossless_keys[] =
	POOL_KEYS(CONFIG_POOL_EGRESS_LOSSLESS, "unlimited");
static const struct schema_key egress_lossy_keys[] = POOL_KEYS(CONFIG_POOL_EGRESS_LOSSY, "50%");

static const struct schema_key pools_keys[] = {
	{"ingress-lossless", SCHEMA_MAP, .help = "the pool of lossless priority groups",
	 .sub = &(const struct schema){SCHEMA_COUNT(ingress_lossless_keys)}},
	{"ingress-lossy", SCHEMA_MAP, .help = "the pool of the other priority groups",
	 .sub = &(const struct schema){SCHEMA_COUNT(ingress_lossy_keys)}},
	{"egress-lossless", SCHEMA_MAP, .help = "the pool of lossless traffic classes",
	 .sub = &(const struct schema){SCHEMA_COUNT(egress_lossless_keys)}},
	{"egress-lossy", SCHEMA_MAP, .help = "the pool of the other traffic classes",
	 .sub = &(const struct schema){SCHEMA_COUNT(egress_lossy_keys)}},
};

static const struct schema_key headroom_pool_keys[] = {
	{"size", SCHEMA_BYTES, .def = "0B",
	 .help = "shared by all groups; 0: each group has its own headroom",
	 AT(headroom_pool_bytes), .max = SCHEMA_BYTES_MAX},
};

static const struct schema_key buffer_keys[] = {
	{"size", SCHEMA_BYTES, .def = "64MB", .help = "size of the buffer", AT(buffer_bytes),
	 .min = 1, .max = SCHEMA_BYTES_MAX},
	{"cell", SCHEMA_INTEGER, .flags = SCHEMA_FIXED, .def = "192",
	 .help = "bytes of a cell; 1 makes the buffer byte-exact", AT(cell_bytes), .min = 1,
	 .max = 16384},
	{"pools", SCHEMA_MAP, .help = "ingress and egress each account for all of the buffer",
	 .sub = &(const struct schema){SCHEMA_COUNT(pools_keys)}},
	{"headroom-pool", SCHEMA_MAP, .help = "headroom that lossless groups share",
	 .sub = &(const struct schema){SCHEMA_COUNT(headroom_pool_keys)}},
};

// ---- routing ------------------------------------------------------------------------------------

static const struct schema_form dscp = {SCHEMA_INTEGER, .min = 0, .max = CONFIG_DSCPS - 1};
static const struct schema_form priority = {SCHEMA_INTEGER, .min = 0, .max = CONFIG_PRIORITIES - 1};

static const struct schema_key eligible_keys[] = {
	{"udp-dport", SCHEMA_INTEGER, .def = "4791",
	 .help = "UDP destination port of eligible packets", AT(routing.eligible_udp_dport),
	 .min = 1, .max = 65535, .word = "any"},
	{"opcodes", SCHEMA_ENUM, .def = "data", .help = "data: no ACKs, no CNPs",
	 AT(routing.eligible_opcodes), .choices = opcodes},
	{"dscp", SCHEMA_BITS, .def = "any", .help = "values that eligible packets have",
	 AT(routing.eligible_dscps), .min = 1, .max = CONFIG_DSCPS - 1, .word = "any",
	 SCHEMA_FORM(SCHEMA_LIST, .min = 1, .item = &dscp, .other = &schema_form_any)},
	{"priorities", SCHEMA_BITS, .def = "any", .help = "values that eligible packets have",
	 AT(routing.eligible_priorities), .min = 1, .max = CONFIG_PRIORITIES - 1, .word = "any",
	 SCHEMA_FORM(SCHEMA_LIST, .min = 1, .item = &priority, .other = &schema_form_any)},
	{"bth-reserved", SCHEMA_INTEGER, .def = "any",
	 .help = "which of the six bits after FECN and BECN must be set",
	 AT(routing.eligible_bth_reserved), .min = 1, .max = 63, .word = "any"},
};

#define PIN_AT(member) SCHEMA_AT(struct config_pin, member)

static const struct schema_key pin_keys[] = {
	{"src", SCHEMA_TEXT, .help = "a host, its port, a leaf or an address", PIN_AT(src),
	 .required = 1},
	{"dst", SCHEMA_TEXT, .help = "as `src`", PIN_AT(dst), .required = 1},
	{"via", SCHEMA_TEXT, .help = "a neighbour, or a port of the switch", PIN_AT(via),
	 .required = 1},
};

const struct schema schema_pin = {SCHEMA_COUNT(pin_keys), .size = sizeof(struct config_pin),
				  SCHEMA_POS(struct config_pin, pos)};

#define NOTICES_AT(member) SCHEMA_AT(struct config_notices, member)

static const struct schema_key notices_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 NOTICES_AT(on)},
	{"depth", SCHEMA_BYTES, .def = "150KB", .help = "depth above which a queue is congested",
	 NOTICES_AT(depth_bytes), .max = SCHEMA_BYTES_MAX},
	{"hold", SCHEMA_DURATION, .def = "10us", .help = "how long a notice counts",
	 NOTICES_AT(hold_ps), .min = 1000000, .max = SCHEMA_SECOND_PS},
};

const struct schema schema_notices = {SCHEMA_COUNT(notices_keys)};

#define PINS_MAX 4096
#define UTILISATION_ON_PPM 700000 // `on`: Cumulus Linux's default threshold, 70 %

static void
decode_utilisation(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		   void *base)
{
	uint32_t *ppm = (uint32_t *)((char *)base + key->offset);
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];
	bool on;

	if (text == NULL)
		return;
	if (scalar_bool(text, &on, why) == 0)
		*ppm = on ? UTILISATION_ON_PPM : 0;
	else if (scalar_percent(text, ppm, why) < 0)
		decode_error(d, node->pos, "%s, or on or off", why);
	else if (*ppm == 0)
		decode_error(d, node->pos, "0%% is always exceeded: write off, or 1%% to 100%%");
}

static bool
encode_utilisation(FILE *to, const struct schema_key *key, const void *base)
{
	uint32_t ppm = *(const uint32_t *)((const char *)base + key->offset);
	char text[CONFIG_TEXT];

	fputs(ppm != 0 ? config_percent_text(ppm, text) : "off", to);
	return true;
}

static const struct schema_key grade_item = {"DEPTH", SCHEMA_BYTES, .size = sizeof(uint64_t)};
static const struct schema_form grade = {.type = SCHEMA_BYTES};
static const struct schema_form share = {.type = SCHEMA_PERCENT};
static const struct schema_form pin = {SCHEMA_MAP, .sub = &schema_pin};

static const struct schema_key routing_keys[] = {
	{"mode", SCHEMA_ENUM, .def = "ecmp", .help = "how a path is chosen", AT(routing.mode),
	 .choices = schema_routing_modes},
	{"eligible", SCHEMA_MAP, .help = "which packets may leave their flow's path",
	 .sub = &(const struct schema){SCHEMA_COUNT(eligible_keys)}},
	{"hash-seed", SCHEMA_INTEGER, .def = "auto", .help = "auto: per switch",
	 AT(routing.hash_seed), .min = 0, .max = UINT32_MAX, .word = "auto",
	 .flag_offset = offsetof(struct switch_config, routing.hash_seed_auto)},
	{"weights", SCHEMA_ENUM, .def = "equal",
	 .help = "weights of next hops in computed routes; capacity: by link rate",
	 AT(routing.weights), .choices = weights},
	{"flowlet-gap", SCHEMA_DURATION, .def = "256us", .help = "idle time that ends a flowlet",
	 AT(routing.flowlet_gap_ps), .min = 1, .max = SCHEMA_HOUR_PS},
	{"grades", SCHEMA_ARRAY, .flags = SCHEMA_ASCENDING, .def = "[64KB, 128KB, 256KB, 512KB]",
	 .help = "queue depths that bound the grades, ascending", AT(routing.grades_bytes),
	 .flag_offset = offsetof(struct switch_config, routing.grade_count), .item = &grade_item,
	 SCHEMA_FORM(SCHEMA_LIST, .max = CONFIG_GRADES_MAX, .item = &grade)},
	// Custom: a percentage or a bool, of which `on` stands for the usual percentage.
	{"link-utilisation", SCHEMA_CUSTOM, .def = "off",
	 .help = "load above which a link ranks one grade worse; on: 70%",
	 AT(routing.utilisation_ppm), .decode = decode_utilisation, .encode = encode_utilisation,
	 SCHEMA_FORM(SCHEMA_BOOL, .other = &share)},
	{"pinned", SCHEMA_LIST, .help = "[{src, dst, via}]: flows with a path of their own",
	 SCHEMA_ITEMS(struct switch_config, routing.pins, routing.pin_count), .sub = &schema_pin,
	 .max = PINS_MAX, .word = "none",
	 SCHEMA_FORM(SCHEMA_LIST, .item = &pin, .other = &schema_form_none)},
	{"spine-notices", SCHEMA_SWITCHED, .def = "off",
	 .help = "switches above send notices of congestion behind them", AT(routing.notices),
	 SCHEMA_SUB_SWITCHED(schema_notices)},
	{"convergence", SCHEMA_DURATION, .def = "0ns",
	 .help = "time from a link event to new routes", AT(routing.convergence_ps), SCHEMA_HOUR},
};

// ---- what a switch answers ----------------------------------------------------------------------

#define ICMP_AT(member) SCHEMA_AT(struct config_icmp, member)
#define ICMP_RATE_MAX 1000000000
#define ICMP_BURST_MAX 1000000

static const struct schema_key icmp_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 ICMP_AT(on)},
	{"rate", SCHEMA_INTEGER, .def = "6000",
	 .help = "packets a second of fabric time, at each port", ICMP_AT(rate), .min = 1,
	 .max = ICMP_RATE_MAX},
	{"burst", SCHEMA_INTEGER, .def = "6000", .help = "packets that may be sent at once",
	 ICMP_AT(burst), .min = 1, .max = ICMP_BURST_MAX},
};

static const struct schema schema_icmp = {SCHEMA_COUNT(icmp_keys)};

// ---- IP-in-IP -----------------------------------------------------------------------------------

#define IPIP_AT(member) SCHEMA_AT(struct config_ipip, member)
#define IPIP_LISTED(member) \
	.flag_offset = offsetof(struct config_ipip, member), .item = &schema_priority_item

static const struct schema_choice ipip_modes[] = {
	{"uniform", false},
	{"pipe", true},
	{NULL, 0},
};
static const struct schema_choice ipip_ttls[] = {
	{"pipe", false},
	{"uniform", true},
	{NULL, 0},
};
static const struct schema_choice ipip_ecns[] = {
	{"standard", false},
	{"copy-from-outer", true},
	{NULL, 0},
};

static void
check_ipip_addresses(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		     void *base)
{
	struct config_ipip *ipip = base;
	struct config_address *all = ipip->addresses;

	(void)key, (void)node;
	for (unsigned i = 0; i < ipip->address_count; i++)
		for (unsigned k = 0; k < i; k++)
			if (all[k].version == all[i].version &&
			    memcmp(all[k].bytes, all[i].bytes, sizeof(all[i].bytes)) == 0)
				decode_error(d, all[i].pos, "this address is listed twice");
	for (unsigned i = 0; i < CONFIG_IPIP_ADDRESSES; i++)
		if (i < ipip->address_count)
			all[i].pos = (struct diag_pos){0};
		else
			all[i] = (struct config_address){0};
}

static const struct schema_key ipip_address_item = {"ADDRESS", SCHEMA_ADDRESS,
						    .size = sizeof(struct config_address)};

static const struct schema_key ipip_keys[] = {
	{"enabled", SCHEMA_BOOL, .help = "default: on if any other key here is written",
	 IPIP_AT(on)},
	{"address", SCHEMA_ARRAY, .help = "addresses to which tunnels that end here are sent",
	 IPIP_AT(addresses), .flag_offset = offsetof(struct config_ipip, address_count),
	 .item = &ipip_address_item, .check = check_ipip_addresses,
	 SCHEMA_FORM(SCHEMA_LIST, .max = CONFIG_IPIP_ADDRESSES, .item = &schema_form_address)},
	{"dscp", SCHEMA_ENUM, .def = "uniform",
	 .help = "uniform: the inner packet gets the outer DSCP; pipe: it keeps its own",
	 IPIP_AT(pipe), .choices = ipip_modes},
	{"ecn", SCHEMA_ENUM, .def = "standard",
	 .help = "standard: RFC 6040; copy-from-outer: the inner packet gets the outer ECN",
	 IPIP_AT(copies_ecn), .choices = ipip_ecns},
	{"ttl", SCHEMA_ENUM, .def = "pipe",
	 .help = "pipe: the inner TTL counts; uniform: the inner packet gets the outer TTL",
	 IPIP_AT(uniform_ttl), .choices = ipip_ttls},
	{"dscp-to-priority", SCHEMA_TABLE,
	 .help = "priority by the outer DSCP; unlisted: DSCP / 8. Not written: as for other "
		 "packets",
	 IPIP_AT(dscp_to_priority), IPIP_LISTED(dscp_listed), .form = &schema_form_dscp_map},
	{"priority-to-pg", SCHEMA_TABLE,
	 .help = "priority groups of decapsulated packets; unlisted: qos.priority-to-pg",
	 IPIP_AT(priority_to_group), IPIP_LISTED(group_listed), .form = &schema_form_priority_map},
};

static const struct schema schema_ipip = {SCHEMA_COUNT(ipip_keys)};

static const struct schema_choice arp_choices[] = {
	{"off", CONFIG_ARP_OFF},
	{"on", CONFIG_ARP_ON},
	{"proxy", CONFIG_ARP_PROXY},
	{NULL, 0},
};

static const struct schema_choice forwarding_choices[] = {
	{"store-and-forward", false},
	{"cut-through", true},
	{NULL, 0},
};

#define HEADER_BYTES_MIN 16
#define HEADER_BYTES_MAX 1024

static const struct schema_key switch_keys[] = {
	{"preset", SCHEMA_ENUM, .help = "the preset that gives these keys their initial values",
	 AT(preset), .choices = schema_presets},
	{"preset-mode", SCHEMA_ENUM, .def = "lossless",
	 .help = "mode of spectrum-x; the other presets have only the first", AT(preset_mode),
	 .choices = schema_preset_modes},
	{"latency", SCHEMA_DURATION, .flags = SCHEMA_FIXED, .def = "0ns",
	 .help = "fixed latency of every packet", AT(latency_ps), SCHEMA_HOUR},
	{"forwarding", SCHEMA_ENUM, .flags = SCHEMA_FIXED, .def = "store-and-forward",
	 .help = "cut-through: forward a packet once its header has arrived, if both ports "
		 "have the same rate",
	 AT(cut_through), .choices = forwarding_choices},
	{"cut-through-header", SCHEMA_BYTES, .flags = SCHEMA_FIXED, .def = "64B",
	 .help = "bytes of a frame after which a cut-through switch decides", AT(header_bytes),
	 .min = HEADER_BYTES_MIN, .max = HEADER_BYTES_MAX},
	{"buffer", SCHEMA_MAP, .help = "the packet buffer and its pools",
	 .sub = &(const struct schema){SCHEMA_COUNT(buffer_keys)}},
	{"qos", SCHEMA_MAP, .help = "priorities, groups, classes, flow control",
	 .sub = &schema_qos},
	{"routing", SCHEMA_MAP, .help = "how a path is chosen",
	 .sub = &(const struct schema){SCHEMA_COUNT(routing_keys)}},
	{"icmp", SCHEMA_SWITCHED, .def = "on",
	 .help = "answers to ping, and ICMP errors about dropped packets", AT(icmp),
	 SCHEMA_SUB_SWITCHED(schema_icmp)},
	{"ipip", SCHEMA_SWITCHED, .def = "off", .help = "decapsulation of IP-in-IP", AT(ipip),
	 SCHEMA_SUB_SWITCHED(schema_ipip)},
	{"arp", SCHEMA_ENUM, .def = "on",
	 .help = "answers to ARP and neighbour discovery at ports of hosts; proxy: for every route",
	 AT(arp), .choices = arp_choices},
	{"lldp", SCHEMA_BOOL, .def = "on",
	 .help = "LLDP and DCBX at ports that have a device or an attached host; live only",
	 AT(lldp)},
	{"learn", SCHEMA_LIST, .flags = SCHEMA_FIXED,
	 .help = "VRFs whose routes come from a routing daemon; live only",
	 SCHEMA_ITEMS(struct switch_config, learns, learn_count), .sub = &schema_learn},
};

const struct schema schema_switch = {SCHEMA_COUNT(switch_keys),
				     .size = sizeof(struct switch_config)};
const struct schema schema_single_settings = {
	SCHEMA_COUNT(switch_keys),
	.size = sizeof(struct switch_config),
	.beside = &schema_single,
	.unknown_passed_over = true,
};
