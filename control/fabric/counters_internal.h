// SPDX-License-Identifier: BSD-3-Clause
// What the parts of counters.json share; private to control/report/.
#pragma once

#include "counters.h"

// Bytes of a cell.
json_int_t counters_cell(const struct report_node *n);

// An instant in ns, -1 for PS_NEVER.
static inline json_int_t
counters_instant(ps_t at)
{
	return at != PS_NEVER ? (json_int_t)(at / PS_PER_NS) : -1;
}

// The node's "histograms": an array, empty where none is configured.
json_t *counters_histograms(const struct report_node *n);
