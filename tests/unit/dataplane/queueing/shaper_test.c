// SPDX-License-Identifier: BSD-3-Clause
// Rates of queues and ports, to the picosecond. The port runs at 100 Gb/s: a byte takes 80 ps, and
// a frame of b bytes the transmitter b + 24 of them.
#include "../harness.h"

#include "dataplane/queueing/shaper.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <string.h>

#define GBPS UINT64_C(1000000000)
#define FRAME 1000u

// A rate that lets `frame` bytes be made up for.
static struct rate_profile
rate(uint64_t bits_per_s, uint32_t frame)
{
	uint64_t byte_time = time_byte_time(bits_per_s);

	return (struct rate_profile){.byte_time = byte_time,
				     .burst = time_of_bytes(byte_time, frame)};
}

static void
set_max(struct port_profile *p, unsigned int tc, uint64_t bits_per_s)
{
	p->tc[tc].max_rate = rate(bits_per_s, FRAME);
	p->max_rated |= (uint8_t)(1u << tc);
}

static void
set_min(struct port_profile *p, unsigned int tc, uint64_t bits_per_s)
{
	p->tc[tc].min_rate = rate(bits_per_s, FRAME);
	p->min_rated |= (uint8_t)(1u << tc);
}

// A frame of a priority for port 1, on the wire into port 0.
static void
put(struct harness *h, unsigned int priority, uint32_t bytes, ps_t at)
{
	const struct frame f = {.to = 1, .bytes = bytes, .dscp = (uint8_t)(priority * 8)};

	harness_put(h, 0, harness_frame(h, &f), at);
}

static void
put_many(struct harness *h, unsigned int priority, uint32_t bytes, unsigned int count, ps_t at)
{
	for (unsigned int i = 0; i < count; i++)
		put(h, priority, bytes, at);
}

// The next frame from port 1 has this class and began at `at`.
static void
expect_began(struct harness *h, unsigned int tc, ps_t at)
{
	ps_t left = 0;
	struct rte_mbuf *m = harness_take(h, 1, &left);

	assert_non_null(m);
	assert_int_equal(packet_meta(m)->tc, tc);
	assert_int_equal(left - harness_frame_time(packet_meta(m)->wire_bytes), at);
	packet_free(h->pool, m);
}

static void
test_arithmetic(void **state)
{
	const struct rate_profile r = rate(10 * GBPS, 1500); // 800 ps a byte, burst 1.2 us

	(void)state;
	assert_int_equal(r.burst, 1200000);
	assert_int_equal(shaper_after(0, &r, 100, 0), 80000);
	assert_int_equal(shaper_after(0, &r, 100, 1200000), 80000);
	assert_int_equal(shaper_after(0, &r, 100, 1200001), 80001); // idle for longer than a burst
	assert_int_equal(shaper_after(5000000, &r, 1500, 5000000), 6200000);
	assert_int_equal(shaper_after(4000000, &r, 100, 5000000), 4080000);
	assert_int_equal(shaper_after(9000000, &r, 100, 5000000), 9080000);
	// No rate that a link can have overflows with the largest frame: 1 Mb/s, 8 us a byte.
	assert_int_equal(time_of_bytes(time_byte_time(1000000), PACKET_FRAME_MAX),
			 PACKET_FRAME_MAX * UINT64_C(8000000));
}

// 10 Gb/s: a frame of 1000 B every 800 ns, but the first two together, the second being what an
// idle queue may make up for. The first meets an idle port.
static void
test_max_rate(void **state)
{
	struct tables *t = harness_tables(2);
	const ps_t at = 10 * PS_PER_US, each = 800000;
	struct harness h;

	(void)state;
	set_max(harness_profile(t), 0, 10 * GBPS);
	harness_open(&h, t);
	put_many(&h, 0, FRAME, 5, at);
	harness_run(&h, at + 1);
	assert_int_equal(h.node->ports[1].shaped, 0); // the first may be made up for
	assert_int_equal(h.node->ports[1].next_send, at + harness_slot(FRAME));
	harness_run(&h, at + harness_slot(FRAME) + 1);
	assert_int_equal(h.node->ports[1].shaped, 1);
	assert_int_equal(h.node->ports[1].next_send, at + each); // the only thing left to wait for
	assert_int_equal(harness_run(&h, at + each), at + each);
	harness_run(&h, at + 20 * PS_PER_US);
	assert_int_equal(h.node->ports[1].next_send, PS_NEVER);
	expect_began(&h, 0, at);
	expect_began(&h, 0, at + harness_slot(FRAME));
	for (unsigned int i = 1; i < 4; i++)
		expect_began(&h, 0, at + i * each);
	harness_check(&h);
	harness_close(&h);
}

