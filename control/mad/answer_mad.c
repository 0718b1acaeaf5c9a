// SPDX-License-Identifier: BSD-3-Clause
// Which agent answers a MAD, and the answer's header.
#include "answer_mad.h"

// A row has what answers an attribute; a node without a switch's tables refuses those of switches.
static const struct row {
	uint8_t class;
	uint16_t attribute;
	mad_answer_fn *answer;
	bool switches; // only they have it
	bool settable;
	bool lanes; // a Set may be one of several that change lanes or partitions
} rows[] = {
	{MAD_CLASS_SUBNET, MAD_NODE_DESCRIPTION, mad_node_description, .settable = false},
	{MAD_CLASS_SUBNET, MAD_NODE_INFO, mad_node_info, .settable = false},
	{MAD_CLASS_SUBNET, MAD_SWITCH_INFO, mad_switch_info, .switches = true, .settable = true},
	{MAD_CLASS_SUBNET, MAD_GUID_INFO, mad_guid_info, .settable = false},
	{MAD_CLASS_SUBNET, MAD_PORT_INFO, mad_port_info, .settable = true, .lanes = true},
	{MAD_CLASS_SUBNET, MAD_PARTITIONS, mad_partitions, .settable = true, .lanes = true},
	{MAD_CLASS_SUBNET, MAD_SL_TO_VL, mad_sl_to_vl, .settable = true, .lanes = true},
	{MAD_CLASS_SUBNET, MAD_VL_ARBITRATION, mad_vl_arbitration, .settable = true, .lanes = true},
	{MAD_CLASS_SUBNET, MAD_LINEAR_TABLE, mad_linear_table, .switches = true, .settable = true},
	{MAD_CLASS_SUBNET, MAD_MULTICAST_TABLE, mad_multicast_table, .switches = true,
	 .settable = true},
	{MAD_CLASS_PERFORMANCE, MAD_CLASS_PORT_INFO, mad_class_port_info, .settable = false},
	{MAD_CLASS_PERFORMANCE, MAD_COUNTERS, mad_counters, .settable = true},
	{MAD_CLASS_PERFORMANCE, MAD_COUNTERS_EXTENDED, mad_counters_extended, .settable = true},
};

static const struct row *
find_row(uint8_t class, uint16_t attribute)
{
	if (class == MAD_CLASS_SUBNET_DIRECTED)
		class = MAD_CLASS_SUBNET;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].class == class && rows[i].attribute == attribute)
			return &rows[i];
	return NULL;
}

static uint16_t
fill(struct agents *agents, struct agent_place at, uint8_t *mad, const struct row *row)
{
	const uint8_t method = mad[MAD_AT_METHOD];
	const struct mad_request request = {
		.at = at,
		.node = &agents->nodes[at.node],
		.set = method == MAD_SET,
		.modifier = mad_get32(mad + MAD_AT_MODIFIER),
		.data = mad + MAD_DATA,
	};

	if (row == NULL)
		return MAD_BAD_ATTRIBUTE;
	if (method != MAD_GET && method != MAD_SET)
		return MAD_BAD_METHOD;
	if ((request.set && !row->settable) ||
	    (row->switches && request.node->kind != AGENT_SWITCH))
		return MAD_BAD_ATTRIBUTE;
	agents->sets += request.set && row->lanes;
	return row->answer(agents, &request);
}

bool
agents_answer(struct agents *agents, struct agent_place at, uint8_t mad[static MAD_BYTES])
{
	const uint8_t class = mad[MAD_AT_CLASS];
	const uint16_t attribute = mad_get16(mad + MAD_AT_ATTRIBUTE);
	uint16_t status;

	if (mad_is_response(mad) || mad[MAD_AT_METHOD] == MAD_TRAP ||
	    (class != MAD_CLASS_PERFORMANCE && !mad_is_subnet(mad)) ||
	    (class != MAD_CLASS_PERFORMANCE && attribute == MAD_SM_INFO))
		return false;
	status = fill(agents, at, mad, find_row(class, attribute));
	mad[MAD_AT_METHOD] = MAD_GET_RESPONSE;
	if (class == MAD_CLASS_SUBNET_DIRECTED)
		status |= MAD_DIRECTION;
	mad_put16(mad + MAD_AT_STATUS, status);
	return true;
}
