// SPDX-License-Identifier: BSD-3-Clause
// DCQCN as NICs and the simulators that follow them run it: parameters of congestion_dcqcn_mlx.
// congestion_dcqcn_mlx.c says how it works.
#pragma once

#include "congestion.h"

struct dcqcn_mlx_parameters {
	double gain;            // g, above 0, 1 at most
	ps_t alpha_interval;    // between updates of alpha; above 0
	ps_t decrease_interval; // between looks for CNPs to answer; above 0
	ps_t increase_timer;    // from a decrease or increase to the next increase; above 0
	uint32_t fast_recovery; // increases before the target rises
	uint64_t rate_ai_bps;   // additive increase
	uint64_t rate_hai_bps;  // hyper increase
	uint64_t rate_min_bps;  // never below; above 0
	bool clamp_target; // every decrease takes the target along, not only the first in a row
};
