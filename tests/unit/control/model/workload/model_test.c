// SPDX-License-Identifier: BSD-3-Clause
// Steps of models: which operations their ranks do, in which order, and how many bytes they send.
#include "made_operations.h"

#include <sys/resource.h>

static const struct collective_spec *
find(const struct made *m, const char *name, const char *kind, uint32_t group)
{
	for (uint32_t i = 0; i < m->w->collective_count; i++) {
		const struct collective_spec *c = &m->w->collectives[i];

		if (strcmp(c->name, name) == 0 && strcmp(c->kind, kind) == 0 &&
		    c->group_index == group)
			return c;
	}
	print_error("no %s %s of group %u\n", kind, name, group);
	fail();
	return NULL;
}

static uint32_t
count(const struct made *m, const char *kind)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < m->w->collective_count; i++)
		found += strcmp(m->w->collectives[i].kind, kind) == 0;
	return found;
}

static bool
is_member(const struct made *m, const struct collective_spec *c, uint32_t member, uint32_t *rank)
{
	for (*rank = c->first_rank; *rank < c->first_rank + c->rank_count; ++*rank)
		if (m->w->ranks[*rank].member == member)
			return true;
	return false;
}

static void
assert_waits(const struct made *m, const struct collective_spec *c, uint32_t member,
	     const char *names)
{
	uint32_t rank;

	assert_true(is_member(m, c, member, &rank));
	assert_rank_waits(m, rank, names);
}

// What a member computes, in its order.
static void
assert_computes(const struct made *m, uint32_t member, const char *names)
{
	char text[128] = "";
	uint32_t rank;

	for (uint32_t i = 0; i < m->w->collective_count; i++) {
		const struct collective_spec *c = &m->w->collectives[i];

		if (strcmp(c->kind, "compute") == 0 && is_member(m, c, member, &rank))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 text[0] != '\0' ? " " : "", c->name + strlen("s0."));
	}
	assert_string_equal(text, names);
}

#define DENSE(parallel, more)                                                                    \
	"  - {kind: model, transformer: {layers: 5, hidden: 64, heads: 4, kv-heads: 2, "         \
	"ffn: 96, vocabulary: 100}, batch: {sequence: 32, micro-batches: 3}, parallel: {tp: 2, " \
	"pp: 2" parallel "}, gpu: {tflops: 1, efficiency: 50%}" more "}\n"

// 8 ranks: stages 0-3 and 4-7; tensor-parallel ranks 0-1, 2-3; data-parallel ones 0-2, 1-3.
static void
test_dense(void **state)
{
	const struct collective_spec *c;
	struct made m;

	(void)state;
	make_leaf(&m, 8, DENSE("", ""));
	// Layers x micro-batches x directions x blocks x groups.
	assert_int_equal(count(&m, "all-gather"), 5 * 3 * 2 * 2 * 2 + 4);
	// The same, and gradients of 5 layers, embedding and output in 2 groups.
	assert_int_equal(count(&m, "reduce-scatter"), 5 * 3 * 2 * 2 * 2 + 2 * 5 + 2 * 2);
	assert_int_equal(count(&m, "send"), 4 * 3 * 2);
	assert_int_equal(m.w->program_count, 1);
	assert_string_equal(m.w->programs[0].kind, "step");
	// 32 tokens x 64 x 2 bytes.
	c = find(&m, "s0.f1.l2.attention", "all-gather", 1);
	assert_int_equal(c->bytes, 4096);
	assert_string_equal(c->group, "tp");
	assert_members(&m, c, "2 3");
	assert_int_equal(c->compute_ps, 0);
	// 2 (2 (4 + 2) 16 64) + 4 x 32 x 64 operations a token, at 1 TFLOP/s of two ranks.
	c = find(&m, "s0.f1.l2.attention", "reduce-scatter", 1);
	assert_int_equal(c->bytes, 4096);
	assert_int_equal(c->compute_ps, 32 * (2 * 12288 + 8192));
	assert_int_equal(find(&m, "s1.b1.l4.attention", "reduce-scatter", 0)->compute_ps,
			 2 * 32 * (2 * 12288 + 8192));
	assert_int_equal(find(&m, "s1.b1.l4.ffn", "reduce-scatter", 0)->compute_ps,
			 2 * 32 * 2 * 3 * 64 * 96);
	// The output layer before the last stage goes back.
	assert_int_equal(find(&m, "s1.f1", "compute", 0)->compute_ps, 32 * 2 * 64 * 100);
	assert_int_equal(find(&m, "s1.b1.l4.ffn", "all-gather", 0)->compute_ps,
			 2 * 32 * 2 * 64 * 100);
	// Each of two ranks sends half.
	c = find(&m, "s0.f2.send", "send", 3);
	assert_int_equal(c->bytes, 2048);
	assert_members(&m, c, "3 7");
	assert_members(&m, find(&m, "s1.b2.send", "send", 3), "7 3");
	assert_waits(&m, c, 3, "s0.f2.l2.ffn");
	assert_waits(&m, c, 7, "");
	assert_waits(&m, find(&m, "s1.f2.l3.attention", "all-gather", 1), 7,
		     "s1.b1.l3.attention s0.f2.send");
	// Half of 12288 + 18432 parameters, 4 bytes each.
	c = find(&m, "s0.gradients.l1", "reduce-scatter", 1);
	assert_int_equal(c->bytes, 61440);
	assert_members(&m, c, "1 3");
	assert_waits(&m, c, 3, "s0.b2.l1.attention s0.gradients.l2");
	assert_int_equal(find(&m, "s0.gradients.embedding", "reduce-scatter", 0)->bytes, 12800);
	assert_int_equal(find(&m, "s1.gradients.output", "reduce-scatter", 0)->bytes, 12800);
	// (3 x 15360 + 3200) and (2 x 15360 + 3200) parameters of 2 bytes.
	assert_int_equal(find(&m, "s0.parameters", "all-gather", 1)->bytes, 98560);
	assert_int_equal(find(&m, "s1.parameters", "all-gather", 0)->bytes, 67840);
	assert_waits(&m, find(&m, "s0.parameters", "all-gather", 1), 3,
		     "s0.b2.l0.attention s0.gradients.embedding");
	drop(&m);
}

