// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand's two tables of VL arbitration, as they describe a port.
// Control thread.
#pragma once

#include "control/config/config.h"

struct subnet_arbitration {
	struct config_lane_table high, low;
	uint8_t limit; // of the high table, in units of 4096 B, or LANE_LIMIT_UNLIMITED
};

// Those of a switch's ports: `qos.credit.arbitration` where it is set. Else they say of the
// classes' schedulers what they can: strict lanes are in the high table, which then has no limit,
// the highest number first; the others are in the low table, with weights in the ratio of theirs,
// of which the largest is 255. What they cannot say: of several strict lanes, the highest number
// goes first.
void subnet_arbitration_of_switch(struct subnet_arbitration *out,
				  const struct switch_config *settings);
// Those of the NICs of its hosts: strict lanes as above, and the others take turns packet by
// packet, so each has weight 1.
void subnet_arbitration_of_nic(struct subnet_arbitration *out,
			       const struct switch_config *settings);
