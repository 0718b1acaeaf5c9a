// SPDX-License-Identifier: BSD-3-Clause
// Packets for port 3 come in by ports 0 to 2 and are known by letters; a flow's are in the order of
// the alphabet.
#pragma once

#include "../harness.h"

#include "dataplane/queueing/fair.h"
#include "dataplane/node/ports.h"

#include <string.h>

#define PORTS 4
#define OUT 3u
#define BYTES 300u

static inline void
map(struct tables *t, unsigned int priority, unsigned int tc)
{
	t->tc_priorities[t->priority_to_tc[priority]] &= (uint8_t) ~(1u << priority);
	t->priority_to_tc[priority] = (uint8_t)tc;
	t->tc_priorities[tc] |= (uint8_t)(1u << priority);
}

static inline struct tables *
mapped(unsigned int priority, unsigned int tc)
{
	struct tables *t = harness_tables(PORTS);

	map(t, priority, tc);
	return t;
}

static inline struct port *
out_port(struct harness *h)
{
	return &h->node->ports[OUT];
}

static inline void
freeze(struct harness *h, uint8_t queues)
{
	node_set_tx_off(h->node, out_port(h), queues, h->now);
}

static inline void
open_frozen(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	freeze(h, 0xff);
}

// A packet for each letter, by port `in`; pcp: 0, or 8 + PCP of a tagged one.
static inline void
hold_tagged(struct harness *h, unsigned int in, unsigned int priority, uint16_t pcp,
	    const char *letters)
{
	for (; *letters != '\0'; letters++) {
		const struct frame f = {.to = OUT,
					.bytes = BYTES,
					.dscp = (uint8_t)(priority * 8),
					.vlan_pcp = pcp,
					.id = (uint8_t)*letters};

		harness_put(h, in, harness_frame(h, &f), h->now);
	}
	harness_run(h, h->now + 1);
}

static inline void
hold(struct harness *h, unsigned int in, unsigned int priority, const char *letters)
{
	hold_tagged(h, in, priority, 0, letters);
}

static inline char
letter(struct rte_mbuf *m)
{
	return (char)packet_data(m)[packet_meta(m)->l3_off + 5];
}

// The letters of a queue, from its head on, and all that is kept of how many there are.
static inline void
expect_queue(struct harness *h, unsigned int tc, const char *letters)
{
	struct port *p = out_port(h);
	const uint32_t cells = (uint32_t)strlen(letters) * BYTES;
	char found[64];
	size_t n = 0;

	for (struct rte_mbuf *m = p->queues[tc].head; m != NULL; m = fair_next(p, tc, m)) {
		assert_int_equal(packet_meta(m)->tc, tc);
		found[n++] = letter(m);
	}
	found[n] = '\0';
	assert_string_equal(found, letters);
	assert_int_equal(*node_depth(h->node, p, tc), cells);
	assert_int_equal(p->queues[tc].usage.own + p->queues[tc].usage.guaranteed, cells);
	assert_int_equal(p->nonempty >> tc & 1, cells != 0);
	if (cells == 0)
		assert_int_equal(p->queues[tc].deficit, 0);
}

// The letters in the order in which they leave, the first of them at `at`, the others behind it.
static inline void
expect_sent(struct harness *h, ps_t at, const char *letters)
{
	struct rte_mbuf *m;
	ps_t left;

	harness_check(h);
	harness_run(h, h->now + 10 * PS_PER_US);
	for (; *letters != '\0'; letters++, at += harness_slot(BYTES)) {
		m = harness_take(h, OUT, &left);
		assert_non_null(m);
		assert_int_equal(letter(m), *letters);
		assert_int_equal(left, at + harness_frame_time(BYTES));
		packet_free(h->pool, m);
	}
	assert_null(harness_take(h, OUT, NULL));
	harness_check(h);
}
