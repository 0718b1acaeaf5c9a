// SPDX-License-Identifier: BSD-3-Clause
// Where a name or an address is. Of an address there is its place by the address plan
// (control/model/topology/addresses.h), the switch at that place, and the hosts that have the
// address: tenants may give hosts addresses of their own, and overlap, so several hosts may have
// one address, and the host at its place another.
#include "map.h"

#include "control/base/memory.h"
#include "control/model/topology/addresses.h"
#include "control/show/show.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const struct map_source *source; // or NULL
	const char *name;
	bool address;    // the name is one
	uint8_t version; // 4, 6, or 0 of a MAC
	uint8_t bytes[16];
	bool planned; // the plan has a place for the address:
	struct addresses_found found;
};

// ---- the place of an address --------------------------------------------------------------------

static void
add_place(const struct search *s, json_t *to)
{
	static const char *const roles[ADDRESSES_TIERS] = {"leaf", "spine", "super-spine"};
	static const char *const kinds[] = {
		[ADDRESSES_LOOPBACK] = "loopback",
		[ADDRESSES_LINK_LOCAL] = "link-local",
		[ADDRESSES_ROUTER_MAC] = "router",
		[ADDRESSES_SWITCH_PORT] = "switch-port",
	};
	const struct addresses_found *f = &s->found;

	if (f->kind == ADDRESSES_HOST) {
		json_object_update_new(to,
				       json_pack("{s:i,s:i,s:i,s:i}", "plane", (int)f->place.plane,
						 "pod", (int)f->place.pod, "leaf",
						 (int)f->place.number, "port", (int)f->place.port));
		return;
	}
	json_object_set_new(to, "kind", json_string(kinds[f->kind]));
	if (f->kind == ADDRESSES_ROUTER_MAC || f->kind == ADDRESSES_SWITCH_PORT)
		json_object_set_new(to, "node", json_integer((json_int_t)f->node));
	else
		json_object_update_new(to, json_pack("{s:i,s:i,s:i}", "plane", (int)f->place.plane,
						     "pod", (int)f->place.pod, roles[f->place.tier],
						     (int)f->place.number));
	if (f->kind == ADDRESSES_LINK_LOCAL || f->kind == ADDRESSES_SWITCH_PORT)
		json_object_set_new(
			to, "port",
			json_integer(f->kind == ADDRESSES_LINK_LOCAL ? f->place.port : f->port));
}

// ---- what is there ------------------------------------------------------------------------------

static json_t *
nic_json(const struct search *s, uint32_t host, uint16_t p)
{
	const struct topology *t = s->source->topology;
	const struct topo_port *nic = topology_host_port(t, host, (uint8_t)p);
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], link[TOPOLOGY_NAME_MAX];
	json_t *out;

	inet_ntop(AF_INET, nic->ip4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, nic->ip6, ip6, sizeof(ip6));
	out = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s?}", "host", topology_host(t, host)->name,
			"host_port", nic->name, "switch_port",
			topology_port_name(t, nic->peer_node, nic->peer_port, link), "ip4", ip4,
			"ip6", ip6, "vrf", t->vrfs[nic->vrf].name, "tenant",
			nic->tenant != TENANT_NONE ? t->tenants[nic->tenant].name : NULL);
	show_set_mac(out, nic->mac);
	json_object_set_new(out, "is", s->source->what(s->source->context, host, p));
	return out;
}

// A switch; with a port, that and the port of a switch at the other end of its link.
static void
add_switch(const struct topology *t, uint32_t n, const struct topo_port *port, json_t *to)
{
	const struct topo_node *node = &t->nodes[n];
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], name[TOPOLOGY_NAME_MAX];

	inet_ntop(AF_INET, node->loopback4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, node->loopback6, ip6, sizeof(ip6));
	json_object_set_new(to, "switch", json_string(node->name));
	if (port != NULL)
		json_object_set_new(to, "switch_port",
				    json_string(topology_port_name(
					    t, n, (uint16_t)(port - node->ports), name)));
	if (port != NULL && port->peer_node < t->first_host)
		json_object_set_new(
			to, "peer",
			json_string(topology_port_name(t, port->peer_node, port->peer_port, name)));
	show_set_mac(to, node->router_mac);
	json_object_update_new(to, json_pack("{s:s,s:s,s:O,s:s}", "loopback4", ip4, "loopback6",
					     ip6, "router_mac", json_object_get(to, "mac"), "role",
					     config_role_name(node->role)));
	json_object_del(to, "mac");
}

