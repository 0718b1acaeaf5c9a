// SPDX-License-Identifier: BSD-3-Clause
// Sums over the nodes of a fabric.
#pragma once

#include "counters.h"

#include <stdint.h>

struct report_totals {
	uint64_t packets;        // sent by NICs
	uint64_t packet_hops;    // packets of any kind that began to cross a link
	uint64_t drops;          // for any reason
	uint64_t drops_lossless; // of packets that were in a lossless group or queue
	uint64_t pfc_tx;         // enable bits sent
	uint64_t ecn_marked;
	uint64_t by_reason[DROP_COUNT];
};

// Adds up `nodes`.
void report_totals_compute(const struct report_node *nodes, unsigned int count,
			   struct report_totals *out);

// How unevenly leaves load their uplinks: (max - min) / mean of the bytes a leaf's uplinks have
// sent, as a mean over the leaves that have two or more and sent something (the throughput
// imbalance of Alizadeh et al.: CONGA, SIGCOMM 2014, section 5.2.3, over the whole run). 0:
// evenly.
double report_uplink_imbalance(const struct report_node *nodes, unsigned int count);
