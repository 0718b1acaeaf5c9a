// SPDX-License-Identifier: BSD-3-Clause
// Tables of ports and switches (sections 14.2.5.7 to 14.2.5.12).
#include "answer_mad.h"

#include "control/base/memory.h"

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

	(void)agents;
	if (port == NULL || (r->modifier & 0xffff) != 0)
		return MAD_BAD_VALUE; // one block holds all
	return exchange(r, port->partitions, sizeof(port->partitions));
}

uint16_t
mad_sl_to_vl(struct agents *agents, const struct mad_request *r)
{
	const uint32_t out = r->modifier & 0xff, in = r->modifier >> 8 & 0xff;
	const bool host = r->node->kind == AGENT_HOST;
	struct agent_port *port = find_port(r, out);

	(void)agents;
	if (port == NULL || (!host && in > r->node->port_count))
		return MAD_BAD_VALUE;
	return exchange(r, port->levels[host ? 0 : in], AGENT_LEVELS / 2);
}

// The high half of the modifier: 1 low, 2 low's second half, 3 high, 4 high's second half. Tables
// have fewer than 32 entries, so that there are no second halves.
uint16_t
mad_vl_arbitration(struct agents *agents, const struct mad_request *r)
{
	struct agent_port *port = find_port(r, r->modifier & 0xffff);
	const uint32_t part = r->modifier >> 16;

	(void)agents;
	if (port == NULL || (part != 1 && part != 3))
		return MAD_BAD_VALUE;
	return exchange(r, port->arbitration[part == 3], 2u * port->info[part == 3 ? 39 : 40]);
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