static void
test_variants(void **state)
{
	struct made m;

	(void)state;
	// All-reduces, and what comes from the other stage is collected; gradients are summed where
	// they are used, after all passes.
	make_leaf(&m, 8,
		  DENSE(", sequence: off, sharded-optimizer: off, overlap: off",
			", precision: {gradients: bf16, activations: fp32}"));
	assert_int_equal(count(&m, "all-reduce"), 5 * 3 * 2 * 2 * 2 + 2 * 5 + 2 * 2);
	assert_int_equal(count(&m, "all-gather"), 3 * 2 * 2);
	assert_int_equal(count(&m, "reduce-scatter"), 0);
	assert_int_equal(find(&m, "s1.f0.received", "all-gather", 0)->bytes, 8192);
	assert_int_equal(find(&m, "s1.f0.l3.ffn", "all-reduce", 0)->bytes, 8192);
	assert_int_equal(find(&m, "s0.gradients.l2", "all-reduce", 0)->bytes, 30720);
	assert_waits(&m, find(&m, "s0.gradients.l2", "all-reduce", 0), 0, "s0.b2.l0.attention");
	assert_string_equal(find(&m, "s0.gradients.l2", "all-reduce", 0)->label, "gradients");
	assert_string_equal(find(&m, "s1.f0.l3.ffn", "all-reduce", 0)->label, "forward.ffn");
	drop(&m);
	// A slice: the last 2 layers of each stage, 1 micro-batch, a quarter of everything; layers
	// computed again.
	make_leaf(&m, 8, DENSE("", ", simulate: {layers: 2, micro-batches: 1, share: 25%}"));
	assert_int_equal(count(&m, "all-gather"), 4 * 1 * 2 * 2 * 2 + 4);
	assert_int_equal(find(&m, "s0.f0.l1.attention", "all-gather", 0)->bytes, 1024);
	assert_int_equal(find(&m, "s0.f0.l1.attention", "reduce-scatter", 0)->compute_ps,
			 8 * (2 * 12288 + 8192));
	assert_int_equal(find(&m, "s0.gradients.l1", "reduce-scatter", 0)->bytes, 15360);
	drop(&m);
}

#define PIPELINE(more)                                                                \
	"  - {kind: model, transformer: {layers: 4, hidden: 64, heads: 4, ffn: 96}, " \
	"batch: {sequence: 32, micro-batches: 5}, parallel: {pp: 4" more "}, gpu: {tflops: 1}}\n"

