// SPDX-License-Identifier: BSD-3-Clause
// Packets for the queues of edge NICs. Private to packet_plan.c. See packet_plan_nics.c.
#pragma once

#include "live_fabric.h"

// Bytes of memory of a packet of either kind, and of the smallest cell.
struct nic_packet_costs {
	uint64_t cell, small, large;
};

struct nic_packet_link {
	uint64_t bytes, least_bytes; // of each queue
};

struct nic_packet_links {
	struct nic_packet_link *list;
	uint32_t count;
};

struct packet_plan_nics {
	struct nic_packet_costs costs;
	struct nic_packet_links attached; // by the file
	struct nic_packet_links later;    // that may be attached while the fabric runs
	uint64_t least_memory;            // that attached ones take
};

// Devices are listed. The caller frees it.
void packet_plan_list_nics(struct packet_plan_nics *nics, const struct live_fabric *live,
			   struct nic_packet_costs costs);

// Says how much NICs hold, and adds packets for it to the plan; of `part`, bytes of memory,
// switches want `switches`. Returns the bytes that they take. A note says so if it is less than
// they are to hold.
uint64_t packet_plan_share_nics(const struct packet_plan_nics *nics, const struct live_fabric *live,
				uint64_t part, uint64_t switches, struct packet_plan *plan);

void packet_plan_free_nics(struct packet_plan_nics *nics);
