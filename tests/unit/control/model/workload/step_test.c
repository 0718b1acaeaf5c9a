// SPDX-License-Identifier: BSD-3-Clause
//
// Steps over groups: who is in what, what waits for what, and what is sent.

#include "made_operations.h"

#define STEP                                                                            \
	"  - {kind: step, name: s, groups: {tp: {size: 2}, pp: {size: 2, stride: 4}}, " \
	"operations: ["

static const struct collective_spec *
find(const struct made *m, const char *name, uint32_t group)
{
	for (uint32_t i = 0; i < m->w->collective_count; i++)
		if (strcmp(m->w->collectives[i].name, name) == 0 &&
		    m->w->collectives[i].group_index == group)
			return &m->w->collectives[i];
	fail();
	return NULL;
}

static void
assert_waits(const struct made *m, const char *name, uint32_t rank, const char *names)
{
	assert_rank_waits(m, find(m, name, 0)->first_rank + rank, names);
}

static void
test_groups(void **state)
{
	struct made m;

	(void)state;
	make_leaf(&m, 8,
		  STEP "{kind: all-reduce, name: a, group: tp, size: 8B},"
		       "{kind: send, name: b, group: pp, size: 5B, on: {pp: 0}},"
		       "{kind: compute, name: c, time: 3us, on: {pp: 1, tp: 0}},"
		       "{kind: broadcast, name: d, size: 9B, root: 6, on: {tp: 0-1}},"
		       "{kind: compute, name: e, time: 1us, after: [a, c]},"
		       "{kind: compute, name: f, time: 1us, after: []},"
		       "{kind: send, name: g, group: pp, by: -1, size: 5B},"
		       "{kind: all-to-all, name: h, size: 10B, group: pp, shares: [1, 3]}]}\n");
	assert_members(&m, find(&m, "a", 0), "0 1");
	assert_members(&m, find(&m, "a", 3), "6 7");
	assert_int_equal(find(&m, "a", 0)->group_count, 4);
	assert_string_equal(find(&m, "a", 0)->group, "tp");
	assert_members(&m, find(&m, "b", 1), "1 5");
	assert_int_equal(find(&m, "b", 3)->flow_count, 1);
	assert_int_equal(m.w->flows[find(&m, "b", 3)->first_flow].bytes, 5);
	assert_members(&m, find(&m, "c", 0), "4 6");
	assert_int_equal(find(&m, "c", 0)->compute_ps, 3000000);
	assert_int_equal(find(&m, "c", 0)->flow_count, 0);
	assert_members(&m, find(&m, "d", 0), "6 7 0 1 2 3 4 5");
	assert_int_equal(find(&m, "d", 0)->flow_count, 7);
	assert_members(&m, find(&m, "g", 0), "4 0");
	// Member 0 of c is rank 4, which received b; rank 0 of e takes no part in c.
	assert_waits(&m, "a", 0, "");
	assert_waits(&m, "b", 0, "a");
	assert_waits(&m, "b", 1, "a");
	assert_waits(&m, "c", 0, "b");
	assert_waits(&m, "d", 0, "c");
	assert_waits(&m, "d", 2, "b");
	assert_waits(&m, "e", 0, "a");
	assert_waits(&m, "e", 4, "a c");
	assert_waits(&m, "f", 0, "");
	assert_waits(&m, "g", 1, "f");
	assert_waits(&m, "h", 0, "g");
	// 10 bytes of each rank: 2 to the first, which keeps its own, and 8 to the second.
	assert_int_equal(find(&m, "h", 0)->flow_count, 2);
	assert_int_equal(m.w->flows[find(&m, "h", 0)->first_flow].bytes, 8);
	assert_int_equal(m.w->flows[find(&m, "h", 0)->first_flow + 1].bytes, 2);
	drop(&m);
}

