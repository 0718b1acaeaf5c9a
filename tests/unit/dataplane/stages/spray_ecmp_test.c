// SPDX-License-Identifier: BSD-3-Clause
// Which member of a group a packet takes by its flow, or its queue pair.
#include "sprayed.h"
#include "dataplane/node/ports.h"

#include <math.h>

// A flow keeps its member whatever the queues hold; its QP is not part of it.
static void
test_ecmp_is_stable(void **state)
{
	struct rte_mbuf *m;
	struct harness h;

	(void)state;
	open_group(&h, GROUP_ECMP);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (uint64_t flow = 0; flow < 100; flow++) {
		unsigned int first;

		set_flow(m, random_mix(flow));
		set_depths(&h, 3, (uint32_t[]){0, 0, 0, 0});
		first = spray(&h, m, GROUP);
		set_depths(&h, 3, (uint32_t[]){0, 5000, 2000, 9000});
		for (uint32_t qp = 0; qp < 20; qp++) {
			set_qp(m, qp);
			assert_int_equal(spray(&h, m, GROUP), first);
		}
	}
	packet_free(h.pool, m);
	harness_close(&h);
}

// n equal flows hashed on n members take 1 - (1 - 1/n)^n of them, and the largest share is of 2.597
// flows for n = 8, 3.533 for n = 32; 200,000 times, to 0.5 %.
static void
test_ecmp_spreads(void **state)
{
	static const struct {
		uint16_t n;
		double used, largest;
	} cases[] = {{8, 0.6564, 2.597}, {32, 0.6380, 3.533}};
	struct random random = random_stream(1, 0);

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct tables *t = harness_tables(32);
		uint64_t used = 0, largest = 0;
		struct rte_mbuf *m;
		struct harness h;

		t->groups[0] = (struct next_hop_group){
			.first = 0, .count = cases[i].n, .mode = GROUP_ECMP};
		harness_open(&h, t);
		m = roce(&h, ROCE_OP_WRITE_MIDDLE);
		for (unsigned int round = 0; round < 200000; round++) {
			unsigned int taken[32] = {0}, most = 0;

			for (unsigned int k = 0; k < cases[i].n; k++) {
				unsigned int port;

				set_flow(m, random_next(&random));
				port = spray(&h, m, 0);
				used += taken[port]++ == 0;
				most = taken[port] > most ? taken[port] : most;
			}
			largest += most;
		}
		assert_true(fabs((double)used / 200000 / cases[i].n / cases[i].used - 1) < 0.005);
		assert_true(fabs((double)largest / 200000 / cases[i].largest - 1) < 0.005);
		packet_free(h.pool, m);
		harness_close(&h);
	}
}

// With a member down its flows go to the others, a third to each (of some 1000, to 3 sigma); the
// others' flows stay where they are.
static void
test_ecmp_over_up_members(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_ECMP);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (unsigned int down = 1; down <= MEMBERS; down++) {
		unsigned int moved[MEMBERS + 1] = {0}, all = 0;

		for (uint64_t flow = 0; flow < 4000; flow++) {
			unsigned int before, after;

			set_flow(m, random_mix(flow));
			before = spray(&h, m, GROUP);
			node_set_link(h.node, &h.node->ports[down], false, h.now);
			after = spray(&h, m, GROUP);
			node_set_link(h.node, &h.node->ports[down], true, h.now);
			if (before != down)
				assert_int_equal(after, before);
			else
				moved[after]++, all++;
		}
		assert_in_range(all, 1000 - 83, 1000 + 83); // 3 sqrt(4000 1/4 3/4) = 82.2
		for (unsigned int i = 1; i <= MEMBERS; i++) {
			if (i == down)
				assert_int_equal(moved[i], 0);
			else
				assert_in_range(moved[i], all / 3 - SIGMA3_OF_3 - 2,
						all / 3 + SIGMA3_OF_3 + 2);
		}
	}
	packet_free(h.pool, m);
	harness_close(&h);
}

// Queue pairs of two hosts: each keeps a member, together they take all, in equal parts.
static void
test_ecmp_qp(void **state)
{
	unsigned int taken[MEMBERS + 1] = {0};
	struct harness h;
	struct rte_mbuf *m, *other;

	(void)state;
	open_group(&h, GROUP_ECMP_QP);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (uint32_t qp = 0; qp < DRAWS; qp++) {
		unsigned int first;

		set_qp(m, qp);
		first = spray(&h, m, GROUP);
		taken[first]++;
		for (unsigned int i = 0; i < 5; i++)
			assert_int_equal(spray(&h, m, GROUP), first);
	}
	for (unsigned int i = 1; i <= MEMBERS; i++)
		assert_in_range(taken[i], DRAWS / 4 - SIGMA3_OF_4, DRAWS / 4 + SIGMA3_OF_4);
	// What is not RoCEv2 has no QP, whatever stands in its place.
	other = packet(&h, &(struct frame){.dport = 9});
	taken[0] = spray(&h, other, GROUP);
	for (uint32_t qp = 0; qp < 20; qp++) {
		set_qp(other, qp);
		assert_int_equal(spray(&h, other, GROUP), taken[0]);
	}
	packet_free(h.pool, other);
	packet_free(h.pool, m);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ecmp_is_stable),
		cmocka_unit_test(test_ecmp_spreads),
		cmocka_unit_test(test_ecmp_over_up_members),
		cmocka_unit_test(test_ecmp_qp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
