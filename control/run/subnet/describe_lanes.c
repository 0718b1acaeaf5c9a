// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a description (control/map/lanes.c), for the agents. A switch or host whose lanes are
// missing or wrong there keeps its own.
#include "subnet_internal.h"

#include <stdlib.h>

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

// Whether a port's tables have the effect of those read. The fabric leaves out entries that have
// none, so tables that a manager set and the fabric took need not be the same.
static bool
agrees(const struct agent_port *port, const struct agent_lanes *read)
{
	struct agent_port other = *port;
	char *before = subnet_arbitration_text(port), *after;
	bool same;

	memcpy(other.arbitration, read->tables, sizeof(other.arbitration));
	other.info[MAD_PORT_INFO_HIGH_LIMIT] = read->limit;
	other.info[MAD_PORT_INFO_HIGH_ENTRIES] = LANE_ENTRIES_MAX;
	other.info[MAD_PORT_INFO_LOW_ENTRIES] = LANE_ENTRIES_MAX;
	after = subnet_arbitration_text(&other);
	same = strcmp(before, after) == 0;
	free(before);
	free(after);
	return same;
}

// What a switch's `lanes` say now, and said when they were read last; NULL: never.
struct change {
	const json_t *before, *now;
};

static struct change
find_change(uint32_t node, const json_t *before, const json_t *nodes)
{
	return (struct change){json_object_get(json_array_get(before, node), "lanes"),
			       json_object_get(json_array_get(nodes, node), "lanes")};
}

// port: of the node; leaf_port, key: where its tables are in `lanes`.
static void
set_port(struct agent *node, uint8_t port, struct change lanes, unsigned leaf_port, const char *key)
{
	const json_t *levels = json_object_get(lanes.now, "by_priority");
	const json_t *tables = find_arbitration(lanes.now, leaf_port, key);
	const bool again = json_equal(json_object_get(lanes.before, "by_priority"), levels);
	struct agent_lanes read;

	if (again && json_equal(find_arbitration(lanes.before, leaf_port, key), tables))
		return;
	if (read_levels(levels, &read) && read_arbitration(tables, &read) &&
	    !(again && agrees(&node->ports[port], &read)))
		agent_set_lanes(node, port, &read);
}

static void
set_switch(struct agent *node, struct change lanes)
{
	struct agent_lanes read;

	if (!read_levels(json_object_get(lanes.now, "by_priority"), &read))
		return;
	node->programmable = json_is_true(json_object_get(lanes.now, "credits"));
	for (unsigned p = 0; p <= node->port_count; p++)
		set_port(node, (uint8_t)p, lanes, p, "arbitration");
}

void
subnet_describe_lanes(struct agents *agents, const json_t *before, const json_t *nodes)
{
	for (uint32_t n = 0; n < agents->count; n++) {
		struct agent *node = &agents->nodes[n];
		const struct agent_port *first = &node->ports[1];

		if (node->arbitrated)
			continue; // what a manager has set is due to be programmed
		if (node->kind == AGENT_SWITCH) {
			set_switch(node, find_change(n, before, nodes));
			continue;
		}
		// A host has the settings of the switch behind its first port.
		for (unsigned p = 1; p <= node->port_count && first->peer_node != AGENT_NONE; p++)
			set_port(node, (uint8_t)p, find_change(first->peer_node, before, nodes),
				 node->ports[p].peer_port, "nic_arbitration");
	}
}
