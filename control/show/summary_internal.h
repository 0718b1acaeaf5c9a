// SPDX-License-Identifier: BSD-3-Clause
// Parts of the summary; private to control/show/. Each prints itself with an empty line before.
#pragma once

#include "summary.h"
#include "control/fabric/result.h"

// Drops, pauses, marks, what was sent again. totals: of the nodes.
void summary_print_events(const struct report_result *r, const struct report_totals *totals,
			  FILE *to);
// The most and the least loaded links by tier.
void summary_print_links(const struct report_result *r, FILE *to);
void summary_print_pools(const struct report_result *r, FILE *to);
// Hints where something is wrong.
void summary_print_hints(const struct report_result *r, const struct report_totals *totals,
			 FILE *to);

// The port and priority with the longest received pauses, or with the most drops in lossless groups
// and queues.
struct summary_worst {
	const struct report_node *node; // NULL: there is none
	const char *name;               // of the port
	unsigned int port, priority;
	uint64_t most; // ps, or packets
};

struct summary_worst summary_find_worst(const struct report_result *r, bool pauses);

// The sums over a run's flows that result.json gives too.
uint64_t summary_retransmitted(const struct report_result *r);