// As figure 4 of SC'21 has it.
static void
test_order(void **state)
{
	static const char *const order[] = {
		"f0 f1 f2 f3 b0 f4 b1 b2 b3 b4",
		"f0 f1 f2 b0 f3 b1 f4 b2 b3 b4",
		"f0 f1 b0 f2 b1 f3 b2 f4 b3 b4",
		"f0 b0 f1 b1 f2 b2 f3 b3 f4 b4",
	};
	struct made m;

	(void)state;
	make_leaf(&m, 4, PIPELINE(""));
	for (uint32_t stage = 0; stage < 4; stage++)
		assert_computes(&m, stage, order[stage]);
	assert_waits(&m, find(&m, "s1.f3", "compute", 0), 1, "s1.b0 s0.f3.send");
	assert_waits(&m, find(&m, "s1.b1", "compute", 0), 1, "s1.f3 s2.b1.send");
	assert_waits(&m, find(&m, "s0.f1", "compute", 0), 0, "s0.f0");
	assert_waits(&m, find(&m, "s3.b0", "compute", 0), 3, "s3.f0");
	// One rank a stage reduces nothing.
	assert_int_equal(count(&m, "reduce-scatter"), 0);
	drop(&m);
	make_leaf(&m, 4, PIPELINE(", schedule: gpipe"));
	for (uint32_t stage = 0; stage < 4; stage++)
		assert_computes(&m, stage, "f0 f1 f2 f3 f4 b0 b1 b2 b3 b4");
	drop(&m);
}

// Four hosts of two NICs on rails, one stage; experts over all, 2 at each rank.
static void
test_experts(void **state)
{
	const struct collective_spec *c;
	struct made m;

	(void)state;
	make(&m,
	     "fabric:\n  topology: {kind: rail, leaves: 2, rails: 2, spines: 1, hosts-per-leaf: "
	     "4}\n",
	     "  - {kind: model, transformer: {layers: 2, hidden: 100, heads: 4, ffn: 200, experts: "
	     "{count: 16, top-k: 2, ffn: 50, shared: 1, dense-layers: 1, nodes: 2}}, batch: "
	     "{sequence: 90, micro-batches: 1}, parallel: {ep: 4}, precision: {dispatch: fp8}, "
	     "gpu: {tflops: 1}}\n");
	assert_int_equal(m.error, 0);
	// Groups of two hosts. A token goes to a host with 1 - C(8, 2) / C(16, 2) = 23 / 30; 90
	// tokens of 100 bytes there and 200 back.
	c = find(&m, "s0.f0.l1.dispatch", "all-to-all", 0);
	assert_members(&m, c, "0 2");
	assert_int_equal(m.w->flows[c->first_flow].bytes, 6900);
	assert_members(&m, find(&m, "s0.b0.l1.dispatch", "all-to-all", 3), "5 7");
	assert_int_equal(
		m.w->flows[find(&m, "s0.b0.l1.combine", "all-to-all", 2)->first_flow].bytes, 13800);
	// To one of 4 experts with 1 - C(12, 2) / C(16, 2) = 9 / 20, from the ranks of both hosts.
	c = find(&m, "s0.f0.l1.dispatch-inside", "all-to-all", 1);
	assert_string_equal(c->label, "forward.dispatch-inside");
	assert_members(&m, c, "2 3");
	assert_int_equal(m.w->flows[c->first_flow].bytes, 8100);
	assert_waits(&m, c, 3, "s0.f0.l1.dispatch");
	// Before the tokens leave, attention; before they come back, 3 experts of 3 matrices and
	// the choice of experts.
	assert_int_equal(find(&m, "s0.f0.l1.dispatch", "all-to-all", 0)->compute_ps / 90,
			 2 * (4 * 100 * 100 + 3 * 100 * 200) + 4 * 90 * 100 + 2 * 4 * 100 * 100 +
				 4 * 90 * 100);
	assert_int_equal(find(&m, "s0.f0.l1.combine-inside", "all-to-all", 0)->compute_ps / 90,
			 2 * (100 * 16 + 3 * 3 * 100 * 50));
	assert_int_equal(find(&m, "s0.f0.l1.combine", "all-to-all", 0)->compute_ps, 0);
	// Of four experts, by the two ranks that have the same; all else by all eight.
	c = find(&m, "s0.gradients.l1.experts", "reduce-scatter", 1);
	assert_members(&m, c, "1 5");
	assert_int_equal(c->bytes, 4 * 4 * 3 * 100 * 50);
	c = find(&m, "s0.gradients.l1", "reduce-scatter", 0);
	assert_int_equal(c->rank_count, 8);
	assert_int_equal(c->bytes, 4 * (4 * 100 * 100 + 100 * 16 + 3 * 100 * 50));
	drop(&m);
}

