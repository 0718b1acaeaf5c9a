// SPDX-License-Identifier: BSD-3-Clause
// Which queue sends next, on a port that is always full.
#include "../harness.h"

#include "dataplane/queueing/scheduler.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

// Fills queues of port 1 while it is frozen: `count` packets of `bytes` for a priority.
static void
fill(struct harness *h, unsigned int priority, uint32_t bytes, unsigned int count)
{
	const struct frame f = {.to = 1, .bytes = bytes, .dscp = (uint8_t)(priority * 8)};

	for (unsigned int i = 0; i < count; i++)
		harness_put(h, 0, harness_frame(h, &f), h->now);
}

static void
open_frozen(struct harness *h, struct tables *t)
{
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[1], 0xff, 0);
}

// Lets the port send for a time and counts the bytes of each queue; order: the first queues, as
// digits.
static void
run(struct harness *h, ps_t time, uint64_t bytes[PRIORITIES], char *order, size_t size)
{
	struct rte_mbuf *m;
	size_t count = 0;

	harness_run(h, h->now + 1);
	node_set_tx_off(h->node, &h->node->ports[1], 0, h->now);
	harness_run(h, h->now + time);
	memset(bytes, 0, PRIORITIES * sizeof(*bytes));
	while ((m = harness_take(h, 1, NULL)) != NULL) {
		bytes[packet_meta(m)->tc] += packet_meta(m)->wire_bytes;
		if (count + 1 < size)
			order[count++] = (char)('0' + packet_meta(m)->tc);
		packet_free(h->pool, m);
	}
	if (size != 0)
		order[count] = '\0';
	harness_check(h);
}

// The highest strict queue first, then the next, then the others.
static void
test_strict(void **state)
{
	struct tables *t = harness_tables(2);
	uint64_t bytes[PRIORITIES];
	char order[16];
	struct harness h;

	(void)state;
	harness_profile(t)->strict = 1 << 6 | 1 << 5;
	open_frozen(&h, t);
	fill(&h, 0, 300, 2);
	fill(&h, 5, 300, 2);
	fill(&h, 6, 300, 2);
	run(&h, PS_PER_US, bytes, order, sizeof(order));
	assert_string_equal(order, "665500");
	harness_close(&h);
}

// Equal quanta give equal bytes, with 300 B against 1500 B packets: 50 % each, here to one packet
// more or less in 100 us (1,250,000 byte times).
static void
test_dwrr_by_bytes(void **state)
{
	uint64_t bytes[PRIORITIES];
	struct harness h;

	(void)state;
	open_frozen(&h, harness_tables(2));
	fill(&h, 0, 300, 4000);
	fill(&h, 1, 1500, 800);
	run(&h, 100 * PS_PER_US, bytes, NULL, 0);
	assert_true(bytes[0] + bytes[1] > 1150000);
	assert_in_range(bytes[0], bytes[1] - 1500, bytes[1] + 1500);
	harness_close(&h);
}

// Weights 1 : 2 : 5 by quanta below, at and above a packet, in bytes to 1 %; new weights hold
// within a round.
static void
test_dwrr_weights(void **state)
{
	struct tables *t = harness_tables(2), *other = harness_tables(2);
	uint64_t bytes[PRIORITIES], sum;
	struct harness h;

	(void)state;
	harness_profile(t)->tc[0].quantum = 500;
	harness_profile(t)->tc[1].quantum = 1000;
	harness_profile(t)->tc[2].quantum = 2500;
	open_frozen(&h, t);
	fill(&h, 0, 1000, 3000);
	fill(&h, 1, 1000, 3000);
	fill(&h, 2, 1000, 3000);
	run(&h, 100 * PS_PER_US, bytes, NULL, 0);
	sum = bytes[0] + bytes[1] + bytes[2];
	assert_in_range(bytes[0] * 8, sum * 99 / 100, sum * 101 / 100);
	assert_in_range(bytes[1] * 4, sum * 99 / 100, sum * 101 / 100);

	for (unsigned int i = 0; i < POOL_COUNT; i++)
		other->pools[i] = t->pools[i];
	for (unsigned int i = 0; i < 3; i++)
		harness_profile(other)->tc[i].quantum = 2500;
	node_set_tables(h.node, other);
	h.tables = other;
	run(&h, 100 * PS_PER_US, bytes, NULL, 0);
	tables_destroy(t);
	sum = bytes[0] + bytes[1] + bytes[2];
	// Equal now; what was left of an old turn is at most 3,500 bytes.
	for (unsigned int i = 0; i < 3; i++)
		assert_in_range(bytes[i], sum / 3 - 3500, sum / 3 + 3500);
	harness_close(&h);
}

// A queue that was empty gains nothing for having been so.
static void
test_no_saved_deficit(void **state)
{
	uint64_t bytes[PRIORITIES];
	char order[32];
	struct harness h;

	(void)state;
	open_frozen(&h, harness_tables(2));
	fill(&h, 0, 1500, 1);
	fill(&h, 1, 1500, 20);
	run(&h, 10 * harness_slot(1500), bytes, order, sizeof(order));
	assert_int_equal(bytes[0], 1500);
	fill(&h, 0, 1500, 10);
	run(&h, 6 * harness_slot(1500) - 1, bytes, order, sizeof(order));
	assert_true(strstr(order, "00") == NULL); // one of each in turn
	assert_in_range(bytes[0], 2 * 1500, 3 * 1500);
	harness_close(&h);
}

