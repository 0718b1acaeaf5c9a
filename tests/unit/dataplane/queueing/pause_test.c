// SPDX-License-Identifier: BSD-3-Clause
// Received PFC: which queue it holds, and to the picosecond until when.
#include "pauses.h"

#include "dataplane/queueing/pause.h"
#include "dataplane/node/ports.h"

static const uint16_t all[PRIORITIES] = {65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};

static void
expect_clock(const struct pause_clock *c, uint64_t transitions, ps_t total, ps_t start, ps_t end)
{
	assert_int_equal(c->transitions, transitions);
	assert_int_equal(c->total, total);
	assert_int_equal(c->last_start, start);
	assert_int_equal(c->last_end, end);
	assert_int_equal(c->since, PS_NEVER);
}

// 65535 quanta at 25 Gb/s are 65535 x 20.48 ns = 1,342,156,800 ps. Others go on; the held one goes
// when the pause ends.
static void
test_length(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	ps_t left;
	struct rte_mbuf *m;

	(void)state;
	harness_set_rate(harness_profile(t), UINT64_C(25000000000));
	harness_open(&h, t);
	put_pfc(&h, 1, 1 << 3, 65535, 1000);
	put(&h, 0, 1, 3, 1001);
	put(&h, 0, 1, 0, 1001);
	harness_run(&h, 1001 + UINT64_C(1342156800));
	m = harness_take(&h, 1, &left);
	assert_int_equal(left, 1001 + 312 * 320);
	assert_int_equal(packet_meta(m)->tc, 0);
	packet_free(h.pool, m);
	m = harness_take(&h, 1, &left);
	assert_non_null(m);
	assert_int_equal(left, 1000 + UINT64_C(1342156800) + 312 * 320);
	packet_free(h.pool, m);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 1342156800);
	assert_int_equal(h.node->ports[1].rx_pause[3].since, PS_NEVER);
	harness_check(&h);
	harness_close(&h);
}

// A new frame replaces the timer, longer or shorter; quanta 0 resumes at once. Paused time is the
// union.
static void
test_replaced(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	put(&h, 0, 1, 3, 2000);
	put_pfc(&h, 1, 1 << 3, 100, 1000);
	put_pfc(&h, 1, 1 << 3, 10, 11000); // until 11000 + 10 quanta instead of 1000 + 100 quanta
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 11000 + 10 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 10000 + 10 * QUANTUM);

	put(&h, 0, 1, 3, PS_PER_US + 2000);
	put_pfc(&h, 1, 1 << 3, 10, PS_PER_US);
	put_pfc(&h, 1, 1 << 3, 100, PS_PER_US + 5000);
	put_pfc(&h, 1, 1 << 3, 0, PS_PER_US + 400000);
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, PS_PER_US + 400000);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 10000 + 10 * QUANTUM + 400000);
	assert_int_equal(h.node->ports[1].pfc_rx[3], 5);
	harness_check(&h);
	harness_close(&h);
}

// A pause takes effect between packets: what has started is finished.
static void
test_between_packets(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	put(&h, 0, 1, 3, 1000);
	put(&h, 0, 1, 3, 1000);
	put_pfc(&h, 1, 1 << 3, 100, 1001);
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 1000);
	expect_started(&h, 1, 1001 + 100 * QUANTUM);
	harness_close(&h);
}

// Checks 9 and 10: an empty enable vector, priorities that are not obeyed and 802.3x pause change
// nothing; each set bit is counted once.
static void
test_ignored(void **state)
{
	struct harness h;
	const struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[1];
	harness_put(&h, 1, harness_pfc(&h, 0, all), 500);
	put_pfc(&h, 1, 0xf7, 65535, 600);
	put_link_pause(&h, 1, 65535, 700);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		put(&h, 0, 1, i, 1000 + i * harness_slot(300));
	harness_run(&h, PS_PER_US);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		expect_started(&h, 1, 1000 + i * harness_slot(300));
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		assert_int_equal(p->pfc_rx[i], i == 3 ? 0 : 1);
		assert_int_equal(pause_clock_total(&p->rx_pause[i], h.now), 0);
	}
	assert_int_equal(p->pause_rx, 1);
	assert_int_equal(p->control_rx, 3);
	assert_int_equal(p->rx_packets, 3);
	harness_check(&h);
	harness_close(&h);
}

// Priorities 3 and 4 share queue 3: it is held until neither is paused.
static void
test_two_priorities_of_a_queue(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	t->priority_to_tc[4] = 3;
	t->tc_priorities[3] = 1 << 3 | 1 << 4;
	t->tc_priorities[4] = 0;
	harness_profile(t)->obeyed = 1 << 3 | 1 << 4;
	harness_open(&h, t);
	put_pfc(&h, 1, 1 << 3, 50, 1000);
	put_pfc(&h, 1, 1 << 4, 20, 1000);
	put(&h, 0, 1, 4, 2000);
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 1000 + 50 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 50 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[4].total, 20 * QUANTUM);

	put_pfc(&h, 1, 1 << 3 | 1 << 4, 100, PS_PER_US);
	put(&h, 0, 1, 3, PS_PER_US + 2000);
	put_pfc(&h, 1, 1 << 3, 0, PS_PER_US + 3000); // 4 still holds it
	put_pfc(&h, 1, 1 << 4, 0, PS_PER_US + 9000);
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, PS_PER_US + 9000);
	harness_close(&h);
}

