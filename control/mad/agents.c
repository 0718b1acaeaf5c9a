// SPDX-License-Identifier: BSD-3-Clause
// Nodes, ports and links, and what agents say of them before a subnet manager has set anything.
#include "agents.h"

#include "control/base/memory.h"

#include <stdlib.h>

// GUIDs are EUI-64 with the bit of locally administered ones; the middle spells "roo". A host's
// port has that of the node plus its number, as programs of infiniband-diags assume for simulated
// ones.
#define GUID_FIRST UINT64_C(0x02726f6f00000000)
#define GUID_STEP 256

#define CAPABILITY_TRAP (1u << 2)
#define CAPABILITY_SL_MAPPING (1u << 6)
#define CAPABILITY_EXTENDED_SPEEDS (1u << 14)
#define CAPABILITY_CAPABILITY_TRAP (1u << 22)
#define SUBNET_PREFIX UINT64_C(0xfe80000000000000)
#define TIMEOUT 18 // 4.096 us * 2^18: about a second
#define MTU_4096 5

// Lanes of a fabric that does not say more.
static const struct agent_lanes eight_lanes = {
	.of_level = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
	.counts = {[AGENT_LOW] = 8},
	.tables = {[AGENT_LOW] = {0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1}},
};

// Rates by width and speed (section 14.2.5.6; newer speeds: linux rdma-core, ibdiags). 8X comes
// last, where no speed of a 4X link is fast enough.
static const struct rate {
	uint64_t bps;
	uint8_t width;    // 1: 1X, 2: 4X, 4: 8X
	uint8_t speed;    // 1: SDR, 2: DDR, 4: QDR
	uint8_t extended; // 1: FDR, 2: EDR, 4: HDR, 8: NDR
} rates[] = {
	{UINT64_C(2500000000), 1, 1, 0},   {UINT64_C(10000000000), 2, 1, 0},
	{UINT64_C(20000000000), 2, 2, 0},  {UINT64_C(25000000000), 1, 4, 2},
	{UINT64_C(40000000000), 2, 4, 0},  {UINT64_C(50000000000), 1, 4, 4},
	{UINT64_C(56000000000), 2, 4, 1},  {UINT64_C(100000000000), 2, 4, 2},
	{UINT64_C(200000000000), 2, 4, 4}, {UINT64_C(400000000000), 2, 4, 8},
	{UINT64_C(800000000000), 4, 4, 8},
};

// The fastest that is not faster than the link, or the slowest.
static const struct rate *
find_rate(uint64_t bps)
{
	const struct rate *found = rates;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i].bps <= bps)
			found = &rates[i];
	return found;
}

// Whether a port is a switch's own, which has no link.
static bool
is_own(const struct agent *node, uint8_t port)
{
	return node->kind == AGENT_SWITCH && port == 0;
}

static void
set_states(struct agent_port *port, enum agent_state state, enum agent_link link)
{
	mad_put_low(port->info + 32, state);
	mad_put_high(port->info + 33, link);
}

static void
describe_port(struct agent *node, uint8_t number)
{
	struct agent_port *port = &node->ports[number];
	uint8_t *info = port->info;
	uint32_t capabilities = CAPABILITY_SL_MAPPING | CAPABILITY_EXTENDED_SPEEDS;

	port->peer_node = AGENT_NONE;
	if (node->kind == AGENT_HOST || number == 0)
		capabilities |= CAPABILITY_TRAP | CAPABILITY_CAPABILITY_TRAP;
	mad_put64(info + 8, SUBNET_PREFIX);
	mad_put32(info + 20, capabilities);
	info[28] = number;
	info[29] = info[30] = 3; // 1X and 4X
	info[31] = 2;            // 4X
	info[32] = 7 << 4;       // SDR, DDR, QDR
	info[33] = 2;            // LinkDownDefaultState: polling
	info[35] = 4 << 4 | 7;   // QDR active, all three enabled
	mad_put_high(info + 36, MTU_4096);
	info[41] = MTU_4096;
	info[50] = 1;
	info[51] = TIMEOUT;
	info[52] = TIMEOUT;
	info[62] = 0x0f;
	info[63] = 0x0f;
	if (is_own(node, number))
		set_states(port, AGENT_ACTIVE, AGENT_LINK_UP);
	else
		set_states(port, AGENT_DOWN, AGENT_LINK_POLLING);
	port->partition = AGENT_PARTITION_DEFAULT;
	mad_put16(port->partitions, port->partition);
	port->levels = memory_array(node->port_count + 1u, sizeof(*port->levels), "SL tables");
	agent_set_lanes(node, number, &eight_lanes);
}

