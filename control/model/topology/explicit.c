// SPDX-License-Identifier: BSD-3-Clause
// `kind: explicit`: nodes and links as the file lists them. A host connects to leaves only;
// switches may be connected in any way, by several links too.
#include "topology_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
add_nodes(struct topology *t, struct diag *diag)
{
	static const enum config_role order[] = {CONFIG_ROLE_LEAF, CONFIG_ROLE_SPINE,
						 CONFIG_ROLE_SUPER_SPINE, CONFIG_ROLE_HOST};
	const struct config *config = t->config;
	unsigned before = diag->errors;

	for (unsigned r = 0; r < sizeof(order) / sizeof(order[0]); r++) {
		uint32_t number = 0;

		for (unsigned i = 0; i < config->fabric.node_count; i++) {
			const struct config_node *n = &config->fabric.nodes[i];

			if (n->role == order[r])
				builder_add_node(t, n->name.text, n->role, 0, ++number);
		}
	}
	builder_index_names(t);
	for (uint32_t i = 1; i < t->node_count; i++) {
		const char *name = t->nodes[t->by_name[i]].name;

		if (strcmp(name, t->nodes[t->by_name[i - 1]].name) == 0)
			diag_error(diag, config->file, config->fabric.topology_pos, "nodes",
				   "two nodes are called %s", name);
	}
	return diag->errors == before ? 0 : -EINVAL;
}

// The node and port number of one end. Returns 0 or -EINVAL.
static int
resolve_end(const struct topology *t, const struct config_endpoint *end, struct topo_end *out,
	    struct diag *diag)
{
	const struct config_name name = {.text = end->node, .pos = end->name.pos};
	const char *file = t->config->file;
	const struct topo_node *n;
	unsigned most;
	char canonical[CONFIG_NAME_MAX + TOPOLOGY_PORT_NAME_MAX + 8];

	if (topology_resolve_node(t, &name, "links", &out->node, diag) != 0)
		return -EINVAL;
	n = &t->nodes[out->node];
	out->number = end->port != 0 ? (uint16_t)end->port : 1;
	snprintf(canonical, sizeof(canonical), "%s.%s%u", n->name,
		 n->role == CONFIG_ROLE_HOST ? "eth" : "swp", out->number);
	if (end->port == 0 && n->role != CONFIG_ROLE_HOST)
		return diag_error(diag, file, name.pos, "links",
				  "%s is a switch: name its port, as in %s", n->name, canonical);
	if (end->port != 0 && strcmp(end->name.text, canonical) != 0)
		return diag_error(diag, file, name.pos, "links",
				  "%s has no port of that kind; did you mean %s?", n->name,
				  canonical);
	most = n->role == CONFIG_ROLE_HOST ? TOPOLOGY_HOST_PORTS_MAX : PORTS_MAX;
	if (out->number > most)
		return diag_error(diag, file, name.pos, "links",
				  "%s: a %s's ports are numbered up to %u", canonical,
				  n->role == CONFIG_ROLE_HOST ? "host" : "switch", most);
	if (topology_port_index(n, out->number) >= 0)
		return diag_error(diag, file, name.pos, "links", "%s already has a link",
				  canonical);
	return 0;
}

static int
check_roles(const struct topology *t, const struct config_explicit_link *link, uint32_t a,
	    uint32_t b, struct diag *diag)
{
	enum config_role one = t->nodes[a].role, other = t->nodes[b].role;
	const char *what = NULL;

	if (a == b)
		what = "both ends are of one node";
	else if (one == CONFIG_ROLE_HOST && other == CONFIG_ROLE_HOST)
		what = "both ends are hosts; a host connects to a leaf";
	else if ((one == CONFIG_ROLE_HOST && other != CONFIG_ROLE_LEAF) ||
		 (one != CONFIG_ROLE_LEAF && other == CONFIG_ROLE_HOST))
		what = "a host connects to a leaf, not to a switch above";
	if (what == NULL)
		return 0;
	return diag_error(diag, t->config->file, link->written.link.pos, "links", "%s-%s: %s",
			  t->nodes[a].name, t->nodes[b].name, what);
}

