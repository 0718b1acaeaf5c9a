// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry at one leaf, whose far ends the test plays: it sends ordered sets and frames
// with numbers by hand, and reads what the leaf sends. Frames of 300 B go to port 1.
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

static void
open_leaf(struct harness *h, enum llr_action action)
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
	harness_open(h, t);
	for (unsigned int i = 0; i < PORTS; i++) {
		h->out[i]->retry = true;
		wire_update_special(h->out[i]);
	}
}

static struct llr *
llr_of(struct harness *h, unsigned int port)
{
	return h->node->ports[port].llr;
}

static void
set_corrupt(struct harness *h, unsigned int port, uint32_t probability)
{
	h->out[port]->corrupt = probability;
	wire_update_special(h->out[port]);
}

static void
put_frames(struct harness *h, unsigned int count, ps_t at)
{
	const struct frame f = {.to = 1, .bytes = FRAME, .dscp = 3 << 3};

	for (unsigned int i = 0; i < count; i++)
		harness_put(h, 0, harness_frame(h, &f), at + i * harness_slot(FRAME));
}

// A frame that the far end of port 0 sends with the number that is expected.
static void
put_numbered(struct harness *h, ps_t at)
{
	const struct frame f = {.to = 1, .bytes = FRAME, .dscp = 3 << 3};
	struct rte_mbuf *m = harness_frame(h, &f);

	packet_meta(m)->flags |= PACKET_RETRIED;
	harness_put(h, 0, m, at);
}

// An ordered set from the far end of a port, or (LLR_SETS) the mark of a frame.
static void
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

static struct sent
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

static void
expect_frame(struct harness *h, ps_t start)
{
	const struct sent sent = take(h, 1);

	assert_true(sent.any && sent.frame);
	assert_int_equal(sent.left, start + harness_frame_time(FRAME));
}

static void
expect_mark(struct harness *h, unsigned int port, uint8_t set, uint32_t sequence)
{
	const struct sent sent = take(h, port);

	assert_true(sent.any && !sent.frame);
	assert_int_equal(sent.set, set);
	assert_int_equal(sent.sequence, sequence);
}

static void
expect_nothing(struct harness *h, unsigned int port)
{
	assert_false(take(h, port).any);
}

