// SPDX-License-Identifier: BSD-3-Clause
// The load of links over a run, by direction. A load is the share of the time in which the
// transmitter was busy, preamble, FCS and gap included: 1 is line rate.
#pragma once

#include "counters.h"

#define REPORT_TIER_MAX 24

// Writes the tier of a direction of a link, "leaf-spine" for a leaf's uplink. False if nothing is
// behind the port.
bool report_tier(const struct report_node *n, unsigned int port, char text[static REPORT_TIER_MAX]);

// Bytes that a port has sent, framing included: by a profile, and by the one in force.
static inline uint64_t
report_framed_bytes(const struct port *p, const struct port_profile *profile)
{
	return p->tx_bytes + p->tx_packets * (profile->preamble + profile->fcs + profile->gap);
}

uint64_t report_wire_bytes(const struct report_node *n, unsigned int port);

// The load of a port's transmitter over the first `time` of the run, at its present rate; 0 without
// a rate or time.
double report_load(const struct report_node *n, unsigned int port, ps_t time);

// The loads of one tier.
struct report_tier_loads {
	char name[REPORT_TIER_MAX];
	unsigned int links;
	double sum, min, max;
	const struct report_node *min_node, *max_node;
	unsigned int min_port, max_port;
};

// All tiers in the order of the nodes, at most `room`. Returns how many.
unsigned int report_tiers(const struct report_node *nodes, unsigned int count, ps_t time,
			  struct report_tier_loads *out, unsigned int room);

// result.json's "links".
json_t *report_links(const struct report_node *nodes, unsigned int count, ps_t time);
