// SPDX-License-Identifier: BSD-3-Clause
// A stage looks at one packet and gives a verdict; stage_run() takes a batch through a stage, packet by
// packet, and keeps those that go on. Pipelines are composed at compile time, so a batch of one costs no
// loop.
#pragma once

#include "../node.h"

// A verdict: on to the next stage, consumed (the stage has freed or kept it), or a drop_reason to drop it for.
enum stage_verdict { STAGE_NEXT = -1, STAGE_CONSUMED = -2 };

typedef int stage_fn(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// Returns how many packets go on; they stand first.
static __rte_always_inline unsigned int
stage_run(struct node *n, struct port *in, struct rte_mbuf **packets, unsigned int count, ps_t now,
	  stage_fn *stage)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < count; i++) {
		int verdict = stage(n, in, packets[i], now);

		if (likely(verdict == STAGE_NEXT))
			packets[kept++] = packets[i];
		else if (verdict >= 0)
			node_drop(n, packets[i], (enum drop_reason)verdict, now);
	}
	return kept;
}
