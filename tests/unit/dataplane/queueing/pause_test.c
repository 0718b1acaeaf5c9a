// SPDX-License-Identifier: BSD-3-Clause
// Received PFC: which queue it holds, and to the picosecond until when.
#include "../harness.h"

#include "dataplane/queueing/pause.h"

#define QUANTUM UINT64_C(5120) // 512 bit times at 100 Gb/s

static const uint16_t all[PRIORITIES] = {65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};
static const uint16_t none[PRIORITIES];

static void
put(struct harness *h, unsigned int to, unsigned int priority, ps_t at)
{
	harness_put(h, 0, harness_frame(h, &(struct frame){.to = to, .dscp = (uint8_t)(priority * 8)}), at);
}

static void
put_pfc(struct harness *h, unsigned int port, uint8_t vector, uint16_t quanta, ps_t at)
{
	uint16_t each[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++)
		each[i] = quanta;
	harness_put(h, port, harness_pfc(h, vector, each), at);
}

static void
expect_started(struct harness *h, unsigned int port, ps_t at)
{
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_int_equal(left, at + harness_frame_time(300));
	packet_free(h->pool, m);
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
	put(&h, 1, 3, 1001);
	put(&h, 1, 0, 1001);
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

// A new frame replaces the timer, longer or shorter; quanta 0 resumes at once. Paused time is the union.
static void
test_replaced(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	put(&h, 1, 3, 2000);
	put_pfc(&h, 1, 1 << 3, 100, 1000);
	put_pfc(&h, 1, 1 << 3, 10, 11000); // until 11000 + 10 quanta instead of 1000 + 100 quanta
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 11000 + 10 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 10000 + 10 * QUANTUM);

	put(&h, 1, 3, PS_PER_US + 2000);
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
	put(&h, 1, 3, 1000);
	put(&h, 1, 3, 1000);
	put_pfc(&h, 1, 1 << 3, 100, 1001);
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 1000);
	expect_started(&h, 1, 1001 + 100 * QUANTUM);
	harness_close(&h);
}

// Checks 9 and 10: an empty enable vector, priorities that are not obeyed and 802.3x pause change nothing;
// each set bit is counted once.
static void
test_ignored(void **state)
{
	struct harness h;
	struct rte_mbuf *m;
	const struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[1];
	harness_put(&h, 1, harness_pfc(&h, 0, all), 500);
	put_pfc(&h, 1, 0xf7, 65535, 600);
	m = harness_pfc(&h, 0, none);
	packet_data(m)[14] = 0x00;
	packet_data(m)[15] = 0x01; // opcode PAUSE
	packet_data(m)[16] = 0xff; // pause_time 0xffff
	packet_data(m)[17] = 0xff;
	harness_put(&h, 1, m, 700);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		put(&h, 1, i, 1000 + i * harness_slot(300));
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
	put(&h, 1, 4, 2000);
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 1000 + 50 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, 50 * QUANTUM);
	assert_int_equal(h.node->ports[1].rx_pause[4].total, 20 * QUANTUM);

	put_pfc(&h, 1, 1 << 3 | 1 << 4, 100, PS_PER_US);
	put(&h, 1, 3, PS_PER_US + 2000);
	put_pfc(&h, 1, 1 << 3, 0, PS_PER_US + 3000); // 4 still holds it
	put_pfc(&h, 1, 1 << 4, 0, PS_PER_US + 9000);
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, PS_PER_US + 9000);
	harness_close(&h);
}

// A pause ends on time for the spray, and for who reads its length, even when nothing waits to be sent.
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

// Another queue's packet that starts while one is paused does not forget the paused one, nor a frozen port.
static void
test_no_lost_wake_up(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	put_pfc(&h, 1, 1 << 3, 100, 1000); // until 513,000
	put(&h, 1, 3, 2000);
	put(&h, 1, 0, 500000); // busy beyond the end of the pause, until 525,920
	harness_run(&h, PS_PER_US);
	expect_started(&h, 1, 500000);
	expect_started(&h, 1, 500000 + harness_slot(300));

	node_set_tx_off(h.node, &h.node->ports[1], 0xff, h.now);
	put_pfc(&h, 1, 1 << 3, 100, PS_PER_US);
	put(&h, 1, 3, PS_PER_US + 1000);
	harness_run(&h, 3 * PS_PER_US);
	assert_null(harness_take(&h, 1, NULL));
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 4 * PS_PER_US);
	expect_started(&h, 1, 3 * PS_PER_US);
	assert_int_equal(h.node->held[1], 0);
	harness_check(&h);
	harness_close(&h);
}

// New tables that no longer obey a priority let its queue go.
static void
test_tables_change(void **state)
{
	struct tables *old = harness_tables(2), *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_open(&h, old);
	put_pfc(&h, 1, 1 << 3, 65535, 1000);
	put(&h, 1, 3, 2000);
	harness_run(&h, PS_PER_US);
	harness_profile(t)->obeyed = 0;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, PS_PER_US);
	assert_int_equal(h.node->ports[1].rx_pause[3].total, PS_PER_US - 1000);
	tables_destroy(old);
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
		cmocka_unit_test(test_tables_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
