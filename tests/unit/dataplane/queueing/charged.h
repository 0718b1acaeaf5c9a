// SPDX-License-Identifier: BSD-3-Clause
// Port 0 of the leaf is frozen, so that what is sent there from the other ports stays charged until
// a test lets it go.
#pragma once

#include "../harness.h"
#include "dataplane/node/ports.h"

#define FROZEN 0u

static inline struct threshold
alpha(unsigned int up, unsigned int down, enum pool_id pool)
{
	return (struct threshold){.up = (uint8_t)up, .down = (uint8_t)down, .pool = pool};
}

static inline struct threshold
fixed(uint64_t cells, enum pool_id pool)
{
	return (struct threshold){.fixed = cells, .down = 63, .pool = pool};
}

// Tables where only the ingress side decides.
static inline struct tables *
ingress_tables(uint16_t ports)
{
	struct tables *t = harness_tables(ports);

	t->pools[POOL_EGRESS_LOSSY] =
		(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	for (unsigned int i = 0; i < PRIORITIES; i++)
		harness_profile(t)->tc[i].threshold = fixed(THRESHOLD_UNLIMITED, POOL_EGRESS_LOSSY);
	return t;
}

static inline void
open_frozen(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[FROZEN], 0xff, 0);
}

// A packet from a port to the frozen one. Returns whether it was admitted.
static inline bool
send(struct harness *h, unsigned int from, unsigned int priority, uint32_t bytes)
{
	const struct frame f = {.to = FROZEN, .bytes = bytes, .dscp = (uint8_t)(priority * 8)};
	uint64_t before = node_queued(h->node);

	harness_put(h, from, harness_frame(h, &f), h->now);
	harness_run(h, h->now + 1);
	harness_check(h);
	return node_queued(h->node) == before + 1;
}

// Lets the frozen port begin with one packet.
static inline void
release_one(struct harness *h)
{
	struct port *p = &h->node->ports[FROZEN];
	ps_t start = p->tx_free > h->now ? p->tx_free : h->now;

	harness_run(h, start);
	node_set_tx_off(h->node, p, 0, h->now);
	harness_run(h, start + 1);
	node_set_tx_off(h->node, p, 0xff, h->now);
	assert_int_equal(harness_drain(h, FROZEN), 1);
	harness_check(h);
}

static inline const struct priority_group *
group(const struct harness *h, unsigned int port, unsigned int pg)
{
	return &h->node->ports[port].groups[pg];
}