static void
describe_switch(struct agent *node)
{
	uint8_t *info = node->info;

	mad_put16(info, AGENT_LIDS);
	mad_put16(info + 4, AGENT_MULTICAST_LIDS);
	mad_put16(info + 14, AGENT_PARTITIONS);
	node->lft = memory_array(AGENT_LIDS, 1, "forwarding table entries");
	memset(node->lft, AGENT_PORT_UNSET, AGENT_LIDS);
}

uint32_t
agents_add(struct agents *agents, const char *name, enum agent_kind kind, uint8_t port_count)
{
	struct agent *node;

	agents->nodes = memory_grow(agents->nodes, agents->count, sizeof(*agents->nodes),
				    "management agents");
	node = &agents->nodes[agents->count];
	*node = (struct agent){.kind = kind, .port_count = port_count};
	strncpy(node->name, name, AGENT_NAME_MAX);
	node->guid = GUID_FIRST + (agents->count + UINT64_C(1)) * GUID_STEP;
	node->ports = memory_array(port_count + 1u, sizeof(*node->ports), "ports of agents");
	for (unsigned p = 0; p <= port_count; p++)
		describe_port(node, (uint8_t)p);
	if (kind == AGENT_SWITCH)
		describe_switch(node);
	return agents->count++;
}

static void
join(struct agents *agents, struct agent_place a, struct agent_place b, uint64_t rate_bps)
{
	struct agent_port *port = &agents->nodes[a.node].ports[a.port];
	const struct rate *rate = find_rate(rate_bps);
	uint8_t *info = port->info;

	port->peer_node = b.node;
	port->peer_port = b.port;
	info[29] = info[30] = (uint8_t)(3 | rate->width);
	info[31] = rate->width;
	mad_put_high(info + 35, rate->speed);
	mad_put_high(info + 62, rate->extended);
	set_states(port, AGENT_INIT, AGENT_LINK_UP);
}

void
agents_connect(struct agents *agents, struct agent_place a, struct agent_place b, uint64_t rate_bps)
{
	join(agents, a, b, rate_bps);
	join(agents, b, a, rate_bps);
}

struct agent_port *
agents_owner(const struct agents *agents, struct agent_place at)
{
	struct agent *node = &agents->nodes[at.node];

	return &node->ports[node->kind == AGENT_SWITCH ? 0 : at.port];
}

void
agents_set_lid(struct agents *agents, struct agent_place at, uint16_t lid)
{
	mad_put16(agents_owner(agents, at)->info + 16, lid);
}

void
agents_free(struct agents *agents)
{
	for (uint32_t n = 0; n < agents->count; n++) {
		struct agent *node = &agents->nodes[n];

		for (unsigned p = 0; p <= node->port_count; p++) {
			free(node->ports[p].levels);
			free(node->ports[p].cleared);
		}
		free(node->ports);
		free(node->lft);
		free(node->multicast);
	}
	free(agents->nodes);
	*agents = (struct agents){0};
}

uint32_t
agents_find(const struct agents *agents, const char *name)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (strcmp(agents->nodes[n].name, name) == 0)
			return n;
	return AGENT_NONE;
}

static void
change_end(struct agents *agents, uint32_t node, uint8_t number, bool up)
{
	struct agent *agent = &agents->nodes[node];
	struct agent_port *port = &agent->ports[number];

	if (up)
		set_states(port, AGENT_INIT, AGENT_LINK_UP);
	else if (agent_port_link(port) == AGENT_LINK_DISABLED)
		set_states(port, AGENT_DOWN, AGENT_LINK_DISABLED);
	else
		set_states(port, AGENT_DOWN, AGENT_LINK_POLLING);
	if (agent->kind == AGENT_SWITCH) {
		agent->info[11] |= 1u << 2; // PortStateChange
		agent->ports[0].trap_due = true;
	}
}

void
agents_link_changed(struct agents *agents, struct agent_place at, bool up)
{
	const struct agent_port *port = &agents->nodes[at.node].ports[at.port];

	if (port->peer_node == AGENT_NONE || up == (agent_port_link(port) == AGENT_LINK_UP))
		return;
	change_end(agents, at.node, at.port, up);
	change_end(agents, port->peer_node, port->peer_port, up);
}

bool
agents_take_changed(struct agents *agents, uint32_t node)
{
	const bool changed = agents->nodes[node].changed;

	agents->nodes[node].changed = false;
	return changed;
}

void
agents_set_manager(struct agents *agents, struct agent_place at, bool manager)
{
	uint8_t *info = agents_owner(agents, at)->info;
	const uint32_t before = mad_get32(info + 20);

	mad_put32(info + 20, manager ? before | 1u << 1 : before & ~(1u << 1));
}
