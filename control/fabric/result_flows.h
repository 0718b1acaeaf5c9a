// SPDX-License-Identifier: BSD-3-Clause
// The results of flows, and the order statistics of their completion times.
// Percentiles are by nearest rank (the value at place ceil(p * n) of the sorted ones), found by
// integer comparison, so that the result is the same on every machine.
#pragma once

#include "dataplane/base/time.h"

#include <stdint.h>

struct report_flow {
	uint32_t id;
	const char *item; // the workload item that it belongs to
	const char *src;  // host names
	const char *dst;
	const char *tenant; // NULL: none
	uint64_t bytes;     // of one time
	ps_t start;         // of the first time
	// From start until its last byte was acknowledged, of several times the mean; PS_NEVER
	// while open.
	ps_t fct;
	ps_t end;               // of the last time; 0: start + fct
	uint32_t repeat;        // how many times it was to be sent; 0: once
	ps_t ideal;             // its completion alone on one shortest path; 0: not known
	uint64_t retransmitted; // packets
	uint32_t reorder_max;   // packets
};

// Of completed flows. All 0 without any; slowdown (fct / ideal) of those whose ideal is known.
struct flow_statistics {
	uint32_t flows; // all, completed or not
	uint32_t completed;
	uint32_t with_ideal;
	uint64_t bytes; // of all flows, one time of each
	ps_t fct_mean, fct_p50, fct_p99, fct_max;
	double slowdown_mean, slowdown_p50, slowdown_p99, slowdown_max;
};

// Statistics of the flows of `item` (compared as text), or of all when it is NULL.
void flow_statistics_compute(const struct report_flow *flows, uint32_t count, const char *item,
			     struct flow_statistics *out);

// What all completed flows carried, every time of each, in Gb/s of payload, between the first start
// and the last completion; 0 without any.
double flow_goodput_gbps(const struct report_flow *flows, uint32_t count);
