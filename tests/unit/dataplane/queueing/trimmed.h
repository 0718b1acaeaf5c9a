// SPDX-License-Identifier: BSD-3-Clause
// Port 1 is frozen, its queue 1 takes 1000 bytes, and what that refuses is trimmed to 256 bytes
// for queue 4.
#pragma once

#include "../harness.h"
#include "dataplane/node/ports.h"

#define SIZE 256u
#define DSCP_TRIMMED 11
#define IN 0u
#define OUT 1u

static const struct threshold takes_1000 = {.fixed = 1000, .down = 63, .pool = POOL_EGRESS_LOSSY};

static inline struct tables *
make_tables(void)
{
	struct tables *t = harness_tables(2);

	t->trim = (struct trim_profile){
		.size = SIZE, .dscp = DSCP_TRIMMED, .tc = 4, .eligible = 1 << 1};
	harness_profile(t)->tc[1].threshold = takes_1000;
	return t;
}

static inline void
open_full(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[OUT], 0xff, 0);
	harness_put(h, IN, harness_frame(h, &(struct frame){.to = OUT, .bytes = 1000, .dscp = 8}),
		    0);
	harness_run(h, 1000);
	assert_int_equal(node_queued(h->node), 1);
}

static inline void
put(struct harness *h, const struct frame *f)
{
	harness_put(h, IN, harness_frame(h, f), h->now);
	harness_run(h, h->now + 1);
}
