// SPDX-License-Identifier: BSD-3-Clause
// What the fabric does with lanes and partitions, and where a manager has set something else.
#include "agents.h"

#define FULL_MEMBER 0x8000
#define ENFORCEMENT 0x0c // PartitionEnforcementInbound and -Outbound

// VLCap and OperationalVLs: the least of 1, 2, 4 and 8 lanes from VL0.
static unsigned
lane_capability(const uint8_t of_level[static AGENT_LEVELS_USED])
{
	unsigned most = 0, capability = 1;

	for (unsigned level = 0; level < AGENT_LEVELS_USED; level++)
		most = of_level[level] > most ? of_level[level] : most;
	while (capability < 4 && most >= 1u << (capability - 1))
		capability++;
	return capability;
}

// A manager may set as many entries as one MAD holds; longer tables of the fabric have their size.
static uint8_t
table_capability(uint8_t count)
{
	return count > AGENT_BLOCK_ENTRIES ? LANE_ENTRIES_MAX : AGENT_BLOCK_ENTRIES;
}

void
agent_set_lanes(struct agent *node, uint8_t number, const struct agent_lanes *lanes)
{
	struct agent_port *port = &node->ports[number];
	const unsigned capability = lane_capability(lanes->of_level);
	uint8_t own[sizeof(port->own_levels)], *info = port->info;

	for (unsigned level = 0; level < AGENT_LEVELS; level += 2)
		own[level / 2] =
			(uint8_t)(lanes->of_level[level] << 4 | lanes->of_level[level + 1]);
	// What a manager has set of other things stays.
	for (unsigned in = 0; in <= node->port_count; in++)
		if (memcmp(own, port->own_levels, sizeof(own)) != 0)
			memcpy(port->levels[in], own, sizeof(own));
	memcpy(port->own_levels, own, sizeof(own));
	memcpy(port->arbitration, lanes->tables, sizeof(port->arbitration));
	if (info[MAD_PORT_INFO_VL_CAP] >> 4 != capability)
		mad_put_high(info + MAD_PORT_INFO_OPERATIONAL_VLS, capability);
	mad_put_high(info + MAD_PORT_INFO_VL_CAP, capability);
	info[MAD_PORT_INFO_HIGH_LIMIT] = lanes->limit;
	info[MAD_PORT_INFO_HIGH_ENTRIES] = table_capability(lanes->counts[AGENT_HIGH]);
	info[MAD_PORT_INFO_LOW_ENTRIES] = table_capability(lanes->counts[AGENT_LOW]);
}

void
agents_set_partition(struct agents *agents, struct agent_place host, uint16_t key)
{
	struct agent_port *port = &agents->nodes[host.node].ports[host.port], *leaf;

	port->partition = key;
	mad_put16(port->partitions, key);
	if (port->peer_node == AGENT_NONE || agents->nodes[port->peer_node].kind != AGENT_SWITCH)
		return;
	leaf = &agents->nodes[port->peer_node].ports[port->peer_port];
	leaf->partition = key;
	mad_put16(leaf->partitions, key);
	leaf->info[MAD_PORT_INFO_OPERATIONAL_VLS] |= ENFORCEMENT;
}

// ---- differences --------------------------------------------------------------------------------

static bool
is_up(const struct agent *node, unsigned port)
{
	return node->ports[port].peer_node != AGENT_NONE &&
	       agent_port_link(&node->ports[port]) == AGENT_LINK_UP;
}

static bool
levels_differ(const struct agent *node, unsigned out, unsigned in)
{
	const struct agent_port *port = &node->ports[out];

	return memcmp(port->levels[in], port->own_levels, AGENT_LEVELS_USED / 2) != 0;
}

// A host has one row, and of a switch those of links that are up count.
static bool
find_levels(const struct agent *node, uint8_t *out, uint8_t *in)
{
	for (unsigned o = 1; o <= node->port_count; o++)
		for (unsigned i = 0; is_up(node, o) && i <= node->port_count; i++)
			if ((node->kind == AGENT_HOST ? i == 0 : i != 0 && is_up(node, i)) &&
			    levels_differ(node, o, i)) {
				*out = (uint8_t)o;
				*in = (uint8_t)i;
				return true;
			}
	return false;
}

void
agents_compare_levels(const struct agents *agents, struct agent_difference *out)
{
	uint8_t port, in;

	*out = (struct agent_difference){0};
	for (uint32_t n = 0; n < agents->count; n++) {
		if (!find_levels(&agents->nodes[n], &port, &in))
			continue;
		if (out->nodes++ == 0) {
			out->first = (struct agent_place){n, port};
			out->in = in;
		}
	}
}

static bool
partitions_differ(const struct agent_port *port)
{
	bool own = false, other = false;

	for (unsigned i = 0; i < AGENT_PARTITIONS; i++) {
		const uint16_t key = mad_get16(port->partitions + (size_t)2 * i);

		own |= key == port->partition;
		other |= key != port->partition && (key & FULL_MEMBER) != 0 &&
			 key != AGENT_PARTITION_DEFAULT;
	}
	return !own || other;
}

static bool
find_partition(const struct agent *node, uint8_t *out)
{
	for (unsigned p = 1; p <= node->port_count; p++)
		if (is_up(node, p) && partitions_differ(&node->ports[p])) {
			*out = (uint8_t)p;
			return true;
		}
	return false;
}

void
agents_compare_partitions(const struct agents *agents, struct agent_difference *out)
{
	uint8_t port;

	*out = (struct agent_difference){0};
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].kind == AGENT_HOST &&
		    find_partition(&agents->nodes[n], &port) && out->nodes++ == 0)
			out->first = (struct agent_place){n, port};
}

uint8_t
agent_common_arbitration(const struct agent *node)
{
	uint8_t first = 0;

	for (unsigned p = 1; p <= node->port_count; p++) {
		const struct agent_port *port = &node->ports[p], *before = &node->ports[first];

		if (!is_up(node, p))
			continue;
		if (first != 0 && (port->info[MAD_PORT_INFO_HIGH_LIMIT] !=
					   before->info[MAD_PORT_INFO_HIGH_LIMIT] ||
				   memcmp(port->arbitration, before->arbitration,
					  sizeof(port->arbitration)) != 0))
			return 0;
		first = first != 0 ? first : (uint8_t)p;
	}
	return first;
}
