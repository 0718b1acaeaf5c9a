// SPDX-License-Identifier: BSD-3-Clause
// The schema of `fabric:`: topology, links, framing.
#include "decode_fabric.h"

#define AT(member) SCHEMA_AT(struct config, member)
const struct schema_choice schema_roles[] = {
	{"leaf", CONFIG_ROLE_LEAF, false},
	{"spine", CONFIG_ROLE_SPINE, false},
	{"host", CONFIG_ROLE_HOST, false},
	{NULL, 0, false},
};

// ---- links and framing --------------------------------------------------------------------------

#define LINK_AT(member) SCHEMA_AT(struct config_link, member)

static const struct schema_key link_keys[] = {
	{"rate", SCHEMA_RATE, .def = "100G", .help = "bits per second", LINK_AT(rate_bps),
	 .min = SCHEMA_RATE_MIN, .max = SCHEMA_RATE_MAX},
	{"delay", SCHEMA_CUSTOM, .def = "500ns", .help = "one way", .decode = decode_delay},
	{"cable", SCHEMA_CUSTOM, .help = "length, in delay's place", .decode = decode_cable},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU", LINK_AT(mtu), .min = SCHEMA_MTU_MIN,
	 .max = SCHEMA_MTU_MAX},
};

static void
check_link(struct decoder *d, const struct yaml_node *node, void *base)
{
	((struct config_link *)base)->pos = node->pos;
	check_one_delay(d, node, base);
}

static const struct schema fabric_link = {SCHEMA_COUNT(link_keys), .check = check_link};
// A host link's MTU is the fabric's: the last key is left out.
static const struct schema host_link = {
	.keys = link_keys,
	.count = sizeof(link_keys) / sizeof(link_keys[0]) - 1,
	.check = check_link,
};

static const struct schema_key framing_keys[] = {
	{"preamble", SCHEMA_BYTES, .def = "8B", .help = "with the start delimiter",
	 AT(fabric.framing.preamble_bytes), .min = 0, .max = 64},
	{"fcs", SCHEMA_BYTES, .def = "4B", .help = "frame check sequence",
	 AT(fabric.framing.fcs_bytes), .min = 0, .max = 64},
	{"gap", SCHEMA_BYTES, .def = "12B", .help = "between frames", AT(fabric.framing.gap_bytes),
	 .min = 0, .max = 1024},
};
const struct schema schema_framing = {SCHEMA_COUNT(framing_keys)};

static const struct schema_key links_keys[] = {
	{"host", SCHEMA_MAP, AT(fabric.host_link), .sub = &host_link},
	{"fabric", SCHEMA_MAP, AT(fabric.fabric_link), .sub = &fabric_link},
	{"framing", SCHEMA_MAP, .sub = &schema_framing},
};

// ---- topology -----------------------------------------------------------------------------------

#define LEAF_SPINE (1u << CONFIG_TOPOLOGY_LEAF_SPINE)
#define EXPLICIT (1u << CONFIG_TOPOLOGY_EXPLICIT)
#define EXPLICIT_AT(member) SCHEMA_AT(struct config_explicit_link, member)

static const struct schema_choice topologies[] = {
	{"leaf-spine", CONFIG_TOPOLOGY_LEAF_SPINE, false},
	{"explicit", CONFIG_TOPOLOGY_EXPLICIT, false},
	{"rail", 0, true},
	{"fat-tree", 0, true},
	{"clos3", 0, true},
	{"file", 0, true},
	{NULL, 0, false},
};

static void
check_explicit_link(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_explicit_link *link = base;

	link->pos = node->pos;
	link->link.pos = node->pos;
	link->rate_set = yaml_tree_get(node, "rate") != NULL;
	link->mtu_set = yaml_tree_get(node, "mtu") != NULL;
	link->delay_set = yaml_tree_get(node, "delay") != NULL ||
			  yaml_tree_get(node, "cable") != NULL;
	check_one_delay(d, node, base);
}

static const struct schema_key explicit_link_keys[] = {
	{"a", SCHEMA_CUSTOM, .help = "one end, such as leaf1.swp1", EXPLICIT_AT(a),
	 .decode = decode_endpoint, .required = 1},
	{"b", SCHEMA_CUSTOM, .help = "the other end", EXPLICIT_AT(b), .decode = decode_endpoint,
	 .required = 1},
	{"rate", SCHEMA_RATE, .help = "bits per second", EXPLICIT_AT(link.rate_bps),
	 .min = SCHEMA_RATE_MIN, .max = SCHEMA_RATE_MAX},
	{"delay", SCHEMA_CUSTOM, .help = "one way", EXPLICIT_AT(link), .decode = decode_delay},
	{"cable", SCHEMA_CUSTOM, .help = "length, in delay's place", EXPLICIT_AT(link),
	 .decode = decode_cable},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU", EXPLICIT_AT(link.mtu), .min = SCHEMA_MTU_MIN,
	 .max = SCHEMA_MTU_MAX},
};
static const struct schema explicit_link = {
	SCHEMA_COUNT(explicit_link_keys),
	.size = sizeof(struct config_explicit_link),
	.check = check_explicit_link,
};

