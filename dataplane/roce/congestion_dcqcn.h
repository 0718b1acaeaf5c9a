// SPDX-License-Identifier: BSD-3-Clause
// DCQCN as published: parameters of congestion_dcqcn. congestion_dcqcn.c says how it works.
#pragma once

#include "congestion.h"

struct dcqcn_parameters {
	double gain;            // g, above 0, 1 at most
	ps_t alpha_timer;       // K: no CNP for so long and alpha falls; above 0
	ps_t rate_timer;        // between increases by time; above 0
	uint64_t byte_counter;  // B: between increases by bytes sent; a packet's or more
	uint32_t fast_recovery; // F: increases by time, or by bytes, before the target rises
	uint64_t rate_ai_bps;   // additive increase
	uint64_t rate_hai_bps;  // hyper increase
	uint64_t rate_min_bps;  // never below; above 0
};
