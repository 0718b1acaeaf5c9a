// SPDX-License-Identifier: BSD-3-Clause
// Parts of the summary; private to control/report/. Each prints itself with an empty line before.
#pragma once

#include "summary.h"
#include "control/fabric/totals.h"

// Drops, pauses, marks, what was sent again.
void summary_print_events(const struct report_result *r, FILE *to);
// The most and the least loaded links by tier. Return 0 or -ENOMEM.
void summary_print_links(const struct report_result *r, FILE *to);
void summary_print_pools(const struct report_result *r, FILE *to);
// Where to look when something is wrong; nothing when nothing is.
void summary_print_hints(const struct report_result *r, FILE *to);

// The sums over a run's flows that result.json gives too.
uint64_t summary_retransmitted(const struct report_result *r);
