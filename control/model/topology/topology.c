// SPDX-License-Identifier: BSD-3-Clause
// A topology is made in five steps:
//   1. The kind (clos.c, explicit.c) adds nodes and links; each link makes a port at both ends
//      (builder.c).
//   2. Ports are sorted by number and get the index of their peers.
//   3. Links that the file names get its settings.
//   4. Addresses that follow from places: MACs of all ports, loopbacks of the switches. MACs that
//      `attach:` gives (attached.c).
//   5. Tenants and VRFs, and the addresses of the hosts (tenants.c). This is the only step that is
//      ever repeated.
//
// The order of nodes is part of the model, since a node's random stream and the order of events at
// one instant follow from it: leaves, spines, supers, hosts, each as the file or the kind orders
// them.
//
// Ports, nodes and links refer to each other by index: arrays move while they grow.
#include "addresses.h"
#include "topology_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/lpm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The loopbacks that the file gives a lone switch; its own keys override the end of its tunnels.
static void
give_written_loopbacks(struct topology *t, const struct config_single *single)
{
	const struct config_address *const written[] = {&single->vtep, &single->loopback4,
							&single->loopback6};

	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		if (written[i]->version == 4)
			memcpy(t->nodes[0].loopback4, written[i]->bytes, 4);
		if (written[i]->version == 6)
			memcpy(t->nodes[0].loopback6, written[i]->bytes, 16);
	}
}

static void
give_switch_addresses(struct topology *t, uint32_t n)
{
	const struct place place = topology_switch_place(t, n);

	addresses_loopback4(&place, t->nodes[n].loopback4);
	addresses_loopback6(&place, t->nodes[n].loopback6);
	if (topology_is_single(t))
		give_written_loopbacks(t, &t->config->single);
	addresses_router_mac(n, t->nodes[n].router_mac);
}

// What follows from places alone: MACs of all ports, loopbacks of the switches.
static int
give_addresses(struct topology *t, struct diag *diag)
{
	for (uint32_t n = 0; n < t->first_host; n++) {
		const struct topo_node *node = &t->nodes[n];

		if (node->pod >= ADDRESSES_PODS)
			return diag_error(diag, t->config->file, t->config->fabric.topology_pos,
					  "fabric.topology", "more than %u %s have no addresses",
					  ADDRESSES_LEAVES_PER_POD * ADDRESSES_PODS,
					  node->role == CONFIG_ROLE_LEAF ? "leaves" : "spines");
		give_switch_addresses(t, n);
		for (uint16_t p = 0; p < node->port_count; p++) {
			struct topo_port *port = &node->ports[p];
			const struct place place = {node->plane, node->pod, node->pod_number,
						    port->number};

			if (topology_is_single(t))
				continue; // the file has its MACs, and knows no hosts
			addresses_switch_mac(n, port->number, port->mac);
			if (t->nodes[port->peer_node].role == CONFIG_ROLE_HOST)
				addresses_host_mac(
					&place,
					t->nodes[port->peer_node].ports[port->peer_port].mac);
		}
	}
	return 0;
}

// LIDs follow from the topology alone, so that they stay when links fail: first the switches', then
// those of the hosts' ports.
static void
give_lids(struct topology *t)
{
	uint32_t next = TOPOLOGY_LID_NONE + 1;

	for (uint32_t n = 0; n < t->node_count && next <= TOPOLOGY_LID_MAX; n++) {
		const bool host = n >= t->first_host;

		for (uint16_t p = 0; p < t->nodes[n].port_count && next <= TOPOLOGY_LID_MAX; p++) {
			t->nodes[n].ports[p].lid = (uint16_t)next;
			next += host;
		}
		next += !host;
	}
}

int
topology_create(struct topology **out, const struct config *config, struct diag *diag)
{
	struct topology *t = memory_new(sizeof(*t), "topology");
	int error = 0;

	t->config = config;
	switch (config->fabric.topology) {
	case CONFIG_TOPOLOGY_LEAF_SPINE:
	case CONFIG_TOPOLOGY_FAT_TREE:
	case CONFIG_TOPOLOGY_CLOS3:
		builder_clos(t);
		break;
	case CONFIG_TOPOLOGY_RAIL:
		builder_rail(t);
		break;
	case CONFIG_TOPOLOGY_EXPLICIT:
	case CONFIG_TOPOLOGY_FILE:
		error = builder_explicit(t, diag);
		break;
	case CONFIG_TOPOLOGY_SINGLE:
		error = builder_single(t, diag);
		break;
	}
	if (error == 0) {
		order_ports(t);
		builder_index_names(t);
		error = builder_apply_named_links(t, diag);
	}
	if (error == 0)
		error = give_addresses(t, diag);
	if (error == 0 && !topology_is_single(t))
		error = builder_index_loopbacks(t, diag);
	if (error == 0)
		error = builder_place_parts(t, diag);
	if (error == 0)
		error = attached_give_macs(t, diag);
	if (error == 0) {
		give_lids(t);
		builder_find_components(t);
		error = topology_retenant(t, diag);
	}
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
	topology_free_vrfs(t->vrfs, t->vrf_count);
	free(t->tenants);
	free(t->borders);
	free(t->by_name);
	free(t->loopbacks4.order);
	free(t->loopbacks6.order);
	lpm_destroy(t->loopbacks4.trie);
	lpm_destroy(t->loopbacks6.trie);
	free(t->parts);
	free(t->lfts);
	free(t->component);
	free(t->component_mtu);
	free(t);
}