// Experts shared by the NICs of two hosts, and by those of one, whose tokens need not be passed on.
static void
test_experts_of_hosts_that_differ(void **state)
{
	const struct collective_spec *c;
	struct made m;

	(void)state;
	make(&m,
	     "fabric:\n  topology: {kind: rail, leaves: 4, rails: 4, spines: 1, hosts-per-leaf: "
	     "3}\n",
	     "  - {kind: model, hosts: [h1.eth1, h1.eth2, h2.eth1, h2.eth2, h3], transformer: "
	     "{layers: 1, hidden: 100, heads: 4, ffn: 200, experts: {count: 4, top-k: 2, ffn: "
	     "50}}, "
	     "batch: {sequence: 90, micro-batches: 1}, parallel: {ep: 4}, gpu: {tflops: 1}}\n");
	assert_int_equal(m.error, 0);
	assert_members(&m, find(&m, "s0.f0.l0.dispatch", "all-to-all", 0), "0 2");
	c = find(&m, "s0.f0.l0.dispatch-inside", "all-to-all", 1);
	assert_members(&m, c, "2 3");
	assert_waits(&m, c, 3, "s0.f0.l0.dispatch");
	assert_members(&m, find(&m, "s0.f0.l0.dispatch", "all-to-all", 2), "4 5 6 7");
	drop(&m);
}

// The error comes before more operations than are supported take all memory.
static void
test_too_many_operations(void **state)
{
	struct rusage before, after;

	(void)state;
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_refused("fabric:\n  topology: {kind: leaf-spine, leaves: 16, spines: 1, "
		       "hosts-per-leaf: 128}\n",
		       "  - {kind: model, transformer: {layers: 4096, hidden: 64, heads: 4, ffn: "
		       "96}, batch: {sequence: 32, micro-batches: 1}, parallel: {tp: 2}, gpu: "
		       "{tflops: 1}}\n",
		       "workload.simulate: more than 1048576 operations");
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_true(after.ru_maxrss - before.ru_maxrss < 1 << 20); // KiB
}

static void
test_mistakes(void **state)
{
	static const char eight[] = "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: "
				    "0, hosts-per-leaf: 8}\n";

	(void)state;
	assert_refused(eight,
		       "  - {kind: model, transformer: {layers: 5, hidden: 64, heads: 4, ffn: 96}, "
		       "batch: {sequence: 32, micro-batches: 3}, parallel: {tp: 2, pp: 3}, gpu: "
		       "{tflops: 1}}\n",
		       "tp 2 times pp 3 does not divide the 8 ranks");
	assert_refused(eight,
		       "  - {kind: model, transformer: {layers: 5, hidden: 64, heads: 4, ffn: 96, "
		       "experts: {count: 16, top-k: 2, ffn: 8}}, batch: {sequence: 32, "
		       "micro-batches: 3}, parallel: {pp: 2, ep: 8}, gpu: {tflops: 1}}\n",
		       "8 ranks cannot share experts equally among the 4 of a stage");
	assert_refused(eight,
		       "  - {kind: model, transformer: {layers: 5, hidden: 64, heads: 4, ffn: 96}, "
		       "batch: {sequence: 4000000, micro-batches: 3}, gpu: {tflops: 1, efficiency: "
		       "0.01%}}\n",
		       "a rank computes for more than an hour");
	assert_refused(eight,
		       "  - {kind: model, transformer: {layers: 5, hidden: 200000, heads: 1, ffn: "
		       "200000}, batch: {sequence: 1, micro-batches: 3}, gpu: {tflops: 1000}}\n",
		       "s0.gradients.l4: 1120000000000 bytes; at most 1099511627776");
	assert_refused(eight,
		       "  - {kind: model, transformer: {layers: 4096, hidden: 64, heads: 4, ffn: "
		       "96}, batch: {sequence: 32, micro-batches: 4096}, parallel: {tp: 8}, gpu: "
		       "{tflops: 1}}\n",
		       "workload.simulate: more than 1048576 operations: simulate fewer layers or "
		       "micro-batches");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dense),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_experts),
		cmocka_unit_test(test_experts_of_hosts_that_differ),
		cmocka_unit_test(test_too_many_operations),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