static void
add_link(struct topology *t, const struct config_explicit_link *from, struct diag *diag)
{
	struct topo_end a = {0}, b = {0};
	struct config_link link;
	int error = resolve_end(t, &from->a, &a, diag);

	error |= resolve_end(t, &from->b, &b, diag);
	if (error != 0 || check_roles(t, from, a.node, b.node, diag) != 0)
		return;
	link = builder_link(t, a.node, b.node);
	link = config_link_over(&link, &from->written);
	builder_add_link(t, a, b, &link);
}

static void
check_hosts_linked(const struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;

	for (unsigned i = 0; i < config->fabric.node_count; i++) {
		const struct config_node *n = &config->fabric.nodes[i];
		uint32_t node = topology_find_node(t, n->name.text);

		if (n->role == CONFIG_ROLE_HOST && t->nodes[node].port_count == 0)
			diag_error(diag, config->file, n->name.pos, "nodes", "host %s has no link",
				   n->name.text);
	}
}

int
builder_explicit(struct topology *t, struct diag *diag)
{
	unsigned before = diag->errors;
	int error = add_nodes(t, diag);

	for (unsigned i = 0; error == 0 && i < t->config->fabric.link_count; i++)
		add_link(t, &t->config->fabric.links[i], diag);
	if (error == 0 && diag->errors == before)
		check_hosts_linked(t, diag);
	return error != 0 ? error : diag->errors == before ? 0 : -EINVAL;
}

// ---- single: one switch, whose ports are in the file and lead to nothing that the file knows ----

#define FNV_BASIS 0x811c9dc5u
#define FNV_PRIME 0x01000193u

// The far end of a device is often a switch of another file: so that the two do not share a MAC, it
// is made of the switch's name and the port's number.
static void
device_mac(const char *name, uint16_t number, uint8_t out[static 6])
{
	uint32_t hash = FNV_BASIS;

	for (const char *c = name; *c != '\0'; c++)
		hash = (hash ^ (uint8_t)*c) * FNV_PRIME;
	memcpy(out,
	       (const uint8_t[]){0x02, 0x03, (uint8_t)(hash >> 16), (uint8_t)(hash >> 8),
				 (uint8_t)hash, (uint8_t)number},
	       6);
}

static void
set_port_mac(struct topo_port *port, const struct config *config, const struct config_port *from)
{
	const struct config_single *s = &config->single;

	if (from->mac.set)
		memcpy(port->mac, from->mac.bytes, sizeof(port->mac));
	else if (s->mac.set || from->dev.text == NULL)
		memcpy(port->mac, s->mac.bytes, sizeof(port->mac));
	else
		device_mac(config->fabric.name.text, from->number, port->mac);
}

int
builder_single(struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;
	const struct config_single *s = &config->single;
	uint32_t node = builder_add_node(t, config->fabric.name.text, s->role, 0, 1);

	if (s->port_count == 0 || s->port_count > PORTS_MAX)
		return diag_error(diag, config->file, config->fabric.topology_pos, "switch.ports",
				  "%u ports; a switch has 1 to %d", s->port_count, PORTS_MAX);
	for (unsigned i = 0; i < s->port_count; i++) {
		const struct config_port *from = &s->ports[i];
		struct topo_port *port;

		if (topology_port_index(&t->nodes[node], from->number) >= 0)
			return diag_error(diag, config->file, from->name.pos, "switch.ports",
					  "swp%u appears twice", from->number);
		port = builder_add_port(t, node, from->number);
		port->rate_bps = from->link.rate_bps;
		port->delay_ps = from->link.delay_ps;
		port->cable_mm = from->link.cable_mm;
		port->mtu = from->link.mtu != 0 ? from->link.mtu : config->fabric.mtu;
		set_port_mac(port, config, from);
	}
	return 0;
}
