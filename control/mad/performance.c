// SPDX-License-Identifier: BSD-3-Clause
// The performance agent (chapter 16.1): a port's counters, which stop at their largest value.
#include "answer_mad.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define ALL_PORTS 255
#define WORD 4 // data is counted in words of four bytes

// PortCounters and PortCountersExtended: where each is, and the bit by which a Set clears it.
struct place {
	size_t from; // in struct agent_counters
	uint8_t at, bits;
	uint8_t select; // bit of CounterSelect
	uint8_t unit;   // a counter's value is divided by it
};

#define AT(member) offsetof(struct agent_counters, member)

static const struct place small[] = {
	{AT(rx_errors), 8, 16, 3, 1},     {AT(tx_discards), 14, 16, 6, 1},
	{AT(tx_bytes), 24, 32, 12, WORD}, {AT(rx_bytes), 28, 32, 13, WORD},
	{AT(tx_packets), 32, 32, 14, 1},  {AT(rx_packets), 36, 32, 15, 1},
	{AT(tx_wait), 40, 32, 16, 1}, // in CounterSelect2, as its first bit
};

static const struct place large[] = {
	{AT(tx_bytes), 8, 64, 0, WORD},   {AT(rx_bytes), 16, 64, 1, WORD},
	{AT(tx_packets), 24, 64, 2, 1},   {AT(rx_packets), 32, 64, 3, 1},
	{AT(tx_unicast), 40, 64, 4, 1},   {AT(rx_unicast), 48, 64, 5, 1},
	{AT(tx_multicast), 56, 64, 6, 1}, {AT(rx_multicast), 64, 64, 7, 1},
};

struct table {
	const struct place *places;
	size_t count;
	uint32_t select; // what a Set clears
};

static uint64_t *
counter_of(struct agent_counters *counters, const struct place *place)
{
	return (uint64_t *)((char *)counters + place->from);
}

static int
read_now(const struct agents *agents, struct agent_place at, struct agent_counters *now)
{
	*now = (struct agent_counters){0};
	return agents->hooks.counters != NULL && at.port != 0
		       ? agents->hooks.counters(agents->hooks.context, at.node, at.port, now)
		       : 0;
}

// Adds what a port has counted since it was last cleared, and clears what is selected.
static void
add_port(struct agent_port *port, struct agent_counters *now, const struct table *table,
	 uint64_t *sums)
{
	if (port->cleared == NULL)
		port->cleared = memory_array(AGENT_COUNTERS, sizeof(uint64_t), "cleared counters");
	for (size_t i = 0; i < table->count; i++) {
		const struct place *place = &table->places[i];
		uint64_t *cleared = &port->cleared[place->from / sizeof(uint64_t)];
		const uint64_t value = *counter_of(now, place);

		// A counter that has started anew, with its fabric, is below what was cleared.
		if (*cleared > value || table->select & 1u << place->select)
			*cleared = *cleared > value ? 0 : value;
		sums[i] += (value - *cleared) / place->unit;
	}
}

static void
put(uint8_t *at, unsigned bits, uint64_t value)
{
	if (bits == 64)
		mad_put64(at, value);
	else if (bits == 32)
		mad_put32(at, value > UINT32_MAX ? UINT32_MAX : (uint32_t)value);
	else
		mad_put16(at, value > UINT16_MAX ? UINT16_MAX : (uint16_t)value);
}

// Nothing is cleared unless all ports can be read.
static uint16_t
sum_ports(const struct agents *agents, const struct mad_request *r, const struct table *table,
	  uint64_t *sums)
{
	const uint8_t select = r->data[1];
	const bool all = select == ALL_PORTS;
	const unsigned first = all ? 1 : r->node->kind == AGENT_HOST ? r->at.port : select;
	const unsigned count = all ? r->node->port_count : 1;
	struct agent_counters *now = memory_array(count, sizeof(*now), "counters of ports");
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < count; i++)
		rc = read_now(agents, (struct agent_place){r->at.node, (uint8_t)(first + i)},
			      &now[i]);
	for (unsigned i = 0; rc == 0 && i < count; i++)
		add_port(&r->node->ports[first + i], &now[i], table, sums);
	free(now);
	return rc == 0 ? MAD_OK : MAD_BUSY;
}

static uint16_t
answer(struct agents *agents, const struct mad_request *r, const struct table *table)
{
	const bool host = r->node->kind == AGENT_HOST;
	const uint8_t select = r->data[1];
	uint64_t sums[AGENT_COUNTERS] = {0};
	uint16_t status;

	if (select != ALL_PORTS &&
	    (select > r->node->port_count || (host && select != r->at.port && select != 0)))
		return MAD_BAD_VALUE;
	status = sum_ports(agents, r, table, sums);
	if (status != MAD_OK)
		return status;
	memset(r->data + 4, 0, 3 * MAD_DATA_BYTES - 4);
	for (size_t i = 0; i < table->count; i++)
		put(r->data + table->places[i].at, table->places[i].bits, sums[i]);
	return MAD_OK;
}

uint16_t
mad_class_port_info(struct agents *agents, const struct mad_request *r)
{
	(void)agents;
	memset(r->data, 0, 3 * MAD_DATA_BYTES);
	r->data[0] = r->data[1] = 1;
	// All ports at once; 64-bit counters; PortXmitWait.
	mad_put16(r->data + 2, 1u << 8 | 1u << 9 | 1u << 12);
	r->data[7] = 18;
	return MAD_OK;
}

uint16_t
mad_counters(struct agents *agents, const struct mad_request *r)
{
	const uint32_t select = mad_get16(r->data + 2) | (r->data[18] & 1u) << 16;

	return answer(
		agents, r,
		&(struct table){small, sizeof(small) / sizeof(small[0]), r->set ? select : 0});
}

uint16_t
mad_counters_extended(struct agents *agents, const struct mad_request *r)
{
	return answer(agents, r,
		      &(struct table){large, sizeof(large) / sizeof(large[0]),
				      r->set ? mad_get16(r->data + 2) : 0});
}
