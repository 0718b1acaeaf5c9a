// SPDX-License-Identifier: BSD-3-Clause
// The schema of one switch's own keys, beside its settings: name, role, ports, routes.
#include "schema_keys_internal.h"

#include <net/if.h>
#include <stdbool.h>
#include <string.h>

#define AT(member) SCHEMA_AT(struct config, member)

static const struct schema_choice switch_roles[] = {
	{"leaf", CONFIG_ROLE_LEAF},
	{"spine", CONFIG_ROLE_SPINE},
	{NULL, 0},
};

// As Linux takes them for interfaces (dev_valid_name()).
static bool
is_interface_name(const char *name)
{
	return strlen(name) < IFNAMSIZ && name[0] != '\0' && strpbrk(name, "/: \t\n,") == NULL &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void
check_netdev(struct decoder *d, const struct config_port *port)
{
	if (port->netdev.text == NULL)
		return;
	if (port->dev.text != NULL)
		decode_error(d, port->netdev.pos, "netdev and dev: the port is one or the other");
	if (port->mac.set)
		decode_error(d, port->netdev.pos,
			     "mac: a netdev has its interface's: ip link set %.16s address ...",
			     port->netdev.text);
	if (!is_interface_name(port->netdev.text))
		decode_error(d, port->netdev.pos, "\"%.40s\" cannot name an interface",
			     port->netdev.text);
}

static void
check_port(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_port *port = base;

	port->link.pos = port->name.pos;
	port->link_written = yaml_tree_get(node, "delay") != NULL ||
			     yaml_tree_get(node, "cable") != NULL;
	port->mtu_written = yaml_tree_get(node, "mtu") != NULL;
	decode_port_number(d, &port->name, &port->number);
	if (port->uplink && port->tenant.text != NULL)
		decode_error(d, port->tenant.pos,
			     "%s is an uplink, of all tenants: it cannot be in one",
			     port->name.text);
	if (port->uplink && strcmp(port->vrf.text, "default") != 0)
		decode_error(d, port->vrf.pos, "%s is an uplink: its VRF is default",
			     port->name.text);
	if (port->link.rate_bps == 0 && port->dev.text == NULL && port->netdev.text == NULL &&
	    yaml_tree_get(node, "rate") != NULL)
		decode_error(d, node->pos, "rate: device needs dev or netdev");
	check_netdev(d, port);
}

#define PORT_AT(member) SCHEMA_AT(struct config_port, member)

static const struct schema_key port_keys[] = {
	{"rate", SCHEMA_RATE, .def = "100G", .help = "bits per second, or device",
	 PORT_AT(link.rate_bps), SCHEMA_RATES, .word = "device"},
	{"delay", SCHEMA_DURATION, .def = "500ns", .help = "one-way delay", PORT_AT(link.delay_ps),
	 SCHEMA_DELAY},
	{"cable", SCHEMA_CABLE, .help = "length, instead of `delay`", PORT_AT(link.cable_mm),
	 SCHEMA_LENGTH},
	{"mtu", SCHEMA_INTEGER, .help = "IP MTU (default: the switch's)", PORT_AT(link.mtu),
	 SCHEMA_MTUS},
	{"vrf", SCHEMA_NAME, .def = "default", .help = "its routing table", PORT_AT(vrf)},
	{"tenant", SCHEMA_NAME, .help = "the tenant whose packets come in here", PORT_AT(tenant)},
	{"dev", SCHEMA_TEXT, .help = "DPDK device", PORT_AT(dev)},
	{"netdev", SCHEMA_TEXT, .help = "Linux interface, shared with the kernel", PORT_AT(netdev)},
	{"mac", SCHEMA_MAC, .help = "its own address", PORT_AT(mac)},
	{"uplink", SCHEMA_BOOL, .def = "false",
	 .help = "a switch of the same fabric is behind it: tunnels and tenants' VLANs end here",
	 PORT_AT(uplink)},
};
static const struct schema port = {SCHEMA_COUNT(port_keys), .size = sizeof(struct config_port),
				   .check = check_port};

static void
check_route(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *prefix = yaml_tree_get(node, "prefix");
	struct config_route *route = base;

	(void)d;
	route->pos = node->pos;
	if (prefix != NULL)
		route->prefix_pos = prefix->value->pos;
}

#define ROUTE_AT(member) SCHEMA_AT(struct config_route, member)

static const struct schema_form next_hop = {
	SCHEMA_MAP,
	.sub = &schema_via,
	.other = &(const struct schema_form){.type = SCHEMA_NAME},
};
static const struct schema_form via = {SCHEMA_LIST, .max = 256, .item = &next_hop};

static const struct schema_key route_keys[] = {
	{"vrf", SCHEMA_NAME, .def = "default", .help = "the routing table", ROUTE_AT(vrf)},
	{"prefix", SCHEMA_PREFIX, .help = "such as 10.1.0.0/16", ROUTE_AT(prefix), .required = 1},
	{"via", SCHEMA_LIST, .help = "next hops: [{port, mac}], nodes, or [{vtep, mac}]",
	 SCHEMA_ITEMS(struct config_route, via, via_count), .sub = &schema_via, .max = 256,
	 .form = &via, .required = 1},
};
const struct schema schema_route = {SCHEMA_COUNT(route_keys), .size = sizeof(struct config_route),
				    .check = check_route};

static void
check_version(struct decoder *d, const struct yaml_node *node, const struct config_address *address,
	      uint8_t version)
{
	if (address->version != version)
		decode_error(d, node->pos, "an IPv%u address: write an IPv%u one", address->version,
			     version);
}

static void
check_loopback4(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	(void)key;
	check_version(d, node, &((const struct config *)base)->single.loopback4, 4);
}

static void
check_loopback6(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	(void)key;
	check_version(d, node, &((const struct config *)base)->single.loopback6, 6);
}

#define BFD_SOCKET_MAX 100 // a unix socket's address has room for 107 characters

static void
check_bfd(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct config *config = base;
	const char *socket = config->single.bfd.socket.text;
	const char *slash = socket != NULL ? strrchr(socket, '/') : NULL;

	(void)node;
	if (socket == NULL)
		return;
	if (socket[0] != '/' || slash[1] == '\0' || strlen(socket) > BFD_SOCKET_MAX)
		decode_error(d, config->single.bfd.socket.pos,
			     "socket: \"%.120s\" is not an absolute path of at most %d characters",
			     socket, BFD_SOCKET_MAX);
}

static const struct schema_key bfd_keys[] = {
	{"socket", SCHEMA_TEXT,
	 .help = "unix socket where bfdd listens (bfdd --dplaneaddr unix:PATH)",
	 AT(single.bfd.socket), .required = 1},
	{"user", SCHEMA_NAME, .def = "frr",
	 .help = "who may run bfdd, besides root and the user who runs Roost: a user's name or "
		 "number, or any",
	 AT(single.bfd.user)},
};

static void
check_single(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const uint8_t default_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
	struct config *config = base;
	struct config_single *single = &config->single;

	(void)node;
	// Not `set`: ports that are devices have others then (control/model/topology/explicit.c).
	if (!single->mac.set)
		memcpy(single->mac.bytes, default_mac, sizeof(default_mac));
	if (single->bfd.socket.text == NULL)
		return;
	for (unsigned i = 0; i < single->port_count; i++)
		if (single->ports[i].netdev.text != NULL)
			return;
	decode_error(d, single->bfd.socket.pos,
		     "bfd: no port has `netdev:`; BFD sessions run only at such ports");
}

#define LFT_AT(member) SCHEMA_AT(struct config_lft_entry, member)

static const struct schema_key lft_keys[] = {
	{"lid", SCHEMA_INTEGER, .help = "local identifier", LFT_AT(lid), .min = 1, .max = 0xbfff,
	 .required = 1},
	{"port", SCHEMA_NAME, .help = "such as swp1", LFT_AT(port), .required = 1},
};
static const struct schema lft_entry = {SCHEMA_COUNT(lft_keys),
					.size = sizeof(struct config_lft_entry)};

static const struct schema_key single_keys[] = {
	{"name", SCHEMA_NAME, .def = "switch", .help = "name of the switch and its fabric",
	 AT(fabric.name)},
	{"role", SCHEMA_ENUM, .def = "leaf", .help = "leaf or spine", AT(single.role),
	 .choices = switch_roles},
	{"mac", SCHEMA_MAC,
	 .help = "MAC address of every port (default: 02:00:00:00:00:01; of a port with `dev`, one "
		 "derived from the names of switch and port)",
	 AT(single.mac)},
	{"vtep", SCHEMA_ADDRESS, .help = "address of this end of tunnels (VXLAN)", AT(single.vtep),
	 SCHEMA_FORM(SCHEMA_TEXT, .pattern = "^[0-9A-Fa-f:.]+$", .words = "an address")},
	{"loopback4", SCHEMA_ADDRESS, .help = "its own IPv4 address; default: vtep, or 172.16.0.1",
	 AT(single.loopback4), .check = check_loopback4,
	 SCHEMA_FORM(SCHEMA_TEXT, .pattern = "^[0-9.]+$", .words = "an IPv4 address")},
	{"loopback6", SCHEMA_ADDRESS,
	 .help = "its own IPv6 address; default: vtep, or fd00:0:0:1:0:0:1:0", AT(single.loopback6),
	 .check = check_loopback6,
	 SCHEMA_FORM(SCHEMA_TEXT, .pattern = "^[0-9A-Fa-f:.]+$", .words = "an IPv6 address")},
	{"link-layer", SCHEMA_ENUM, .def = "ethernet", .help = "what its links carry",
	 AT(fabric.link_layer), .choices = schema_link_layers},
	{"lft", SCHEMA_LIST, .help = "InfiniBand: [{lid, port}], its forwarding table",
	 SCHEMA_ITEMS(struct config, single.lft, single.lft_count), .sub = &lft_entry},
	{"mtu", SCHEMA_INTEGER, .def = "9216", .help = "IP MTU of every port", AT(fabric.mtu),
	 SCHEMA_MTUS},
	{"seed", SCHEMA_INTEGER, .def = "1", .help = "seed of every random stream", AT(fabric.seed),
	 .min = 0, .max = INT64_MAX},
	{"dilation", SCHEMA_INTEGER, .def = "1",
	 .help = "live: wall time for each unit of fabric time", AT(fabric.dilation), .min = 1,
	 .max = SCHEMA_DILATION_MAX},
	{"framing", SCHEMA_MAP,
	 .help = "bytes that a frame takes on the line in addition to its own",
	 .sub = &schema_framing},
	{"tenants", SCHEMA_NAMED, .help = "as `tenants` of a file",
	 SCHEMA_ITEMS(struct config, tenants, tenant_count), .sub = &schema_tenant},
	{"ports", SCHEMA_NAMED, .help = "{swp1: {rate: 100G}, ...}",
	 SCHEMA_ITEMS(struct config, single.ports, single.port_count), .sub = &port, .required = 1,
	 SCHEMA_FORM(SCHEMA_NAMED, .pattern = SCHEMA_PORT_PATTERN, .words = "swpN",
		     .item = &(const struct schema_form){SCHEMA_MAP, .sub = &port})},
	{"routes", SCHEMA_LIST, .help = "static routes",
	 SCHEMA_ITEMS(struct config, single.routes, single.route_count), .sub = &schema_route},
	{"bfd", SCHEMA_MAP,
	 .help = "run the BFD sessions of FRR's bfdd, at ports with netdev; live only",
	 .sub = &(const struct schema){SCHEMA_COUNT(bfd_keys), .check = check_bfd}},
};
const struct schema schema_single = {SCHEMA_COUNT(single_keys), .beside = &schema_switch,
				     .check = check_single};
