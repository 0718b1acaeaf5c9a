// SPDX-License-Identifier: BSD-3-Clause
// When a storm begins, and when it ends.
#include "storm.h"
#include "dataplane/node/ports.h"

// While frames keep coming that pause it, the storm lasts; the last comes at 77 us, so that the
// looks at 80 and 90 see 3 and 13 us of quiet, and 100 us sees 23.
static void
test_restore_by_quiet(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	storm(&h);
	for (ps_t at = 45; at < 80; at += 8)
		put_pfc(&h, 1, 1 << 3, 3000, at * US);
	put_pfc(&h, 1, 1 << 4, 3000, 90 * US); // not obeyed, and another queue's
	put_pfc(&h, 1, 1 << 3, 0, 91 * US);    // a resume pauses nobody
	harness_run(&h, 100 * US);
	assert_true(watched(&h, 1, 3)->storm);
	expect_no_log(&h);
	harness_run(&h, 100 * US + 1);
	assert_false(watched(&h, 1, 3)->storm);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 100 * US, 23 * US, 0);
	put(&h, 0, 1, 3, 101 * US);
	harness_run(&h, 102 * US);
	assert_int_equal(harness_drain(&h, 1), 3);
	harness_check(&h);
	harness_close(&h);
}

// Half of `detect` is nothing, with packets waiting or not; nor is one look short of it.
static void
test_short_pause(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	put_pfc(&h, 1, 1 << 3, (uint16_t)(15 * US / QUANTUM), 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	put_pfc(&h, 2, 1 << 3, (uint16_t)(15 * US / QUANTUM), 3 * US);
	put_pfc(&h, 3, 1 << 3, 65535, 10 * US + 1); // stuck for 30 us - 1 ps at 40 us
	put_pfc(&h, 3, 1 << 3, 0, 40 * US);
	harness_run(&h, 200 * US);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(watched(&h, i, 3)->storms, 0);
	expect_no_log(&h);
	assert_int_equal(harness_drain(&h, 1), 1);

	// Exactly `detect` is enough.
	put_pfc(&h, 1, 1 << 3, 65535, 210 * US);
	harness_run(&h, 240 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 0);
	harness_run(&h, 240 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 240 * US, 30 * US, 0);
	harness_close(&h);
}

// Held at 10 us, and for a tenth of the time after that, while a packet waits.
static void
put_gaps(struct harness *h)
{
	put(h, 0, 1, 3, 1 * US);
	put_pfc(h, 1, 1 << 3, (uint16_t)(2 * US / QUANTUM), 9 * US);
	for (ps_t at = 13; at < 40; at += 10)
		put_pfc(h, 1, 1 << 3, (uint16_t)(US / QUANTUM), at * US);
}

// A queue with packets that is let go for a moment but sends nothing in it, because a strict one is
// never empty, stays stuck; one that sends a packet between pauses does not. Nor does one whose
// transmission is off, unless pauses hold it nearly all the time.
static void
test_gaps(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	for (ps_t at = 0; at < 42 * US; at += harness_frame_time(300)) { // twice what can leave
		put(&h, 2, 1, 6, at);
		put(&h, 3, 1, 6, at);
	}
	put_gaps(&h);
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 31 * US, 0);
	harness_drain(&h, 1);
	harness_check(&h);
	harness_close(&h);

	open_with(&h, WATCHDOG_DROP);
	node_set_tx_off(h.node, &h.node->ports[1], 1 << 3, 0);
	put_gaps(&h);
	put_pfc(&h, 1, 1 << 3, 65535, 45 * US);
	harness_run(&h, 70 * US + 1);
	expect_no_log(&h);
	harness_run(&h, 80 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 80 * US, 35 * US, 0);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 82 * US);
	harness_check(&h);
	harness_close(&h);

	open_with(&h, WATCHDOG_DROP);
	for (ps_t at = 3; at < 200; at += 10) {
		put_pfc(&h, 1, 1 << 3, 65535, at * US);
		put(&h, 0, 1, 3, (at + 1) * US);
		put_pfc(&h, 1, 1 << 3, 0, (at + 8) * US); // 1 or 2 packets go, once in a look
		put_pfc(&h, 1, 1 << 3, 65535, (at + 9) * US);
	}
	harness_run(&h, 200 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 0);
	harness_check(&h);
	harness_close(&h);
}

// An empty queue is stuck while pauses hold it for more than 80 % of the time between looks: 81 %
// is a storm, 80 % is none.
static void
expect_empty_queue(ps_t held, bool storms)
{
	struct harness h;

	open_with(&h, WATCHDOG_DROP);
	// Each held from 2 us before a look on.
	for (ps_t at = 8 * US; at < 100 * US; at += POLL) {
		put_pfc(&h, 1, 1 << 3, 65535, at);
		put_pfc(&h, 1, 1 << 3, 0, at + held);
	}
	harness_run(&h, 40 * US + 1);
	assert_int_equal(watched(&h, 1, 3)->storms, storms);
	if (storms)
		expect_log(&h, NODE_LOG_STORM, 40 * US, 32 * US, 0);
	harness_run(&h, 90 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, storms);
	harness_close(&h);
}

