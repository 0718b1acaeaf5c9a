// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand's two tables of VL arbitration (InfiniBand Architecture Specification volume 1,
// section 7.6.9), and how long they may be. Built by control threads, read by workers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LANE_ENTRIES_MAX 64      // of a table
#define LANE_LIMIT_UNLIMITED 255 // as in VLHighLimit
#define LANE_TABLES 2            // high, low

struct lane_entry {
	uint8_t lane;
	uint8_t weight; // in units of 64 B
};

// Arbitration of lanes by two tables (queueing/lane_arbiter.h).
struct lane_tables {
	bool on;
	uint8_t limit; // in units of 4096 B of the high table, or LANE_LIMIT_UNLIMITED
	uint8_t counts[LANE_TABLES]; // of the entries
	struct lane_entry entries[LANE_TABLES][LANE_ENTRIES_MAX];
};
