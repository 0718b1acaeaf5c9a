// SPDX-License-Identifier: BSD-3-Clause
// Port 0 of the leaf is frozen; packets of port 1 pile up there, and what it tells the far side is
// read frame by frame.
#pragma once

#include "../harness.h"
#include "dataplane/node/ports.h"

#define FROZEN 0u
#define PFC_SLOT harness_slot(60)
#define PFC_TIME harness_frame_time(60)

// Half of 65535 quanta of 5.12 ns.
#define REFRESH UINT64_C(167769600)

// Group 3, and 4 likewise, own `cells` at most.
static inline struct tables *
pfc_tables(uint32_t cells)
{
	struct tables *t = harness_tables(4);
	struct port_profile *p = harness_profile(t);

	p->pg[3].threshold =
		(struct threshold){.fixed = cells, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	p->pg[4] = p->pg[3];
	p->pg[4].pfc_priorities = 1 << 4;
	p->tc[4] = p->tc[3];
	assert_int_equal(p->refresh, REFRESH);
	return t;
}

static inline void
open_frozen(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[FROZEN], 0xff, 0);
}

static inline void
put(struct harness *h, unsigned int from, unsigned int to, unsigned int priority, uint32_t bytes,
    ps_t at)
{
	const struct frame f = {.to = to, .bytes = bytes, .dscp = (uint8_t)(priority * 8)};

	harness_put(h, from, harness_frame(h, &f), at);
}

// The next frame out of `port` is PFC, left at `at`, and has these priorities at these quanta.
static inline void
expect_pfc(struct harness *h, unsigned int port, ps_t at, uint8_t vector, uint16_t quanta3,
	   uint16_t quanta4)
{
	uint16_t quanta[PRIORITIES];
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_int_equal(harness_read_pfc(h, port, m, quanta), vector);
	assert_int_equal(left, at);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		assert_int_equal(quanta[i], i == 3 ? quanta3 : i == 4 ? quanta4 : 0);
	packet_free(h->pool, m);
}

static inline void
expect_nothing(struct harness *h, unsigned int port)
{
	assert_null(harness_take(h, port, NULL));
}
