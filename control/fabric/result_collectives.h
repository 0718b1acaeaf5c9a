// SPDX-License-Identifier: BSD-3-Clause
// What the executions of a collective took, together.
#pragma once

#include "result.h"

struct collective_statistics {
	const char *name;
	enum report_kind kind;
	uint32_t ranks;
	uint64_t bytes;
	uint32_t executions; // completed or not
	uint32_t completed;
	ps_t mean, min, max; // of the completed ones; 0 without any
	double algbw_gbps;   // of the mean time
	double busbw_gbps;
};

// One for each name and kind (and size), in the order of their first executions; for free(). NULL
// without memory.
struct collective_statistics *collective_statistics_compute(const struct report_collective *c,
							    uint32_t count, uint32_t *groups);
