// SPDX-License-Identifier: BSD-3-Clause
// RED at dequeue, to the packet and the picosecond; a queue that is emptied by hand.
#include "red.h"

#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/node/ports.h"

#include <string.h>

#define OUT 1u

static void
put(struct harness *h, unsigned int priority, uint32_t bytes, uint8_t ecn, uint16_t id)
{
	const struct frame f = {
		.to = OUT, .bytes = bytes, .dscp = (uint8_t)(priority * 8), .ecn = ecn, .id = id};

	harness_put(h, 0, harness_frame(h, &f), h->now);
}

static void
freeze(struct harness *h, bool frozen)
{
	node_set_tx_off(h->node, &h->node->ports[OUT], frozen ? 0xff : 0, h->now);
}

static void
expect(struct harness *h, uint16_t id, uint8_t ecn, ps_t began)
{
	ps_t left = 0;
	struct rte_mbuf *m = harness_take(h, OUT, &left);

	assert_non_null(m);
	assert_int_equal(packet_data(m)[19], id);
	assert_int_equal(packet_data(m)[15] & 3, ecn);
	assert_int_equal(left - harness_frame_time(packet_meta(m)->wire_bytes), began);
	packet_free(h->pool, m);
}

// Ten packets of 1000 B, not ECT but for the second and CE the third; a step at 6,000. Behind the
// k-th are 10 - k: above the step for k = 1, 2, 3. The first is dropped, and the next looked at at
// the same instant.
static void
test_red(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;

	(void)state;
	set_red(harness_profile(t), 0, 6000);
	harness_open(&h, t);
	p = &h.node->ports[OUT];
	assert_true(h.node->variant & NODE_FULL);
	freeze(&h, true);
	for (uint16_t i = 1; i <= 10; i++)
		put(&h, 0, 1000, i == 2 ? ECN_ECT0 : i == 3 ? ECN_CE : ECN_NOT_ECT, i);
	harness_run(&h, PS_PER_US);
	freeze(&h, false);
	harness_run(&h, PS_PER_US + 1);
	assert_int_equal(harness_drops(&h, 0, DROP_RED), 1);
	assert_int_equal(*node_depth(h.node, p, 0), 8000);
	assert_int_equal(p->queues[0].usage.own, 8000);
	harness_check(&h);
	harness_run(&h, 10 * PS_PER_US);
	expect(&h, 2, ECN_CE, PS_PER_US);
	for (uint16_t i = 3; i <= 10; i++)
		expect(&h, i, i == 3 ? ECN_CE : ECN_NOT_ECT,
		       PS_PER_US + (i - 2) * harness_slot(1000));
	assert_int_equal(p->queues[0].dropped, 1);
	assert_int_equal(p->queue_cold[0].red_dropped, 1);
	assert_int_equal(p->queues[0].ecn_marked, 1);
	assert_int_equal(p->queues[0].packets, 9);
	assert_int_equal(p->queues[0].bytes, 9000);
	harness_check(&h);
	harness_close(&h);
}

// The same packets, ECT or not, under the same draws: what is dropped in one run is marked in the
// other. (A drop does not change what is behind the packets that follow, only when they go.)
static void
run_ramp(uint8_t ecn, char *fate, unsigned int count)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct rte_mbuf *m;

	set_red(harness_profile(t), 0, 0);
	harness_profile(t)->tc[0].ecn.max = count * 1000;
	harness_profile(t)->tc[0].ecn.slope = (UINT64_C(1) << 56) / (count * 1000);
	harness_open(&h, t);
	freeze(&h, true);
	for (unsigned int i = 0; i < count; i++)
		put(&h, 0, 1000, ecn, (uint16_t)i);
	harness_run(&h, 1);
	freeze(&h, false);
	harness_run(&h, 100 * PS_PER_US);
	memset(fate, 'x', count);
	while ((m = harness_take(&h, OUT, NULL)) != NULL) {
		fate[packet_data(m)[19]] = (packet_data(m)[15] & 3) == ecn ? '-' : 'x';
		packet_free(h.pool, m);
	}
	harness_check(&h);
	harness_close(&h);
}

static void
test_same_draws(void **state)
{
	char marked[200], dropped[200];
	unsigned int hit = 0;

	(void)state;
	run_ramp(ECN_ECT1, marked, 200);
	run_ramp(ECN_NOT_ECT, dropped, 200);
	assert_memory_equal(marked, dropped, 200);
	for (unsigned int i = 0; i < 200; i++)
		hit += marked[i] == 'x';
	assert_in_range(hit, 60, 140);
	assert_int_equal(marked[199], '-'); // nothing is behind it
}

