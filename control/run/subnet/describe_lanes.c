// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a description (control/map/lanes.c), for the agents. A switch or host whose lanes are
// missing or wrong there keeps those that it has.
#include "subnet_internal.h"

static bool
read_number(const json_t *from, json_int_t end, uint8_t *out)
{
	const json_int_t value = json_integer_value(from);

	*out = (uint8_t)value;
	return json_is_integer(from) && value >= 0 && value < end;
}

static bool
read_table(const json_t *from, unsigned table, struct agent_lanes *out)
{
	const json_t *pair;
	size_t i;

	if (!json_is_array(from) || json_array_size(from) > LANE_ENTRIES_MAX)
		return false;
	memset(out->tables[table], 0, sizeof(out->tables[table]));
	out->counts[table] = (uint8_t)json_array_size(from);
	json_array_foreach(from, i, pair)
	{
		uint8_t *entry = out->tables[table] + 2 * i;

		if (!read_number(json_array_get(pair, 0), AGENT_LEVELS_USED, &entry[0]) ||
		    !read_number(json_array_get(pair, 1), UINT8_MAX + 1, &entry[1]))
			return false;
	}
	return true;
}

static bool
read_arbitration(const json_t *from, struct agent_lanes *out)
{
	return read_table(json_object_get(from, "high"), AGENT_HIGH, out) &&
	       read_table(json_object_get(from, "low"), AGENT_LOW, out) &&
	       read_number(json_object_get(from, "limit"), UINT8_MAX + 1, &out->limit);
}

static bool
read_levels(const json_t *from, struct agent_lanes *out)
{
	memset(out->of_level, AGENT_DROP_VL, sizeof(out->of_level));
	for (unsigned level = 0; level < AGENT_LEVELS_USED; level++)
		if (!read_number(json_array_get(from, level), AGENT_LEVELS_USED,
				 &out->of_level[level]))
			return false;
	return true;
}

// Of a switch's port, or of the NIC behind it.
static const json_t *
find_arbitration(const json_t *lanes, unsigned port, const char *key)
{
	char name[16];
	const json_t *own;

	snprintf(name, sizeof(name), "swp%u", port);
	own = json_object_get(json_object_get(lanes, "ports"), name);
	return json_object_get(own != NULL ? own : lanes, key);
}

static void
set_switch(struct agent *node, const json_t *lanes)
{
	struct agent_lanes read;

	if (!read_levels(json_object_get(lanes, "by_priority"), &read))
		return;
	node->programmable = json_is_true(json_object_get(lanes, "credits"));
	for (unsigned p = 0; p <= node->port_count; p++)
		if (read_arbitration(find_arbitration(lanes, p, "arbitration"), &read))
			agent_set_lanes(node, (uint8_t)p, &read);
}

// A host has the settings of the switch behind its first port.
static void
set_host(struct agents *agents, uint32_t host, const json_t *nodes)
{
	struct agent *node = &agents->nodes[host];
	const json_t *lanes;
	struct agent_lanes read;

	if (node->port_count == 0 || node->ports[1].peer_node == AGENT_NONE)
		return;
	lanes = json_object_get(json_array_get(nodes, node->ports[1].peer_node), "lanes");
	if (!read_levels(json_object_get(lanes, "by_priority"), &read))
		return;
	for (unsigned p = 1; p <= node->port_count; p++)
		if (read_arbitration(
			    find_arbitration(lanes, node->ports[p].peer_port, "nic_arbitration"),
			    &read))
			agent_set_lanes(node, (uint8_t)p, &read);
}

void
subnet_describe_lanes(struct agents *agents, const json_t *nodes)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].kind == AGENT_SWITCH)
			set_switch(&agents->nodes[n],
				   json_object_get(json_array_get(nodes, n), "lanes"));
		else
			set_host(agents, n, nodes);
}
