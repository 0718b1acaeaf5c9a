// SPDX-License-Identifier: BSD-3-Clause
// What a node is (sections 14.2.5.2 to 14.2.5.5).
#include "answer_mad.h"

#include "control/base/memory.h"

// A host's port has a GUID of its own, a switch that of the node.
static uint64_t
port_guid(const struct mad_request *r)
{
	return r->node->guid + (r->node->kind == AGENT_HOST ? r->at.port : 0);
}

uint16_t
mad_node_description(struct agents *agents, const struct mad_request *r)
{
	(void)agents;
	memset(r->data, 0, MAD_DATA_BYTES);
	memcpy(r->data, r->node->name, strlen(r->node->name));
	return MAD_OK;
}

uint16_t
mad_node_info(struct agents *agents, const struct mad_request *r)
{
	uint8_t *data = r->data;

	(void)agents;
	memset(data, 0, MAD_DATA_BYTES);
	data[0] = data[1] = 1;
	data[2] = (uint8_t)r->node->kind;
	data[3] = r->node->port_count;
	mad_put64(data + 4, r->node->guid);
	mad_put64(data + 12, r->node->guid);
	mad_put64(data + 20, port_guid(r));
	mad_put16(data + 28, AGENT_PARTITIONS);
	data[36] = r->at.port;
	return MAD_OK;
}

uint16_t
mad_switch_info(struct agents *agents, const struct mad_request *r)
{
	uint8_t *info = r->node->info;

	(void)agents;
	if (r->set) {
		if (mad_get16(r->data + 6) >= AGENT_LIDS)
			return MAD_BAD_VALUE;
		memcpy(info + 6, r->data + 6, 5); // LinearFDBTop and the default ports
		// LifeTimeValue. A set bit of PortStateChange clears it.
		info[11] = (uint8_t)((r->data[11] & 0xf8) |
				     ((r->data[11] & 1u << 2) != 0 ? 0 : info[11] & 1u << 2));
		mad_put16(info + 18, mad_get16(r->data + 18)); // MulticastFDBTop
	}
	memcpy(r->data, info, MAD_DATA_BYTES);
	return MAD_OK;
}

uint16_t
mad_guid_info(struct agents *agents, const struct mad_request *r)
{
	(void)agents;
	if (r->modifier != 0)
		return MAD_BAD_VALUE; // GUIDCap is 1
	memset(r->data, 0, MAD_DATA_BYTES);
	mad_put64(r->data, port_guid(r));
	return MAD_OK;
}