// A queue of which RED leaves nothing: the port is idle again, and what comes then starts at once.
// A packet at an idle port meets no RED, whatever the thresholds.
static void
test_red_to_the_last(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;

	(void)state;
	set_red(harness_profile(t), 0, 0);
	harness_profile(t)->tc[0].quantum = 100000;
	harness_open(&h, t);
	p = &h.node->ports[OUT];
	freeze(&h, true);
	for (uint16_t i = 0; i < 5; i++)
		put(&h, 0, 1000, ECN_NOT_ECT, i);
	harness_run(&h, PS_PER_US);
	freeze(&h, false);
	harness_run(&h, 2 * PS_PER_US);
	expect(&h, 4, ECN_NOT_ECT, PS_PER_US); // the last has nothing behind it
	assert_int_equal(harness_drops(&h, 0, DROP_RED), 4);
	assert_int_equal(p->nonempty, 0);
	assert_int_equal(p->queues[0].deficit, 0);
	assert_int_equal(p->next_send, PS_NEVER);
	put(&h, 0, 1000, ECN_NOT_ECT, 9);
	harness_run(&h, 3 * PS_PER_US);
	expect(&h, 9, ECN_NOT_ECT, 2 * PS_PER_US);
	harness_check(&h);
	harness_close(&h);
}

// Dropped packets take nothing of their queue's turn: of what is sent, DWRR gives each its share.
static void
test_red_and_turns(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;

	(void)state;
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	set_red(harness_profile(t), 0, 0);
	harness_open(&h, t);
	p = &h.node->ports[OUT];
	freeze(&h, true);
	for (uint16_t i = 0; i < 2000; i++) {
		put(&h, 0, 1000, i % 2 ? ECN_CE : ECN_NOT_ECT, i);
		put(&h, 1, 1000, ECN_NOT_ECT, i);
	}
	harness_run(&h, 1);
	freeze(&h, false);
	harness_run(&h, 80 * PS_PER_US);
	assert_true(p->queue_cold[0].red_dropped > 400);
	assert_in_range(p->queues[0].bytes, p->queues[1].bytes - 3000, p->queues[1].bytes + 3000);
	harness_check(&h);
	harness_close(&h);
}

// The release of a packet that RED drops can be what an XON of this very port waits for: the frame
// goes at that instant, and the next packet begins when it and its gap are over.
static void
test_xon_goes_first(void **state)
{
	struct tables *t = harness_tables(3);
	struct harness h;
	uint16_t quanta[PRIORITIES];
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	set_red(harness_profile(t), 3, 0);
	harness_profile(t)->pg[3].threshold = (struct threshold){.fixed = 500, .down = 63};
	harness_profile(t)->pg[3].xon = 0;
	harness_open(&h, t);
	freeze(&h, true);
	// The first, 1000 B in by port 1 itself, is all its group holds; the second comes in by
	// port 0.
	harness_put(&h, OUT,
		    harness_frame(&h, &(struct frame){.to = OUT, .bytes = 1000, .dscp = 24}), 0);
	harness_run(&h, 500);
	put(&h, 3, 400, ECN_NOT_ECT, 5);
	harness_run(&h, PS_PER_US);
	packet_free(h.pool, harness_take(&h, OUT, NULL)); // XOFF
	freeze(&h, false);
	harness_run(&h, 2 * PS_PER_US);
	assert_int_equal(h.node->ports[OUT].queue_cold[3].red_dropped, 1);
	m = harness_take(&h, OUT, &left);
	assert_int_equal(harness_read_pfc(&h, OUT, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 0);
	assert_int_equal(left, PS_PER_US + harness_frame_time(60));
	packet_free(h.pool, m);
	expect(&h, 5, ECN_NOT_ECT, PS_PER_US + harness_slot(60));
	harness_check(&h);
	harness_close(&h);
}

// All that waits goes, with what it held; XONs follow, and nothing else changes.
static void
test_drop_queue(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;

	(void)state;
	harness_profile(t)->pg[3].threshold = (struct threshold){.fixed = 1000, .down = 63};
	harness_open(&h, t);
	p = &h.node->ports[OUT];
	freeze(&h, true);
	for (uint16_t i = 0; i < 5; i++)
		put(&h, 3, 1000, ECN_NOT_ECT, i);
	put(&h, 0, 300, ECN_NOT_ECT, 9);
	harness_run(&h, PS_PER_US);
	assert_true(h.node->ports[0].groups[3].xoff);
	port_drop_queue(h.node, p, 3, DROP_WATCHDOG, h.now);
	assert_int_equal(harness_drops(&h, 0, DROP_WATCHDOG), 5);
	assert_int_equal(p->queues[3].dropped, 5);
	assert_int_equal(p->nonempty, 1 << 0);
	assert_int_equal(h.node->ports[0].groups[3].usage.own, 0);
	assert_int_equal(h.node->ports[0].groups[3].headroom, 0);
	assert_false(h.node->ports[0].groups[3].xoff);
	assert_int_equal(node_queued(h.node), 1);
	harness_check(&h);
	port_drop_queue(h.node, p, 3, DROP_WATCHDOG, h.now); // nothing to do
	assert_int_equal(p->queues[3].dropped, 5);
	freeze(&h, false);
	harness_run(&h, 2 * PS_PER_US);
	expect(&h, 9, ECN_NOT_ECT, PS_PER_US);
	harness_drain(&h, 0);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_red),
		cmocka_unit_test(test_same_draws),
		cmocka_unit_test(test_red_to_the_last),
		cmocka_unit_test(test_red_and_turns),
		cmocka_unit_test(test_xon_goes_first),
		cmocka_unit_test(test_drop_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
