// SPDX-License-Identifier: BSD-3-Clause
// A topology is made in four steps. The kind (leaf_spine.c, explicit.c, single.c) adds nodes and
// links; each link makes a port at both ends. Then ports are put in the order of their numbers and
// told of their peers. Then places are given out: MACs of all ports, and addresses of the hosts by
// the leaf and port that they hang on. Last come tenants and VRFs (tenants.c).
//
// The order of nodes is part of the model, since a node's random stream and the order of events at
// one instant follow from it: leaves, spines, hosts, each as the file or the kind orders them.
//
// Ports, nodes and links refer to each other by index: arrays move while they grow.
#include "addresses.h"
#include "builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VETH_MTU 1500 // what AF_XDP on a veth carries whatever the kernel's page layout

uint32_t
builder_add_node(struct topology *t, const char *name, enum config_role role, uint16_t plane,
		 uint32_t number)
{
	struct topo_node *node;

	if (t->node_count == t->node_capacity) {
		uint32_t capacity = t->node_capacity != 0 ? 2 * t->node_capacity : 64;
		struct topo_node *grown = realloc(t->nodes, capacity * sizeof(*grown));

		if (grown == NULL)
			return TOPOLOGY_NONE;
		t->nodes = grown;
		t->node_capacity = capacity;
	}
	node = &t->nodes[t->node_count];
	*node = (struct topo_node){.role = role, .plane = plane, .number = number};
	snprintf(node->name, sizeof(node->name), "%s", name);
	if (role == CONFIG_ROLE_LEAF) {
		t->leaf_count++;
	} else if (role == CONFIG_ROLE_SPINE) {
		t->spine_count++;
	} else {
		t->host_count++;
	}
	t->first_host = t->leaf_count + t->spine_count;
	return t->node_count++;
}

bool
builder_has_port(const struct topo_node *node, unsigned number)
{
	for (unsigned i = 0; i < node->port_count; i++)
		if (node->ports[i].number == number)
			return true;
	return false;
}

struct topo_port *
builder_add_port(struct topology *t, uint32_t index, unsigned number)
{
	struct topo_node *node = &t->nodes[index];
	struct topo_port *port;

	if (node->port_count == node->port_capacity) {
		uint16_t capacity = node->port_capacity != 0 ? 2 * node->port_capacity : 2;
		struct topo_port *grown = realloc(node->ports, capacity * sizeof(*grown));

		if (grown == NULL)
			return NULL;
		node->ports = grown;
		node->port_capacity = capacity;
	}
	port = &node->ports[node->port_count++];
	*port = (struct topo_port){
		.number = (uint16_t)number,
		.peer_node = TOPOLOGY_NONE,
		.link = TOPOLOGY_NONE,
		.tenant = TENANT_NONE,
	};
	snprintf(port->name, sizeof(port->name), "%s%hu",
		 node->role == CONFIG_ROLE_HOST ? "eth" : "swp", (unsigned short)number);
	return port;
}