static uint32_t
topology_select(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct schema_key kind = {"kind", SCHEMA_ENUM, AT(fabric.topology),
					       .choices = topologies};
	const struct yaml_pair *pair = yaml_tree_get(node, "kind");
	struct config *config = base;
	unsigned errors = d->diag->errors;
	size_t path;

	if (pair == NULL) {
		decode_error(d, node->pos, "needs \"kind\": leaf-spine or explicit");
		return 0;
	}
	path = decode_enter(d, "kind");
	config->fabric.topology_pos = node->pos;
	decode_value(d, &kind, pair->value, base);
	decode_leave(d, path);
	return d->diag->errors > errors ? 0 : 1u << config->fabric.topology;
}

static void
topology_check(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct config_fabric *fabric = &((struct config *)base)->fabric;
	const struct yaml_pair *planes = yaml_tree_get(node, "planes");

	if (planes != NULL && fabric->planes > 1)
		decode_error(d, planes->value->pos,
			     "planes above 1 are known, but not available in this version");
	if (fabric->topology != CONFIG_TOPOLOGY_LEAF_SPINE)
		return;
	if (fabric->spines == 0 && fabric->leaves > 1)
		decode_error(d, node->pos, "%u leaves without a spine cannot reach each other",
			     fabric->leaves);
	if (fabric->hosts_per_leaf + fabric->spines > 256)
		decode_error(d, node->pos, "a leaf would have %u ports: 256 at most",
			     fabric->hosts_per_leaf + fabric->spines);
}

static const struct schema_key topology_keys[] = {
	{"kind", SCHEMA_SECTION, .help = "leaf-spine or explicit"},
	{"leaves", SCHEMA_INTEGER, .help = "leaf switches", AT(fabric.leaves), .min = 1, .max = 256,
	 .kinds = LEAF_SPINE, .required = LEAF_SPINE},
	{"spines", SCHEMA_INTEGER, .help = "spine switches", AT(fabric.spines), .min = 0,
	 .max = 255, .kinds = LEAF_SPINE, .required = LEAF_SPINE},
	{"hosts_per_leaf", SCHEMA_INTEGER, .help = "hosts of each leaf", AT(fabric.hosts_per_leaf),
	 .min = 1, .max = 256, .kinds = LEAF_SPINE, .required = LEAF_SPINE},
	{"planes", SCHEMA_INTEGER, .def = "1", .help = "disjoint copies", AT(fabric.planes),
	 .min = 1, .max = 64, .kinds = LEAF_SPINE},
	{"nodes", SCHEMA_CUSTOM, .help = "a list of names, or {name: role}", AT(fabric.nodes),
	 .decode = decode_nodes, .kinds = EXPLICIT, .required = EXPLICIT},
	{"links", SCHEMA_LIST, .help = "a list of {a, b, rate, delay}",
	 SCHEMA_ITEMS(struct config, fabric.links, fabric.link_count), .sub = &explicit_link,
	 .kinds = EXPLICIT, .required = EXPLICIT},
};
static const char *const topology_kinds[] = {
	[CONFIG_TOPOLOGY_LEAF_SPINE] = "topology leaf-spine",
	[CONFIG_TOPOLOGY_EXPLICIT] = "topology explicit",
};
static const struct schema topology = {
	SCHEMA_COUNT(topology_keys),
	.kind_names = topology_kinds,
	.select = topology_select,
	.check = topology_check,
};

static const struct schema_key fabric_keys[] = {
	{"name", SCHEMA_NAME, .def = "fabric", .help = "of the fabric", AT(fabric.name)},
	{"topology", SCHEMA_MAP, .help = "{kind: leaf-spine, leaves, spines, hosts_per_leaf}",
	 .sub = &topology, .required = 1},
	{"links", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(links_keys)}},
	{"mtu", SCHEMA_INTEGER, .def = "4200", .help = "the hosts' IP MTU", AT(fabric.mtu),
	 .min = SCHEMA_MTU_MIN, .max = SCHEMA_MTU_MAX},
	{"seed", SCHEMA_INTEGER, .def = "1", .help = "of every random stream", AT(fabric.seed),
	 .min = 0, .max = INT64_MAX},
	{"dilation", SCHEMA_INTEGER, .def = "1",
	 .help = "live: wall time for each unit of fabric time", AT(fabric.dilation), .min = 1,
	 .max = SCHEMA_DILATION_MAX},
};
const struct schema schema_fabric = {SCHEMA_COUNT(fabric_keys)};