// A paused queue is passed over and keeps its place; strict or not, the others have the port.
static void
test_passes_paused(void **state)
{
	static const uint16_t quanta[PRIORITIES] = {[3] = 1000};
	uint64_t bytes[PRIORITIES];
	char order[16];
	struct harness h;

	(void)state;
	open_frozen(&h, harness_tables(2));
	harness_put(&h, 1, harness_pfc(&h, 1 << 3, quanta), 0);
	fill(&h, 3, 300, 2);
	fill(&h, 0, 300, 2);
	run(&h, PS_PER_US, bytes, order, sizeof(order));
	assert_string_equal(order, "00");
	run(&h, 1000 * 5120, bytes, order, sizeof(order));
	assert_string_equal(order, "33");
	harness_close(&h);
}

#define QUANTUM 4608u
#define BYTES 1000u

// Three queues of one weight, always full, of which queue 0 can be held.
static struct tables *
equal_tables(uint64_t max_rate)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = harness_profile(t);

	for (unsigned int i = 0; i < POOL_COUNT; i++)
		t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	for (unsigned int tc = 0; tc < 3; tc++)
		p->tc[tc].quantum = QUANTUM;
	p->obeyed = 1 << 0;
	if (max_rate != 0) {
		p->tc[0].max_rate.byte_time = time_byte_time(max_rate);
		p->max_rated = 1 << 0;
	}
	return t;
}

// No queue has two quanta left of its turn (of which each covers a packet here), whenever one
// looks.
static void
run_bounded(struct harness *h, ps_t time)
{
	for (ps_t end = h->now + time; h->now < end;) {
		harness_run(h, h->now + 100 * PS_PER_NS);
		for (unsigned int tc = 0; tc < 3; tc++)
			assert_in_range(h->node->ports[1].queues[tc].deficit, 0, 2 * QUANTUM - 1);
	}
}

static void
open_equal(struct harness *h, uint64_t max_rate)
{
	open_frozen(h, equal_tables(max_rate));
	for (unsigned int tc = 0; tc < 3; tc++)
		fill(h, tc, BYTES, 3000);
	harness_run(h, 1);
	node_set_tx_off(h->node, &h->node->ports[1], 0, h->now);
}

// What each has sent for 50 us from now on, from the first packet on: a third, to a turn.
static void
expect_thirds(struct harness *h)
{
	uint64_t before[3], bytes[3], sum = 0;

	for (unsigned int tc = 0; tc < 3; tc++)
		before[tc] = h->node->ports[1].queues[tc].bytes;
	run_bounded(h, 50 * PS_PER_US);
	for (unsigned int tc = 0; tc < 3; tc++) {
		assert_true(h->node->depth[2 * tc + 1] > 0);
		bytes[tc] = h->node->ports[1].queues[tc].bytes - before[tc];
		sum += bytes[tc];
	}
	assert_true(sum > 600000);
	for (unsigned int tc = 0; tc < 3; tc++)
		assert_in_range(bytes[tc], sum / 3 - QUANTUM - BYTES, sum / 3 + QUANTUM + BYTES);
	harness_drain(h, 1);
	harness_check(h);
	harness_close(h);
}

// One that is paused, and let go for 200 ns of every microsecond, does not save up what it could
// not send.
static void
test_paused_again_and_again(void **state)
{
	static const uint16_t off[PRIORITIES], on[PRIORITIES] = {65535};
	struct harness h;

	(void)state;
	open_equal(&h, 0);
	harness_put(&h, 1, harness_pfc(&h, 1 << 0, on), 1);
	for (ps_t at = PS_PER_US; at < 200 * PS_PER_US; at += PS_PER_US) {
		harness_put(&h, 1, harness_pfc(&h, 1 << 0, off), at);
		harness_put(&h, 1, harness_pfc(&h, 1 << 0, on), at + 200 * PS_PER_NS);
	}
	harness_put(&h, 1, harness_pfc(&h, 1 << 0, off), 200 * PS_PER_US);
	run_bounded(&h, 200 * PS_PER_US);
	assert_true(h.node->ports[1].queues[0].packets > 100);
	expect_thirds(&h);
}

// Nor one that a rate holds.
static void
test_held_by_a_rate(void **state)
{
	struct harness h;

	(void)state;
	open_equal(&h, UINT64_C(10000000000));
	run_bounded(&h, 200 * PS_PER_US);
	assert_true(h.node->ports[1].queues[0].packets > 100);
	harness_adopt(&h, equal_tables(0));
	expect_thirds(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_dwrr_by_bytes),
		cmocka_unit_test(test_dwrr_weights),
		cmocka_unit_test(test_no_saved_deficit),
		cmocka_unit_test(test_passes_paused),
		cmocka_unit_test(test_paused_again_and_again),
		cmocka_unit_test(test_held_by_a_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
