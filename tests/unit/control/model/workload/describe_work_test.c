// SPDX-License-Identifier: BSD-3-Clause
// Sums of a workload: by kind and group, and between hosts, also of flows that are generated.
#include "control/model/workload/describe_work.h"
#include "made.h"

static void
assert_sum(const struct work_sum *s, const char *kind, uint64_t count, uint64_t bytes)
{
	assert_string_equal(s->kind, kind);
	assert_int_equal(s->count, count);
	assert_int_equal(s->bytes, bytes);
}

static uint64_t
between(const struct work_description *d, uint32_t src, uint32_t dst)
{
	for (uint32_t i = 0; i < d->pair_count; i++)
		if (d->pairs[i].src == src && d->pairs[i].dst == dst)
			return d->pairs[i].bytes;
	return 0;
}

static void
test_flows(void **state)
{
	struct work_description d;
	struct made m;

	(void)state;
	make_leaf(&m, 3,
		  "  - {kind: flow, from: h1, to: h2, size: 1000B, repeat: 3}\n"
		  "  - {kind: incast, from: [h1, h2], to: h3, size: 50B}\n"
		  "  - {kind: stream, from: h1, to: h3, rate: 8G, until: 1us}\n"
		  "  - {kind: stream, from: h2, to: h3, rate: 8G}\n");
	work_describe(&d, m.w, m.f.config);
	assert_int_equal(d.sum_count, 4);
	assert_sum(&d.sums[0], "flow", 3, 3000);
	assert_sum(&d.sums[1], "incast", 2, 100);
	assert_sum(&d.sums[2], "stream", 1, 1000);
	assert_sum(&d.sums[3], "stream", 1, 0); // without an end
	assert_int_equal(d.program_count, 0);
	assert_int_equal(d.pair_count, 3);
	assert_int_equal(d.pairs[0].bytes, 3000); // the largest first
	assert_int_equal(between(&d, 0, 1), 3000);
	assert_int_equal(between(&d, 0, 2), 1050);
	assert_int_equal(between(&d, 1, 2), 50);
	work_description_free(&d);
	drop(&m);
}

// Listed or generated, the same bytes go to the same hosts; the first parts are a byte longer.
static void
test_all_to_all(void **state)
{
	static const char *const items[] = {
		"  - {kind: all-to-all, size: 11B, repeat: 2, compute: 3us}\n",
		"  - {kind: all-to-all, size: 11B, repeat: 2, compute: 3us, pairs: generated}\n",
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct work_description d;
		struct made m;

		make_leaf(&m, 3, items[i]);
		work_describe(&d, m.w, m.f.config);
		assert_int_equal(d.sum_count, 1);
		assert_sum(&d.sums[0], "all-to-all", 2, 44);
		assert_null(d.sums[0].group);
		assert_int_equal(d.program_count, 1);
		assert_int_equal(d.programs[0].ranks, 3);
		assert_int_equal(d.programs[0].compute_ps, 6 * PS_PER_US);
		assert_int_equal(d.pair_count, 6);
		assert_int_equal(between(&d, 1, 0), 8);
		assert_int_equal(between(&d, 0, 1), 8);
		assert_int_equal(between(&d, 0, 2), 6);
		assert_int_equal(d.generated_left_out, 0);
		work_description_free(&d);
		drop(&m);
	}
}

static void
test_groups_and_hosts(void **state)
{
	struct work_description d;
	struct made m;

	(void)state;
	make(&m,
	     "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2, "
	     "planes: 2}\n",
	     "  - kind: step\n"
	     "    groups: {tp: {size: 2}}\n"
	     "    operations:\n"
	     "      - {kind: all-reduce, group: tp, size: 100B, channels: 1}\n"
	     "      - {kind: compute, time: 2us}\n"
	     "      - {kind: all-gather, size: 400B, channels: 1, compute: 1us}\n");
	assert_int_equal(m.error, 0);
	work_describe(&d, m.w, m.f.config);
	assert_int_equal(d.sum_count, 3);
	assert_sum(&d.sums[0], "all-reduce", 2, 400); // in each host, between its NICs
	assert_string_equal(d.sums[0].group, "tp");
	assert_int_equal(d.sums[0].inside_bytes, 400);
	assert_sum(&d.sums[1], "compute", 1, 0);
	assert_sum(&d.sums[2], "all-gather", 1, 1200);
	assert_int_equal(d.sums[2].inside_bytes, 600);
	assert_int_equal(d.programs[0].compute_ps, 3 * PS_PER_US);
	assert_int_equal(d.pair_count, 2);
	assert_int_equal(between(&d, 0, 1), 300);
	assert_int_equal(between(&d, 1, 0), 300);
	work_description_free(&d);
	drop(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flows),
		cmocka_unit_test(test_all_to_all),
		cmocka_unit_test(test_groups_and_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
