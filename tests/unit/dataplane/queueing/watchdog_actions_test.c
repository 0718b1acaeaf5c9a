// SPDX-License-Identifier: BSD-3-Clause
// What the watchdog does in a storm: to what waits, to what comes, by either end of the port.
#include "storm.h"
#include "dataplane/node/ports.h"

// DROP without flush: what waits is sent from the look on, what comes is dropped, by whatever port;
// other queues of the port and queue 3 of other ports go on.
static void
test_drop(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	put(&h, 2, 1, 3, 42 * US);
	put(&h, 0, 1, 0, 43 * US);
	put(&h, 0, 2, 3, 44 * US);
	put(&h, 1, 2, 3, 45 * US); // comes in by the port; ingress is off
	harness_run(&h, 50 * US);
	expect_started(&h, 1, 40 * US);
	expect_started(&h, 1, 40 * US + harness_slot(300));
	expect_started(&h, 1, 43 * US);
	assert_null(harness_take(&h, 1, NULL));
	expect_started(&h, 2, 44 * US);
	expect_started(&h, 2, 45 * US);
	assert_int_equal(harness_drops(&h, 0, DROP_WATCHDOG), 1);
	assert_int_equal(harness_drops(&h, 2, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->ports[1].queues[3].dropped, 2);
	assert_int_equal(h.node->ports[0].groups[3].packets,
			 4); // two queued, one refused, one for port 2
	assert_int_equal(watched(&h, 1, 3)->dropped, 2);
	assert_int_equal(h.node->held[1], 1 << 3); // what has a choice goes another way
	harness_check(&h);

	// The last frame that paused it came at 3 us: quiet for 20 us long since, so it ends at the
	// next look, and the pause, which lasts until 338.5 us, holds again.
	put(&h, 0, 1, 3, 50 * US);
	harness_run(&h, 60 * US);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 50 * US, 47 * US, 2);
	assert_int_equal(h.node->ports[1].paused, 1 << 3);
	assert_int_equal(h.node->ports[1].stormed, 0);
	assert_int_equal(h.node->ports[1].queue_cold[3].held.since, 50 * US);
	assert_int_equal(h.node->ports[1].queue_cold[3].held.total, 37 * US);
	assert_null(harness_take(&h, 1, NULL));
	harness_check(&h);

	// Which the watchdog finds stuck since 50 us: the next storm is at 80 us.
	harness_run(&h, 80 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 1);
	harness_run(&h, 80 * US + 1);
	assert_int_equal(watched(&h, 1, 3)->storms, 2);
	expect_log(&h, NODE_LOG_STORM, 80 * US, 30 * US, 0);
	harness_close(&h);
}

// Flush: what waits goes at the look, of all tenants and ports, and the cells come back then.
static void
test_flush(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;

	(void)state;
	harness_profile(t)->watchdog.flush = true;
	harness_open(&h, t);
	put(&h, 2, 1, 3, 6 * US);
	put(&h, 0, 1, 0, 3 * US - 1); // another queue's packet is no progress of this one
	put_pfc(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	assert_int_equal(harness_drops(&h, 0, DROP_WATCHDOG), 1);
	assert_int_equal(harness_drops(&h, 2, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used, 0);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(harness_drain(&h, 1), 1);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 42 * US);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	expect_log(&h, NODE_LOG_RESTORE_BY_HAND, 42 * US, 39 * US, 3);
	assert_null(harness_take(&h, 1, NULL));
	harness_check(&h);
	harness_close(&h);
}

// A flush sends the XONs that it makes due, and those before the refresh of the same instant.
static void
test_flush_resumes(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;
	uint16_t quanta[PRIORITIES];
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	harness_profile(t)->watchdog.flush = true;
	harness_profile(t)->pg[3].threshold =
		(struct threshold){.fixed = 300, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	harness_profile(t)->refresh = 35 * US; // 5 + 35 = 40
	harness_open(&h, t);
	storm(&h); // the second packet, at 5 us, goes to headroom
	harness_run(&h, 200 * US);
	m = harness_take(&h, 0, &left);
	assert_int_equal(left, 5 * US + harness_frame_time(60));
	assert_int_equal(harness_read_pfc(&h, 0, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 65535);
	packet_free(h.pool, m);
	m = harness_take(&h, 0, &left);
	assert_int_equal(left, 40 * US + harness_frame_time(60));
	assert_int_equal(harness_read_pfc(&h, 0, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 0);
	packet_free(h.pool, m);
	assert_null(harness_take(&h, 0, NULL));
	assert_int_equal(h.node->ports[0].groups[3].xoff_sent, 1);
	harness_check(&h);
	harness_close(&h);
}

// FORWARD: all is sent, nothing is dropped.
static void
test_forward(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_FORWARD);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 50 * US);
	expect_started(&h, 1, 40 * US);
	expect_started(&h, 1, 40 * US + harness_slot(300));
	expect_started(&h, 1, 41 * US);
	assert_int_equal(h.node->held[1], 0);
	assert_int_equal(watched(&h, 1, 3)->dropped, 0);
	// The pause itself is known all along.
	assert_int_equal(h.node->ports[1].rx_pause[3].since, 3 * US);
	harness_check(&h);
	harness_close(&h);
}

// ALERT: nothing but the word; the pause holds to its end, at 338,539,200 ps.
static void
test_alert(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_ALERT);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 500 * US);
	for (unsigned int i = 0; i < 3; i++)
		expect_started(&h, 1, 3 * US + 65535 * QUANTUM + i * harness_slot(300));
	assert_int_equal(h.node->ports[1].queue_cold[3].held.total, 65535 * QUANTUM);
	// The storm ended at 50 us, for nobody had paused it since 3 us, and the next began when
	// that had lasted.
	assert_true(watched(&h, 1, 3)->storms > 1);
	harness_check(&h);
	harness_close(&h);
}

