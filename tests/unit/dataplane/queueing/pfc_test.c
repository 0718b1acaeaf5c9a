// SPDX-License-Identifier: BSD-3-Clause
// XOFF and XON by PFC: when they go, what they say, and what they wait for.
#include "pfc_frames.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

// One frame when own space runs out, at that very instant; the next half of its
// quanta later, then every half; none for packets that fit.
static void
test_xoff_and_refresh(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(600));
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, 300, 2000);
	harness_run(&h, 2500);
	expect_nothing(&h, 1);
	put(&h, 1, FROZEN, 3, 300, 3000);
	put(&h, 1, FROZEN, 3, 300, 4000);
	harness_run(&h, REFRESH + 3000);
	expect_pfc(&h, 1, 3000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	harness_run(&h, 3 * REFRESH + 3001);
	for (unsigned int i = 1; i <= 3; i++)
		expect_pfc(&h, 1, 3000 + i * REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->ports[1].pfc_tx[3], 4);
	assert_int_equal(h.node->ports[1].groups[3].xoff_sent, 4);
	assert_int_equal(h.node->ports[1].control_tx, 4);
	assert_int_equal(h.node->ports[1].tx_packets, 4);
	assert_int_equal(pause_clock_total(&h.node->ports[1].tx_pause[3], h.now), 3 * REFRESH + 1);
	harness_check(&h);
	harness_close(&h);
}

// Own space of 600 + `rest` cells, full, and a packet of 300 in headroom; then two packets of 300
// go: the first gives back headroom, the second leaves 300 + `rest`.
static void
expect_xon_after_two(uint32_t rest, bool due)
{
	struct tables *t = pfc_tables(600 + rest);
	struct port *frozen;
	struct harness h;
	ps_t start;

	harness_profile(t)->pg[3].xon = 600;
	open_frozen(&h, t);
	frozen = &h.node->ports[FROZEN];
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, rest, 1000);
	put(&h, 1, FROZEN, 3, 300, 2000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 2000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, frozen, 0, start);
	harness_run(&h, start + harness_slot(300) + 1); // the second has just begun
	node_set_tx_off(h.node, frozen, 0xff, h.now);
	assert_int_equal(h.node->ports[1].groups[3].headroom, 0);
	assert_int_equal(h.node->ports[1].groups[3].usage.own, 300 + rest);
	start += harness_slot(300);
	harness_run(&h, 2 * REFRESH);
	if (!due) {
		expect_pfc(&h, 1, 2000 + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
		expect_nothing(&h, 1);
		start = h.now;
		node_set_tx_off(h.node, frozen, 0, start);
		harness_run(&h, start + 1);
	}
	expect_pfc(&h, 1, start + PFC_TIME, 1 << 3, 0, 0);
	harness_run(&h, 20 * REFRESH);
	expect_nothing(&h, 1); // one XON, and nothing is refreshed any more
	assert_int_equal(pause_clock_total(&h.node->ports[1].tx_pause[3], h.now), start - 2000);
	harness_check(&h);
	harness_close(&h);
}

// With `xon-offset: none`, xon 600: at 601 cells it is still XOFF, and refreshed; at 600 it is XON.
static void
test_xon(void **state)
{
	(void)state;
	expect_xon_after_two(301, false);
	expect_xon_after_two(300, true);
}

// XON by offset from a dynamic limit: 10,000 cells, alpha 1, offset 2,000. With u used the limit is
// 10,000 - u; XON when u <= 8,000 - u, u = 4,000.
static void
test_xon_offset(void **state)
{
	struct tables *t = pfc_tables(0);
	struct port_profile *p = harness_profile(t);
	struct harness h;
	ps_t start;

	(void)state;
	t->pools[POOL_INGRESS_LOSSLESS] = (struct pool_profile){.size = 10000, .shared = 10000};
	p->pg[3].threshold = (struct threshold){.pool = POOL_INGRESS_LOSSLESS};
	p->pg[3].xon_offset = 2000;
	p->pg[3].xon_by_offset = true;
	open_frozen(&h, t);
	for (unsigned int i = 0; i < 11; i++)
		put(&h, 1, FROZEN, 3, 500, 1000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(h.node->ports[1].groups[3].usage.own, 5000); // the eleventh in headroom
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, start);
	harness_run(&h, start + 2 * harness_slot(500)); // two gone: headroom empty, own 4500
	expect_nothing(&h, 1);
	harness_run(&h, start + 2 * harness_slot(500) + 1); // the third begins: own 4000
	expect_pfc(&h, 1, start + 2 * harness_slot(500) + PFC_TIME, 1 << 3, 0, 0);
	harness_close(&h);
}