// A frame that comes while its queue is held waits for the very instant; one that comes at that
// instant, at an idle port, begins at once, as one after it does. Another queue does not wait.
static void
test_max_rate_idle_port(void **state)
{
	struct tables *t = harness_tables(2);
	const ps_t at = 10 * PS_PER_US, each = 800000;
	struct harness h;

	(void)state;
	set_max(harness_profile(t), 0, 10 * GBPS);
	harness_open(&h, t);
	put_many(&h, 0, FRAME, 2, at); // held until at + 800 ns
	put(&h, 1, FRAME, at + 300000);
	put(&h, 0, FRAME, at + 500000);
	put(&h, 0, FRAME, at + 2 * each); // held until exactly then; nothing waits
	put(&h, 1, FRAME, at + 2 * each); // behind it
	put(&h, 0, FRAME, at + 4 * each); // the bit is still set, and means nothing any more
	harness_run(&h, at + 10 * PS_PER_US);
	expect_began(&h, 0, at);
	expect_began(&h, 0, at + harness_slot(FRAME));
	expect_began(&h, 1, at + 300000);
	expect_began(&h, 0, at + each);
	expect_began(&h, 0, at + 2 * each);
	expect_began(&h, 1, at + 2 * each + harness_slot(FRAME));
	expect_began(&h, 0, at + 4 * each);
	harness_check(&h);
	harness_close(&h);
}

// The port's rate holds all queues, strict ones too, and counts what all send; a PFC frame is held
// by none.
static void
test_port_rate(void **state)
{
	struct tables *t = harness_tables(3);
	const ps_t at = 10 * PS_PER_US, each = 800000;
	struct harness h;
	ps_t left;

	(void)state;
	harness_profile(t)->max_rate = rate(10 * GBPS, FRAME);
	// Every packet causes XOFF.
	harness_profile(t)->pg[3].threshold = (struct threshold){.down = 63};
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[2], 0xff, 0);
	put_many(&h, 0, FRAME, 3, at);
	put(&h, 6, FRAME, at + 1000); // strict
	harness_put(&h, 1, harness_frame(&h, &(struct frame){.to = 2, .dscp = 24}), at + 400000);
	harness_run(&h, at + 10 * PS_PER_US);
	expect_began(&h, 0, at);
	expect_began(&h, 6, at + harness_slot(FRAME));
	packet_free(h.pool, harness_take(&h, 1, &left)); // XOFF
	assert_int_equal(left, at + 400000 + harness_frame_time(60));
	expect_began(&h, 0, at + each);
	expect_began(&h, 0, at + 2 * each);
	harness_check(&h);
	harness_close(&h);
}

// Over a millisecond a rate that is no whole number of picoseconds a byte holds to what one burst
// and one packet are in it.
static void
test_max_rate_in_bytes(void **state)
{
	static const uint64_t rates[] = {3 * GBPS, 7 * GBPS, 33 * GBPS, 99 * GBPS};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tables *t = harness_tables(2);
		uint64_t expected = rates[i] / 8 / 1000;
		struct harness h;

		for (unsigned int k = 0; k < POOL_COUNT; k++)
			t->pools[k] = (struct pool_profile){.size = POOL_UNLIMITED,
							    .shared = POOL_UNLIMITED};
		harness_own_profile(t, 1);
		set_max(&t->profiles[1], 0, rates[i]);
		harness_open(&h, t);
		put_many(&h, 0, FRAME, 12500, 0);
		harness_run(&h, PS_PER_MS);
		assert_in_range(h.node->ports[1].queues[0].bytes, (uint64_t)(expected * 0.975),
				expected + 2 * FRAME);
		harness_check(&h);
		harness_close(&h);
	}
}

// A queue that is promised 10 Gb/s gets them beside a strict queue that would take the whole port,
// no more; of two, the higher goes first.
static void
test_min_rate(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;

	(void)state;
	for (unsigned int k = 0; k < POOL_COUNT; k++)
		t->pools[k] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	set_min(harness_profile(t), 0, 10 * GBPS);
	set_min(harness_profile(t), 1, 20 * GBPS);
	harness_open(&h, t);
	p = &h.node->ports[1];
	node_set_tx_off(h.node, p, 0xff, 0);
	put_many(&h, 0, FRAME, 2000, 0);
	put_many(&h, 1, FRAME, 2000, 0);
	put_many(&h, 6, FRAME, 2000, 0);
	harness_run(&h, 100 * PS_PER_US);
	node_set_tx_off(h.node, p, 0, h.now);
	harness_run(&h, 200 * PS_PER_US);
	// Both are behind; each may make up for a frame and then has one every 800 ns, or 400.
	expect_began(&h, 1, 100 * PS_PER_US);
	expect_began(&h, 1, 100 * PS_PER_US + harness_slot(FRAME));
	expect_began(&h, 0, 100 * PS_PER_US + 2 * harness_slot(FRAME));
	expect_began(&h, 0, 100 * PS_PER_US + 3 * harness_slot(FRAME));
	expect_began(&h, 6, 100 * PS_PER_US + 4 * harness_slot(FRAME));
	assert_in_range(p->queues[0].bytes, 125000 - FRAME, 125000 + 2 * FRAME);
	assert_in_range(p->queues[1].bytes, 250000 - FRAME, 250000 + 2 * FRAME);
	// All the rest is the strict queue's: 100 us hold 1,220 frames with what is between them.
	assert_in_range(p->queues[6].packets, 1220 - 375 - 4, 1220 - 375 + 4);
	harness_check(&h);
	harness_close(&h);
}