static void
test_empty_queue(void **state)
{
	(void)state;
	expect_empty_queue(8 * US + 1, true);
	expect_empty_queue(8 * US, false);
}

// Priorities 3 and 4 share queue 3: pauses that take turns hold it without a gap.
static void
test_two_priorities(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;

	(void)state;
	t->priority_to_tc[4] = 3;
	t->tc_priorities[3] = 1 << 3 | 1 << 4;
	t->tc_priorities[4] = 0;
	harness_profile(t)->obeyed = 1 << 3 | 1 << 4;
	harness_open(&h, t);
	for (ps_t at = 3; at < 200; at += 8) {
		put_pfc(&h, 1, 1 << 3, (uint16_t)(5 * US / QUANTUM), at * US);
		put_pfc(&h, 1, 1 << 4, (uint16_t)(5 * US / QUANTUM), (at + 4) * US);
	}
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	harness_run(&h, 200 * US);
	expect_no_log(&h);
	assert_int_equal(h.node->ports[1].queue_cold[3].held.total, 37 * US);
	assert_int_equal(h.node->ports[1].queue_cold[3].held.transitions, 1);
	assert_true(watched(&h, 1, 3)->storm);
	harness_close(&h);
}

// By hand: at once, in a storm only; the pause that still runs holds again.
static void
test_restore_by_hand(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	watchdog_restore(h.node, &h.node->ports[1], 3, 0);
	expect_no_log(&h);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 42 * US);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	expect_log(&h, NODE_LOG_RESTORE_BY_HAND, 42 * US, 39 * US, 1);
	put(&h, 0, 1, 3, 43 * US);
	harness_run(&h, 50 * US);
	assert_int_equal(harness_drain(&h, 1), 2);
	assert_int_equal(node_queued(h.node), 1);
	assert_int_equal(h.node->ports[1].queue_cold[3].held.since, 42 * US);
	harness_check(&h);
	harness_close(&h);
}

// Off, on, other actions while a storm lasts; and a queue held since before it was on counts from
// then.
static void
test_tables_change(void **state)
{
	struct tables *t;
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(4));
	put_pfc(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	harness_run(&h, 55 * US);
	assert_int_equal(h.node->watchdog_due, PS_NEVER);
	harness_adopt(&h, watchdog_tables(WATCHDOG_ALERT));
	harness_run(&h, 60 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 60 * US, 57 * US, 0);
	assert_int_equal(node_queued(h.node), 1);

	put_pfc(&h, 1, 1 << 3, 65535, 61 * US); // the storm goes on
	t = watchdog_tables(WATCHDOG_FORWARD);
	harness_adopt(&h, t);
	harness_run(&h, 62 * US);
	expect_started(&h, 1, 60 * US + 1);
	expect_no_log(&h);

	t = watchdog_tables(WATCHDOG_DROP);
	harness_adopt(&h, t);
	put(&h, 0, 1, 3, 63 * US);
	harness_run(&h, 65 * US);
	assert_int_equal(watched(&h, 1, 3)->dropped, 1);

	harness_adopt(&h, harness_tables(4));
	put(&h, 0, 1, 3, 66 * US);
	harness_run(&h, 100 * US);
	expect_log(&h, NODE_LOG_RESTORE_CHANGED, 65 * US, 4 * US, 1);
	assert_int_equal(h.node->ports[1].stormed, 0);
	assert_int_equal(node_queued(h.node), 1); // held again
	assert_int_equal(h.node->ports[1].queue_cold[3].held.since, 65 * US);

	// Flush begins with the tables that say so.
	harness_adopt(&h, watchdog_tables(WATCHDOG_ALERT));
	harness_run(&h, 100 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 100 * US, 35 * US, 0);
	t = watchdog_tables(WATCHDOG_DROP);
	harness_profile(t)->watchdog.flush = true;
	harness_adopt(&h, t);
	harness_run(&h, 101 * US);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(watched(&h, 1, 3)->dropped, 2);

	// A queue that no obeyed priority maps to is not watched any more.
	t = watchdog_tables(WATCHDOG_DROP);
	harness_profile(t)->obeyed = 0;
	harness_adopt(&h, t);
	harness_run(&h, 102 * US);
	expect_log(&h, NODE_LOG_RESTORE_CHANGED, 101 * US, 40 * US, 1);
	assert_int_equal(h.node->ports[1].paused, 0);
	harness_check(&h);
	harness_close(&h);
}

// Looks come at multiples of `poll`, however the timer is used otherwise, and the outcome does not
// depend on the windows.
static void
test_windows(void **state)
{
	struct node_log_entry e;
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	h.window = 7777;
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 300 * US);
	assert_true(node_log_take(h.node->log, &e));
	assert_int_equal(e.at, 50 * US);
	assert_true(node_log_take(h.node->log, &e));
	assert_int_equal(e.at, 80 * US);
	assert_int_equal(h.node->watchdog_due, 300 * US);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restore_by_quiet),
		cmocka_unit_test(test_short_pause),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_empty_queue),
		cmocka_unit_test(test_two_priorities),
		cmocka_unit_test(test_restore_by_hand),
		cmocka_unit_test(test_tables_change),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