int
builder_add_link(struct topology *t, uint32_t a, unsigned a_number, uint32_t b, unsigned b_number,
		 const struct config_link *link, uint32_t mtu)
{
	const uint32_t nodes[2] = {a, b};
	const unsigned numbers[2] = {a_number, b_number};

	if (t->link_count == t->link_capacity) {
		uint32_t capacity = t->link_capacity != 0 ? 2 * t->link_capacity : 64;
		struct topo_link *grown = realloc(t->links, capacity * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		t->links = grown;
		t->link_capacity = capacity;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct topo_port *port = builder_add_port(t, nodes[i], numbers[i]);

		if (port == NULL)
			return -ENOMEM;
		port->link = t->link_count;
		port->rate_bps = link->rate_bps;
		port->delay_ps = link->delay_ps;
		port->cable_mm = link->cable_mm;
		port->mtu = mtu;
	}
	t->links[t->link_count++] = (struct topo_link){
		.a = {.node = a, .number = (uint16_t)a_number},
		.b = {.node = b, .number = (uint16_t)b_number},
		.rate_bps = link->rate_bps,
		.delay_ps = link->delay_ps,
		.cable_mm = link->cable_mm,
		.mtu = mtu,
		.host = t->nodes[a].role == CONFIG_ROLE_HOST ||
			t->nodes[b].role == CONFIG_ROLE_HOST,
	};
	return 0;
}

static int
compare_ports(const void *a, const void *b)
{
	const struct topo_port *one = a, *other = b;

	return one->number < other->number ? -1 : one->number > other->number;
}

// Ports in the order of their numbers; links and ports know each other by index.
static void
order_ports(struct topology *t)
{
	for (uint32_t n = 0; n < t->node_count; n++) {
		struct topo_node *node = &t->nodes[n];

		if (node->port_count > 1)
			qsort(node->ports, node->port_count, sizeof(*node->ports), compare_ports);
		for (uint16_t p = 0; p < node->port_count; p++) {
			struct topo_link *link;

			if (node->ports[p].link == TOPOLOGY_NONE)
				continue;
			link = &t->links[node->ports[p].link];
			if (link->a.node == n)
				link->a.port = p;
			else
				link->b.port = p;
		}
	}
	for (uint32_t l = 0; l < t->link_count; l++) {
		const struct topo_link *link = &t->links[l];
		struct topo_port *a = &t->nodes[link->a.node].ports[link->a.port];
		struct topo_port *b = &t->nodes[link->b.node].ports[link->b.port];

		a->peer_node = link->b.node;
		a->peer_port = link->b.port;
		b->peer_node = link->a.node;
		b->peer_port = link->a.port;
	}
}

// MACs of all ports, addresses of the hosts.
static int
give_addresses(struct topology *t, struct config_diag *diag)
{
	uint32_t leaves_max = ADDRESSES_LEAVES_PER_POD * ADDRESSES_PODS;

	for (uint32_t n = 0; n < t->node_count; n++) {
		const struct topo_node *node = &t->nodes[n];

		if (node->role == CONFIG_ROLE_HOST)
			continue;
		if (node->role == CONFIG_ROLE_LEAF && node->number > leaves_max) {
			config_error(diag, t->config->file, t->config->fabric.topology_pos,
				     "fabric.topology", "more than %u leaves have no addresses",
				     leaves_max);
			return -EINVAL;
		}
		for (uint16_t p = 0; p < node->port_count; p++) {
			struct topo_port *port = &node->ports[p], *host;
			struct place place =
				addresses_place(node->plane, node->number, port->number);

			addresses_switch_mac(n, port->number, port->mac);
			if (t->nodes[port->peer_node].role != CONFIG_ROLE_HOST)
				continue;
			host = &t->nodes[port->peer_node].ports[port->peer_port];
			addresses_host_mac(&place, host->mac);
			addresses_ip4(&place, host->ip4);
			addresses_ip6(&place, host->ip6);
		}
	}
	return 0;
}

int
topology_create(struct topology **out, const struct config *config, struct config_diag *diag)
{
	struct topology *t = calloc(1, sizeof(*t));
	int error = 0;

	if (t == NULL)
		return -ENOMEM;
	t->config = config;
	switch (config->fabric.topology) {
	case CONFIG_TOPOLOGY_LEAF_SPINE:
		error = builder_leaf_spine(t, diag);
		break;
	case CONFIG_TOPOLOGY_EXPLICIT:
		error = builder_explicit(t, diag);
		break;
	case CONFIG_TOPOLOGY_SINGLE:
		error = builder_single(t, diag);
		break;
	}
	if (error != 0)
		goto out;
	order_ports(t);
	error = builder_index_names(t);
	if (error == 0 && config->fabric.topology != CONFIG_TOPOLOGY_SINGLE)
		error = give_addresses(t, diag);
	if (error == 0)
		error = builder_assign_tenants(t, diag);
out:
	if (error != 0)
		topology_destroy(t);
	else
		*out = t;
	return error;
}

void
topology_destroy(struct topology *t)
{
	if (t == NULL)
		return;
	for (uint32_t n = 0; n < t->node_count; n++)
		free(t->nodes[n].ports);
	free(t->nodes);
	free(t->links);
	free(t->vrfs);
	free(t->tenants);
	free(t->by_name);
	free(t);
}

void
topology_apply_attach(struct topology *t)
{
	const struct config *config = t->config;

	for (unsigned i = 0; i < config->attach_count; i++) {
		const struct config_attach *attach = &config->attach[i];
		uint32_t n = topology_find_node(t, attach->host.text);
		uint32_t mtu = attach->mtu;

		if (n == TOPOLOGY_NONE || t->nodes[n].role != CONFIG_ROLE_HOST)
			continue;
		if (mtu == 0)
			mtu = attach->dev.text == NULL && config->fabric.mtu > VETH_MTU
				      ? VETH_MTU
				      : config->fabric.mtu;
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			struct topo_port *port = &t->nodes[n].ports[p];

			port->mtu = mtu;
			t->nodes[port->peer_node].ports[port->peer_port].mtu = mtu;
			t->links[port->link].mtu = mtu;
		}
	}
}

uint32_t
topology_path_mtu(const struct topology *t, uint32_t from_host, uint32_t to_host)
{
	const struct topo_port *from = &topology_host(t, from_host)->ports[0];
	const struct topo_port *to = &topology_host(t, to_host)->ports[0];
	uint32_t mtu = from->mtu < to->mtu ? from->mtu : to->mtu;

	if (from->peer_node == to->peer_node)
		return mtu;
	for (uint32_t l = 0; l < t->link_count; l++)
		if (!t->links[l].host && t->links[l].mtu < mtu)
			mtu = t->links[l].mtu;
	return mtu;
}
