// SPDX-License-Identifier: BSD-3-Clause
// What the agent knows of each port. Control thread.
#pragma once

#include "lldp_agent.h"

#include "control/io/lldp/lldp.h"
#include "dataplane/base/punt.h"

#define LLDP_NEIGHBOURS_MAX 4 // of a port

struct lldp_neighbour {
	struct lldp_pdu pdu;
	int64_t expires_ms;
};

struct lldp_port {
	bool active;      // the switch speaks LLDP, and the link was up at the last poll
	bool send_soon;   // a new neighbour waits for a frame
	uint32_t poll;    // the last one at which a device was behind it
	int64_t built_ms; // when a frame was last built, to see whether it has changed
	int64_t sent_ms;
	uint8_t *last; // the last frame sent; NULL: none since the link came up
	size_t last_length;
	struct lldp_neighbour *neighbours[LLDP_NEIGHBOURS_MAX];
	unsigned count;
	uint64_t sent, received, malformed;
	uint64_t left_out; // frames of neighbours beyond LLDP_NEIGHBOURS_MAX
};

struct lldp_agent {
	struct punt **punts;      // by node; NULL: it does not receive LLDP
	struct lldp_port **ports; // by node, then by port; NULL: nothing was ever behind one
	uint32_t polls;
};