// `ingress`: what comes in by the stormed port with the queue's priority is dropped, and its group,
// which is XOFF when the storm begins, says XON and then nothing.
static void
test_ingress(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;
	uint16_t quanta[PRIORITIES];
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	harness_profile(t)->watchdog.ingress = true;
	harness_profile(t)->pg[3].threshold =
		(struct threshold){.fixed = 0, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[2], 0xff, 0);
	put_pfc(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 1, 2, 3, 5 * US);
	put(&h, 1, 2, 3, 41 * US); // dropped
	put(&h, 1, 2, 0, 42 * US); // not of the priority
	put(&h, 0, 2, 3, 43 * US); // not by the port
	harness_run(&h, 50 * US);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	for (unsigned int i = 0; i < 2; i++) {
		m = harness_take(&h, 1, &left);
		assert_int_equal(left, (i == 0 ? 5 * US : 40 * US) + harness_frame_time(60));
		assert_int_equal(harness_read_pfc(&h, 1, m, quanta), 1 << 3);
		assert_int_equal(quanta[3], i == 0 ? 65535 : 0);
		packet_free(h.pool, m);
	}
	assert_int_equal(harness_drops(&h, 1, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->ports[1].groups[3].dropped, 1);
	assert_int_equal(h.node->ports[1].groups[3].packets, 2);
	assert_int_equal(watched(&h, 1, 3)->dropped, 1);
	assert_int_equal(node_queued(h.node), 3);
	harness_check(&h);
	assert_int_equal(harness_drain(&h, 1), 0);

	// When it is over, a packet is admitted, and causes XOFF.
	harness_run(&h, 50 * US + 1);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 50 * US, 47 * US, 1);
	put(&h, 1, 2, 3, 51 * US);
	harness_run(&h, 52 * US);
	assert_int_equal(harness_drain(&h, 1), 1);
	assert_int_equal(node_queued(h.node), 4);
	harness_check(&h);
	harness_close(&h);
}

// 802.3x: every queue of the port is watched, and the flush takes them all.
static void
test_link_pause(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;

	(void)state;
	harness_profile(t)->watchdog.flush = true;
	harness_profile(t)->link_pause = true;
	harness_open(&h, t);
	put_link_pause(&h, 1, 65535, 3 * US);
	put(&h, 0, 1, 0, 4 * US);
	put(&h, 0, 1, 3, 4 * US);
	put(&h, 0, 1, 6, 4 * US);
	harness_run(&h, 40 * US);
	assert_int_equal(node_queued(h.node), 3);
	harness_run(&h, 41 * US);
	assert_int_equal(node_queued(h.node), 0);
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		assert_int_equal(watched(&h, 1, tc)->storms, 1);
		assert_int_equal(watched(&h, 1, tc)->dropped, tc == 0 || tc == 3 || tc == 6);
	}
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drop),          cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_resumes), cmocka_unit_test(test_forward),
		cmocka_unit_test(test_alert),         cmocka_unit_test(test_ingress),
		cmocka_unit_test(test_link_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
