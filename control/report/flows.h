// SPDX-License-Identifier: BSD-3-Clause
// What became of the flows of a run, and the order statistics of their completion times.
// Percentiles are by nearest rank (the value at place ceil(p * n) of the sorted ones), found by
// integer comparison, so that every machine finds the same flow.
#pragma once

#include "dataplane/time.h"

#include <stdint.h>

struct report_flow {
	uint32_t id;
	const char *item; // the workload item that it belongs to
	const char *src;  // host names
	const char *dst;
	const char *tenant; // NULL: none
	uint64_t bytes;
	ps_t start;
	ps_t fct;   // from start until its last byte was acknowledged; PS_NEVER while open
	ps_t ideal; // its completion alone on one shortest path; 0: not known
	uint64_t retransmitted; // packets
	uint32_t reorder_max;   // packets
};

// Of completed flows. All 0 without any; slowdown (fct / ideal) of those whose ideal is known.
struct flow_statistics {
	uint32_t flows; // all, completed or not
	uint32_t completed;
	uint32_t with_ideal;
	uint64_t bytes; // of all flows
	ps_t fct_mean, fct_p50, fct_p99, fct_max;
	double slowdown_mean, slowdown_p50, slowdown_p99, slowdown_max;
};

// Statistics of the flows of `item` (compared as text), or of all when it is NULL. Returns 0 or
// -ENOMEM.
int flow_statistics_compute(const struct report_flow *flows, uint32_t count, const char *item,
			    struct flow_statistics *out);

// What all completed flows carried, in Gb/s of payload, between the first start and the last
// completion; 0 without any.
double flow_goodput_gbps(const struct report_flow *flows, uint32_t count);
