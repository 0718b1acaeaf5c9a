// SPDX-License-Identifier: BSD-3-Clause
// Two leaves with a host each, joined by a spine, and MADs to ask their agents with.
#pragma once

#include "control/mad/agents.h"

enum { LEAF1, LEAF2, SPINE, H1, H2 };
enum { LID_LEAF1 = 1, LID_LEAF2, LID_SPINE, LID_H1, LID_H2, LIDS };

// Ports 1 of leaves lead to hosts, ports 2 to the spine, whose ports are in the order of leaves.
static inline struct agents
make_subnet(void)
{
	struct agents a = {0};

	agents_add(&a, "leaf1", AGENT_SWITCH, 4);
	agents_add(&a, "leaf2", AGENT_SWITCH, 4);
	agents_add(&a, "spine1", AGENT_SWITCH, 2);
	agents_add(&a, "h1", AGENT_HOST, 1);
	agents_add(&a, "h2", AGENT_HOST, 1);
	agents_connect(&a, (struct agent_place){H1, 1}, (struct agent_place){LEAF1, 1},
		       UINT64_C(400000000000));
	agents_connect(&a, (struct agent_place){H2, 1}, (struct agent_place){LEAF2, 1},
		       UINT64_C(400000000000));
	agents_connect(&a, (struct agent_place){LEAF1, 2}, (struct agent_place){SPINE, 1},
		       UINT64_C(100000000000));
	agents_connect(&a, (struct agent_place){LEAF2, 2}, (struct agent_place){SPINE, 2},
		       UINT64_C(100000000000));
	return a;
}

// A request to an agent, without a way.
static inline void
make_request(uint8_t mad[static MAD_BYTES], uint8_t class, uint8_t method, uint16_t attribute,
	     uint32_t modifier)
{
	memset(mad, 0, MAD_BYTES);
	mad[MAD_AT_BASE] = 1;
	mad[MAD_AT_CLASS] = class;
	mad[MAD_AT_VERSION] = 1;
	mad[MAD_AT_METHOD] = method;
	mad_put64(mad + MAD_AT_TRANSACTION, UINT64_C(0x0000000512345678));
	mad_put16(mad + MAD_AT_ATTRIBUTE, attribute);
	mad_put32(mad + MAD_AT_MODIFIER, modifier);
	mad_put16(mad + MAD_AT_DIRECTED_SOURCE, MAD_LID_PERMISSIVE);
	mad_put16(mad + MAD_AT_DIRECTED_DESTINATION, MAD_LID_PERMISSIVE);
}

// Answers it at a place; returns the status.
static inline uint16_t
ask(struct agents *a, struct agent_place at, uint8_t mad[static MAD_BYTES])
{
	return agents_answer(a, at, mad) ? mad_get16(mad + MAD_AT_STATUS) : UINT16_MAX;
}

// Gives all nodes LIDs, h1 the manager, leaves and spine the tables of the only tree there is, and
// makes all links active, as a manager does.
static inline void
bring_up(struct agents *a)
{
	static const uint8_t tables[3][LIDS] = {
		[LEAF1] = {255, 0, 2, 2, 1, 2},
		[LEAF2] = {255, 2, 0, 2, 2, 1},
		[SPINE] = {255, 1, 2, 0, 1, 2},
	};
	static const uint16_t lids[] = {LID_LEAF1, LID_LEAF2, LID_SPINE, LID_H1, LID_H2};

	for (uint32_t n = LEAF1; n <= H2; n++) {
		const struct agent_place at = {n, n >= H1};
		struct agent *node = &a->nodes[n];

		agents_set_lid(a, at, lids[n]);
		mad_put16(agents_owner(a, at)->info + 18, LID_H1);
		if (n < H1)
			memcpy(node->lft, tables[n], LIDS);
		for (unsigned p = 1; p <= node->port_count; p++)
			if (node->ports[p].peer_node != AGENT_NONE)
				mad_put_low(node->ports[p].info + 32, AGENT_ACTIVE);
	}
}
