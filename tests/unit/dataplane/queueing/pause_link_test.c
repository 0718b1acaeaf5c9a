// SPDX-License-Identifier: BSD-3-Clause
// Received 802.3x pauses in PFC's place, from one to the other and back, and what ends all of them.
#include "pauses.h"

#include "dataplane/queueing/pause.h"
#include "dataplane/node/adopt.h"
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

// New tables that no longer obey a priority let its queue go.
static void
test_tables_change(void **state)
{
	struct tables *old = harness_tables(2), *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_open(&h, old);
	put_pfc(&h, 1, 1 << 3, 65535, 1000);
	put(&h, 0, 1, 3, 2000);
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

// 802.3x in PFC's place: a pause holds every queue, the strict one too, until quanta
// later, or as a new frame says; PFC is counted and changes nothing.
static void
test_link_pause(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	const struct port *p;

	(void)state;
	harness_profile(t)->link_pause = true;
	harness_open(&h, t);
	p = &h.node->ports[1];
	put_link_pause(&h, 1, 100, 1000);
	put(&h, 0, 1, 6, 2000);
	put(&h, 0, 1, 3, 2000);
	put(&h, 0, 1, 0, 2000);
	put_pfc(&h, 1, 0xff, 65535, 3000);
	put_link_pause(&h, 1, 50, 101000); // until 101000 + 50 quanta instead of 1000 + 100 quanta
	harness_run(&h, 101000 + 50 * QUANTUM);
	assert_null(harness_take(&h, 1, NULL));
	assert_int_equal(h.node->held[1], 0xff);
	harness_run(&h, PS_PER_US);
	for (unsigned int i = 0; i < 3; i++)
		expect_started(&h, 1, 101000 + 50 * QUANTUM + i * harness_slot(300));
	expect_clock(&p->rx_pause[PAUSE_LINK], 1, 100000 + 50 * QUANTUM, 1000,
		     101000 + 50 * QUANTUM);
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		assert_int_equal(p->pfc_rx[i], 1);
		assert_int_equal(p->rx_pause[i].transitions, 0);
		assert_int_equal(p->queue_cold[i].held.total, 100000 + 50 * QUANTUM);
	}
	assert_int_equal(p->pause_rx, 2);

	put_link_pause(&h, 1, 65535, PS_PER_US);
	put(&h, 0, 1, 3, PS_PER_US + 2000);
	put_link_pause(&h, 1, 0, PS_PER_US + 9000);
	harness_run(&h, 2 * PS_PER_US);
	expect_started(&h, 1, PS_PER_US + 9000);
	assert_int_equal(p->control_rx, 5);
	harness_check(&h);
	harness_close(&h);
}

// From PFC to 802.3x and back while the far side, which changes too, has yet to say anything in the
// new way: what was held stays held, until the first pause would have run out.
static void
test_mode_change(void **state)
{
	struct tables *old = harness_tables(2), *t = harness_tables(2);
	struct harness h;
	const struct port *p;
	const ps_t end = 1000 + 1000 * QUANTUM;

	(void)state;
	harness_profile(t)->link_pause = true;
	harness_open(&h, old);
	p = &h.node->ports[1];
	put_pfc(&h, 1, 1 << 3, 1000, 1000);
	harness_run(&h, PS_PER_US);
	node_set_tables(h.node, t);
	put(&h, 0, 1, 3, PS_PER_US + 1000);
	harness_run(&h, 2 * PS_PER_US);
	tables_destroy(old);
	h.tables = t;
	expect_clock(&p->rx_pause[3], 1, PS_PER_US - 1000, 1000, PS_PER_US);
	assert_int_equal(p->rx_pause[PAUSE_LINK].since, PS_PER_US);
	assert_int_equal(p->paused, 0xff);
	assert_int_equal(p->queue_cold[3].held.since, 1000);
	assert_int_equal(p->queue_cold[0].held.since, PS_PER_US);

	node_set_tables(h.node, harness_tables(2));
	harness_run(&h, end);
	assert_int_equal(p->paused, 1 << 3);
	assert_null(harness_take(&h, 1, NULL));
	harness_run(&h, end + PS_PER_US);
	expect_started(&h, 1, end);
	expect_clock(&p->rx_pause[PAUSE_LINK], 1, PS_PER_US, PS_PER_US, 2 * PS_PER_US);
	expect_clock(&p->rx_pause[3], 2, end - 1000 - PS_PER_US, 2 * PS_PER_US, end);
	expect_clock(&p->queue_cold[3].held, 1, end - 1000, 1000, end);
	tables_destroy(t);
	h.tables = (struct tables *)(uintptr_t)h.node->current;
	harness_check(&h);
	harness_close(&h);
}

// A link that goes down takes its pauses along; what is "received" while it is down is not.
static void
test_link_down(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[1];
	put_pfc(&h, 1, 1 << 3, 65535, 1000);
	harness_run(&h, 50000);
	node_set_link(h.node, p, false, h.now);
	expect_clock(&p->rx_pause[3], 1, 49000, 1000, 50000);
	expect_clock(&p->queue_cold[3].held, 1, 49000, 1000, 50000);
	pause_receive(h.node, p, 1 << 3, all, h.now);
	node_set_link(h.node, p, true, h.now);
	assert_int_equal(h.node->held[1], 0);
	assert_int_equal(p->pfc_rx[3], 1);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_change),
		cmocka_unit_test(test_link_pause),
		cmocka_unit_test(test_mode_change),
		cmocka_unit_test(test_link_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
