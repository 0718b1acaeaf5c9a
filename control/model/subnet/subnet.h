// SPDX-License-Identifier: BSD-3-Clause
// An InfiniBand subnet: the local identifier (LID) of every host port and switch, and for each
// switch a linear forwarding table (LFT), which has a port for each LID (InfiniBand Architecture
// Specification volume 1, chapters 4 and 14). Engines fill the tables from the topology
// (subnet_internal.h); a subnet manager outside may set both. Control thread.
#pragma once

#include "control/model/topology/topology.h"

// What an LFT has for a LID. Ports are numbered as InfiniBand does it: from 1, so port N is swpN.
#define SUBNET_PORT_SELF 0 // the switch itself
#define SUBNET_PORT_NONE 255
#define SUBNET_PORT_MAX 254

// Whose a LID is: a host's port, or a switch (`port` does not count).
struct subnet_owner {
	uint32_t node; // TOPOLOGY_NONE: nobody's
	uint16_t port; // index among the node's ports
};

// LMC is 0: each port of a host has one LID, and each switch one for all of its ports. The LIDs
// themselves are the topology's (topology_lid()).
struct subnet {
	uint32_t lid_count;          // LIDs in use are below; 0 is none
	uint32_t switch_count;       // switches are the topology's first nodes
	struct subnet_owner *owners; // by LID
	uint8_t *lft;                // by switch and LID: subnet_port()
	bool from_outside;           // no engine has filled them
	uint8_t *hops; // by switch and switch: links on the shortest way, or SUBNET_FAR
};

#define SUBNET_FAR UINT8_MAX

// Makes the subnet of a topology, all of whose nodes have LIDs, and has its engine fill the tables.
// link_down: by link, true for those that carry nothing; NULL: none.
void subnet_create(struct subnet **out, const struct topology *topology, const bool *link_down);
// Replaces its tables by those of the file that `subnet.lfts` names (from_file.c). Returns 0, or
// -EINVAL with an error in diag: the file is of another fabric.
int subnet_take_file(struct subnet *subnet, const struct topology *topology, struct diag *diag);
// NULL is fine.
void subnet_destroy(struct subnet *subnet);

// The entry of a switch's LFT for a LID below lid_count.
static inline uint8_t *
subnet_entry(struct subnet *s, uint32_t node, uint32_t lid)
{
	return &s->lft[(size_t)node * s->lid_count + lid];
}

static inline uint8_t
subnet_port(const struct subnet *s, uint32_t node, uint32_t lid)
{
	return lid < s->lid_count ? s->lft[(size_t)node * s->lid_count + lid] : SUBNET_PORT_NONE;
}

// The indices of a switch's ports that are on shortest ways to a LID, in the order of ports.
// Returns how many; 0: there is no way, or it is the switch's own. link_down: as in
// subnet_create().
uint32_t subnet_shortest(const struct subnet *s, const struct topology *topology,
			 const bool *link_down, uint32_t node, uint32_t lid,
			 uint16_t ports[static PORTS_MAX]);

// The ports by which the engine could send as well: among them adaptive routing chooses
// (choices.c). What they are made of must outlive them.
struct subnet_choices;

void subnet_choices_create(struct subnet_choices **out, const struct subnet *subnet,
			   const struct topology *topology, const bool *link_down);
// NULL is fine.
void subnet_choices_destroy(struct subnet_choices *choices);
// The indices of a switch's ports towards a LID, in the order of ports. Returns how many; 0: only
// the table's port is known. LIDs behind one switch are best asked for one after the other.
uint32_t subnet_choices_list(struct subnet_choices *choices, uint32_t node, uint32_t lid,
			     uint16_t ports[static PORTS_MAX]);