static void
frames_stay_until_they_are_acknowledged(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	put_frames(&h, 3, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	assert_int_equal(llr_of(&h, 1)->outstanding, 3 * FRAME);
	assert_int_equal(llr_held(&h.node->ports[1]), 0);
	put_mark(&h, 1, LLR_ACK, 2, 20 * PS_PER_US);
	harness_run(&h, 30 * PS_PER_US);
	assert_int_equal(llr_of(&h, 1)->outstanding, FRAME);
	put_mark(&h, 1, LLR_ACK, 3, 32 * PS_PER_US);
	put_mark(&h, 1, LLR_ACK, 4, 33 * PS_PER_US); // of a frame that was never sent
	harness_run(&h, 200 * PS_PER_US);
	assert_int_equal(llr_of(&h, 1)->outstanding, 0);
	assert_int_equal(llr_of(&h, 1)->rx_seq_error, 1);
	assert_int_equal(llr_of(&h, 1)->sets_rx[LLR_ACK], 3);
	assert_int_equal(llr_of(&h, 1)->tx_again, 0);
	assert_int_equal(harness_drain(&h, 1), 3);
	harness_check(&h);
	harness_close(&h);
}

// Errors leave marks; after a NACK the frames go again, in order, before new ones.
static void
a_nack_begins_a_replay(void **state)
{
	struct harness h;
	const ps_t at = 21 * PS_PER_US;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	set_corrupt(&h, 1, ALWAYS);
	put_frames(&h, 1, PS_PER_US);
	harness_run(&h, 2 * PS_PER_US);
	set_corrupt(&h, 1, 0);
	put_frames(&h, 1, 3 * PS_PER_US); // in vain
	harness_run(&h, 20 * PS_PER_US);
	expect_mark(&h, 1, LLR_SETS, 0);
	expect_mark(&h, 1, LLR_SETS, 1);
	assert_int_equal(llr_held(&h.node->ports[1]), 2);
	assert_int_equal(node_queued(h.node), 2);
	put_mark(&h, 1, LLR_NACK, 0, at);
	put_frames(&h, 1, at + 1);
	harness_run(&h, 40 * PS_PER_US);
	for (unsigned int i = 0; i < 3; i++)
		expect_frame(&h, at + i * harness_slot(FRAME));
	expect_nothing(&h, 1);
	assert_int_equal(llr_of(&h, 1)->tx_replay, 1);
	assert_int_equal(llr_of(&h, 1)->tx_again, 2);
	assert_int_equal(llr_held(&h.node->ports[1]), 0);
	assert_int_equal(h.node->ports[1].tx_packets, 3);
	harness_check(&h);
	harness_close(&h);
}

// A pause holds queues, not what is sent again. An ordered set goes first.
static void
a_replay_waits_for_no_pause(void **state)
{
	static const uint16_t quanta[PRIORITIES] = {[3] = 0xffff};
	struct harness h;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	set_corrupt(&h, 1, ALWAYS);
	put_frames(&h, 1, PS_PER_US);
	harness_run(&h, 2 * PS_PER_US);
	set_corrupt(&h, 1, 0);
	expect_mark(&h, 1, LLR_SETS, 0);
	put_mark(&h, 1, LLR_INIT, 0, 10 * PS_PER_US);
	put_mark(&h, 1, LLR_NACK, 0, 10 * PS_PER_US);
	harness_put(&h, 1, harness_pfc(&h, 1 << 3, quanta), 10 * PS_PER_US);
	put_frames(&h, 1, 11 * PS_PER_US);
	harness_run(&h, 30 * PS_PER_US);
	expect_mark(&h, 1, LLR_INIT_ECHO, 0);
	expect_frame(&h, 10 * PS_PER_US + SET_TIME);
	expect_nothing(&h, 1);
	harness_run(&h, 500 * PS_PER_US);
	harness_drain(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

// Without an ACK or NACK frames go again: marks, where the far end has them. Then the port gives
// up.
static void
time_runs_out(void **state)
{
	const ps_t begun = PS_PER_US;
	struct harness h;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	put_frames(&h, 1, begun);
	harness_run(&h, begun + PS_PER_US);
	set_corrupt(&h, 1, ALWAYS);
	put_frames(&h, 1, begun + 10 * PS_PER_US);
	harness_run(&h, begun + TIMER - 1);
	expect_frame(&h, begun);
	expect_mark(&h, 1, LLR_SETS, 1);
	expect_nothing(&h, 1);
	harness_run(&h, begun + 3 * TIMER);
	for (unsigned int i = 0; i < 4; i++) // two replays of both
		expect_mark(&h, 1, LLR_SETS, i % 2);
	expect_nothing(&h, 1);
	set_corrupt(&h, 1, 0);
	assert_int_equal(harness_drops(&h, 0, DROP_LLR_FLUSH), 0);
	harness_run(&h, begun + 3 * TIMER + PS_PER_US);
	assert_int_equal(harness_drops(&h, 0, DROP_LLR_FLUSH), 1);
	assert_int_equal(llr_of(&h, 1)->tx_flush, 1);
	assert_int_equal(llr_of(&h, 1)->tx_state, LLR_TX_INIT);
	assert_int_equal(llr_of(&h, 1)->outstanding, 0);
	expect_mark(&h, 1, LLR_INIT, 2);
	harness_check(&h);
	harness_close(&h);
}

// Progress of any kind lets replays count anew.
static void
replays_count_without_progress_only(void **state)
{
	struct harness h;
	ps_t at = PS_PER_US;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	for (uint32_t i = 0; i < 8; i++, at += 10 * PS_PER_US) {
		set_corrupt(&h, 1, ALWAYS);
		put_frames(&h, 1, at);
		harness_run(&h, at + PS_PER_US);
		set_corrupt(&h, 1, 0);
		put_mark(&h, 1, LLR_NACK, i, at + 2 * PS_PER_US);
		harness_run(&h, at + 10 * PS_PER_US);
	}
	assert_int_equal(llr_of(&h, 1)->tx_replay, 8);
	assert_int_equal(llr_of(&h, 1)->tx_flush, 0);
	harness_drain(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

// A link that begins anew: what becomes of new frames.
static void
new_frames_while_the_link_begins(void **state)
{
	static const enum llr_action actions[] = {LLR_ACTION_BEST_EFFORT, LLR_ACTION_BLOCK,
						  LLR_ACTION_DISCARD};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		const bool block = actions[i] == LLR_ACTION_BLOCK;
		const bool discard = actions[i] == LLR_ACTION_DISCARD;
		struct harness h;
		struct port *p;

		open_leaf(&h, actions[i]);
		p = &h.node->ports[1];
		node_set_link(h.node, p, false, 0);
		node_set_link(h.node, p, true, 0);
		put_frames(&h, 2, PS_PER_US);
		harness_run(&h, 10 * PS_PER_US);
		assert_int_equal(h.node->held[1], block ? 0xff : 0);
		expect_mark(&h, 1, LLR_INIT, 0);
		assert_int_equal(llr_of(&h, 1)->tx_discard, discard ? 2 : 0);
		assert_int_equal(harness_drops(&h, 0, DROP_LLR_DISCARD), discard ? 2 : 0);
		assert_int_equal(llr_of(&h, 1)->outstanding, 0);
		if (actions[i] == LLR_ACTION_BEST_EFFORT) {
			expect_frame(&h, PS_PER_US);
			expect_frame(&h, PS_PER_US + harness_slot(FRAME));
		}
		expect_nothing(&h, 1);
		// It is sent again, and answered.
		harness_run(&h, TIMER + PS_PER_US);
		expect_mark(&h, 1, LLR_INIT, 0);
		put_mark(&h, 1, LLR_INIT_ECHO, 0, TIMER + 5 * PS_PER_US);
		harness_run(&h, TIMER + 10 * PS_PER_US);
		assert_int_equal(llr_of(&h, 1)->tx_state, LLR_TX_ADVANCE);
		assert_int_equal(h.node->held[1], 0);
		if (block) {
			expect_frame(&h, TIMER + 5 * PS_PER_US);
			expect_frame(&h, TIMER + 5 * PS_PER_US + harness_slot(FRAME));
			assert_int_equal(pause_clock_total(&llr_of(&h, 1)->wait, h.now),
					 TIMER + 5 * PS_PER_US);
		}
		expect_nothing(&h, 1);
		harness_check(&h);
		harness_close(&h);
	}
}

static void
a_full_replay_buffer_holds_the_port(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	put_frames(&h, 6, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	assert_int_equal(harness_drain(&h, 1), 4); // the fourth began with 900 B, the limit
	assert_int_equal(h.node->held[1], 0xff);
	put_mark(&h, 1, LLR_ACK, 1, 20 * PS_PER_US);
	harness_run(&h, 25 * PS_PER_US);
	expect_frame(&h, 20 * PS_PER_US);
	expect_nothing(&h, 1);
	put_mark(&h, 1, LLR_ACK, 5, 30 * PS_PER_US);
	harness_run(&h, 35 * PS_PER_US);
	expect_frame(&h, 30 * PS_PER_US);
	assert_int_equal(h.node->held[1], 0);
	harness_check(&h);
	harness_close(&h);
}

// One NACK for a gap; another when the replay lacks the frame again.
static void
the_receiver_says_what_it_lacks(void **state)
{
	const struct llr *l;
	struct harness h;
	ps_t at = 10 * PS_PER_US;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	l = llr_of(&h, 0);
	put_numbered(&h, at);
	put_mark(&h, 0, LLR_SETS, 1, at + PS_PER_US); // bad
	put_mark(&h, 0, LLR_SETS, 2, at + 2 * PS_PER_US);
	put_mark(&h, 0, LLR_SETS, 3, at + 3 * PS_PER_US);
	harness_run(&h, at + 5 * PS_PER_US);
	expect_mark(&h, 0, LLR_ACK, 1);
	expect_mark(&h, 0, LLR_NACK, 1);
	expect_nothing(&h, 0);
	assert_int_equal(l->rx_state, LLR_RX_NACK_SENT);
	assert_int_equal(l->rx_missing, 2);
	at += 10 * PS_PER_US;
	put_mark(&h, 0, LLR_SETS, 1, at); // again
	put_mark(&h, 0, LLR_SETS, 2, at + PS_PER_US);
	harness_run(&h, at + 5 * PS_PER_US);
	expect_mark(&h, 0, LLR_NACK, 1);
	expect_nothing(&h, 0);
	at += 10 * PS_PER_US;
	put_numbered(&h, at);
	put_mark(&h, 0, LLR_SETS, 0, at + 5 * PS_PER_US); // bad, and a duplicate
	harness_run(&h, at + 10 * PS_PER_US);
	expect_mark(&h, 0, LLR_ACK, 2);
	expect_nothing(&h, 0);
	assert_int_equal(l->rx_duplicate, 1);
	assert_int_equal(l->rx_replay, 3);
	assert_int_equal(l->rx_bad, 6);
	assert_int_equal(l->rx_ok, 2);
	assert_int_equal(h.node->ports[0].rx_packets, 2);
	assert_int_equal(harness_drain(&h, 1), 2);
	harness_check(&h);
	harness_close(&h);
}

static void
acknowledgements_keep_their_distance(void **state)
{
	const ps_t at = 10 * PS_PER_US;
	struct harness h;
	struct sent sent;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	for (unsigned int i = 0; i < 3; i++)
		put_numbered(&h, at + i * harness_slot(FRAME));
	harness_run(&h, 20 * PS_PER_US);
	sent = take(&h, 0);
	assert_int_equal(sent.sequence, 1);
	assert_int_equal(sent.left, at + SET_TIME);
	sent = take(&h, 0);
	assert_int_equal(sent.set, LLR_ACK);
	assert_int_equal(sent.sequence, 3);
	assert_int_equal(sent.left, at + SPACING + SET_TIME);
	expect_nothing(&h, 0);
	assert_int_equal(h.node->ports[0].tx_packets, 0);
	assert_int_equal(harness_drain(&h, 1), 3);
	harness_check(&h);
	harness_close(&h);
}

// The distance counts from where an ACK leaves: the first waits behind a frame of its own port.
static void
acknowledgements_that_wait(void **state)
{
	const struct frame other = {.to = 0, .bytes = 9000, .dscp = 3 << 3};
	const ps_t at = 10 * PS_PER_US, begun = at - PS_PER_NS,
		   free_at = begun + harness_slot(9000);
	struct harness h;
	struct sent sent;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	harness_put(&h, 2, harness_frame(&h, &other), begun);
	put_numbered(&h, at);
	put_numbered(&h, free_at + PS_PER_NS);
	harness_run(&h, 20 * PS_PER_US);
	assert_true(take(&h, 0).frame);
	sent = take(&h, 0);
	assert_int_equal(sent.sequence, 1);
	assert_int_equal(sent.left, free_at + SET_TIME);
	sent = take(&h, 0);
	assert_int_equal(sent.sequence, 2);
	assert_int_equal(sent.left, free_at + SPACING + SET_TIME);
	harness_close(&h);
}

// A frame that was wrong before is passed on as it is, with a number.
static void
poisoned_frames(void **state)
{
	const struct frame f = {.to = 1, .bytes = FRAME};
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_leaf(&h, LLR_ACTION_BLOCK);
	m = harness_frame(&h, &f);
	packet_meta(m)->flags |= PACKET_RETRIED | PACKET_BAD_FCS;
	harness_put(&h, 0, m, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	expect_mark(&h, 0, LLR_ACK, 1);
	assert_int_equal(llr_of(&h, 0)->rx_poisoned, 1);
	assert_int_equal(llr_of(&h, 0)->rx_ok, 0);
	assert_int_equal(harness_drops(&h, 0, DROP_BAD_FCS), 1);
	m = harness_frame(&h, &f);
	packet_meta(m)->flags |= PACKET_BAD_FCS;
	h.node->start = h.now;
	assert_true(port_transmit(h.node, &h.node->ports[1], m, h.now));
	assert_int_equal(llr_of(&h, 1)->tx_poisoned, 1);
	assert_int_equal(llr_of(&h, 1)->tx_ok, 0);
	m = harness_take(&h, 1, NULL);
	assert_true(packet_meta(m)->flags & PACKET_BAD_FCS);
	packet_free(h.pool, m);
	harness_close(&h);
}

// What the far end lacks is lost with the link; what it has is not counted twice. Frames that come
// before the far end has begun anew are of before.
static void
a_link_that_goes_down(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	open_leaf(&h, LLR_ACTION_BEST_EFFORT);
	p = &h.node->ports[1];
	put_frames(&h, 1, PS_PER_US);
	harness_run(&h, 2 * PS_PER_US);
	set_corrupt(&h, 1, ALWAYS);
	put_frames(&h, 1, 3 * PS_PER_US);
	harness_run(&h, 4 * PS_PER_US);
	assert_int_equal(llr_held(p), 1);
	h.out[1]->down = true;
	wire_update_special(h.out[1]);
	node_set_link(h.node, p, false, h.now);
	assert_int_equal(llr_held(p), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_DOWN), 1);
	assert_int_equal(llr_of(&h, 1)->outstanding, 0);
	set_corrupt(&h, 1, 0);
	node_set_link(h.node, &h.node->ports[0], false, h.now);
	node_set_link(h.node, &h.node->ports[0], true, h.now);
	put_numbered(&h, 6 * PS_PER_US);
	put_mark(&h, 0, LLR_INIT, 7, 7 * PS_PER_US);
	put_numbered(&h, 8 * PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_DOWN), 2);
	assert_int_equal(llr_of(&h, 0)->expected, 8);
	expect_mark(&h, 0, LLR_INIT, 0);
	expect_mark(&h, 0, LLR_INIT_ECHO, 7);
	expect_mark(&h, 0, LLR_ACK, 8);
	harness_drain(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_stay_until_they_are_acknowledged),
		cmocka_unit_test(a_nack_begins_a_replay),
		cmocka_unit_test(a_replay_waits_for_no_pause),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(replays_count_without_progress_only),
		cmocka_unit_test(new_frames_while_the_link_begins),
		cmocka_unit_test(a_full_replay_buffer_holds_the_port),
		cmocka_unit_test(the_receiver_says_what_it_lacks),
		cmocka_unit_test(acknowledgements_keep_their_distance),
		cmocka_unit_test(acknowledgements_that_wait),
		cmocka_unit_test(poisoned_frames),
		cmocka_unit_test(a_link_that_goes_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
