// SPDX-License-Identifier: BSD-3-Clause
// Traps: what agents send without being asked (sections 13.4.8 and 14.2.5.1).
#include "agents.h"

bool
agents_make_trap(const struct agents *agents, uint32_t node, uint8_t mad[static MAD_BYTES])
{
	const struct agent_port *port = agents_owner(agents, (struct agent_place){node, 0});
	uint8_t *notice = mad + MAD_DATA;

	if (agent_lid(port) == 0 || agent_sm_lid(port) == 0)
		return false;
	memset(mad, 0, MAD_BYTES);
	mad[MAD_AT_BASE] = 1;
	mad[MAD_AT_CLASS] = MAD_CLASS_SUBNET;
	mad[MAD_AT_VERSION] = 1;
	mad[MAD_AT_METHOD] = MAD_TRAP;
	mad_put16(mad + MAD_AT_ATTRIBUTE, MAD_NOTICE);
	notice[0] = 1 << 7 | 1; // generic, urgent
	notice[3] = (uint8_t)agents->nodes[node].kind;
	mad_put16(notice + 4, 128);
	mad_put16(notice + 6, agent_lid(port));
	mad_put16(notice + 10, agent_lid(port));
	return true;
}

void
agents_repress_trap(struct agents *agents, uint16_t lid)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].kind == AGENT_SWITCH &&
		    agent_lid(&agents->nodes[n].ports[0]) == lid)
			agents->nodes[n].ports[0].trap_due = false;
}
