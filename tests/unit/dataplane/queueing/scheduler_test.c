// SPDX-License-Identifier: BSD-3-Clause
// Which queue sends next, on a port that is always full.
#include "../harness.h"

#include "dataplane/queueing/scheduler.h"

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
		t->pools[i] = (struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[1], 0xff, 0);
}

// Lets the port send for a time and counts the bytes of each queue; order: the first queues, as digits.
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

// Weights 1 : 2 : 5 by quanta below, at and above a packet, in bytes to 1 %; new weights hold within a round.
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),           cmocka_unit_test(test_dwrr_by_bytes),
		cmocka_unit_test(test_dwrr_weights),     cmocka_unit_test(test_no_saved_deficit),
		cmocka_unit_test(test_passes_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
