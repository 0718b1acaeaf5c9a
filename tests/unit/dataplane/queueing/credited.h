// SPDX-License-Identifier: BSD-3-Clause
// Tables of a leaf whose links have credits: all eight lanes, each with so many blocks at either
// end.
#pragma once

#include "tests/unit/dataplane/harness.h"

#include <stdlib.h>

static inline struct tables *
credited_tables(uint16_t ports, enum credit_kind kind, uint32_t blocks, ps_t resend)
{
	const bool infiniband = kind == CREDIT_INFINIBAND;
	struct tables *t = harness_tables(ports);
	struct credit_tables *c = calloc(1, sizeof(*c) + ports * sizeof(c->ports[0]));

	assert_non_null(c);
	t->credits = c;
	t->cell = infiniband ? 64 : 128;
	t->cell_magic = ((UINT64_C(1) << 32) + t->cell - 1) / t->cell;
	c->kind = (uint8_t)kind;
	c->lanes = 0xff;
	c->block_shift = infiniband ? 6 : 7;
	c->most = infiniband ? 2048 : 0xfffff;
	c->mask = infiniband ? 0xfff : 0xfffff;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		struct pg_profile *pg = &harness_profile(t)->pg[i];

		c->queue_to_lane[i] = (uint8_t)i;
		*pg = (struct pg_profile){.threshold = pg->threshold, .lossless = true};
		pg->threshold.reserved = blocks;
		for (unsigned int k = 0; k < ports; k++)
			c->ports[k].granted[i] = c->ports[k].peer[i] = blocks;
	}
	for (unsigned int k = 0; k < ports; k++)
		c->ports[k].resend = resend;
	harness_profile(t)->credits = true;
	return t;
}