// ---- by address ---------------------------------------------------------------------------------

static bool
has_address(const struct search *s, const struct topo_port *port)
{
	if (s->version == 0)
		return memcmp(port->mac, s->bytes, 6) == 0;
	return s->version == 4 ? memcmp(port->ip4, s->bytes, 4) == 0
			       : memcmp(port->ip6, s->bytes, 16) == 0;
}

// Adds the switch at the place, and its port. Returns false if there is none.
static bool
add_switch_there(const struct search *s, json_t *to)
{
	const struct topology *t = s->source->topology;
	const struct addresses_found *f = &s->found;
	bool by_place = f->kind == ADDRESSES_LOOPBACK || f->kind == ADDRESSES_LINK_LOCAL;
	uint16_t number = by_place ? f->place.port : f->port;
	uint32_t n;
	int port = -1;

	if (!s->planned || f->kind == ADDRESSES_HOST)
		return false;
	n = by_place ? topology_find_switch(t, &f->place) : f->node;
	if (n >= t->first_host)
		return false;
	if (number != 0) {
		port = topology_port_index(&t->nodes[n], number);
		if (port < 0)
			return false;
	}
	add_switch(t, n, port >= 0 ? &t->nodes[n].ports[port] : NULL, to);
	return true;
}

// The host at the place of the address, even if its tenant gives it another address; NULL: none is
// there. An uplink's number is not that of a host.
static json_t *
host_there(const struct search *s)
{
	const struct topology *t = s->source->topology;
	const struct topo_port *port;
	struct topo_ref at;

	if (!s->planned || s->found.kind != ADDRESSES_HOST ||
	    topology_find_place(t, &s->found.place, &at) != 0)
		return NULL;
	port = &t->nodes[at.node].ports[at.port];
	if (port->peer_node == TOPOLOGY_NONE || port->peer_node < t->first_host)
		return NULL;
	return nic_json(s, topology_host_of(t, port->peer_node), port->peer_port);
}

// ---- by name ------------------------------------------------------------------------------------

// Whether the name is that of the host, of this NIC, or of what is attached as it.
static bool
has_name(const struct search *s, uint32_t host, uint16_t p)
{
	const struct topology *t = s->source->topology;
	const struct config_attach *attach = s->source->attached(s->source->context, host, p);
	char port[TOPOLOGY_NAME_MAX];

	if (strcmp(s->name, topology_host(t, host)->name) == 0 ||
	    strcmp(s->name, topology_port_name(t, t->first_host + host, p, port)) == 0)
		return true;
	if (attach == NULL)
		return false;
	return (attach->netns.text != NULL && strcmp(s->name, attach->netns.text) == 0) ||
	       (attach->container.text != NULL && strcmp(s->name, attach->container.text) == 0) ||
	       (attach->tap.text != NULL && strcmp(s->name, attach->tap.text) == 0);
}

// Adds the switch, or the port of a switch, of that name; *host is the NIC behind a port. Returns
// false if there is none.
static bool
add_switch_named(const struct search *s, json_t *to, json_t **host)
{
	const struct topology *t = s->source->topology;
	const struct topo_port *port;
	struct topo_ref at;
	uint32_t n = topology_find_node(t, s->name);

	if (n < t->first_host) {
		add_switch(t, n, NULL, to);
		return true;
	}
	if (topology_find_port(t, s->name, &at) != 0 || at.node >= t->first_host)
		return false;
	port = &t->nodes[at.node].ports[at.port];
	if (port->peer_node != TOPOLOGY_NONE && port->peer_node >= t->first_host) {
		*host = nic_json(s, topology_host_of(t, port->peer_node), port->peer_port);
		return true;
	}
	add_switch(t, at.node, port, to);
	return true;
}

