// SPDX-License-Identifier: BSD-3-Clause
// Routes that follow from the topology. For each leaf, updown.c gives every other switch its next
// hops towards it; then
//   - a leaf's VRF (a tenant's, or `default`) with hosts on both has the VRF's hosts on that leaf:
//     the leaf's prefix (10.x.leaf.0/24, its IPv6 /112) where they are all of that leaf's hosts,
//     else each host's address;
//   - its own hosts stand there with the port they hang on, and in the VRF of the ports between
//     switches as well, so that what comes down is delivered;
//   - a spine, and a leaf that other switches pass through, has the leaf's prefix in that VRF.
// A route never leads back: the local part of a leaf's prefix is only the addresses that exist, and
// between tenants there is no route at all.
#include "computed.h"

#include "../topology/addresses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IP4_LEAF_BITS 24
#define IP6_LEAF_BITS 112

struct computation {
	const struct topology *t;
	struct routes *routes;
	struct updown updown;
	bool *vrf_here;    // by leaf and VRF: it has hosts in it, or is the default without tenants
	int32_t *only_vrf; // by leaf: the VRF of all its hosts, or -1
	bool *passed;      // by switch: another sends through it to the leaf aimed at
};

static struct config_prefix
prefix_of(uint8_t version, const uint8_t *address, uint8_t length)
{
	struct config_prefix prefix = {.version = version, .length = length};

	memcpy(prefix.address, address, length / 8);
	return prefix;
}

// Appends the IPv4 and IPv6 route to one host, or to all of its leaf.
static int
append_both(struct route_list *list, uint16_t vrf, const struct topo_port *host, bool leaf,
	    uint32_t group)
{
	struct config_prefix ip4 = prefix_of(4, host->ip4, leaf ? IP4_LEAF_BITS : 32);
	struct config_prefix ip6 = prefix_of(6, host->ip6, leaf ? IP6_LEAF_BITS : 128);
	int error = routes_append(list, vrf, &ip4, group);

	return error != 0 ? error : routes_append(list, vrf, &ip6, group);
}

// The host's port behind a leaf's port, or NULL.
static const struct topo_port *
host_behind(const struct topology *t, const struct topo_port *port)
{
	if (port->peer_node == TOPOLOGY_NONE || port->peer_node < t->first_host)
		return NULL;
	return &t->nodes[port->peer_node].ports[port->peer_port];
}

// A leaf's own hosts.
static int
append_local(struct computation *c, uint32_t leaf)
{
	struct route_list *list = &c->routes->nodes[leaf];
	const struct topo_node *node = &c->t->nodes[leaf];

	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *host = host_behind(c->t, &node->ports[p]);
		struct route_member member = {.port = p};
		uint32_t group;

		if (host == NULL)
			continue;
		memcpy(member.mac, host->mac, 6);
		if (routes_add_group(list, &member, 1, &group) != 0 ||
		    append_both(list, node->ports[p].vrf, host, false, group) != 0)
			return -ENOMEM;
		if (node->ports[p].vrf != c->t->transit_vrf &&
		    append_both(list, c->t->transit_vrf, host, false, group) != 0)
			return -ENOMEM;
	}
	return 0;
}

// The VRFs' hosts of `leaf` at another leaf.
static int
append_remote(struct computation *c, uint32_t at, uint32_t leaf, uint32_t group)
{
	struct route_list *list = &c->routes->nodes[at];
	const struct topo_node *node = &c->t->nodes[leaf];
	const bool *here = &c->vrf_here[(size_t)at * c->t->vrf_count];

	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *host = host_behind(c->t, &node->ports[p]);
		uint16_t vrf = node->ports[p].vrf;

		if (host == NULL || !here[vrf])
			continue;
		if (append_both(list, vrf, host, c->only_vrf[leaf] >= 0, group) != 0)
			return -ENOMEM;
		if (c->only_vrf[leaf] >= 0)
			return 0;
	}
	return 0;
}

