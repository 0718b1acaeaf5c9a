// SPDX-License-Identifier: BSD-3-Clause
// roost where: the place of an address by the address plan (control/model/topology/addresses.h),
// and with a file the switch at that place and the hosts that have the address. Tenants may give
// hosts addresses of their own, and overlap: several hosts may have one address, and the host at
// its place another.
#include "cli.h"

#include "control/base/text_table.h"
#include "control/model/topology/addresses.h"
#include "control/model/topology/topology.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct where_request {
	const char *address;
	uint8_t version; // 4, 6, or 0 of a MAC
	uint8_t bytes[16];
	const char *file; // or NULL
	bool planned;     // the plan has a place for the address:
	struct addresses_found found;
};

static int
take_request(struct where_request *r, const struct cli_args *args)
{
	*r = (struct where_request){.address = cli_text(args, "ADDRESS"),
				    .file = cli_text(args, "FILE")};
	if (addresses_parse(r->address, &r->version, r->bytes) != 0)
		return cli_usage(args->title, "%s is neither an IPv4, an IPv6 nor a MAC address",
				 r->address);
	r->planned = addresses_find(r->address, &r->found) == 0;
	return EXIT_OK;
}

// ---- places -------------------------------------------------------------------------------------

// The place alone.
static json_t *
place_json(const struct where_request *r)
{
	static const char *const roles[ADDRESSES_TIERS] = {"leaf", "spine", "super-spine"};
	static const char *const kinds[] = {
		[ADDRESSES_LOOPBACK] = "loopback",
		[ADDRESSES_LINK_LOCAL] = "link-local",
		[ADDRESSES_ROUTER_MAC] = "router",
		[ADDRESSES_SWITCH_PORT] = "switch-port",
	};
	const struct addresses_found *f = &r->found;
	json_t *out;

	if (!r->planned)
		return json_pack("{s:s}", "address", r->address);
	if (f->kind == ADDRESSES_HOST)
		return json_pack("{s:s,s:i,s:i,s:i,s:i}", "address", r->address, "plane",
				 (int)f->place.plane, "pod", (int)f->place.pod, "leaf",
				 (int)f->place.number, "port", (int)f->place.port);
	out = json_pack("{s:s,s:s}", "address", r->address, "kind", kinds[f->kind]);
	if (f->kind == ADDRESSES_ROUTER_MAC || f->kind == ADDRESSES_SWITCH_PORT)
		json_object_set_new(out, "node", json_integer((json_int_t)f->node));
	else
		json_object_update_new(out, json_pack("{s:i,s:i,s:i}", "plane", (int)f->place.plane,
						      "pod", (int)f->place.pod,
						      roles[f->place.tier], (int)f->place.number));
	if (f->kind == ADDRESSES_LINK_LOCAL || f->kind == ADDRESSES_SWITCH_PORT)
		json_object_set_new(
			out, "port",
			json_integer(f->kind == ADDRESSES_LINK_LOCAL ? f->place.port : f->port));
	return out;
}

// ---- with a file -------------------------------------------------------------------------------

static json_t *
mac_json(const uint8_t *mac)
{
	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
			    mac[5]);
}

static json_t *
host_json(const struct topology *t, uint32_t host, uint8_t p)
{
	const struct topo_port *end = topology_host_port(t, host, p);
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], link[TOPOLOGY_NAME_MAX];

	inet_ntop(AF_INET, end->ip4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, end->ip6, ip6, sizeof(ip6));
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s?,s:o}", "host", topology_host(t, host)->name,
			 "host_port", end->name, "switch_port",
			 topology_port_name(t, end->peer_node, end->peer_port, link), "ip4", ip4,
			 "ip6", ip6, "vrf", t->vrfs[end->vrf].name, "tenant",
			 end->tenant != TENANT_NONE ? t->tenants[end->tenant].name : NULL, "mac",
			 mac_json(end->mac));
}

static bool
has_address(const struct where_request *r, const struct topo_port *port)
{
	if (r->version == 0)
		return memcmp(port->mac, r->bytes, 6) == 0;
	return r->version == 4 ? memcmp(port->ip4, r->bytes, 4) == 0
			       : memcmp(port->ip6, r->bytes, 16) == 0;
}

// Every host that has the address.
static json_t *
hosts_json(const struct where_request *r, const struct topology *t)
{
	json_t *out = json_array();

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++)
			if (has_address(r, topology_host_port(t, h, p)))
				json_array_append_new(out, host_json(t, h, p));
	return out;
}

