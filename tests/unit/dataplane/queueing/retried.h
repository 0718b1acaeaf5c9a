// SPDX-License-Identifier: BSD-3-Clause
// What the tests of link-level retry share: one leaf, whose far ends the test plays. It sends
// ordered sets and frames with numbers by hand, and reads what the leaf sends. Frames of 300 B go
// to port 1.
#pragma once

#include "../harness.h"

#include "dataplane/node/ports.h"
#include "dataplane/queueing/llr_internal.h"
#include "dataplane/queueing/transmit.h"

#include <stdlib.h>
#include <string.h>

#define PORTS 3
#define FRAME 300
#define TIMER (50 * PS_PER_US)
#define SPACING (2 * PS_PER_US)
#define SET_TIME (8 * UINT64_C(80))
#define ALWAYS UINT32_MAX // as a probability, but for one draw in 2^32

static inline struct tables *
retried_tables(enum llr_action action)
{
	struct tables *t = harness_tables(PORTS);

	t->llr = calloc(PORTS, sizeof(*t->llr));
	assert_non_null(t->llr);
	for (unsigned int i = 0; i < PORTS; i++)
		t->llr[i] = (struct llr_port){.limit = 3 * FRAME,
					      .frames = 16,
					      .replay_max = 2,
					      .action = (uint8_t)action,
					      .spacing = SPACING,
					      .timer = TIMER};
	return t;
}

static inline void
open_with(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	for (unsigned int i = 0; i < PORTS; i++) {
		h->out[i]->retry = true;
		wire_update_special(h->out[i]);
	}
}

static inline void
open_leaf(struct harness *h, enum llr_action action)
{
	open_with(h, retried_tables(action));
}

static inline struct llr *
llr_of(struct harness *h, unsigned int port)
{
	return h->node->ports[port].llr;
}

static inline void
set_corrupt(struct harness *h, unsigned int port, uint32_t probability)
{
	h->out[port]->corrupt = probability;
	wire_update_special(h->out[port]);
}

static inline void
put_frames(struct harness *h, unsigned int count, ps_t at)
{
	const struct frame f = {.to = 1, .bytes = FRAME, .dscp = 3 << 3};

	for (unsigned int i = 0; i < count; i++)
		harness_put(h, 0, harness_frame(h, &f), at + i * harness_slot(FRAME));
}

// A frame that the far end of port 0 sends with the number that is expected.
static inline void
put_numbered(struct harness *h, ps_t at)
{
	const struct frame f = {.to = 1, .bytes = FRAME, .dscp = 3 << 3};
	struct rte_mbuf *m = harness_frame(h, &f);

	packet_meta(m)->flags |= PACKET_RETRIED;
	harness_put(h, 0, m, at);
}

// An ordered set from the far end of a port, or (LLR_SETS) the mark of a frame.
static inline void
put_mark(struct harness *h, unsigned int port, uint8_t set, uint32_t sequence, ps_t at)
{
	struct rte_mbuf *m = llr_make_mark(h->node, &h->node->ports[port], set);
	struct llr_mark *mark = (struct llr_mark *)packet_data(m);

	mark->sequence = sequence;
	mark->bad = set == LLR_SETS;
	harness_put(h, port, m, at);
}

// What left next by a port: a frame (LLR_SETS and `number` UINT32_MAX), or what a mark says.
struct sent {
	bool any, frame, bad;
	uint8_t set;
	uint32_t sequence;
	ps_t left;
};

static inline struct sent
take(struct harness *h, unsigned int port)
{
	struct sent sent = {0};
	struct rte_mbuf *m = harness_take(h, port, &sent.left);

	if (m == NULL)
		return sent;
	sent.any = true;
	sent.frame = packet_meta(m)->lane != PACKET_LANE_LLR;
	if (!sent.frame) {
		const struct llr_mark *mark = (const struct llr_mark *)packet_data(m);

		sent.set = mark->set;
		sent.bad = mark->bad;
		sent.sequence = mark->sequence;
	}
	packet_free(h->pool, m);
	return sent;
}

static inline void
expect_frame(struct harness *h, ps_t start)
{
	const struct sent sent = take(h, 1);

	assert_true(sent.any && sent.frame);
	assert_int_equal(sent.left, start + harness_frame_time(FRAME));
}

static inline void
expect_mark(struct harness *h, unsigned int port, uint8_t set, uint32_t sequence)
{
	const struct sent sent = take(h, port);

	assert_true(sent.any && !sent.frame);
	assert_int_equal(sent.set, set);
	assert_int_equal(sent.sequence, sequence);
}

static inline void
expect_nothing(struct harness *h, unsigned int port)
{
	assert_false(take(h, port).any);
}
