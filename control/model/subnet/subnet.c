// SPDX-License-Identifier: BSD-3-Clause
// A subnet is made anew from the topology and the links that are up; engines fill its tables.
#include "subnet_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// By enum config_subnet_engine.
static subnet_engine_fn *const engines[] = {
	[CONFIG_SUBNET_MIN_HOP] = subnet_min_hop,
	[CONFIG_SUBNET_UP_DOWN] = subnet_up_down,
	[CONFIG_SUBNET_FAT_TREE] = subnet_fat_tree,
};

// Who has which LID.
static void
note_owners(struct subnet *s, const struct topology *t)
{
	uint16_t most = 0;

	for (uint32_t n = 0; n < t->node_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			if (topology_lid(t, n, p) > most)
				most = topology_lid(t, n, p);
	s->lid_count = most + 1u;
	s->owners = memory_array(s->lid_count, sizeof(*s->owners), "LIDs");
	for (uint32_t lid = 0; lid < s->lid_count; lid++)
		s->owners[lid].node = TOPOLOGY_NONE;
	for (uint32_t n = 0; n < t->node_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			s->owners[topology_lid(t, n, p)] = (struct subnet_owner){n, p};
	s->owners[TOPOLOGY_LID_NONE].node = TOPOLOGY_NONE;
}

// Breadth first from one switch to all others.
static void
measure(struct subnet *s, const struct topology *t, const bool *link_down, uint32_t from,
	uint32_t *queue)
{
	uint8_t *hops = &s->hops[(size_t)from * s->switch_count];
	uint32_t head = 0, tail = 0;

	memset(hops, SUBNET_FAR, s->switch_count);
	hops[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		const uint32_t n = queue[head++];

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (!subnet_leads_on(t, link_down, port) ||
			    hops[port->peer_node] != SUBNET_FAR || hops[n] == SUBNET_FAR - 1)
				continue;
			hops[port->peer_node] = (uint8_t)(hops[n] + 1);
			queue[tail++] = port->peer_node;
		}
	}
}

void
subnet_create(struct subnet **out, const struct topology *t, const bool *link_down)
{
	const uint32_t switches = t->first_host;
	struct subnet *s = memory_new(sizeof(*s), "subnet");
	uint32_t *queue = memory_array(switches, sizeof(*queue), "switches");

	s->switch_count = switches;
	note_owners(s, t);
	s->lft = memory_array((size_t)switches * s->lid_count, 1, "forwarding tables");
	s->hops = memory_array((size_t)switches * switches, 1, "distances of switches");
	memset(s->lft, SUBNET_PORT_NONE, (size_t)switches * s->lid_count);
	for (uint32_t n = 0; n < switches; n++) {
		measure(s, t, link_down, n, queue);
		*subnet_entry(s, n, topology_lid(t, n, 0)) = SUBNET_PORT_SELF;
	}
	free(queue);
	s->from_outside = t->lfts != NULL;
	if (s->from_outside)
		memcpy(s->lft, t->lfts, (size_t)switches * s->lid_count);
	else
		engines[t->config->subnet.engine](s, t, link_down);
	*out = s;
}

void
subnet_destroy(struct subnet *s)
{
	if (s == NULL)
		return;
	free(s->owners);
	free(s->lft);
	free(s->hops);
	free(s);
}

uint32_t
subnet_shortest(const struct subnet *s, const struct topology *t, const bool *link_down,
		uint32_t node, uint32_t lid, uint16_t ports[static PORTS_MAX])
{
	const struct subnet_owner owner = s->owners[lid];
	const bool to_switch = owner.node < s->switch_count;
	uint32_t count = 0;

	for (uint16_t p = 0; owner.node != TOPOLOGY_NONE && p < t->nodes[node].port_count; p++) {
		const struct topo_port *port = &t->nodes[node].ports[p];
		const struct topo_port *host = to_switch ? NULL
							 : &t->nodes[owner.node].ports[owner.port];
		const uint32_t last = to_switch ? owner.node : host->peer_node;
		const uint8_t *hops = &s->hops[(size_t)last * s->switch_count];

		if (!to_switch && node == last) {
			if (port->peer_node == owner.node && port->peer_port == owner.port &&
			    (link_down == NULL || !link_down[port->link]))
				ports[count++] = p;
		} else if (subnet_leads_on(t, link_down, port) && hops[node] != SUBNET_FAR &&
			   hops[port->peer_node] + 1 == hops[node]) {
			ports[count++] = p;
		}
	}
	return count;
}
