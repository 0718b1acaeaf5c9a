// SPDX-License-Identifier: BSD-3-Clause
// The schema of `fabric:`: topology, links, framing.
#include "schema_keys_internal.h"

#include "scalar.h"

#define AT(member) SCHEMA_AT(struct config, member)
const struct schema_choice schema_roles[] = {
	{"leaf", CONFIG_ROLE_LEAF},
	{"spine", CONFIG_ROLE_SPINE},
	{"super-spine", CONFIG_ROLE_SUPER_SPINE},
	{"host", CONFIG_ROLE_HOST},
	{NULL, 0},
};

// ---- links and framing --------------------------------------------------------------------------

#define LINK_AT(member) SCHEMA_AT(struct config_link, member)

static const struct schema_key link_keys[] = {
	{"rate", SCHEMA_RATE, .def = "100G", .help = "bits per second", LINK_AT(rate_bps),
	 SCHEMA_RATES},
	{"delay", SCHEMA_DURATION, .def = "500ns", .help = "one-way delay", LINK_AT(delay_ps),
	 SCHEMA_DELAY},
	{"cable", SCHEMA_CABLE, .help = "length, instead of `delay`", LINK_AT(cable_mm),
	 SCHEMA_LENGTH},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU", LINK_AT(mtu), SCHEMA_MTUS},
};

static const struct schema fabric_link = {SCHEMA_COUNT(link_keys),
					  SCHEMA_POS(struct config_link, pos)};
// A host link's MTU is the fabric's: the last key is left out.
static const struct schema host_link = {
	.keys = link_keys,
	.count = sizeof(link_keys) / sizeof(link_keys[0]) - 1,
	SCHEMA_POS(struct config_link, pos),
};

static const struct schema_key framing_keys[] = {
	{"preamble", SCHEMA_BYTES, .def = "auto",
	 .help = "preamble, with the start delimiter; auto: 8B, of InfiniBand 1B",
	 AT(fabric.framing.preamble_bytes), .min = 0, .max = 64, .word = "auto",
	 .flag_offset = offsetof(struct config, fabric.framing.preamble_auto)},
	{"fcs", SCHEMA_BYTES, .def = "auto",
	 .help = "frame check sequence, or VCRC; auto: 4B, of InfiniBand 2B",
	 AT(fabric.framing.fcs_bytes), .min = 0, .max = 64, .word = "auto",
	 .flag_offset = offsetof(struct config, fabric.framing.fcs_auto)},
	{"gap", SCHEMA_BYTES, .def = "auto",
	 .help = "gap between frames, or the end delimiter; auto: 12B, of InfiniBand 1B",
	 AT(fabric.framing.gap_bytes), .min = 0, .max = 1024, .word = "auto",
	 .flag_offset = offsetof(struct config, fabric.framing.gap_auto)},
};
const struct schema schema_framing = {SCHEMA_COUNT(framing_keys)};

// A link of its own: what is not written stays as it was.
#define WRITTEN_AT(member) SCHEMA_AT(struct config_link_written, member)

static const struct schema_key written_keys[] = {
	{"rate", SCHEMA_RATE, .help = "bits per second", WRITTEN_AT(link.rate_bps), SCHEMA_RATES},
	{"delay", SCHEMA_DURATION, .help = "one-way delay", WRITTEN_AT(link.delay_ps),
	 SCHEMA_DELAY},
	{"cable", SCHEMA_CABLE, .help = "length, instead of `delay`", WRITTEN_AT(link.cable_mm),
	 SCHEMA_LENGTH},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU", WRITTEN_AT(link.mtu), SCHEMA_MTUS},
};
const struct schema schema_link_written = {
	SCHEMA_COUNT(written_keys),
	SCHEMA_POS(struct config_link_written, link.pos),
	.check = check_written,
};
// The same among keys of another schema.
static const struct schema written_within = {
	SCHEMA_COUNT(written_keys),
	SCHEMA_POS(struct config_link_written, link.pos),
	.check = check_written,
	.unknown_passed_over = true,
};

static const struct schema_key links_keys[] = {
	{"host", SCHEMA_MAP, .help = "links between hosts and leaves", AT(fabric.host_link),
	 .sub = &host_link},
	{"fabric", SCHEMA_MAP, .help = "links between switches", AT(fabric.fabric_link),
	 .sub = &fabric_link},
	{"super-spine", SCHEMA_MAP,
	 .help = "links between spines and super-spines, where they differ from `fabric`",
	 AT(fabric.super_link), .sub = &schema_link_written},
	{"framing", SCHEMA_MAP,
	 .help = "bytes that a frame takes on the line in addition to its own",
	 .sub = &schema_framing},
};
static const struct schema_others links_others[] = {
	{"^[^-]+-",
	 "LINK",
	 "one link by its name, such as leaf1-spine2, where it differs from its kind",
	 {SCHEMA_MAP, .sub = &schema_link_written},
	 .live = false},
	{.pattern = NULL},
};
const struct schema schema_links = {
	SCHEMA_COUNT(links_keys),
	.unknown_passed_over = true,
	.check = decode_named_links,
	.others = links_others,
};

