// SPDX-License-Identifier: BSD-3-Clause
// Queues that drop by RED, with a step for a ramp.
#pragma once

#include "tests/unit/dataplane/harness.h"

static inline struct ecn_profile
step(uint32_t cells)
{
	return (struct ecn_profile){
		.enabled = true, .min = cells, .max = cells, .cell = 1, .min_bytes = cells};
}

static inline void
set_red(struct port_profile *p, unsigned int tc, uint32_t cells)
{
	p->tc[tc].ecn = step(cells);
	p->tc[tc].red = true;
}
