// SPDX-License-Identifier: BSD-3-Clause
// Tables of ports and switches (sections 14.2.5.7 to 14.2.5.12).
#include "answer_mad.h"

#include "control/base/memory.h"

// Whether a Set changes a part of a table.
static bool
changes(const struct mad_request *r, const uint8_t *table, size_t bytes)
{
	return r->set && memcmp(table, r->data, bytes) != 0;
}

// Reads or writes a part of a table.
static uint16_t
exchange(const struct mad_request *r, uint8_t *table, size_t bytes)
{
	if (r->set)
		memcpy(table, r->data, bytes);
	memset(r->data, 0, MAD_DATA_BYTES);
	memcpy(r->data, table, bytes);
	return MAD_OK;
}

// The port of a number; a host's is the one the MAD came in by. NULL: there is none.
static struct agent_port *
find_port(const struct mad_request *r, uint32_t number)
{
	if (r->node->kind == AGENT_HOST)
		return &r->node->ports[r->at.port];
	return number <= r->node->port_count ? &r->node->ports[number] : NULL;
}

uint16_t
mad_partitions(struct agents *agents, const struct mad_request *r)
{
	struct agent_port *port = find_port(r, r->modifier >> 16);

	if (port == NULL || (r->modifier & 0xffff) != 0)
		return MAD_BAD_VALUE; // one block holds all
	agents->lane_changes += changes(r, port->partitions, sizeof(port->partitions));
	return exchange(r, port->partitions, sizeof(port->partitions));
}

uint16_t
mad_sl_to_vl(struct agents *agents, const struct mad_request *r)
{
	const uint32_t out = r->modifier & 0xff, in = r->modifier >> 8 & 0xff;
	const bool host = r->node->kind == AGENT_HOST;
	struct agent_port *port = find_port(r, out);
	uint8_t *levels;

	if (port == NULL || (!host && in > r->node->port_count))
		return MAD_BAD_VALUE;
	levels = port->levels[host ? 0 : in];
	agents->lane_changes += changes(r, levels, AGENT_LEVELS / 2);
	return exchange(r, levels, AGENT_LEVELS / 2);
}

// The high half of the modifier: 1 low, 2 low's second half, 3 high, 4 high's second half. Tables
// of up to 32 entries have no second half.
uint16_t
mad_vl_arbitration(struct agents *agents, const struct mad_request *r)
{
	struct agent_port *port = find_port(r, r->modifier & 0xffff);
	const uint32_t part = r->modifier >> 16, table = part >= 3 ? AGENT_HIGH : AGENT_LOW;
	const unsigned first = part % 2 == 0 ? AGENT_BLOCK_ENTRIES : 0;
	uint8_t *entries;
	unsigned count;

	if (port == NULL || part < 1 || part > 4 || agent_entries(port, table) <= first)
		return MAD_BAD_VALUE;
	entries = port->arbitration[table] + (size_t)2 * first;
	count = agent_entries(port, table) - first;
	count = count < AGENT_BLOCK_ENTRIES ? count : AGENT_BLOCK_ENTRIES;
	if (changes(r, entries, (size_t)2 * count))
		agents_note_arbitration(agents, r->node, port);
	return exchange(r, entries, (size_t)2 * count);
}

uint16_t
mad_linear_table(struct agents *agents, const struct mad_request *r)
{
	uint8_t *block;

	if (r->modifier >= AGENT_LIDS / MAD_DATA_BYTES)
		return MAD_BAD_VALUE;
	block = r->node->lft + (size_t)r->modifier * MAD_DATA_BYTES;
	if (r->set && memcmp(block, r->data, MAD_DATA_BYTES) != 0) {
		r->node->managed = r->node->changed = true;
		agents->changes++;
	}
	return exchange(r, block, MAD_DATA_BYTES);
}

// Multicast is accepted and told back; no packet of a fabric uses it.
uint16_t
mad_multicast_table(struct agents *agents, const struct mad_request *r)
{
	const uint32_t position = r->modifier >> 28, block = r->modifier & 0x1ff;
	const size_t size = (size_t)AGENT_MULTICAST_LIDS * 2;

	(void)agents;
	if (block >= AGENT_MULTICAST_LIDS / 32)
		return MAD_BAD_VALUE;
	if (r->node->multicast == NULL)
		r->node->multicast =
			memory_array(AGENT_MULTICAST_POSITIONS, size, "multicast tables");
	return exchange(r, r->node->multicast + position * size + (size_t)block * MAD_DATA_BYTES,
			MAD_DATA_BYTES);
}