// The leaf's prefix in the VRF of ports between switches; nothing for a leaf without hosts.
static int
append_transit(struct computation *c, uint32_t at, uint16_t vrf, uint32_t leaf, uint32_t group)
{
	const struct topo_node *node = &c->t->nodes[leaf];

	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *host = host_behind(c->t, &node->ports[p]);

		if (host != NULL)
			return append_both(&c->routes->nodes[at], vrf, host, true, group);
	}
	return 0;
}

// The switch's group towards the leaf aimed at. Returns 0, -ENOENT when it has no way, or -ENOMEM.
static int
group_towards(struct computation *c, uint32_t at, uint32_t *group)
{
	const struct topo_node *node = &c->t->nodes[at];
	struct route_member members[GROUP_MEMBERS_MAX];
	uint32_t count = 0;

	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *port = &node->ports[p];

		if (!updown_leads(&c->updown, at, port))
			continue;
		members[count] = (struct route_member){.port = p};
		memcpy(members[count++].mac,
		       c->t->nodes[port->peer_node].ports[port->peer_port].mac, 6);
		c->passed[port->peer_node] = true;
	}
	return count == 0 ? -ENOENT
			  : routes_add_group(&c->routes->nodes[at], members, count, group);
}

// What all other switches know of one leaf.
static int
compute_leaf(struct computation *c, uint32_t leaf)
{
	const struct topology *t = c->t;
	uint32_t switches = t->first_host;
	uint32_t *groups = calloc(switches, sizeof(*groups));
	int error = groups == NULL ? -ENOMEM : 0;

	updown_aim(&c->updown, leaf);
	memset(c->passed, 0, switches * sizeof(*c->passed));
	for (uint32_t at = 0; error == 0 && at < switches; at++) {
		error = at == leaf ? -ENOENT : group_towards(c, at, &groups[at]);
		if (error == -ENOENT) {
			groups[at] = UINT32_MAX;
			error = 0;
		}
	}
	for (uint32_t at = 0; error == 0 && at < switches; at++) {
		if (groups[at] == UINT32_MAX)
			continue;
		if (at >= t->leaf_count)
			error = append_transit(c, at, TOPOLOGY_VRF_DEFAULT, leaf, groups[at]);
		else
			error = append_remote(c, at, leaf, groups[at]);
		if (error == 0 && at < t->leaf_count && c->passed[at] && topology_sliced(t))
			error = append_transit(c, at, t->transit_vrf, leaf, groups[at]);
	}
	free(groups);
	return error;
}

static int
note_vrfs(struct computation *c)
{
	const struct topology *t = c->t;

	c->vrf_here = calloc((size_t)t->leaf_count * t->vrf_count + 1, sizeof(*c->vrf_here));
	c->only_vrf = calloc(t->leaf_count + 1u, sizeof(*c->only_vrf));
	c->passed = calloc(t->first_host + 1u, sizeof(*c->passed));
	if (c->vrf_here == NULL || c->only_vrf == NULL || c->passed == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < t->leaf_count; n++) {
		bool *here = &c->vrf_here[(size_t)n * t->vrf_count];
		int32_t only = -2; // none seen yet

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (host_behind(t, port) == NULL)
				continue;
			here[port->vrf] = true;
			only = only == -2 || only == port->vrf ? port->vrf : -1;
		}
		c->only_vrf[n] = only;
		if (!topology_sliced(t))
			here[TOPOLOGY_VRF_DEFAULT] = true;
	}
	return 0;
}

int
routes_compute(struct routes *routes, const struct topology *t, const bool *link_down)
{
	struct computation c = {.t = t, .routes = routes};
	int error = updown_create(&c.updown, t, link_down);

	if (error == 0)
		error = note_vrfs(&c);
	for (uint32_t leaf = 0; error == 0 && leaf < t->leaf_count; leaf++) {
		error = append_local(&c, leaf);
		if (error == 0)
			error = compute_leaf(&c, leaf);
	}
	for (uint32_t n = 0; error == 0 && n < routes->node_count; n++)
		routes_sort(&routes->nodes[n]);
	free(c.vrf_here);
	free(c.only_vrf);
	free(c.passed);
	updown_destroy(&c.updown);
	return error;
}