// What a queue sends beyond its promise while there is room does not count against it when there is
// none, and what it sends by its promise is not taken from its turn.
static void
test_min_rate_debt(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;
	ps_t at;

	(void)state;
	for (unsigned int k = 0; k < POOL_COUNT; k++)
		t->pools[k] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	set_min(harness_profile(t), 0, 10 * GBPS);
	harness_open(&h, t);
	p = &h.node->ports[1];
	put_many(&h, 0, FRAME, 4000, 0); // alone: at the port's rate, ten times its promise
	at = 100 * harness_slot(FRAME);
	put_many(&h, 6, FRAME, 4000, at);
	harness_run(&h, at);
	assert_int_equal(p->queues[0].packets, 100);
	harness_run(&h, at + 100 * PS_PER_US);
	assert_in_range(p->queues[0].bytes, 100 * FRAME + 125000 - 2 * FRAME,
			100 * FRAME + 125000 + FRAME);
	harness_check(&h);
	harness_close(&h);
}

// A maximum below the promise is what counts; a pause counts whatever is promised.
static void
test_held_all_the_same(void **state)
{
	static const uint16_t quanta[PRIORITIES] = {[3] = 1000}; // 5.12 us
	struct tables *t = harness_tables(2);
	const ps_t at = 10 * PS_PER_US;
	struct harness h;

	(void)state;
	set_min(harness_profile(t), 0, 50 * GBPS);
	set_max(harness_profile(t), 0, 10 * GBPS);
	set_min(harness_profile(t), 3, 50 * GBPS);
	set_max(harness_profile(t), 3, 10 * GBPS);
	harness_open(&h, t);
	harness_put(&h, 1, harness_pfc(&h, 1 << 3, quanta), at);
	put_many(&h, 0, FRAME, 3, at);
	put_many(&h, 3, FRAME, 3, at);
	harness_run(&h, at + 20 * PS_PER_US);
	expect_began(&h, 0, at);
	expect_began(&h, 0, at + harness_slot(FRAME));
	expect_began(&h, 0, at + 800000);
	expect_began(&h, 3, at + 5120000);
	expect_began(&h, 3, at + 5120000 + harness_slot(FRAME));
	expect_began(&h, 3, at + 5120000 + 800000);
	harness_check(&h);
	harness_close(&h);
}

// Puts copies of the tables in force, changed by `change`, in force.
static void
adopt(struct harness *h, void (*change)(struct port_profile *p))
{
	struct tables *t = harness_tables(2), *before = h->tables;

	change(harness_profile(t));
	node_set_tables(h->node, t);
	h->tables = t;
	harness_run(h, h->now + 1);
	tables_destroy(before);
}

static void
set_slow(struct port_profile *p)
{
	set_max(p, 0, GBPS / 10); // 80 us a frame
}

static void
set_fast(struct port_profile *p)
{
	set_max(p, 0, 10 * GBPS);
}

static void
set_port_slow(struct port_profile *p)
{
	p->max_rate = rate(GBPS / 10, FRAME);
}

static void
set_none(struct port_profile *p)
{
	(void)p;
}

// New rates hold from the instant of their adoption: what waits for a rate that is gone goes then,
// and what waited for a slow one waits for no more than a frame at the new one.
static void
test_adopt(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	ps_t at;

	(void)state;
	set_slow(harness_profile(t));
	harness_open(&h, t);
	put_many(&h, 0, FRAME, 8, 0); // at 0 nothing may be made up for
	harness_run(&h, 10 * PS_PER_US);
	expect_began(&h, 0, 0);
	assert_int_equal(h.node->ports[1].next_send, 80 * PS_PER_US);

	at = h.now;
	adopt(&h, set_fast);
	harness_run(&h, at + 2 * 800000 - 1);
	expect_began(&h, 0, at + 800000);
	assert_null(harness_take(&h, 1, NULL));

	at = h.now;
	adopt(&h, set_none);
	assert_false(h.node->variant & NODE_FULL);
	assert_int_equal(h.node->ports[1].shaped, 0);
	harness_run(&h, at + 2 * harness_slot(FRAME));
	expect_began(&h, 0, at);
	expect_began(&h, 0, at + harness_slot(FRAME));

	at = h.now;
	adopt(&h, set_port_slow);
	harness_run(&h, 70 * PS_PER_US); // held until 80 us: no more than since 0 is made up for
	expect_began(&h, 0, at);
	at = h.now;
	adopt(&h, set_none);
	harness_run(&h, at + PS_PER_US);
	expect_began(&h, 0, at);
	harness_run(&h, at + 10 * PS_PER_US);
	assert_int_equal(node_queued(h.node), 0);
	harness_drain(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_max_rate),
		cmocka_unit_test(test_max_rate_idle_port),
		cmocka_unit_test(test_port_rate),
		cmocka_unit_test(test_max_rate_in_bytes),
		cmocka_unit_test(test_min_rate),
		cmocka_unit_test(test_min_rate_debt),
		cmocka_unit_test(test_held_all_the_same),
		cmocka_unit_test(test_adopt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
