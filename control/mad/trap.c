// SPDX-License-Identifier: BSD-3-Clause
// Traps: what agents send without being asked (sections 13.4.8 and 14.2.5.1).
#include "agents.h"

static bool
make(const struct agents *agents, struct agent_place at, uint16_t number,
     uint8_t mad[static MAD_BYTES])
{
	const struct agent_port *port = agents_owner(agents, at);
	uint8_t *notice = mad + MAD_DATA;

	if (agent_lid(port) == 0 || agent_sm_lid(port) == 0)
		return false;
	memset(mad, 0, MAD_BYTES);
	mad[MAD_AT_BASE] = 1;
	mad[MAD_AT_CLASS] = MAD_CLASS_SUBNET;
	mad[MAD_AT_VERSION] = 1;
	mad[MAD_AT_METHOD] = MAD_TRAP;
	mad_put16(mad + MAD_AT_ATTRIBUTE, MAD_NOTICE);
	notice[3] = (uint8_t)agents->nodes[at.node].kind;
	mad_put16(notice + 4, number);
	mad_put16(notice + 6, agent_lid(port));
	return true;
}

bool
agents_make_trap(const struct agents *agents, uint32_t node, uint8_t mad[static MAD_BYTES])
{
	const struct agent_place at = {node, 0};

	if (!make(agents, at, 128, mad))
		return false;
	mad[MAD_DATA] = 1 << 7 | 1; // generic, urgent
	mad_put16(mad + MAD_DATA + 10, agent_lid(agents_owner(agents, at)));
	return true;
}

bool
agents_make_capability_trap(const struct agents *agents, struct agent_place at,
			    uint8_t mad[static MAD_BYTES])
{
	const struct agent_port *port = agents_owner(agents, at);

	if (!make(agents, at, 144, mad))
		return false;
	mad[MAD_DATA] = 1 << 7 | 4; // generic, informational
	mad_put16(mad + MAD_DATA + 12, agent_lid(port));
	mad_put32(mad + MAD_DATA + 16, mad_get32(port->info + 20));
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
