// SPDX-License-Identifier: BSD-3-Clause
// How loaded links were over a run, each direction for itself. A load is the share of a time in
// which the transmitter was busy, preamble, FCS and gap included: 1 is line rate.
#pragma once

#include "counters.h"

#define REPORT_TIER_MAX 24

// What a direction of a link joins, "leaf-spine" of a leaf's uplink, written to text. False when
// nothing is behind the port.
bool report_tier(const struct report_node *n, unsigned int port, char text[static REPORT_TIER_MAX]);

// What a port has sent, framing included, in bytes.
uint64_t report_wire_bytes(const struct report_node *n, unsigned int port);

// The load of a port's transmitter over the first `time` of the run; 0 where there is no rate or no
// time. Of a rate that changed, the present one counts.
double report_load(const struct report_node *n, unsigned int port, ps_t time);

// The loads of one tier.
struct report_tier_loads {
	char name[REPORT_TIER_MAX];
	unsigned int links;
	double sum, min, max;
	const struct report_node *min_node, *max_node;
	unsigned int min_port, max_port;
};

// All tiers, in the order in which the nodes have them: at most `room`. Returns how many.
unsigned int report_tiers(const struct report_node *nodes, unsigned int count, ps_t time,
			  struct report_tier_loads *out, unsigned int room);

// result.json's "links". NULL without memory.
json_t *report_links(const struct report_node *nodes, unsigned int count, ps_t time);