// Adds the switch at the place, and its port. Returns false if there is none.
static bool
add_switch(const struct where_request *r, const struct topology *t, json_t *to)
{
	const struct addresses_found *f = &r->found;
	bool by_place = f->kind == ADDRESSES_LOOPBACK || f->kind == ADDRESSES_LINK_LOCAL;
	uint16_t number = by_place ? f->place.port : f->port;
	char name[TOPOLOGY_NAME_MAX], ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN];
	uint32_t n = by_place ? topology_find_switch(t, &f->place) : f->node;
	const struct topo_node *node;
	uint16_t p = 0;

	if (!r->planned || f->kind == ADDRESSES_HOST || n >= t->first_host)
		return false;
	node = &t->nodes[n];
	while (number != 0 && p < node->port_count && node->ports[p].number != number)
		p++;
	if (number != 0 && p == node->port_count)
		return false;
	inet_ntop(AF_INET, node->loopback4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, node->loopback6, ip6, sizeof(ip6));
	json_object_update_new(
		to, json_pack("{s:s,s:s*,s:s,s:s,s:o}", "switch", node->name, "switch_port",
			      number != 0 ? topology_port_name(t, n, p, name) : NULL, "loopback4",
			      ip4, "loopback6", ip6, "router_mac", mac_json(node->router_mac)));
	return true;
}

// The host at the place of the address, even if its tenant gives it another address; NULL: none is
// there. An uplink's number is not that of a host.
static json_t *
host_there(const struct where_request *r, const struct topology *t)
{
	const struct topo_port *port;
	struct topo_ref at;

	if (!r->planned || r->found.kind != ADDRESSES_HOST ||
	    topology_find_place(t, &r->found.place, &at) != 0)
		return NULL;
	port = &t->nodes[at.node].ports[at.port];
	if (port->peer_node == TOPOLOGY_NONE || port->peer_node < t->first_host)
		return NULL;
	return host_json(t, topology_host_of(t, port->peer_node), (uint8_t)port->peer_port);
}

// Adds the host that has the address; as a list if several have it, or one that is not at its
// place.
static int
add_known(const struct where_request *r, const struct topology *t, json_t *to)
{
	bool known = add_switch(r, t, to);
	json_t *hosts = hosts_json(r, t);
	json_t *there = host_there(r, t);
	size_t count = json_array_size(hosts);
	json_t *first = json_array_get(hosts, 0);

	if (count == 0 && there != NULL)
		json_object_update(to, there);
	else if (count == 1 && (!r->planned || json_equal(first, there)))
		json_object_update(to, first);
	else if (count > 0)
		json_object_set(to, "hosts", hosts);
	known |= count > 0 || there != NULL;
	json_decref(there);
	json_decref(hosts);
	if (known)
		return EXIT_OK;
	fprintf(stderr, "roost where: %s: no host or switch has %s\n", r->file, r->address);
	return EXIT_FAILED;
}

static int
find_in_file(const struct where_request *r, json_t *to)
{
	struct diag diag = {0};
	struct config *config = NULL;
	struct topology *topology = NULL;
	int status = EXIT_USAGE;

	if (config_load(&config, r->file, &diag) == 0 &&
	    topology_create(&topology, config, &diag) == 0)
		status = EXIT_OK;
	diag_print(&diag, stderr);
	if (status == EXIT_OK)
		status = add_known(r, topology, to);
	topology_destroy(topology);
	config_free(config);
	diag_free(&diag);
	return status;
}

// ---- the answer ---------------------------------------------------------------------------------

static void
print_text(const json_t *answer)
{
	const char *key;
	json_t *value, *host;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)answer, key, value)
	{
		if (json_is_integer(value))
			printf("%-12s %lld\n", key, (long long)json_integer_value(value));
		else if (json_is_string(value))
			printf("%-12s %s\n", key, json_string_value(value));
	}
	json_array_foreach(json_object_get(answer, "hosts"), i, host)
	{
		putchar('\n');
		print_text(host);
	}
}

static int
where(const struct cli_args *args)
{
	struct where_request r;
	int status = take_request(&r, args);
	json_t *answer;

	if (status != EXIT_OK)
		return status;
	if (!r.planned && r.file == NULL) {
		fprintf(stderr,
			"%s: %s is outside the address plan: hosts have 10.x.x.x and fd00::/64, "
			"switches 172.16.0.0 to 172.18.255.255; for addresses of tenants add the "
			"FILE\n",
			args->title, r.address);
		return EXIT_FAILED;
	}
	answer = place_json(&r);
	if (r.file != NULL)
		status = find_in_file(&r, answer);
	if (status == EXIT_OK && cli_wants_json(args))
		cli_print_json(answer);
	else if (status == EXIT_OK)
		print_text(answer);
	json_decref(answer);
	return status;
}

const struct cli_command command_where = {
	.name = "where",
	.help = "find the host or port that owns an IPv4, IPv6 or MAC address",
	.details =
		"Without FILE, its place by the address plan. With FILE, also the host or switch "
		"there.\n",
	.forms = {{{{CLI_TEXT, "ADDRESS"}, {CLI_FILE, .optional = true}}}},
	.options = {CLI_OUTPUT_OPTION},
	.run = where,
};
