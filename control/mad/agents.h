// SPDX-License-Identifier: BSD-3-Clause
// The management agents of an InfiniBand subnet: one in every switch and host. A subnet manager
// asks them what there is, and tells them LIDs, port states and forwarding tables. They keep what
// it sets; what happens then is up to the hooks.
//
// A MAD goes from port to port: agents_route() finds where it arrives, agents_answer() answers it
// there. Nothing is ever read or written outside the 256 bytes of a MAD, whatever it holds. One
// thread.
#pragma once

#include "mad.h"

#include "dataplane/base/lane_tables.h"

#include <stddef.h>

#define AGENT_NONE UINT32_MAX
#define AGENT_NAME_MAX 64 // of a NodeDescription, padded with NULs

// Entries of a linear forwarding table (section 14.2.5.10).
#define AGENT_LIDS (MAD_LID_MAX + 1)
#define AGENT_PORT_UNSET 255
#define AGENT_MULTICAST_LIDS 1024
#define AGENT_MULTICAST_POSITIONS 16 // of 16 ports
#define AGENT_PARTITIONS 32
#define AGENT_PARTITION_DEFAULT 0xffff // as a full member
#define AGENT_LEVELS 16
#define AGENT_LEVELS_USED 8 // and as many lanes; packets of other levels are dropped
#define AGENT_ARBITRATION (2 * LANE_ENTRIES_MAX) // bytes of a table: pairs of VL and weight
#define AGENT_BLOCK_ENTRIES 32                   // of them in a MAD
#define AGENT_DROP_VL 15                         // for levels whose packets are dropped

enum agent_kind { AGENT_HOST = 1, AGENT_SWITCH = 2 }; // as NodeInfo has it

// PortInfo's PortState and PortPhysicalState.
enum agent_state { AGENT_DOWN = 1, AGENT_INIT = 2, AGENT_ARMED = 3, AGENT_ACTIVE = 4 };
enum agent_link { AGENT_LINK_POLLING = 2, AGENT_LINK_DISABLED = 3, AGENT_LINK_UP = 5 };

struct agent_port {
	uint32_t peer_node; // AGENT_NONE: nothing is behind it
	uint8_t peer_port;
	bool trap_due;                // a change of its node's links has not been acknowledged
	uint8_t info[MAD_DATA_BYTES]; // PortInfo
	uint8_t partitions[2 * AGENT_PARTITIONS];
	uint16_t partition; // that the fabric has for it, whatever is set
	// By the port that a packet came in by (of a host, one row): eight bytes, two levels each.
	uint8_t (*levels)[AGENT_LEVELS / 2];
	uint8_t own_levels[AGENT_LEVELS / 2];      // those of the fabric, whatever is set
	uint8_t arbitration[2][AGENT_ARBITRATION]; // low, high
	uint64_t *cleared;                         // counters when they were last cleared, or NULL
};

struct agent {
	char name[AGENT_NAME_MAX + 1];
	enum agent_kind kind;
	uint64_t guid;
	uint8_t port_count;       // ports are numbered from 1; a switch also has port 0, its own
	struct agent_port *ports; // [0 .. port_count]
	// Of a switch.
	uint8_t info[MAD_DATA_BYTES]; // SwitchInfo
	uint8_t *lft;                 // [AGENT_LIDS]
	uint8_t *multicast;           // [positions][lids] of two bytes; NULL: nothing is set
	bool managed;                 // lft has been set
	bool programmable;            // the fabric can arbitrate its lanes by tables
	bool arbitrated;              // such tables have been set since somebody cleared this
	bool changed; // lft, or whose a LID is, has been set since agents_take_changed()
};

// What the performance agent answers with.
struct agent_counters {
	uint64_t tx_bytes, rx_bytes, tx_packets, rx_packets;
	uint64_t tx_unicast, rx_unicast, tx_multicast, rx_multicast;
	uint64_t tx_discards; // PortXmitDiscards
	uint64_t rx_errors;   // PortRcvErrors
	uint64_t tx_wait;     // PortXmitWait: how long packets waited for credit, in ns
};
#define AGENT_COUNTERS (sizeof(struct agent_counters) / sizeof(uint64_t))

struct agent_hooks {
	void *context;
	// The counters of a node's port as they are now; NULL: they are all 0. Returns 0, or -errno
	// if they cannot be read.
	int (*counters)(void *context, uint32_t node, uint8_t port, struct agent_counters *out);
	// The link of a port was disabled or enabled by its PortPhysicalState; NULL: nobody cares.
	void (*set_link)(void *context, uint32_t node, uint8_t port, bool up);
};

struct agents {
	struct agent *nodes;
	uint32_t count;
	uint64_t changes;      // of forwarding tables and LIDs
	uint64_t lane_changes; // of levels, arbitration and partitions
	uint64_t sets; // Set requests for levels, arbitration, partitions and ports, changes or not
	struct agent_hooks hooks;
};

// Where a MAD is: it arrived by a port of a node.
struct agent_place {
	uint32_t node;
	uint8_t port;
};

// ---- making them (agents.c) ---------------------------------------------------------------------

