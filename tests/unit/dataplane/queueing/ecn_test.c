// SPDX-License-Identifier: BSD-3-Clause
// ECN at dequeue: at which depths, which packets, and what is written into them.
#include "../harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/node/ports.h"

#include <string.h>

static struct ecn_profile
profile(uint32_t min, uint32_t max, uint32_t cell, double probability)
{
	uint64_t whole = UINT64_C(1) << 56;

	return (struct ecn_profile){
		.enabled = true,
		.min = min / cell,
		.max = max / cell,
		.cell = cell,
		.min_bytes = min,
		.slope = max > min ? (uint64_t)(probability * (double)whole) / (max - min) : 0,
	};
}

// Freezes port 1, queues packets of 1000 B in its queue 0, lets them go and returns how many of the
// first `from` are marked and how many of the rest.
static void
queue_and_mark(struct ecn_profile ecn, unsigned int count, unsigned int from, uint8_t codepoint,
	       bool ip6, unsigned int marked[2])
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct rte_mbuf *m;

	harness_profile(t)->tc[0].ecn = ecn;
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	for (unsigned int i = 0; i < count; i++) {
		const struct frame f = {
			.to = 1, .bytes = 1000, .dscp = 5, .ecn = codepoint, .ip6 = ip6};

		harness_put(&h, 0, harness_frame(&h, &f), 1000);
	}
	harness_run(&h, PS_PER_US);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 100 * PS_PER_US);
	marked[0] = marked[1] = 0;
	for (unsigned int i = 0; i < count; i++) {
		const uint8_t *ip;
		uint8_t tos;

		m = harness_take(&h, 1, NULL);
		assert_non_null(m);
		ip = packet_data(m) + 14;
		tos = ip6 ? (uint8_t)(ip[0] << 4 | ip[1] >> 4) : ip[1];
		assert_int_equal(tos >> 2, 5);
		if (!ip6) {
			uint16_t checksum = checksum_ipv4_header(ip, 20);

			assert_memory_equal(ip + 10, &checksum, 2);
		}
		if ((tos & 3) != codepoint) {
			assert_int_equal(tos & 3, ECN_CE);
			marked[i >= from]++;
		}
		packet_free(h.pool, m);
	}
	assert_int_equal(h.node->ports[1].queues[0].ecn_marked, marked[0] + marked[1]);
	harness_close(&h);
}

// Min = max = 100 KB, 200 packets of 1000 B. When the k-th begins, 200 - k are behind it: marked
// while (200 - k) x 1000 > 100,000, k = 1 .. 99; at exactly 100,000 not.
static void
test_step(void **state)
{
	unsigned int marked[2];

	(void)state;
	queue_and_mark(profile(100000, 100000, 1, 1), 200, 99, ECN_ECT0, false, marked);
	assert_int_equal(marked[0], 99);
	assert_int_equal(marked[1], 0);
	queue_and_mark(profile(100000, 100000, 1, 1), 200, 99, ECN_ECT1, true, marked);
	assert_int_equal(marked[0], 99);
	assert_int_equal(marked[1], 0);
}

// Not-ECT is never marked, CE stays CE and is not counted.
static void
test_codepoints(void **state)
{
	unsigned int marked[2];

	(void)state;
	queue_and_mark(profile(0, 0, 1, 1), 20, 0, ECN_NOT_ECT, false, marked);
	assert_int_equal(marked[1], 0);
	queue_and_mark(profile(0, 0, 1, 1), 20, 0, ECN_CE, true, marked);
	assert_int_equal(marked[1], 0);
	queue_and_mark(profile(0, 0, 1, 1), 20, 0, ECN_ECT1, false, marked);
	assert_int_equal(marked[1], 19); // behind the last there is nothing
	queue_and_mark((struct ecn_profile){.cell = 1}, 20, 0, ECN_ECT0, false, marked);
	assert_int_equal(marked[1], 0);
}

// Never at or below min, always above max, between them p x (depth - min) / (max - min), 100,000
// draws at each of 9 depths. Chi-square with 9 degrees of freedom is below 27.9 with probability
// 0.999.
static void
expect_ramp(uint32_t cell, double probability)
{
	const uint32_t min = 192000, max = 1920000;
	struct ecn_profile e = profile(min, max, cell, probability);
	struct random random = random_stream(17, cell);
	double chi_square = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		assert_false(ecn_congested(&e, 0, &random));
		assert_false(ecn_congested(&e, min / cell, &random));
		assert_true(ecn_congested(&e, max / cell + 1, &random));
	}
	for (unsigned int tenth = 1; tenth < 10; tenth++) {
		uint32_t depth = (min + (max - min) / 10 * tenth) / cell;
		double p = probability * ((double)depth * cell - min) / (max - min);
		double expected = 100000 * p, deviation;
		unsigned int marked = 0;

		for (unsigned int i = 0; i < 100000; i++)
			marked += ecn_congested(&e, depth, &random);
		deviation = marked - expected;
		chi_square += deviation * deviation / (expected * (1 - p));
	}
	assert_true(chi_square < 27.9);
}

static void
test_ramp(void **state)
{
	(void)state;
	expect_ramp(1, 1.0);
	expect_ramp(1, 0.05);
	expect_ramp(192, 1.0);
	expect_ramp(192, 0.01);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_codepoints),
		cmocka_unit_test(test_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
