// SPDX-License-Identifier: BSD-3-Clause
// Pauses at an edge NIC with one link (edged.h): the leaf's, which it obeys, its own for a slow
// host, and the host's. A frame of 300 bytes takes 25.92 ns of the link at 100 Gb/s, gap included.
#include "dataplane/base/headers.h"
#include "dataplane/node/ports.h"
#include "edged.h"

#include <string.h>

// The host's own has another source address.
static void
expect_pfc(struct harness *h, bool of_host, uint16_t quanta, ps_t at)
{
	uint16_t each[PRIORITIES];
	ps_t left;
	struct rte_mbuf *m = harness_take(h, LINK, &left);

	assert_non_null(m);
	assert_int_equal(left, at + harness_frame_time(60));
	if (of_host) {
		assert_memory_equal(packet_data(m) + 6, harness_host_mac, 6);
		memcpy(packet_data(m) + 6, harness_leaf_mac, 6);
	}
	assert_int_equal(harness_read_pfc(h, LINK, m, each), 1 << 3);
	assert_int_equal(each[3], quanta);
	packet_free(h->pool, m);
}

// 1,000 quanta of 5.12 ns. A priority that is not paused goes meanwhile.
static void
test_a_pause_holds_its_priority(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_pfc(&h, LINK, 1 << 3, 1000, START);
	put_many(&h, HOST, 2, 3, START + 1000);
	put_many(&h, HOST, 1, 0, START + 1000);
	harness_run(&h, START + 1000 * QUANTUM);
	expect_started(&h, LINK, START + 1000);
	assert_null(harness_take(&h, LINK, NULL));
	assert_int_equal(depth(&h, LINK, 3), 600);
	harness_run(&h, START + 20 * PS_PER_US);
	expect_started(&h, LINK, START + 1000 * QUANTUM);
	expect_started(&h, LINK, START + 1000 * QUANTUM + harness_slot(300));
	assert_int_equal(h.node->ports[LINK].control_rx, 1);
	edge_close(&h);
}

static void
test_xon_ends_it(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_pfc(&h, LINK, 1 << 3, 65535, START);
	put_many(&h, HOST, 1, 3, START + 1000);
	put_pfc(&h, LINK, 1 << 3, 0, START + PS_PER_US);
	harness_run(&h, START + 2 * PS_PER_US);
	expect_started(&h, LINK, START + PS_PER_US);
	edge_close(&h);
}

static void
test_a_pause_of_the_link_holds_all(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->link_pause = true;
	edge_open(&h, t);
	put_link_pause(&h, LINK, 1000, START);
	put_many(&h, HOST, 1, 0, START + 1000);
	put_many(&h, HOST, 1, 3, START + 1000);
	harness_run(&h, START + 20 * PS_PER_US);
	expect_started(&h, LINK, START + 1000 * QUANTUM);
	expect_started(&h, LINK, START + 1000 * QUANTUM + harness_slot(300));
	edge_close(&h);
}

// The device takes two packets and then none: the sixth that waits is beyond 1,500 bytes. The XOFF
// is sent again after half of what it lasts; XON when two wait.
static void
test_a_slow_host_pauses_its_leaf(void **state)
{
	struct harness h;
	ps_t refresh;

	(void)state;
	edge_open(&h, harness_tables(2));
	refresh = time_of_bytes(harness_profile(h.tables)->quantum_time, 65535) / 2;
	h.out[HOST]->limit = 2;
	for (unsigned int i = 0; i < 8; i++)
		put(&h, LINK, 0, 3, START + i * harness_slot(300));
	harness_run(&h, START + PS_PER_US);
	assert_int_equal(depth(&h, HOST, 3), 1800);
	expect_pfc(&h, false, 65535, START + 7 * harness_slot(300));
	harness_run(&h, START + refresh + PS_PER_US);
	expect_pfc(&h, false, 65535, START + 7 * harness_slot(300) + refresh);
	for (unsigned int taken = 2; taken <= 4; taken += 2) {
		assert_null(harness_take(&h, LINK, NULL));
		assert_int_equal(harness_drain(&h, HOST), 2);
		harness_run(&h, h.now + 2 * PS_PER_US);
	}
	assert_int_equal(depth(&h, HOST, 3), 600);
	assert_int_equal(h.node->ports[LINK].pfc_tx[3], 3);
	assert_int_equal(harness_drain(&h, LINK), 1);
	assert_int_equal(h.node->ports[LINK].tx_pause[3].since, PS_NEVER);
	edge_close(&h);
}

static void
test_a_slow_host_loses_lossy_packets_only(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	h.out[HOST]->limit = 0;
	put_many(&h, LINK, 12, 0, START);
	put_many(&h, LINK, 10, 3, START);
	harness_run(&h, START + PS_PER_US);
	assert_int_equal(harness_drops(&h, LINK, DROP_RECEIVE_BUFFER), 2);
	assert_int_equal(depth(&h, HOST, 0), LIMIT);
	assert_int_equal(depth(&h, HOST, 3), LIMIT);
	assert_int_equal(h.node->ports[LINK].pfc_tx[0], 0);
	assert_int_equal(h.node->ports[LINK].pfc_tx[3], 1);
	assert_int_equal(harness_drain(&h, LINK), 1);
	edge_close(&h);
}

// It goes ahead of what waits; of more than the link carries, some are dropped.
static void
test_a_hosts_own_pause_goes_to_the_leaf(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_many(&h, HOST, 2, 0, START);
	put_pfc(&h, HOST, 1 << 3, 77, START);
	harness_run(&h, START + PS_PER_US);
	expect_started(&h, LINK, START);
	expect_pfc(&h, true, 77, START + harness_slot(300));
	expect_started(&h, LINK, START + harness_slot(300) + harness_slot(60));
	assert_int_equal(h.node->ports[HOST].control_rx, 1);
	for (unsigned int i = 0; i < 20; i++)
		put_pfc(&h, HOST, 1 << 3, 77, START + PS_PER_US);
	harness_run(&h, START + 3 * PS_PER_US);
	assert_int_equal(harness_drain(&h, LINK), 1 + 16);
	assert_int_equal(harness_drops(&h, HOST, DROP_HOST_BUFFER), 3);
	edge_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pause_holds_its_priority),
		cmocka_unit_test(test_xon_ends_it),
		cmocka_unit_test(test_a_pause_of_the_link_holds_all),
		cmocka_unit_test(test_a_slow_host_pauses_its_leaf),
		cmocka_unit_test(test_a_slow_host_loses_lossy_packets_only),
		cmocka_unit_test(test_a_hosts_own_pause_goes_to_the_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
