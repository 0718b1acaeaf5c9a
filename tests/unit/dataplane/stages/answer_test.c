// SPDX-License-Identifier: BSD-3-Clause
// When a leaf answers: the rate, the instant, and what an error says of a next hop that is down.
// The bytes of every answer are compared in tests/replay/test_icmp.py and test_neighbours.py.
#include "answers.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/stages/answer.h"

#define BYTES 100u

// From host 2 of port 0.
static struct rte_mbuf *
from_neighbour(struct harness *h, struct frame f)
{
	struct rte_mbuf *m;
	uint8_t *ip;
	uint16_t sum;

	f.bytes = BYTES;
	m = harness_frame(h, &f);
	ip = packet_data(m) + HEADER_ETHERNET_BYTES;
	if (f.ip6) {
		memcpy(ip + 8, (uint8_t[16]){0xfd, [15] = 2}, 16);
		return m;
	}
	memcpy(ip + 12, (uint8_t[4]){10, 0, 0, 2}, 4);
	sum = checksum_ipv4_header(ip, HEADER_IP4_BYTES);
	memcpy(ip + CHECKSUM_IPV4_OFFSET, &sum, 2);
	return m;
}

// A bucket of three, refilled once a microsecond, as a virtual schedule.
static void
test_rate(void **state)
{
	static const struct {
		ps_t at_ns;
		bool allowed;
	} steps[] = {{10000, true}, {10000, true},  {10000, true}, {10000, false}, {10999, false},
		     {11000, true}, {11000, false}, {12500, true}, {12999, false}, {13000, true},
		     {90000, true}, {90000, true},  {90000, true}, {90001, false}};
	const struct answer_profile rate = {.interval = PS_PER_US, .burst = 2 * PS_PER_US};
	ps_t due = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		assert_int_equal(answer_allowed(&rate, &due, steps[i].at_ns * PS_PER_NS),
				 steps[i].allowed);
}

// At the instant at which the packet has come, with what the leaf decrements put back.
static void
test_time_exceeded(void **state)
{
	(void)state;
	for (unsigned int ip6 = 0; ip6 < 2; ip6++) {
		const uint32_t head = ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES,
			       bytes = BYTES + head + ANSWER_ICMP_BYTES;
		struct harness h;
		struct rte_mbuf *m;
		const uint8_t *ip;
		ps_t left;

		harness_open(&h, answers_tables(2));
		m = from_neighbour(&h, (struct frame){.to = 1, .ttl = 1, .ip6 = ip6});
		harness_put(&h, 0, m, 5 * PS_PER_US);
		harness_run(&h, 20 * PS_PER_US);
		assert_int_equal(harness_drops(&h, 0, DROP_TTL_EXPIRED), 1);
		assert_int_equal(h.node->ports[0].answers[ANSWER_TIME_EXCEEDED], 1);
		harness_check(&h);
		m = harness_take(&h, 0, &left);
		assert_non_null(m);
		assert_int_equal(left, 5 * PS_PER_US + harness_frame_time(bytes));
		assert_int_equal(packet_meta(m)->wire_bytes, bytes);
		ip = packet_data(m) + HEADER_ETHERNET_BYTES;
		assert_int_equal(ip[ip6 ? 7 : 8], ANSWER_TTL);
		assert_int_equal(ip[head], ip6 ? ICMP6_TIME_EXCEEDED : ICMP4_TIME_EXCEEDED);
		assert_memory_equal(ip + (ip6 ? 8 : 12), ip6 ? answers_own6 : answers_own4,
				    ip6 ? 16 : 4);
		assert_int_equal(h.node->ports[0].queues[ANSWER_DSCP_ERROR / 8].packets, 1);
		packet_free(h.pool, m);
		assert_int_equal(harness_drain(&h, 1), 0);
		harness_close(&h);
	}
}

// The host is what cannot be reached where hosts are behind the port that is down.
static void
test_no_next_hop(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const bool edge = i & 1, ip6 = i & 2;
		struct tables *t = answers_tables(2);
		struct harness h;
		struct rte_mbuf *m;
		const uint8_t *icmp;

		t->ports[1].edge = edge;
		harness_open(&h, t);
		h.node->ports[1].up = false;
		harness_put(&h, 0, from_neighbour(&h, (struct frame){.to = 1, .ip6 = ip6}),
			    PS_PER_US);
		harness_run(&h, 20 * PS_PER_US);
		m = harness_take(&h, 0, NULL);
		assert_non_null(m);
		icmp = packet_data(m) + HEADER_ETHERNET_BYTES +
		       (ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES);
		assert_int_equal(icmp[0], ip6 ? ICMP6_UNREACHABLE : ICMP4_UNREACHABLE);
		assert_int_equal(icmp[1], !edge ? 0 : ip6 ? 3 : 1);
		assert_int_equal(h.node->ports[0].answers[edge ? ANSWER_HOST_UNREACHABLE
							       : ANSWER_NET_UNREACHABLE],
				 1);
		packet_free(h.pool, m);
		harness_check(&h);
		harness_close(&h);
	}
}

// One port's questions, of which three are answered, leave the other port's bucket full.
static void
test_each_port_has_a_bucket(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, answers_tables(2));
	for (unsigned int i = 0; i < 9; i++)
		harness_put(&h, i < 5 ? 0 : 1,
			    from_neighbour(&h, (struct frame){.to = i < 5, .ttl = 1}),
			    PS_PER_US + i * 10 * PS_PER_NS);
	harness_run(&h, 2 * PS_PER_US);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(h.node->ports[i].answers[ANSWER_TIME_EXCEEDED], 3);
		assert_int_equal(h.node->ports[i].answers[ANSWER_SUPPRESSED], i == 0 ? 2 : 1);
	}
	harness_run(&h, 20 * PS_PER_US);
	assert_int_equal(harness_drain(&h, 0), 6); // where host 2 is
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_each_port_has_a_bucket),
		cmocka_unit_test(test_time_exceeded),
		cmocka_unit_test(test_no_next_hop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
