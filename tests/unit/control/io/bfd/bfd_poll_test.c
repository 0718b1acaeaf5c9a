// SPDX-License-Identifier: BSD-3-Clause
// Poll sequences of RFC 5880, and changes of a session that wait for one.
#include "bfd_end.h"

static void
test_final_is_extra(void **state)
{
	struct bfd_packet packet = said(BFD_UP);
	struct end e;
	int64_t next;

	(void)state;
	settle(&e, &usual);
	next = bfd_session_send_at(&e.s);
	assert_true(next > e.now);
	packet.poll = true;
	bfd_session_receive(&e.s, &packet, e.now);
	packet = sends(&e);
	assert_true(packet.final);
	assert_false(packet.poll);
	assert_int_equal(bfd_session_send_at(&e.s), next);
}

// Every packet polls until one with Final arrives; a Final that nothing asked for ends nothing.
static void
test_poll_repeats(void **state)
{
	struct bfd_packet final = said(BFD_UP);
	struct end e;

	(void)state;
	final.final = true;
	bring_up(&e, &usual);
	bfd_session_receive(&e.s, &final, e.now);
	for (int i = 0; i < 5; i++) {
		assert_true(sends(&e).poll);
		e.now = bfd_session_send_at(&e.s);
	}
	bfd_session_receive(&e.s, &final, e.now);
	assert_false(sends(&e).poll);
}

// A slower transmit interval and a shorter detection time wait for the Final; the opposite does
// not.
static void
test_changes_while_up(void **state)
{
	struct bfd_settings slow = usual, fast = usual;
	struct bfd_packet final = said(BFD_UP), packet;
	struct end e;

	(void)state;
	final.final = true;
	final.required_min_rx_us = final.desired_min_tx_us = 50000;
	slow.min_tx_us = slow.min_rx_us = 800000;
	fast.min_tx_us = fast.min_rx_us = 100000;
	settle(&e, &usual);
	bfd_session_receive(&e.s, &final, e.now);

	bfd_session_change(&e.s, &slow);
	assert_int_equal(bfd_session_interval_us(&e.s), 300000);
	assert_int_equal(bfd_session_detect_us(&e.s), 3 * 800000);
	packet = sends(&e);
	assert_true(packet.poll);
	assert_int_equal(packet.desired_min_tx_us, 800000);
	assert_int_equal(packet.required_min_rx_us, 800000);
	bfd_session_receive(&e.s, &final, e.now);
	assert_int_equal(bfd_session_interval_us(&e.s), 800000);

	bfd_session_change(&e.s, &fast);
	assert_int_equal(bfd_session_interval_us(&e.s), 100000);
	assert_int_equal(bfd_session_detect_us(&e.s), 3 * 800000);
	assert_true(sends(&e).poll);
	bfd_session_receive(&e.s, &final, e.now);
	assert_int_equal(bfd_session_detect_us(&e.s), 3 * 100000);
}

// A change during a poll needs another poll: the Final may be the answer to the packet before.
static void
test_change_while_polling(void **state)
{
	struct bfd_settings slow = usual, slower = usual;
	struct bfd_packet final = said(BFD_UP);
	struct end e;

	(void)state;
	final.final = true;
	slow.min_tx_us = 400000;
	slower.min_tx_us = 500000;
	settle(&e, &usual);
	bfd_session_change(&e.s, &slow);
	assert_true(sends(&e).poll);
	bfd_session_change(&e.s, &slower);
	bfd_session_receive(&e.s, &final, e.now);
	assert_true(e.s.polling);
	assert_int_equal(bfd_session_interval_us(&e.s), 300000);
	assert_true(sends(&e).poll);
	bfd_session_receive(&e.s, &final, e.now);
	assert_false(e.s.polling);
	assert_int_equal(bfd_session_interval_us(&e.s), 500000);
}

// What changes nothing that packets say asks for none.
static void
test_no_change(void **state)
{
	struct bfd_settings settings = usual;
	struct end e;

	(void)state;
	settle(&e, &usual);
	bfd_session_change(&e.s, &usual);
	assert_true(is_silent(&e));
	settings.detect_mult = 5;
	settings.local_discr = 99; // cannot be changed
	bfd_session_change(&e.s, &settings);
	assert_int_equal(e.s.settings.local_discr, 7);
	assert_int_equal(sends(&e).detect_mult, 5);
	assert_false(e.s.polling);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_final_is_extra),
		cmocka_unit_test(test_poll_repeats),
		cmocka_unit_test(test_changes_while_up),
		cmocka_unit_test(test_change_while_polling),
		cmocka_unit_test(test_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