// 4 hosts of a NIC each, 16 experts: without a limit a token is at a host with one or more of its 2
// experts with 1 - C(12, 2) / C(16, 2) = 0.45; with one host a token, with 1/4.
static void
test_experts(void **state)
{
	const struct collective_spec *c;
	struct made m;

	(void)state;
	make_leaf(&m, 4,
		  "  - {kind: step, operations: ["
		  "{kind: dispatch, tokens: 100, token: 100B, experts: 16, top-k: 2},"
		  "{kind: combine, tokens: 100, token: 200B, experts: 16, top-k: 2, nodes: 1}]}\n");
	c = find(&m, "dispatch", 0);
	assert_string_equal(c->kind, "all-to-all");
	assert_int_equal(c->flow_count, 12);
	assert_int_equal(m.w->flows[c->first_flow].bytes, 4500);
	assert_int_equal(m.w->flows[find(&m, "combine", 0)->first_flow].bytes, 5000);
	drop(&m);
}

// A step computes once, though tokens take two operations to get to other hosts and on inside.
static void
test_compute_before_experts(void **state)
{
	struct made m;

	(void)state;
	make(&m,
	     "fabric:\n  topology: {kind: rail, leaves: 2, spines: 1, rails: 2, hosts-per-leaf: "
	     "2}\n",
	     "  - {kind: step, compute: 5us, operations: ["
	     "{kind: dispatch, name: d, tokens: 10, token: 1KB, experts: 8, top-k: 2, compute: "
	     "2us}]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(find(&m, "d", 0)->compute_ps, 7000000);
	assert_int_equal(find(&m, "d-inside", 2)->compute_ps, 0);
	drop(&m);
}

static void
test_mistakes(void **state)
{
	static const char four[] = "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
				   "hosts-per-leaf: 8}\n";

	(void)state;
	assert_refused(four, STEP "{kind: all-reduce, size: 1B, group: dp}]}\n",
		       "workload.group: dp: no such group; the step's groups are in its key "
		       "groups");
	assert_refused(four, STEP "{kind: compute, time: 1us, on: {pp: 2}}]}\n",
		       "workload.on: pp has positions 0 to 1");
	assert_refused(four, STEP "{kind: compute, time: 1us, after: [x]}]}\n",
		       "workload.after: x: no earlier operation of the step has this name");
	assert_refused(four,
		       STEP "{kind: compute, name: a, time: 1us}, "
			    "{kind: compute, name: a, time: 1us}]}\n",
		       "workload.name: a is the name of an earlier operation, in line 4");
	assert_refused(four, STEP "{kind: send, size: 1B, group: tp, by: 2}]}\n",
		       "workload.on: no rank takes part");
	assert_refused(four,
		       "  - {kind: step, compute: 1us, operations: [{kind: send, size: 1B}]}\n",
		       "workload.compute: its first operation is a send, which does not compute");
	assert_refused(four, STEP "{kind: broadcast, size: 1B, group: tp, root: 2}]}\n",
		       "workload.root: no rank at position 2; the group has 2");
	assert_refused(four, STEP "{kind: all-to-all, size: 9B, group: tp, shares: [1]}]}\n",
		       "workload.shares: 1 shares for 2 ranks");
	assert_refused(four,
		       "  - {kind: step, groups: {a: {size: 3}}, operations: [{kind: compute, "
		       "time: 1us}]}\n",
		       "a: 3 ranks at a stride of 1 do not divide the 8 ranks of the step");
	assert_refused(four,
		       STEP "{kind: dispatch, tokens: 1, token: 1B, experts: 9, top-k: 1}]}\n",
		       "workload.experts: 9 experts cannot be shared equally by 8 ranks");
	assert_refused(four,
		       STEP "{kind: dispatch, tokens: 1, token: 1B, experts: 8, top-k: 3, nodes: "
			    "2}]}\n",
		       "workload.top-k: a token goes to 3 experts, but 2 hosts have 2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_experts),
		cmocka_unit_test(test_compute_before_experts),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