// A pause ends on time for the spray, and for who reads its length, even when nothing waits to be
// sent.
static void
test_expiry_without_traffic(void **state)
{
	struct harness h;
	const struct port *p;

	(void)state;
	harness_open(&h, harness_tables(3));
	p = &h.node->ports[1];
	put_pfc(&h, 1, 1 << 3, 100, 1000);
	harness_run(&h, 1000 + 100 * QUANTUM);
	assert_int_equal(h.node->held[1], 1 << 3);
	assert_int_equal(p->rx_pause[3].since, 1000);
	assert_int_equal(harness_run(&h, 1001 + 100 * QUANTUM), PS_NEVER);
	assert_int_equal(h.node->held[1], 0);
	assert_int_equal(p->rx_pause[3].since, PS_NEVER);
	assert_int_equal(p->rx_pause[3].total, 100 * QUANTUM);
	assert_int_equal(p->next_send, PS_NEVER);
	harness_close(&h);
}

// Another queue's packet that starts while one is paused does not forget the paused one, nor a
// frozen port.
static void
test_no_lost_wake_up(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	put_pfc(&h, 1, 1 << 3, 100, 1000); // until 513,000
	put(&h, 0, 1, 3, 2000);
	put(&h, 0, 1, 0, 500000); // busy beyond the end of the pause, until 525,920
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 500000);
	expect_started(&h, 1, 500000 + harness_slot(300));

	node_set_tx_off(h.node, &h.node->ports[1], 0xff, h.now);
	put_pfc(&h, 1, 1 << 3, 100, PS_PER_US);
	put(&h, 0, 1, 3, PS_PER_US + 1000);
	harness_run(&h, 3 * PS_PER_US);
	assert_null(harness_take(&h, 1, NULL));
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 4 * PS_PER_US);
	expect_started(&h, 1, 3 * PS_PER_US);
	assert_int_equal(h.node->held[1], 0);
	harness_check(&h);
	harness_close(&h);
}

// Asymmetric: all priorities are obeyed, the lossy ones too.
static void
test_asymmetric(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->obeyed = 0xff;
	harness_open(&h, t);
	put_pfc(&h, 1, 1 << 0 | 1 << 6, 100, 1000);
	put(&h, 0, 1, 0, 2000);
	put(&h, 0, 1, 3, 2000);
	put(&h, 0, 1, 6, 2000);
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, 2000);
	expect_started(&h, 1, 1000 + 100 * QUANTUM);
	expect_started(&h, 1, 1000 + 100 * QUANTUM + harness_slot(300));
	harness_check(&h);
	harness_close(&h);
}

// What is counted of pauses ends when they do, also where it is noticed later: here behind a packet
// of 9000 bytes, that keeps the transmitter busy, and by the next frame.
static void
test_history(void **state)
{
	struct harness h;
	struct port *p;
	ps_t busy = harness_slot(9000); // 721,920

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[1];
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .bytes = 9000}), 1000);
	put_pfc(&h, 1, 1 << 3, 10, 2000); // until 53,200
	harness_run(&h, 1000 + busy);
	pause_expire(h.node, p, h.now);
	expect_clock(&p->rx_pause[3], 1, 10 * QUANTUM, 2000, 2000 + 10 * QUANTUM);
	expect_clock(&p->queue_cold[3].held, 1, 10 * QUANTUM, 2000, 2000 + 10 * QUANTUM);

	put_pfc(&h, 1, 1 << 3, 10, PS_PER_US);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .bytes = 9000}),
		    PS_PER_US + 1);
	put_pfc(&h, 1, 1 << 3, 20, PS_PER_US + 60000);
	harness_run(&h, 2 * PS_PER_US);
	expect_clock(&p->rx_pause[3], 3, 40 * QUANTUM, PS_PER_US + 60000,
		     PS_PER_US + 60000 + 20 * QUANTUM);
	expect_clock(&p->queue_cold[3].held, 3, 40 * QUANTUM, PS_PER_US + 60000,
		     PS_PER_US + 60000 + 20 * QUANTUM);
	assert_int_equal(harness_drain(&h, 1), 2);
	harness_close(&h);
}

// A queue's hold is the union of its priorities' pauses.
static void
test_held(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	const struct port *p;

	(void)state;
	t->priority_to_tc[4] = 3;
	t->tc_priorities[3] = 1 << 3 | 1 << 4;
	t->tc_priorities[4] = 0;
	harness_profile(t)->obeyed = 1 << 3 | 1 << 4;
	harness_open(&h, t);
	p = &h.node->ports[1];
	put_pfc(&h, 1, 1 << 3, 10, 1000);           // until 52,200
	put_pfc(&h, 1, 1 << 4, 10, 40000);          // until 91,200
	put_pfc(&h, 1, 1 << 3, 10, 200000);         // until 251,200
	put_pfc(&h, 1, 1 << 3 | 1 << 4, 0, 210000); // both at once
	harness_run(&h, PS_PER_US);
	expect_clock(&p->rx_pause[3], 2, 10 * QUANTUM + 10000, 200000, 210000);
	expect_clock(&p->rx_pause[4], 1, 10 * QUANTUM, 40000, 40000 + 10 * QUANTUM);
	expect_clock(&p->queue_cold[3].held, 2, 39000 + 10 * QUANTUM + 10000, 200000, 210000);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_between_packets),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_two_priorities_of_a_queue),
		cmocka_unit_test(test_expiry_without_traffic),
		cmocka_unit_test(test_no_lost_wake_up),
		cmocka_unit_test(test_asymmetric),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
