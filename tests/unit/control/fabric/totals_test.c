// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/fabric/result.h"

static void
test_sums(void **state)
{
	struct fixture *f = *state;
	struct report_totals totals;

	f->leaf->ports[0].tx_packets = 10;
	f->leaf->ports[3].tx_packets = 20;
	f->nic->ports[0].tx_packets = 5;
	f->leaf->ports[0].drops[DROP_HEADROOM] = 2;
	f->leaf->ports[1].drops[DROP_NO_ROUTE] = 3;
	f->nic->ports[0].drops[DROP_NOT_FOR_HOST] = 1;
	f->leaf->ports[0].pfc_tx[3] = 4;
	f->leaf->ports[1].pfc_tx[4] = 1;
	f->leaf->ports[2].queues[3].ecn_marked = 7;
	f->leaf->ports[2].queue_cold[1].trimmed = 6;
	report_totals_compute(f->nodes, 2, &totals);
	assert_int_equal(totals.packets, 5);
	assert_int_equal(totals.packet_hops, 35);
	assert_int_equal(totals.drops, 6);
	assert_int_equal(totals.by_reason[DROP_HEADROOM], 2);
	assert_int_equal(totals.by_reason[DROP_NO_ROUTE], 3);
	assert_int_equal(totals.pfc_tx, 5);
	assert_int_equal(totals.ecn_marked, 7);
	assert_int_equal(totals.trimmed, 6);
}

// Only what a lossless group or queue refused is lossless.
static void
test_lossless_drops(void **state)
{
	struct fixture *f = *state;
	struct report_totals totals;

	f->leaf->ports[0].groups[3].dropped = 2;
	f->leaf->ports[0].groups[0].dropped = 100;
	f->leaf->ports[1].queues[3].dropped = 3;
	f->leaf->ports[1].queues[0].dropped = 100;
	report_totals_compute(f->nodes, 2, &totals);
	assert_int_equal(totals.drops_lossless, 5);
}

// Two uplinks of 300 and 100 bytes: (300 - 100) / 200. What goes to hosts does not count.
static void
test_uplink_imbalance(void **state)
{
	struct fixture *f = *state;

	assert_true(report_leaf_imbalance(&f->nodes[0]) == -1);
	f->leaf->ports[0].tx_bytes = 12345;
	assert_true(report_leaf_imbalance(&f->nodes[0]) == -1);
	f->leaf->ports[2].tx_bytes = 300;
	f->leaf->ports[3].tx_bytes = 100;
	assert_true(report_leaf_imbalance(&f->nodes[0]) == 1.0);
	f->leaf->ports[3].tx_bytes = 300;
	assert_true(report_leaf_imbalance(&f->nodes[0]) == 0);
	assert_true(report_leaf_imbalance(&f->nodes[1]) == -1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {T(test_sums), T(test_lossless_drops),
					   T(test_uplink_imbalance)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