// ---- topology -----------------------------------------------------------------------------------

#define LEAF_SPINE (1u << CONFIG_TOPOLOGY_LEAF_SPINE)
#define RAIL (1u << CONFIG_TOPOLOGY_RAIL)
#define FAT_TREE (1u << CONFIG_TOPOLOGY_FAT_TREE)
#define CLOS3 (1u << CONFIG_TOPOLOGY_CLOS3)
#define EXPLICIT (1u << CONFIG_TOPOLOGY_EXPLICIT)
#define FROM_FILE (1u << CONFIG_TOPOLOGY_FILE)
#define EXPLICIT_AT(member) SCHEMA_AT(struct config_explicit_link, member)

static const struct schema_choice topologies[] = {
	{"leaf-spine", CONFIG_TOPOLOGY_LEAF_SPINE},
	{"rail", CONFIG_TOPOLOGY_RAIL},
	{"fat-tree", CONFIG_TOPOLOGY_FAT_TREE},
	{"clos3", CONFIG_TOPOLOGY_CLOS3},
	{"explicit", CONFIG_TOPOLOGY_EXPLICIT},
	{"file", CONFIG_TOPOLOGY_FILE},
	{NULL, 0},
};

static const struct schema_choice formats[] = {
	{"hpcc", CONFIG_TOPOLOGY_FORMAT_HPCC},
	{NULL, 0},
};

static void
check_explicit_link(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_explicit_link *link = base;

	decode_map(d, &written_within, node, &link->written);
}

static const struct schema_form endpoint = {
	SCHEMA_TEXT,
	.pattern = "^[^.]+([.](swp|eth)[1-9][0-9]?[0-9]?)?$",
	.words = "port such as leaf1.swp1, or a host's name",
};
static const struct schema_key explicit_link_keys[] = {
	{"a", SCHEMA_TEXT, .help = "one end, such as leaf1.swp1", EXPLICIT_AT(a.name),
	 .check = check_endpoint, .form = &endpoint, .required = 1},
	{"b", SCHEMA_TEXT, .help = "the other end", EXPLICIT_AT(b.name), .check = check_endpoint,
	 .form = &endpoint, .required = 1},
};
static const struct schema explicit_link = {
	SCHEMA_COUNT(explicit_link_keys),
	.size = sizeof(struct config_explicit_link),
	.beside = &schema_link_written,
	.check = check_explicit_link,
};

static uint32_t
topology_select(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const struct schema_key kind = {"kind", SCHEMA_ENUM, AT(fabric.topology),
					       .choices = topologies};

	return decode_kind(d, node, &kind, base);
}

static const struct schema_form node_role = {
	SCHEMA_ENUM,
	.choices = schema_roles,
	.other = &(const struct schema_form){SCHEMA_MAP, .sub = &schema_node},
};
static const struct schema_form node_name = {.type = SCHEMA_NAME};
static const struct schema_form nodes = {
	SCHEMA_LIST,
	.item = &node_name,
	.other = &(const struct schema_form){SCHEMA_NAMED, .item = &node_role},
};