// The same pool and offset. Port 2 holds 4,000 cells for port 3; port 1, whose packets wait for
// another port, 3,000 and 500 in headroom. 3,500 + 2,000 <= 10,000 - (3,500 + rest) when port 2 has
// 1,000 left.
static void
test_xon_when_others_leave(void **state)
{
	struct tables *t = pfc_tables(0);
	struct port_profile *p = harness_profile(t);
	const struct priority_group *g;
	struct harness h;
	ps_t start;

	(void)state;
	t->pools[POOL_INGRESS_LOSSLESS] = (struct pool_profile){.size = 10000, .shared = 10000};
	p->pg[3].threshold = (struct threshold){.pool = POOL_INGRESS_LOSSLESS};
	p->pg[3].xon_offset = 2000;
	p->pg[3].xon_by_offset = true;
	open_frozen(&h, t);
	g = &h.node->ports[1].groups[3];
	node_set_tx_off(h.node, &h.node->ports[3], 0xff, h.now);
	for (unsigned int i = 0; i < 8; i++)
		put(&h, 2, 3, 3, 500, 1000);
	for (unsigned int i = 0; i < 7; i++)
		put(&h, 1, FROZEN, 3, 500, 2000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(g->usage.own, 3000);
	assert_int_equal(g->headroom, 500);
	expect_pfc(&h, 1, 2000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[3], 0, start);
	harness_run(&h, start + 5 * harness_slot(500)); // five have left: 1,500
	expect_nothing(&h, 1);
	harness_run(&h, start + 5 * harness_slot(500) + 1);
	expect_pfc(&h, 1, start + 5 * harness_slot(500) + PFC_TIME, 1 << 3, 0, 0);
	assert_int_equal(g->usage.own, 3500);
	assert_int_equal(g->headroom, 0);
	assert_int_equal(g->shared_max, 3500);
	harness_check(&h);
	harness_run(&h, start + 3 * REFRESH);
	expect_nothing(&h, 1);
	harness_close(&h);
}

// What changes at one instant goes in one frame; what does not, is not in it. Groups refresh apart.
static void
test_joins(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	put(&h, 2, FROZEN, 3, 300, 1000);
	put(&h, 2, FROZEN, 4, 300, 2000);
	harness_run(&h, 2 * REFRESH);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	expect_pfc(&h, 1, 1000 + REFRESH + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	// On port 2 the transmitter is busy with the first until 1000 + 84 byte times.
	expect_pfc(&h, 2, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 2, 1000 + PFC_SLOT + PFC_TIME, 1 << 4, 0, 65535);
	expect_pfc(&h, 2, 1000 + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 2, 1000 + REFRESH + PFC_SLOT + PFC_TIME, 1 << 4, 0, 65535);
	expect_nothing(&h, 1);
	expect_nothing(&h, 2);
	harness_check(&h);
	harness_close(&h);
}

// A frame that waits for the transmitter is joined as well; it goes ahead of all queues, the strict
// one too, whether the port's queues are frozen or paused or not.
static void
test_waits_ahead_of_queues(void **state)
{
	struct harness h;
	ps_t busy = 1000 + harness_slot(9000), left;
	struct rte_mbuf *m;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 2, 1, 0, 9000, 1000);
	put(&h, 2, 1, 6, 300, 1001);
	put(&h, 1, FROZEN, 3, 300, 5000);
	put(&h, 1, FROZEN, 4, 300, 5000);
	harness_run(&h, 2 * PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, NULL));
	expect_pfc(&h, 1, busy + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	m = harness_take(&h, 1, &left);
	assert_int_equal(left, busy + PFC_SLOT + harness_frame_time(300));
	packet_free(h.pool, m);
	expect_nothing(&h, 1);

	node_set_tx_off(h.node, &h.node->ports[3], 0xff, h.now);
	put(&h, 3, FROZEN, 3, 300, h.now);
	harness_run(&h, h.now + PS_PER_US);
	expect_pfc(&h, 3, 2 * PS_PER_US + PFC_TIME, 1 << 3, 65535, 0);
	harness_check(&h);
	harness_close(&h);
}

// An XOFF taken back within its instant never goes: the frame says XON, and counts once. Port 1's
// packet for the frozen port causes XOFF as it arrives, among the arrivals; the departure of the
// one before, at the same instant, empties headroom and causes XON.
static void
test_xoff_and_xon_at_one_instant(void **state)
{
	struct tables *t = pfc_tables(300);
	struct harness h;
	const struct port *p;

	(void)state;
	harness_profile(t)->pg[3].xon = 300;
	harness_open(&h, t);
	p = &h.node->ports[1];
	put(&h, 2, FROZEN, 3, 300, 1000); // keeps the way out busy until 1000 + slot
	put(&h, 1, FROZEN, 3, 300, 2000); // own 300
	put(&h, 1, FROZEN, 3, 300, 1000 + harness_slot(300));
	harness_run(&h, 10 * PS_PER_US);
	expect_pfc(&h, 1, 1000 + harness_slot(300) + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	assert_int_equal(p->pfc_tx[3], 1);
	assert_int_equal(p->groups[3].xoff_sent, 0);
	assert_false(p->groups[3].xoff);
	assert_int_equal(pause_clock_total(&p->tx_pause[3], h.now), 0);
	harness_check(&h);
	harness_close(&h);
}

// A departure at one port causes XON at another, at that instant, ahead of what that port is about
// to send, and even when its queues are frozen.
static void
test_xon_starts_at_once(void **state)
{
	struct harness h;
	ps_t start, left;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, start);
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, start);
	put(&h, 2, 1, 0, 500, start);
	harness_run(&h, start + 1); // XON at once, although port 1 is frozen
	expect_pfc(&h, 1, start + PFC_TIME, 1 << 3, 0, 0);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, h.now + PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, &left));
	assert_int_equal(left, start + PFC_SLOT + harness_frame_time(500));
	harness_close(&h);
}