// ---- all of it ----------------------------------------------------------------------------------

static json_t *
matching_nics(const struct search *s)
{
	const struct topology *t = s->source->topology;
	json_t *out = json_array();

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++)
			if (s->address ? has_address(s, topology_host_port(t, h, (uint8_t)p))
				       : has_name(s, h, p))
				json_array_append_new(out, nic_json(s, h, p));
	return out;
}

// Adds the NIC that fits; as a list if several do, or one that is not at the place of its address.
// Returns whether anything was found.
static bool
add_known(const struct search *s, json_t *to)
{
	json_t *there = s->address ? host_there(s) : NULL;
	bool known = s->address ? add_switch_there(s, to) : add_switch_named(s, to, &there);
	json_t *nics = matching_nics(s);
	size_t count = json_array_size(nics);
	json_t *first = json_array_get(nics, 0);

	if (count == 0 && there != NULL)
		json_object_update(to, there);
	else if (count == 1 && !known && (!s->planned || json_equal(first, there)))
		json_object_update(to, first);
	else if (count > 0)
		json_object_set(to, "hosts", nics);
	known |= count > 0 || there != NULL;
	json_decref(there);
	json_decref(nics);
	return known;
}

// A name that may have been meant, or NULL: of a node, or of what is attached.
static const char *
near_name(const struct search *s)
{
	const struct topology *t = s->source->topology;
	const size_t most = t->node_count + 3 * (size_t)t->host_count * TOPOLOGY_HOST_PORTS_MAX;
	const char **names = memory_array(most, sizeof(*names), "names");
	const char *near;
	size_t count = 0;

	for (uint32_t n = 0; n < t->node_count; n++)
		names[count++] = t->nodes[n].name;
	for (uint32_t h = 0; h < t->host_count; h++) {
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct config_attach *attach =
				s->source->attached(s->source->context, h, p);
			const char *const own[] = {
				attach != NULL ? attach->netns.text : NULL,
				attach != NULL ? attach->container.text : NULL,
				attach != NULL ? attach->tap.text : NULL,
			};

			for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
				if (own[i] != NULL)
					names[count++] = own[i];
		}
	}
	near = config_suggest(s->name, names, count);
	free(names);
	return near;
}

static int
fail_unknown(const struct search *s, struct diag *diag)
{
	const char *near;

	if (s->source == NULL)
		return diag_fail(
			diag, ENOENT,
			"%s is outside the address plan: hosts have 10.x.x.x and fd00::/64, "
			"switches 172.16.0.0 to 172.18.255.255; for addresses of tenants add the "
			"FILE",
			s->name);
	if (s->address)
		return diag_fail(diag, ENOENT, "no host or switch has %s", s->name);
	near = near_name(s);
	return diag_fail(
		diag, ENOENT,
		"%s: no host, switch, port, namespace, container or tap of that name%s%s%s",
		s->name, near != NULL ? "; did you mean " : "", near != NULL ? near : "",
		near != NULL ? "?" : "");
}

int
map_find(const struct map_source *source, const char *name, json_t **out, struct diag *diag)
{
	struct search s = {.source = source, .name = name};
	json_t *answer;

	s.address = addresses_parse(name, &s.version, s.bytes) == 0;
	s.planned = s.address && addresses_find(name, &s.found) == 0;
	answer = json_pack("{s:s}", s.address ? "address" : "name", name);
	if (s.planned)
		add_place(&s, answer);
	if (source != NULL ? !add_known(&s, answer) : !s.planned) {
		json_decref(answer);
		return fail_unknown(&s, diag);
	}
	*out = answer;
	return 0;
}

void
map_print_found(const json_t *answer)
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
		map_print_found(host);
	}
}
