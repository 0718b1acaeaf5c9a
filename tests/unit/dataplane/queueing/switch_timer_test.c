// SPDX-License-Identifier: BSD-3-Clause
// What a switch does at an instant that is neither an arrival nor a departure, in which order, and
// when it is next.
#include "tests/unit/dataplane/harness.h"

#include "dataplane/queueing/switch_timer.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>

#define US PS_PER_US

static struct tables *
with_histogram(struct tables *t, ps_t sample)
{
	t->histograms = calloc(1, sizeof(*t->histograms));
	assert_non_null(t->histograms);
	t->histograms[0] = (struct histogram_profile){.kind = HISTOGRAM_QUEUE,
						      .port = 1,
						      .index = 3,
						      .bins = 3,
						      .min = 1,
						      .width = 1000,
						      .sample = sample};
	t->histogram_count = 1;
	return t;
}

static void
test_nothing_to_do(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	assert_int_equal(h.node->timer_at, PS_NEVER);
	assert_int_equal(switch_timer(h.node, 5 * US), PS_NEVER);
	harness_close(&h);
}

// The first of the three that is due is next.
static void
test_next(void **state)
{
	struct tables *t = with_histogram(harness_tables(2), 10 * US);
	struct harness h;

	(void)state;
	t->watchdog_poll = 7 * US;
	harness_profile(t)->watchdog =
		(struct watchdog_profile){.on = true, .detect = 700 * US, .restore = 700 * US};
	harness_open(&h, t);
	assert_int_equal(switch_timer(h.node, 0), 7 * US);
	assert_int_equal(switch_timer(h.node, 7 * US), 10 * US);
	assert_int_equal(switch_timer(h.node, 10 * US), 14 * US);
	h.node->ports[0].groups[3].xoff = true;
	h.node->ports[0].groups[3].usage.own = 1;
	h.node->ports[0].refresh_at[3] = h.node->pfc_due = 15 * US;
	assert_int_equal(switch_timer(h.node, 14 * US), 15 * US);
	h.node->until = 16 * US;
	assert_int_equal(switch_timer(h.node, 15 * US), 20 * US);
	assert_int_equal(h.node->ports[0].refresh_at[3], 15 * US + harness_profile(t)->refresh);
	h.node->ports[0].groups[3].usage.own = 0;
	harness_close(&h);
}

// At 40 us all three are due: the sample sees the queue that the watchdog then empties, and that
// sends the XON in the place of a refresh.
static void
test_order(void **state)
{
	static const uint16_t quanta[PRIORITIES] = {[3] = 65535};
	struct tables *t = with_histogram(harness_tables(2), 40 * US);
	struct port_profile *p = harness_profile(t);
	uint16_t told[PRIORITIES];
	struct harness h;

	(void)state;
	t->watchdog_poll = 10 * US;
	p->watchdog = (struct watchdog_profile){.on = true,
						.detect = 30 * US,
						.restore = 20 * US,
						.action = WATCHDOG_DROP,
						.flush = true};
	p->pg[3].threshold = (struct threshold){.down = 63};
	p->refresh = 35 * US;
	harness_open(&h, t);
	harness_put(&h, 1, harness_pfc(&h, 1 << 3, quanta), 3 * US);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .dscp = 24}), 5 * US);
	harness_run(&h, 41 * US);
	assert_int_equal(h.node->histograms[0][0], 1); // at 0
	assert_int_equal(h.node->histograms[0][1], 1);
	assert_int_equal(node_queued(h.node), 0);
	for (unsigned int i = 0; i < 2; i++) {
		ps_t left = 0;
		struct rte_mbuf *m = harness_take(&h, 0, &left);

		assert_int_equal(harness_read_pfc(&h, 0, m, told), 1 << 3);
		assert_int_equal(told[3], i == 0 ? 65535 : 0);
		assert_int_equal(left, (i == 0 ? 5 : 40) * US + harness_frame_time(60));
		packet_free(h.pool, m);
	}
	assert_null(harness_take(&h, 0, NULL));
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