// XOFF for a packet that then is dropped, of a group that holds nothing: there is no release to
// send XON at, so it goes when the XOFF would be sent again.
static void
test_xoff_of_an_empty_group(void **state)
{
	struct tables *t = pfc_tables(0);
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].headroom = 200;
	open_frozen(&h, t);
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, 4 * REFRESH);
	assert_int_equal(harness_drops(&h, 1, DROP_HEADROOM), 1);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 1, 1000 + REFRESH + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	harness_close(&h);
}

// New tables that give a group more room, or take PFC from it, send its XON when they are taken
// over; a link that comes up is told of the XOFFs in force.
static void
test_changes(void **state)
{
	struct tables *old = pfc_tables(0), *t;
	struct harness h;

	(void)state;
	open_frozen(&h, old);
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	node_set_link(h.node, &h.node->ports[1], false, h.now);
	node_set_link(h.node, &h.node->ports[1], true, h.now);
	harness_run(&h, 2 * PS_PER_US);
	expect_pfc(&h, 1, PS_PER_US + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	// Group 4 loses PFC; group 3 still has headroom in use.
	t = pfc_tables(1000);
	harness_profile(t)->pg[4].pfc_priorities = 0;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 3 * PS_PER_US);
	tables_destroy(old);
	expect_pfc(&h, 1, 2 * PS_PER_US + PFC_TIME, 1 << 4, 0, 0);
	harness_run(&h, PS_PER_US + REFRESH + 1);
	expect_pfc(&h, 1, PS_PER_US + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	harness_close(&h);
}

// While the far side takes nothing at all, one frame waits and says the latest.
static void
test_stuck_wire(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	h.out[1]->limit = 0;
	harness_run(&h, 100 * REFRESH);
	assert_int_equal(h.pool->count, packet_pool_size(h.pool) - 2);
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, h.now);
	harness_run(&h, h.now + PS_PER_US);
	h.out[1]->limit = UINT32_MAX;
	harness_run(&h, h.now + PS_PER_US);
	expect_pfc(&h, 1, 100 * REFRESH + PS_PER_US + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->ports[1].pfc_tx[3], 1);
	harness_check(&h);
	harness_close(&h);
}

// A priority that joins a group that is XOFF is paused at once, also when it comes from another
// one.
static void
test_priorities_move(void **state)
{
	struct tables *old = pfc_tables(0), *t = pfc_tables(0);
	struct harness h;

	(void)state;
	open_frozen(&h, old);
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	harness_profile(t)->pg[3].pfc_priorities = 1 << 3 | 1 << 4;
	harness_profile(t)->pg[4].pfc_priorities = 0;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 2 * PS_PER_US);
	expect_pfc(&h, 1, PS_PER_US + PFC_TIME, 1 << 4, 0, 65535);
	tables_destroy(old);

	// Both are XOFF, and 4 goes back to group 4 while 3 goes there as well.
	put(&h, 1, FROZEN, 4, 300, 2 * PS_PER_US);
	harness_run(&h, 3 * PS_PER_US);
	old = t;
	t = pfc_tables(0);
	harness_profile(t)->pg[3].pfc_priorities = 1 << 5;
	harness_profile(t)->pg[4].pfc_priorities = 1 << 3 | 1 << 4;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 4 * PS_PER_US);
	tables_destroy(old);
	{
		uint16_t quanta[PRIORITIES];
		struct rte_mbuf *m = harness_take(&h, 1, NULL);

		// Nothing told by group 3 is left, so it says all anew; group 4 is not XOFF.
		assert_int_equal(harness_read_pfc(&h, 1, m, quanta), 1 << 3 | 1 << 4 | 1 << 5);
		assert_int_equal(quanta[3], 0);
		assert_int_equal(quanta[4], 0);
		assert_int_equal(quanta[5], 65535);
		packet_free(h.pool, m);
	}
	expect_nothing(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xoff_and_refresh),
		cmocka_unit_test(test_xon),
		cmocka_unit_test(test_xon_offset),
		cmocka_unit_test(test_xon_when_others_leave),
		cmocka_unit_test(test_joins),
		cmocka_unit_test(test_waits_ahead_of_queues),
		cmocka_unit_test(test_xoff_and_xon_at_one_instant),
		cmocka_unit_test(test_xon_starts_at_once),
		cmocka_unit_test(test_xoff_of_an_empty_group),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_stuck_wire),
		cmocka_unit_test(test_priorities_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