// Adds a node without links; returns its index. name: at most AGENT_NAME_MAX bytes are kept.
uint32_t agents_add(struct agents *agents, const char *name, enum agent_kind kind,
		    uint8_t port_count);
// Joins two ports; the link is up.
void agents_connect(struct agents *agents, struct agent_place a, struct agent_place b,
		    uint64_t rate_bps);
// Gives a port (of a switch: any of its ports) its first LID, which a subnet manager may keep.
void agents_set_lid(struct agents *agents, struct agent_place at, uint16_t lid);
// Frees what they hold, not the structure.
void agents_free(struct agents *agents);

// The node of that name, or AGENT_NONE.
uint32_t agents_find(const struct agents *agents, const char *name);
// The port that has the PortInfo of a place: a switch's own is port 0.
struct agent_port *agents_owner(const struct agents *agents, struct agent_place at);

// The link of a port went down or came up: both ends change their states, and the switches there
// want to send a trap.
void agents_link_changed(struct agents *agents, struct agent_place at, bool up);

// ---- lanes and partitions (lanes.c) -------------------------------------------------------------

enum { AGENT_LOW, AGENT_HIGH, AGENT_TABLES }; // arbitration tables

// What the fabric does with the lanes of a port.
struct agent_lanes {
	uint8_t of_level[AGENT_LEVELS];
	uint8_t counts[AGENT_TABLES]; // of entries
	uint8_t tables[AGENT_TABLES][AGENT_ARBITRATION];
	uint8_t limit; // VLHighLimit
};

// Sets a port's SLtoVLMappingTable, its VLArbitrationTable, and PortInfo's numbers of lanes and
// entries. By default a port has eight lanes of equal weight.
void agent_set_lanes(struct agent *node, uint8_t port, const struct agent_lanes *lanes);
// Gives a port of a host its only partition key, which a switch behind it checks.
void agents_set_partition(struct agents *agents, struct agent_place host, uint16_t key);

// Where what a manager has set is not what the fabric does.
struct agent_difference {
	struct agent_place first; // port
	uint8_t in;               // of levels: by which port of a switch packets come in
	uint32_t nodes;           // that differ
};

// Compares the lanes of levels that the fabric uses, at links that are up.
void agents_compare_levels(const struct agents *agents, struct agent_difference *out);
// Compares the partitions of hosts. A host must be a full member of its own, and of no other but
// the default one, which managers give to everybody.
void agents_compare_partitions(const struct agents *agents, struct agent_difference *out);
// A port of a switch whose arbitration all links have that are up; 0: they differ, or none is up.
uint8_t agent_common_arbitration(const struct agent *node);

static inline uint8_t
agent_lane_of(const uint8_t levels[static AGENT_LEVELS / 2], unsigned level)
{
	return level % 2 == 0 ? levels[level / 2] >> 4 : levels[level / 2] & 0x0f;
}

// Entries that an arbitration table of a port has.
static inline uint8_t
agent_entries(const struct agent_port *port, unsigned table)
{
	return port->info[table == AGENT_HIGH ? MAD_PORT_INFO_HIGH_ENTRIES
					      : MAD_PORT_INFO_LOW_ENTRIES];
}

static inline uint16_t
agent_lid(const struct agent_port *port)
{
	return mad_get16(port->info + 16);
}

static inline uint16_t
agent_sm_lid(const struct agent_port *port)
{
	return mad_get16(port->info + 18);
}

static inline unsigned
agent_port_state(const struct agent_port *port)
{
	return port->info[32] & 0x0f;
}

static inline unsigned
agent_port_link(const struct agent_port *port)
{
	return port->info[33] >> 4;
}

// ---- MADs on their way (route.c) ----------------------------------------------------------------

// Finds where a MAD that is sent at a place arrives. lid: its destination; MAD_LID_PERMISSIVE: the
// one that the sender is connected to, or the directed route of the MAD, whose return path is then
// written. Returns 0, or -EHOSTUNREACH.
int agents_route(struct agents *agents, struct agent_place from, uint16_t lid, uint8_t *mad,
		 struct agent_place *at);

// ---- answers (answer_mad.c) ---------------------------------------------------------------------

// Has the agents at a place answer a MAD that arrived there; the answer replaces it. Returns false
// if the MAD is not for them: it is an answer itself, or for a program.
bool agents_answer(struct agents *agents, struct agent_place at, uint8_t mad[static MAD_BYTES]);

// Whether the forwarding table of a switch, or a LID in it, has been changed since the last call.
// A table that nobody has set is not changed by LIDs.
bool agents_take_changed(struct agents *agents, uint32_t node);

// ---- traps (trap.c) -----------------------------------------------------------------------------

// Makes the trap 128 of a switch, "its links have changed" (table 131). Returns false if the switch
// does not know the subnet manager's LID or its own.
bool agents_make_trap(const struct agents *agents, uint32_t node, uint8_t mad[static MAD_BYTES]);
// A manager has seen a trap of the node with that LID.
void agents_repress_trap(struct agents *agents, uint16_t lid);

// Says that a program at the place is a subnet manager, or is none any more (IsSM of PortInfo's
// capabilities).
void agents_set_manager(struct agents *agents, struct agent_place at, bool manager);
