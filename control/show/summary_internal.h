// SPDX-License-Identifier: BSD-3-Clause
// Parts of the summary; private to control/show/. Each prints itself with an empty line before.
#pragma once

#include "summary.h"
#include "control/fabric/result.h"

// Drops, pauses, marks, what was sent again. totals: of the nodes.
void summary_print_events(const struct report_result *r, const struct report_totals *totals,
			  FILE *to);
// The most and the least loaded links by tier.
void summary_print_steps(const struct report_result *r, FILE *to);
void summary_print_links(const struct report_result *r, FILE *to);
void summary_print_pools(const struct report_result *r, FILE *to);
