// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry at the port that sends: what it keeps, when it sends again, when it gives up.
#include "retried.h"

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
replay_from(uint32_t first)
{
	struct harness h;
	const ps_t at = 21 * PS_PER_US;

	open_leaf(&h, LLR_ACTION_BLOCK);
	llr_of(&h, 1)->first = llr_of(&h, 1)->next = llr_of(&h, 1)->accepted = first;
	set_corrupt(&h, 1, ALWAYS);
	put_frames(&h, 1, PS_PER_US);
	harness_run(&h, 2 * PS_PER_US);
	set_corrupt(&h, 1, 0);
	put_frames(&h, 1, 3 * PS_PER_US); // in vain
	harness_run(&h, 20 * PS_PER_US);
	expect_mark(&h, 1, LLR_SETS, first);
	expect_mark(&h, 1, LLR_SETS, first + 1);
	assert_int_equal(llr_held(&h.node->ports[1]), 2);
	assert_int_equal(node_queued(h.node), 2);
	put_mark(&h, 1, LLR_NACK, first, at);
	put_frames(&h, 1, at + 1);
	harness_run(&h, 40 * PS_PER_US);
	for (unsigned int i = 0; i < 3; i++)
		expect_frame(&h, at + i * harness_slot(FRAME));
	expect_nothing(&h, 1);
	assert_int_equal(llr_of(&h, 1)->tx_replay, 1);
	assert_int_equal(llr_of(&h, 1)->tx_again, 2);
	assert_int_equal(llr_held(&h.node->ports[1]), 0);
	assert_int_equal(h.node->ports[1].tx_packets, 3);
	put_mark(&h, 1, LLR_ACK, first + 3, 41 * PS_PER_US);
	harness_run(&h, 42 * PS_PER_US);
	assert_int_equal(llr_of(&h, 1)->outstanding, 0);
	harness_check(&h);
	harness_close(&h);
}

static void
a_nack_begins_a_replay(void **state)
{
	(void)state;
	replay_from(0);
}

static void
numbers_that_wrap(void **state)
{
	(void)state;
	for (uint32_t before = 0; before < 4; before++)
		replay_from(UINT32_MAX - before);
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

// New tables may have another timer. A longer one is in force at once. With a shorter one, what is
// on its way has the time that it had, and so has all behind it on the wires.
static void
a_timer_that_changes(void **state)
{
	const ps_t begun = PS_PER_US, changed = 2 * PS_PER_US, progress = 5 * PS_PER_US;
	const struct {
		ps_t timer;
		ps_t due; // when it runs out first
	} rows[] = {{5 * TIMER, progress + 5 * TIMER}, {TIMER / 10, changed + TIMER}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tables *t = retried_tables(LLR_ACTION_BLOCK);
		struct harness h;

		t->llr[1].timer = rows[i].timer;
		open_leaf(&h, LLR_ACTION_BLOCK);
		put_frames(&h, 1, begun);
		harness_run(&h, changed);
		harness_adopt(&h, t);
		put_frames(&h, 1, changed + PS_PER_US);
		put_mark(&h, 1, LLR_ACK, 1, progress);
		for (uint64_t again = 0; again < 2; again++) {
			harness_run(&h, rows[i].due + again * rows[i].timer);
			assert_int_equal(llr_of(&h, 1)->tx_again, again);
			harness_run(&h, rows[i].due + again * rows[i].timer + 1);
			assert_int_equal(llr_of(&h, 1)->tx_again, again + 1);
		}
		harness_drain(&h, 1);
		harness_check(&h);
		harness_close(&h);
	}
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

// However many bytes it may hold: with 4096 frames the port stops, and each of them has a place of
// its own.
static void
a_replay_buffer_has_so_many_frames(void **state)
{
	const uint32_t frames = 4096, first = UINT32_MAX - 2000;
	struct tables *t = retried_tables(LLR_ACTION_BLOCK);
	struct harness h;
	struct llr *l;

	(void)state;
	t->llr[1].limit = UINT32_MAX;
	t->llr[1].frames = frames;
	t->llr[1].timer = PS_PER_S;
	open_with(&h, t);
	l = llr_of(&h, 1);
	l->first = l->next = l->accepted = first;
	for (uint32_t sent = 0; sent < frames; sent += 64) {
		assert_int_equal(h.node->held[1], 0);
		put_frames(&h, 64, h.now);
		harness_run(&h, h.now + 3 * PS_PER_US);
		assert_int_equal(harness_drain(&h, 1), 64);
	}
	assert_int_equal(l->outstanding, frames * FRAME);
	put_frames(&h, 1, h.now);
	harness_run(&h, h.now + 3 * PS_PER_US);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->held[1], 0xff);
	assert_int_equal(l->next - l->first, frames);
	// All of them again.
	put_mark(&h, 1, LLR_NACK, first, h.now);
	for (uint32_t again = 0; again < frames; again += 64) {
		harness_run(&h, h.now + 64 * harness_slot(FRAME));
		for (uint32_t i = 0; i < 64; i++)
			expect_mark(&h, 1, LLR_SETS, first + again + i);
	}
	expect_nothing(&h, 1);
	// One more than was sent, then the oldest, and a new frame takes its place.
	put_mark(&h, 1, LLR_ACK, first + frames + 1, h.now);
	put_mark(&h, 1, LLR_ACK, first + 1, h.now + PS_PER_US);
	harness_run(&h, h.now + 3 * PS_PER_US);
	assert_int_equal(l->rx_seq_error, 1);
	assert_int_equal(l->next - l->first, frames);
	assert_int_equal(harness_drain(&h, 1), 1);
	put_mark(&h, 1, LLR_ACK, first + 1 + frames, h.now);
	harness_run(&h, h.now + 3 * PS_PER_US);
	assert_int_equal(l->outstanding, 0);
	assert_int_equal(h.node->held[1], 0);
	harness_check(&h);
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
		cmocka_unit_test(numbers_that_wrap),
		cmocka_unit_test(a_replay_waits_for_no_pause),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(a_timer_that_changes),
		cmocka_unit_test(replays_count_without_progress_only),
		cmocka_unit_test(new_frames_while_the_link_begins),
		cmocka_unit_test(a_full_replay_buffer_holds_the_port),
		cmocka_unit_test(a_replay_buffer_has_so_many_frames),
		cmocka_unit_test(poisoned_frames),
		cmocka_unit_test(a_link_that_goes_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