static const struct schema_key topology_keys[] = {
	{"kind", SCHEMA_SECTION, .help = "how nodes and links are laid out", .choices = topologies},
	{"leaves", SCHEMA_INTEGER, .help = "leaf switches; clos3: of a pod", AT(fabric.leaves),
	 .min = 1, .max = 256, .kinds = LEAF_SPINE | RAIL | CLOS3,
	 .required = LEAF_SPINE | RAIL | CLOS3},
	{"spines", SCHEMA_INTEGER, .help = "spine switches; clos3: of a pod", AT(fabric.spines),
	 .min = 0, .max = 255, .kinds = LEAF_SPINE | RAIL | CLOS3,
	 .required = LEAF_SPINE | RAIL | CLOS3},
	{"hosts-per-leaf", SCHEMA_INTEGER, .help = "hosts of each leaf", AT(fabric.hosts_per_leaf),
	 .min = 1, .max = 256, .kinds = LEAF_SPINE | RAIL | CLOS3,
	 .required = LEAF_SPINE | RAIL | CLOS3},
	{"planes", SCHEMA_INTEGER, .def = "1", .help = "disjoint copies", AT(fabric.planes),
	 .min = 1, .max = 8, .kinds = LEAF_SPINE | CLOS3},
	{"rails", SCHEMA_INTEGER,
	 .help = "NICs of a host, each on a leaf of its rail (default: as many as leaves)",
	 AT(fabric.rails), .min = 1, .max = 8, .kinds = RAIL},
	{"pods", SCHEMA_INTEGER, .help = "groups of leaves and spines", AT(fabric.pods), .min = 1,
	 .max = 32, .kinds = CLOS3, .required = CLOS3},
	{"super-spines", SCHEMA_INTEGER, .help = "switches above the spines, a multiple of them",
	 AT(fabric.supers), .min = 0, .max = 4096, .kinds = CLOS3, .required = CLOS3},
	{"k", SCHEMA_INTEGER, .help = "ports of every switch, an even number", AT(fabric.k),
	 .min = 2, .max = 32, .kinds = FAT_TREE, .required = FAT_TREE},
	{"file", SCHEMA_TEXT, .help = "the path of a topology file, beside this one or as written",
	 AT(fabric.path), .kinds = FROM_FILE, .required = FROM_FILE},
	{"format", SCHEMA_ENUM, .def = "hpcc", .help = "format of that file", AT(fabric.format),
	 .choices = formats, .kinds = FROM_FILE},
	// Custom: a list of names whose roles follow from them, or a map of names to roles.
	{"nodes", SCHEMA_CUSTOM, .help = "a list of names, or {name: role}", AT(fabric.nodes),
	 .decode = decode_nodes, .form = &nodes, .kinds = EXPLICIT, .required = EXPLICIT},
	{"links", SCHEMA_LIST, .help = "a list of {a, b, rate, delay}",
	 SCHEMA_ITEMS(struct config, fabric.links, fabric.link_count), .sub = &explicit_link,
	 .kinds = EXPLICIT, .required = EXPLICIT},
};
static const struct schema topology = {
	SCHEMA_COUNT(topology_keys), SCHEMA_POS(struct config, fabric.topology_pos),
	.kind_word = "topology",     .select = topology_select,
	.check = check_topology,
};

// ---- parts --------------------------------------------------------------------------------------

#define PART_AT(member) SCHEMA_AT(struct config_part, member)

static void
decode_part_address(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		    void *base)
{
	struct config_address *address = &((struct config_part *)base)->address;
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];

	(void)key;
	address->pos = node->pos;
	if (text != NULL &&
	    scalar_machine_address(text, &address->version, address->bytes, why) != 0)
		decode_error(d, node->pos, "%s", why);
}

static const struct schema_key part_keys[] = {
	// Custom: unlike a host's, it may be a loopback address.
	{"address", SCHEMA_CUSTOM, .help = "the IPv4 or IPv6 address of the machine that runs it",
	 PART_AT(address), .decode = decode_part_address, .form = &schema_form_address,
	 .required = 1},
	{"port", SCHEMA_INTEGER, .def = "47900",
	 .help = "its first UDP port; each link between parts has one", PART_AT(port), .min = 1,
	 .max = UINT16_MAX},
	{"switches", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE | SCHEMA_HOSTS,
	 .help = "its switches; leaf1-leaf8 stands for eight", PART_AT(switches), .min = 1,
	 .required = 1},
};
static const struct schema part = {SCHEMA_COUNT(part_keys), .size = sizeof(struct config_part)};

const struct schema_choice schema_link_layers[] = {
	{"ethernet", CONFIG_LINK_ETHERNET},
	{"infiniband", CONFIG_LINK_INFINIBAND},
	{NULL, 0},
};

static const struct schema_choice underlays[] = {
	{"4", 4},
	{"6", 6},
	{NULL, 0},
};

static const struct schema_key fabric_keys[] = {
	{"name", SCHEMA_NAME, .def = "fabric", .help = "name of the fabric", AT(fabric.name)},
	{"topology", SCHEMA_MAP, .help = "{kind: leaf-spine, leaves, spines, hosts-per-leaf}",
	 .sub = &topology, .required = 1},
	{"link-layer", SCHEMA_ENUM, .def = "ethernet", .help = "what all links carry",
	 AT(fabric.link_layer), .choices = schema_link_layers},
	{"links", SCHEMA_MAP, .help = "rates and lengths of links", .sub = &schema_links},
	{"parts", SCHEMA_NAMED,
	 .help = "live: processes that each run a part of the fabric, with links in UDP datagrams",
	 SCHEMA_ITEMS(struct config, fabric.parts, fabric.part_count), .sub = &part},
	{"mtu", SCHEMA_INTEGER, .def = "4200", .help = "the hosts' IP MTU", AT(fabric.mtu),
	 SCHEMA_MTUS},
	{"underlay", SCHEMA_ENUM, .def = "4", .help = "IP version of the headers around tunnels",
	 AT(fabric.underlay), .choices = underlays},
	{"seed", SCHEMA_INTEGER, .def = "1", .help = "seed of every random stream", AT(fabric.seed),
	 .min = 0, .max = INT64_MAX},
	{"dilation", SCHEMA_INTEGER, .def = "1",
	 .help = "live: wall time for each unit of fabric time", AT(fabric.dilation), .min = 1,
	 .max = SCHEMA_DILATION_MAX},
};
const struct schema schema_fabric = {SCHEMA_COUNT(fabric_keys)};
