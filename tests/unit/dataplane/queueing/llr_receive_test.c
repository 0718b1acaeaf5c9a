// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry at the port that receives: what it acknowledges, and when.
#include "retried.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_receiver_says_what_it_lacks),
		cmocka_unit_test(acknowledgements_keep_their_distance),
		cmocka_unit_test(acknowledgements_that_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
