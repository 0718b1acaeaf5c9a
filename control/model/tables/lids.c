// SPDX-License-Identifier: BSD-3-Clause
// Where the packets of an InfiniBand fabric go: a group of next hops for each LID. A switch that
// may not choose among ports has the LFT's alone.
#include "build_internal.h"

#include "control/base/memory.h"

#include <string.h>

static void
add_group(struct tables_draft *draft, const struct route_list *routes,
	  const struct route_group *from)
{
	const struct config_routing *routing = &draft->settings->routing;
	const bool chooses = routing->mode >= GROUP_ADAPTIVE ||
			     draft->topology->config->subnet.alternate;
	struct tables *t = draft->t;
	struct next_hop_group *group = &t->groups[t->group_count++];

	*group = (struct next_hop_group){
		.first = t->next_hop_count,
		.count = chooses ? (uint16_t)from->count : 1,
		.mode = (uint8_t)routing->mode,
		.port = routes->members[from->first].port,
	};
	for (uint16_t i = 0; i < group->count; i++)
		t->next_hops[t->next_hop_count++] =
			(struct next_hop){.port = routes->members[from->first + i].port};
}

void
tables_add_lids(struct tables_draft *draft, const struct route_list *routes)
{
	struct tables *t = draft->t;

	t->groups = memory_array(routes->group_count, sizeof(*t->groups), "next-hop groups");
	t->next_hops = memory_array(routes->member_count, sizeof(*t->next_hops), "next hops");
	for (uint32_t i = 0; i < routes->group_count; i++)
		add_group(draft, routes, &routes->groups[i]);
	// What presets may have switched on and only Ethernet has.
	t->trim = (struct trim_profile){0};
	t->notices.on = false;
	t->eligible_udp_dport = 0;
	t->eligible_profile.dscps = UINT64_MAX;
	for (uint16_t p = 0; p < t->port_count; p++)
		if (t->ports[p].edge || t->ports[p].tenant != TENANT_NONE)
			t->ports[p].pkey = topology_pkey(&draft->node->ports[p]);
	_Static_assert(ROUTES_NO_LID == LID_NOWHERE && ROUTES_OWN_LID == LID_OWN, "as they are");
	t->lids = memory_copy(routes->lids, routes->lid_count, sizeof(*t->lids), "LIDs");
	t->lid_count = routes->lid_count;
	// The group of the first priority that travels on the VL.
	for (unsigned vl = 0; vl < PRIORITIES; vl++)
		t->vl_to_pg[vl] = t->tc_priorities[vl] == 0
					  ? (uint8_t)vl
					  : t->priority_to_pg[__builtin_ctz(t->tc_priorities[vl])];
}
