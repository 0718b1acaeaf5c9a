// SPDX-License-Identifier: BSD-3-Clause
// The forwarding tables of an InfiniBand subnet as groups of next hops: the LFT's port, then the
// others that the engine could have taken, for switches that may choose among them.
#include "routes_internal.h"

#include "control/base/memory.h"

#include <errno.h>
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
begin_node(struct route_list *list, const struct subnet *s)
{
	routes_clear(list);
	list->lid_count = s->lid_count;
	list->lids = memory_array(s->lid_count, sizeof(*list->lids), "LIDs");
}

static void
take_lid(struct route_list *list, const struct topology *t, const struct subnet *s,
	 struct subnet_choices *choices, uint32_t node, uint32_t lid)
{
	const uint8_t number = subnet_port(s, node, lid);
	const int port = topology_port_index(&t->nodes[node], number);
	uint16_t others[PORTS_MAX];
	uint32_t count;

	list->lids[lid] = number == SUBNET_PORT_SELF ? ROUTES_OWN_LID : ROUTES_NO_LID;
	if (number == SUBNET_PORT_SELF || port < 0)
		return;
	count = subnet_choices_list(choices, node, lid, others);
	list->lids[lid] = add_group(list, (uint16_t)port, others, count);
}

void
routes_take_subnet(struct routes *routes, const struct topology *t, const struct subnet *s,
		   const bool *link_down)
{
	struct subnet_choices *choices;

	subnet_choices_create(&choices, s, t, link_down);
	for (uint32_t n = 0; n < s->switch_count; n++)
		begin_node(&routes->nodes[n], s);
	for (uint32_t lid = 0; lid < s->lid_count; lid++)
		for (uint32_t n = 0; n < s->switch_count; n++)
			take_lid(&routes->nodes[n], t, s, choices, n, lid);
	subnet_choices_destroy(choices);
}

// The `lft:` of a lone switch. LIDs without an entry have no port.
static int
add_written(struct route_list *list, const struct topology *t, struct diag *diag)
{
	const struct config_single *single = &t->config->single;
	int result = 0;

	list->lid_count = 1;
	for (unsigned i = 0; i < single->lft_count; i++)
		if (single->lft[i].lid >= list->lid_count)
			list->lid_count = single->lft[i].lid + 1u;
	list->lids = memory_array(list->lid_count, sizeof(*list->lids), "LIDs");
	for (uint32_t lid = 0; lid < list->lid_count; lid++)
		list->lids[lid] = ROUTES_NO_LID;
	for (unsigned i = 0; i < single->lft_count; i++) {
		const struct config_lft_entry *entry = &single->lft[i];
		struct topo_ref to;

		if (topology_resolve_port(t, &entry->port, "switch.lft.port", &to, diag) != 0)
			result = -EINVAL;
		else if (list->lids[entry->lid] != ROUTES_NO_LID)
			result = diag_error(diag, t->config->file, entry->port.pos, "switch.lft",
					    "LID %u already has a port", entry->lid);
		else
			list->lids[entry->lid] = add_group(list, to.port, NULL, 0);
	}
	return result;
}

// LIDs and ports that InfiniBand has no numbers for.
static int
check_size(const struct topology *t, struct diag *diag)
{
	const struct topo_node *last = &t->nodes[t->node_count - 1];

	if (last->ports[last->port_count - 1].lid == TOPOLOGY_LID_NONE)
		return diag_error(diag, t->config->file, t->config->fabric.topology_pos,
				  "fabric.topology",
				  "the fabric needs more than %d LIDs: use fewer switches or host "
				  "ports",
				  TOPOLOGY_LID_MAX);
	for (uint32_t n = 0; n < t->first_host; n++)
		if (t->nodes[n].ports[t->nodes[n].port_count - 1].number > SUBNET_PORT_MAX)
			return diag_error(diag, t->config->file, t->config->fabric.topology_pos,
					  "fabric.topology",
					  "%s has more than %d ports, the InfiniBand maximum",
					  t->nodes[n].name, SUBNET_PORT_MAX);
	return 0;
}

int
routes_add_lids(struct routes *routes, const struct topology *t, const bool *link_down,
		struct diag *diag)
{
	struct subnet *s;
	int error;

	if (topology_is_single(t))
		return add_written(&routes->nodes[0], t, diag);
	error = check_size(t, diag);
	if (error != 0)
		return error;
	subnet_create(&s, t, link_down);
	if (t->lfts == NULL && t->config->subnet.lfts.table_count != 0)
		error = subnet_take_file(s, t, diag);
	if (error == 0)
		routes_take_subnet(routes, t, s, link_down);
	subnet_destroy(s);
	return error;
}
