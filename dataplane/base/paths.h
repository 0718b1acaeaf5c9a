// SPDX-License-Identifier: BSD-3-Clause
// What a switch remembers to choose paths by, beside its queues and pauses: degraded links, how
// busy links are, flowlets, and notices from the switches above. Each is there only where the
// tables ask for it. The worker owns all of it; stages/path_state.h makes room for it.
#pragma once

#include "tables.h"
#include "time.h"

#include <stdbool.h>
#include <stdint.h>

// What a choice has to know of a port's link, by port in node->port_penalty: what makes it worse,
// and whether that is to be looked at first.
enum path_penalty {
	PATH_DEGRADED = 1 << 0, // an event has slowed it, or makes it lose or corrupt packets
	PATH_BUSY = 1 << 1,     // its utilisation is above the threshold
	PATH_OVERDUE = 1 << 2,  // its utilisation was due to be read, and no packet could choose it
};

#define PATH_WORSE (PATH_DEGRADED | PATH_BUSY)
#define PATH_WORSE_COUNT 2u

// What a choice has to look at beside depths and pauses, in node->path_inputs.
enum path_input {
	PATH_INPUT_DEGRADED = 1 << 0,
	PATH_INPUT_UTILISATION = 1 << 1,
	PATH_INPUT_NOTICES = 1 << 2,
};

#define FLOWLETS_LOG2 12
#define FLOWLETS (1u << FLOWLETS_LOG2)
#define FLOWLET_NONE UINT16_MAX

// Where the flows with one hash go, and when the last packet of any of them came by.
struct flowlet {
	ps_t last;
	uint16_t port;   // FLOWLET_NONE: none has come by
	uint16_t member; // of its group, if that has the port there
};

// Windows of 2^20 ps (1.05 us).
#define UTILISATION_SHIFT 20
#define UTILISATION_WINDOW (UINT64_C(1) << UTILISATION_SHIFT)

// How much a port has sent recently.
struct utilisation {
	ps_t since;     // when it was last looked at
	uint64_t bytes; // on the wire until then, gaps included
	uint64_t level; // bytes a window, the older the windows the less (half for each)
};

// What a switch above has reported of a next hop.
struct path_notice {
	ps_t until;
	uint8_t congested; // bit per traffic class
	uint8_t held;      // the same: nothing goes on from there
};

#define NOTICED_TOGETHER 32

struct paths {
	struct flowlet *flowlets;        // FLOWLETS of them; NULL: no group goes by flowlets
	uint64_t flowlets_begun;         // choices made for one
	struct utilisation *utilisation; // by port; NULL: it does not count
	bool *has_peers;                 // by port: it is in a group of several
	// Before this none of them is to be read but those that are PATH_OVERDUE.
	ps_t utilisation_due;
	struct path_notice *notices; // by next hop of the tables in force; NULL: none are believed
	uint32_t notice_room;
	// By next hop / NOTICED_TOGETHER: when the last notice about one of them ends, or later.
	ps_t *noticed;
	ps_t *notice_due; // by [in * ports + out]: before this no notice goes out; NULL: never
};
