// SPDX-License-Identifier: BSD-3-Clause
// Programs: their parts, ranks, starts and limits, and what flows have from them.
#include "made.h"

static void
test_one(void **state)
{
	const struct collective_spec *c;
	const struct program_spec *p;
	struct made m;

	(void)state;
	make(&m, FIXTURE_DEMO,
	     "  - {kind: flow, from: h1, to: h2, size: 1B}\n"
	     "  - {kind: all-reduce, size: 64MB, tenant: blue, name: grads, at: 3us, repeat: 5,"
	     " gap: 2us, compute: 7us, qps: 4, priority: 6}\n"
	     "  - {kind: all-gather, size: 9B, hosts: [h6, h1, h2]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->program_count, 2);
	p = &m.w->programs[0];
	assert_string_equal(p->name, "grads");
	assert_string_equal(p->kind, "all-reduce");
	assert_int_equal(p->item, 1);
	assert_int_equal(p->first_collective, 0);
	assert_int_equal(p->collective_count, 1);
	assert_int_equal(p->member_count, 4);
	assert_int_equal(p->repeat, 5);
	assert_int_equal(p->gap_ps, 2000000);
	assert_int_equal(p->first_member, 0);
	c = &m.w->collectives[0];
	assert_string_equal(c->name, "grads");
	assert_string_equal(c->kind, "all-reduce");
	assert_string_equal(c->algorithm, "ring");
	assert_int_equal(c->bytes, 64000000);
	assert_int_equal(c->first_rank, 0);
	assert_int_equal(c->rank_count, 4);
	assert_int_equal(c->first_flow, 1);
	assert_int_equal(c->flow_count, 4);
	assert_int_equal(c->program, 0);
	assert_int_equal(c->compute_ps, 7000000);
	for (unsigned r = 0; r < 4; r++) {
		static const uint32_t blue[] = {2, 3, 6, 7};
		const struct flow_spec *flow = &m.w->flows[1 + r];

		assert_int_equal(m.w->members[r].start_ps, 3000000);
		assert_int_equal(m.w->ranks[r].host, blue[r]);
		assert_int_equal(m.w->ranks[r].port, 0);
		assert_int_equal(flow->from_rank, r);
		assert_int_equal(flow->src, blue[r]);
		assert_int_equal(flow->collective, 0);
		assert_int_equal(flow->start_ps, 10000000);
		assert_int_equal(flow->repeat, 5);
		assert_int_equal(flow->qps, 4);
		assert_int_equal(flow->priority, 6);
		assert_int_equal(flow->handover_ps, 0);
		assert_false(flow->inside);
	}
	c = &m.w->collectives[1];
	assert_string_equal(c->name, "all-gather");
	assert_int_equal(c->first_rank, 4);
	assert_int_equal(m.w->programs[1].first_member, 4);
	assert_int_equal(m.w->ranks[4].host, 5);
	assert_int_equal(m.w->ranks[5].host, 0);
	assert_int_equal(m.w->flows[0].collective, WORKLOAD_NONE);
	assert_int_equal(m.w->flows[0].gate, WORKLOAD_NONE);
	drop(&m);
}

static void
test_step(void **state)
{
	const struct collective_spec *c;
	const struct program_spec *p;
	struct made m;

	(void)state;
	make(&m, FIXTURE_DEMO,
	     "  - {kind: step, tenant: red, compute: 1ms, repeat: 10, gap: 3us, priority: 5, qps: "
	     "2, name: train, operations: [\n"
	     "      {kind: reduce-scatter, size: 8B, compute: 2us, name: rs},\n"
	     "      {kind: all-to-all, size: 8B, algorithm: shift, priority: 4, qps: 3},\n"
	     "      {kind: all-reduce, size: 8B, algorithm: tree, compute: 9us}]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->program_count, 1);
	p = &m.w->programs[0];
	assert_string_equal(p->name, "train");
	assert_string_equal(p->kind, "step");
	assert_int_equal(p->collective_count, 3);
	assert_int_equal(p->repeat, 10);
	assert_int_equal(p->gap_ps, 3000000);
	assert_int_equal(m.w->member_count, 4);
	assert_int_equal(m.w->rank_count, 12);
	c = m.w->collectives;
	assert_string_equal(c[0].name, "rs");
	assert_string_equal(c[1].name, "all-to-all");
	assert_string_equal(c[1].algorithm, "shift");
	assert_string_equal(c[2].algorithm, "tree");
	assert_int_equal(c[0].compute_ps, 1002000000);
	assert_int_equal(c[1].compute_ps, 0);
	assert_int_equal(c[2].compute_ps, 9000000);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(c[i].program, 0);
		for (unsigned r = 0; r < 4; r++)
			assert_int_equal(m.w->ranks[c[i].first_rank + r].host,
					 (r & 1) + 2 * (r & 2));
		for (uint32_t f = 0; f < c[i].flow_count; f++) {
			const struct flow_spec *flow = &m.w->flows[c[i].first_flow + f];

			assert_int_equal(flow->collective, i);
			assert_int_equal(flow->repeat, 10);
			assert_int_equal(flow->gap_ps, 3000000);
			assert_int_equal(flow->priority, i == 1 ? 4 : 5);
			assert_int_equal(flow->qps, i == 1 ? 3 : 2);
			assert_int_equal(flow->tenant, topology_find_tenant(m.f.topology, "red"));
		}
	}
	drop(&m);
}

#define THREE "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 3}\n"

static void
test_limits(void **state)
{
	(void)state;
	assert_refused(THREE, "  - {kind: all-reduce, size: 1B, repeat: 65537}\n",
		       "t.yaml:4:5: workload.repeat: 65537 times 1 operation of one rank are "
		       "65537; at most 65536 are supported");
	assert_refused(THREE,
		       "  - {kind: step, repeat: 40000, operations: [{kind: all-gather, size: "
		       "1B}, {kind: all-gather, size: 1B}]}\n",
		       "40000 times 2 operations of one rank are 80000; at most 65536");
	assert_refused(THREE, "  - {kind: all-reduce, algorithm: tree, chunk: 2B, size: 131073B}\n",
		       "t.yaml:4:5: workload.chunk: 131073 bytes in chunks of 2 are 65537 "
		       "messages; at most 65536");
	assert_refused(
		THREE, "  - {kind: all-reduce, algorithm: halving-doubling, size: 1MB}\n",
		"workload.algorithm: halving-doubling needs a number of ranks that is a power of "
		"two; there are 3");
	assert_refused(THREE, "  - {kind: all-reduce, size: 1MB, hosts: [h2, h1, h2.eth1]}\n",
		       "t.yaml:4:51: workload.hosts: h2.eth1 appears twice");
	assert_refused(FIXTURE_DEMO, "  - {kind: all-to-all, size: 1KB}\n", "no route joins");
	assert_refused(FIXTURE_DEMO, "  - {kind: all-reduce, size: 1KB, hosts: [h1, h2, h3]}\n",
		       "traffic between tenants that no route joins: h2 (red) to h3 (blue)");
}

// 5,000 hosts would be 24,995,000 pairs; 2,048 in a ring are 2,048 flows.
static void
test_many(void **state)
{
	static const char *const fabric = "fabric:\n  topology: {kind: leaf-spine, leaves: %u, "
					  "spines: 1, hosts-per-leaf: 250}\n";
	char text[128];
	struct made m;

	(void)state;
	snprintf(text, sizeof(text), fabric, 20);
	assert_refused(
		text, "  - {kind: all-to-all, size: 1GB, pairs: listed}\n",
		"all pairs of 5000 ranks are 24995000 flows; the limit is 16777216 in total");
	snprintf(text, sizeof(text), fabric, 8);
	make(&m, text, "  - {kind: all-reduce, size: 1GB, repeat: 100}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 2000);
	assert_int_equal(m.w->flows[7].bytes, UINT64_C(2) * 1000000000 - 2 * 500000);
	assert_int_equal(m.w->flows[7].messages.count, 3998);
	drop(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
