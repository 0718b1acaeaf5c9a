// SPDX-License-Identifier: BSD-3-Clause
// The way of a MAD: by the switches' forwarding tables, or along a directed route (section 14.2.2).
#include "agents.h"

#include <errno.h>

#define HOPS_MAX 64 // of tables that lead in a circle

// Crosses the link of a port. Returns false if there is none or it is down.
static bool
cross(const struct agents *agents, struct agent_place *at, uint8_t out)
{
	const struct agent *node = &agents->nodes[at->node];
	const struct agent_port *port;

	if (out == 0 || out > node->port_count)
		return false;
	port = &node->ports[out];
	if (port->peer_node == AGENT_NONE || agent_port_link(port) != AGENT_LINK_UP)
		return false;
	*at = (struct agent_place){port->peer_node, port->peer_port};
	return true;
}

// Follows the ports of a directed route: there, or of an answer the ports by which it came, back.
static int
route_directed(const struct agents *agents, uint8_t *mad, struct agent_place *at)
{
	const unsigned count = mad[MAD_AT_HOP_COUNT];
	const bool back = mad_is_response(mad);

	if (count > MAD_HOPS_MAX || mad_get16(mad + MAD_AT_DIRECTED_SOURCE) != MAD_LID_PERMISSIVE ||
	    mad_get16(mad + MAD_AT_DIRECTED_DESTINATION) != MAD_LID_PERMISSIVE)
		return -EHOSTUNREACH; // routes that are partly by LIDs are not supported
	for (unsigned i = 0; i < count; i++) {
		const unsigned hop = back ? count - i : i + 1;

		if (i != 0 && agents->nodes[at->node].kind != AGENT_SWITCH)
			return -EHOSTUNREACH;
		if (!cross(agents, at, mad[(back ? MAD_AT_RETURN_PATH : MAD_AT_PATH) + hop]))
			return -EHOSTUNREACH;
		if (!back)
			mad[MAD_AT_RETURN_PATH + hop] = at->port;
	}
	return 0;
}

// Whether data may pass a port; management of the subnet passes as soon as the link is up.
static bool
is_active(const struct agents *agents, uint32_t node, uint8_t out)
{
	const struct agent *agent = &agents->nodes[node];

	return out <= agent->port_count && agent_port_state(&agent->ports[out]) == AGENT_ACTIVE;
}

static int
route_by_lid(const struct agents *agents, uint16_t lid, bool subnet, struct agent_place *at)
{
	for (unsigned hop = 0; hop < HOPS_MAX; hop++) {
		const struct agent *node = &agents->nodes[at->node];
		uint8_t out;

		if (agent_lid(agents_owner(agents, *at)) == lid)
			return 0;
		if (node->kind == AGENT_SWITCH)
			out = lid <= MAD_LID_MAX ? node->lft[lid] : AGENT_PORT_UNSET;
		else if (hop == 0)
			out = at->port;
		else
			return -EHOSTUNREACH; // a host passes nothing on
		if ((!subnet && !is_active(agents, at->node, out)) || !cross(agents, at, out))
			return -EHOSTUNREACH;
	}
	return -EHOSTUNREACH;
}

int
agents_route(struct agents *agents, struct agent_place from, uint16_t lid, uint8_t *mad,
	     struct agent_place *at)
{
	*at = from;
	if (mad[MAD_AT_CLASS] == MAD_CLASS_SUBNET_DIRECTED)
		return route_directed(agents, mad, at);
	if (lid == MAD_LID_PERMISSIVE)
		return 0;
	if (lid == 0)
		return -EHOSTUNREACH;
	return route_by_lid(agents, lid, mad[MAD_AT_CLASS] == MAD_CLASS_SUBNET, at);
}
