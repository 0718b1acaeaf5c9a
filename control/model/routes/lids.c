// SPDX-License-Identifier: BSD-3-Clause
// The forwarding tables of an InfiniBand subnet as groups of next hops: the LFT's port, then the
// others on shortest ways, for switches that may choose among them.
#include "routes.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct route_member
member_of(uint16_t port)
{
	return (struct route_member){.port = port};
}

// The group towards a LID whose LFT port is known.
static uint32_t
add_group(struct route_list *list, uint16_t first, const uint16_t *others, uint32_t count)
{
	struct route_member members[PORTS_MAX];
	uint32_t n = 0;

	members[n++] = member_of(first);
	for (uint32_t i = 0; i < count; i++)
		if (others[i] != first)
			members[n++] = member_of(others[i]);
	return routes_add_group(list, members, n);
}

static void
take_node(struct route_list *list, const struct topology *t, const struct subnet *s,
	  const bool *link_down, uint32_t node)
{
	uint16_t others[PORTS_MAX];

	routes_clear(list);
	list->lid_count = s->lid_count;
	list->lids = memory_array(s->lid_count, sizeof(*list->lids), "LIDs");
	for (uint32_t lid = 0; lid < s->lid_count; lid++) {
		const uint8_t number = subnet_port(s, node, lid);
		const int port = topology_port_index(&t->nodes[node], number);
		uint32_t count;

		list->lids[lid] = ROUTES_NO_LID;
		if (number == SUBNET_PORT_SELF || port < 0)
			continue;
		count = subnet_shortest(s, t, link_down, node, lid, others);
		list->lids[lid] = add_group(list, (uint16_t)port, others, count);
	}
}

void
routes_take_subnet(struct routes *routes, const struct topology *t, const struct subnet *s,
		   const bool *link_down)
{
	for (uint32_t n = 0; n < s->switch_count; n++)
		take_node(&routes->nodes[n], t, s, link_down, n);
}
