// SPDX-License-Identifier: BSD-3-Clause
// Workload items as lists of flows and streams.
#include "made.h"

#include <unistd.h>

#define PLAIN "fabric:\n  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 4}\n"

static void
test_flow(void **state)
{
	struct made m;

	(void)state;
	make(&m, FIXTURE_DEMO "hosts: {priority: 5, qps: 2}\nh6: {priority: 4}\n",
	     "  - {kind: flow, from: h1, to: h5, size: 1MB, at: 3us, repeat: 4, gap: 1us, qps: 8,"
	     " priority: 3}\n"
	     "  - {kind: flow, from: h6, to: h2, size: 5B, tenant: red}\n"
	     "  - {kind: stream, from: h3, to: h7, packet: 1000B, rate: 12G, at: 1us, until: 2us, "
	     "ttl: 9}\n"
	     "  - {kind: stream, from: h3, to: h8, rate: 1G}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 2);
	assert_int_equal(m.w->flows[0].src, 0);
	assert_int_equal(m.w->flows[0].dst, 4);
	assert_int_equal(m.w->flows[0].bytes, 1000000);
	assert_int_equal(m.w->flows[0].start_ps, 3000000);
	assert_int_equal(m.w->flows[0].gap_ps, 1000000);
	assert_int_equal(m.w->flows[0].repeat, 4);
	assert_int_equal(m.w->flows[0].qps, 8);
	assert_int_equal(m.w->flows[0].priority, 3);
	assert_int_equal(m.w->flows[0].tenant, topology_find_tenant(m.f.topology, "red"));
	assert_int_equal(m.w->flows[0].collective, WORKLOAD_NONE);
	assert_int_equal(m.w->flows[1].priority, 4);
	assert_int_equal(m.w->flows[1].qps, 2);
	assert_int_equal(m.w->flows[1].repeat, 1);
	assert_int_equal(m.w->flows[1].item, 1);
	assert_int_equal(m.w->stream_count, 2);
	assert_int_equal(m.w->streams[0].rate_bps, UINT64_C(12000000000));
	assert_int_equal(m.w->streams[0].packet_bytes, 1000);
	assert_int_equal(m.w->streams[0].start_ps, 1000000);
	assert_int_equal(m.w->streams[0].until_ps, 2000000);
	assert_int_equal(m.w->streams[0].ttl, 9);
	assert_int_equal(m.w->streams[1].until_ps, PS_NEVER);
	assert_int_equal(m.w->streams[1].priority, 5);
	drop(&m);
}

static void
test_incast(void **state)
{
	struct made m;

	(void)state;
	make(&m, FIXTURE_DEMO, "  - {kind: incast, to: h1, from: [h2, h5, h6], size: 4MB}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(m.w->flows[i].src, i == 0 ? 1 : i + 3);
		assert_int_equal(m.w->flows[i].dst, 0);
		assert_int_equal(m.w->flows[i].bytes, 4000000);
	}
	drop(&m);
}

static bool
is_derangement(const struct flow_spec *flows, uint32_t count, uint32_t hosts)
{
	bool from[64] = {false}, to[64] = {false};

	for (uint32_t i = 0; i < count; i++) {
		if (flows[i].src == flows[i].dst || from[flows[i].src] || to[flows[i].dst])
			return false;
		from[flows[i].src] = to[flows[i].dst] = true;
	}
	return count == hosts;
}

static unsigned
same_targets(const struct flow_spec *a, const struct flow_spec *b, uint32_t count)
{
	unsigned same = 0;

	for (uint32_t i = 0; i < count; i++)
		same += a[i].dst == b[i].dst;
	return same;
}

static void
test_permutation(void **state)
{
	static const char *const items = "  - {kind: permutation, size: 4MB}\n"
					 "  - {kind: permutation, size: 4MB}\n"
					 "  - {kind: permutation, size: 1KB, hosts: [h2, h9]}\n";
	struct made m, again, other;

	(void)state;
	make(&m, PLAIN "  seed: 5\n", items);
	make(&again, PLAIN "  seed: 5\n", items);
	make(&other, PLAIN "  seed: 6\n", items);
	assert_int_equal(m.error | again.error | other.error, 0);
	assert_int_equal(m.w->flow_count, 34);
	assert_true(is_derangement(m.w->flows, 16, 16));
	assert_true(is_derangement(m.w->flows + 16, 16, 16));
	assert_true(is_derangement(other.w->flows, 16, 16));
	assert_int_equal(same_targets(m.w->flows, again.w->flows, 34), 34);
	assert_true(same_targets(m.w->flows, m.w->flows + 16, 16) < 16);
	assert_true(same_targets(m.w->flows, other.w->flows, 16) < 16);
	assert_int_equal(m.w->flows[32].src, 1);
	assert_int_equal(m.w->flows[32].dst, 8);
	assert_int_equal(m.w->flows[33].dst, 1);
	drop(&m);
	drop(&again);
	drop(&other);
}

// Each of the 9 derangements of four hosts comes up about as often as the others: 900 draws, 100
// each; chi-square with 8 degrees of freedom stays below 26.1 but once in a thousand.
static void
test_permutation_is_fair(void **state)
{
	unsigned counts[256] = {0}, kinds = 0;
	double chi = 0;

	(void)state;
	for (unsigned seed = 0; seed < 900; seed++) {
		char fabric[256];
		unsigned code = 0;
		struct made m;

		snprintf(fabric, sizeof(fabric),
			 "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, "
			 "hosts-per-leaf: 4}\n  seed: %u\n",
			 seed);
		make(&m, fabric, "  - {kind: permutation, size: 1B}\n");
		assert_int_equal(m.error, 0);
		for (unsigned i = 0; i < 4; i++)
			code = code * 4 + m.w->flows[i].dst;
		counts[code]++;
		drop(&m);
	}
	for (unsigned i = 0; i < 256; i++) {
		kinds += counts[i] != 0;
		if (counts[i] != 0)
			chi += (counts[i] - 100.0) * (counts[i] - 100.0) / 100.0;
	}
	assert_int_equal(kinds, 9);
	assert_true(chi < 26.1);
}

// Every flow draws, and every rank of a collective.
static void
test_jitter(void **state)
{
	static const char *const items = "  - {kind: permutation, size: 1KB, at: 1us}\n"
					 "  - {kind: all-to-all, size: 1KB, at: 20us}\n";
	uint64_t least = UINT64_MAX, most = 0;
	struct made m, again;

	(void)state;
	make(&m, PLAIN "hosts: {start-jitter: 10us}\n", items);
	make(&again, PLAIN "hosts: {start-jitter: 10us}\n", items);
	for (uint32_t i = 0; i < 16; i++) {
		uint64_t start = m.w->flows[i].start_ps;

		assert_in_range(start, 1000000, 11000000);
		assert_int_equal(start, again.w->flows[i].start_ps);
		least = start < least ? start : least;
		most = start > most ? start : most;
	}
	assert_true(least < 4000000 && most > 8000000);
	assert_int_equal(m.w->member_count, 16);
	for (uint32_t i = 0; i < 16; i++) {
		assert_in_range(m.w->members[i].start_ps, 20000000, 30000000);
		assert_int_equal(m.w->members[i].start_ps, again.w->members[i].start_ps);
	}
	for (uint32_t i = 16; i < m.w->flow_count; i++)
		assert_int_equal(m.w->flows[i].start_ps,
				 m.w->members[m.w->flows[i].from_rank].start_ps);
	drop(&m);
	drop(&again);
}

static void
test_flows_file(void **state)
{
	char folder[] = "/tmp/roost-work-XXXXXX", path[64], items[128];
	struct made m;
	FILE *to;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.flow", folder);
	snprintf(items, sizeof(items), "  - {kind: flows, file: %s, at: 1us, priority: 2}\n", path);
	to = fopen(path, "w");
	fprintf(to, "h1 h5 red 6 1000 7\nh7 h3 - - 5 0\n");
	fclose(to);
	make(&m, FIXTURE_DEMO, items);
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 2);
	assert_int_equal(m.w->flows[0].start_ps, 1007000);
	assert_int_equal(m.w->flows[0].priority, 6);
	assert_int_equal(m.w->flows[1].priority, 2);
	assert_int_equal(m.w->flows[1].tenant, topology_find_tenant(m.f.topology, "blue"));
	drop(&m);

	to = fopen(path, "w");
	fprintf(to, "h1 h5 red 3 1000 7\nh1 h3 - 3 5 0\nh1 h99 - 3 5 0\nh1 h2 blue 3 5 0\n");
	fclose(to);
	make(&m, FIXTURE_DEMO, items);
	assert_int_equal(m.error, -EINVAL);
	assert_int_equal(m.f.diag.errors, 3);
	assert_true(fixture_says(&m.f,
				 "x.flow:2:1: workload: traffic between tenants that no route "
				 "joins: h1 (red) to h3 (blue)"));
	assert_true(fixture_says(&m.f, "x.flow:3:4: dst: there is no host h99"));
	assert_true(fixture_says(&m.f, "x.flow:4:7: tenant: h1 is not in tenant blue"));
	drop(&m);

	// Beside the configuration, wherever one stands.
	make(&m, FIXTURE_DEMO, "  - {kind: flows, file: x.flow}\n");
	assert_int_equal(m.error, -EINVAL);
	assert_true(fixture_says(&m.f, "t.yaml:15:25: workload.file: x.flow cannot be read: No "
				       "such file"));
	free(m.f.config->beside);
	snprintf(items, sizeof(items), "%s/t.yaml", folder);
	m.f.config->beside = strdup(items);
	assert_int_equal(workload_create(&m.w, m.f.topology, m.f.routes, m.hosts, &m.f.diag),
			 -EINVAL);
	assert_true(fixture_says(&m.f, "x.flow:2:1: workload: traffic between tenants"));
	drop(&m);
	unlink(path);
	rmdir(folder);
}

// Items that the tenants of a fabric that ran refuse by now are left out, and told where they
// stand.
static void
test_what_a_fabric_ran(void **state)
{
	static const char *const items = "  - {kind: all-to-all, size: 1KB, tenant: red}\n"
					 "  - {kind: flows, file: x.flow}\n"
					 "  - {kind: flow, from: h1, to: h3, size: 1B}\n"
					 "  - {kind: incast, to: h3, from: [h4, h7], size: 1B}\n";
	char folder[] = "/tmp/roost-work-XXXXXX", path[64], beside[64], told[128];
	struct workload *w;
	struct made m;
	FILE *to;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.flow", folder);
	snprintf(beside, sizeof(beside), "%s/t.yaml", folder);
	to = fopen(path, "w");
	fprintf(to, "h1 h5 red 3 1000 7\nh1 h3 - 3 5 0\n");
	fclose(to);
	make(&m, FIXTURE_DEMO, items);
	assert_int_equal(m.error, -EINVAL);
	diag_free(&m.f.diag);
	m.f.config->restored = true;
	free(m.f.config->beside);
	m.f.config->beside = strdup(beside);
	assert_int_equal(workload_create(&w, m.f.topology, m.f.routes, m.hosts, &m.f.diag), 0);
	assert_int_equal(w->collective_count, 1);
	assert_int_equal(w->flow_count, 12 + 2);
	assert_int_equal(w->flows[12].src, 3);
	assert_int_equal(w->flows[13].src, 6);
	assert_int_equal(m.f.diag.errors, 0);
	assert_int_equal(m.f.diag.warnings, 2);
	snprintf(told, sizeof(told), "%s:2:1: workload: traffic between tenants", path);
	assert_true(fixture_says(&m.f, told));
	assert_true(fixture_says(&m.f, "t.yaml:17:5: workload: traffic between tenants"));
	workload_destroy(w);
	drop(&m);
	unlink(path);
	rmdir(folder);
}

static void
test_shift(void **state)
{
	struct made m;

	(void)state;
	make(&m, FIXTURE_DEMO,
	     "  - {kind: shift, size: 7B, tenant: red}\n"
	     "  - {kind: shift, size: 7B, by: 3, hosts: [h5, h2, h1, h6]}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->flow_count, 8);
	for (unsigned i = 0; i < 4; i++) {
		static const uint32_t red[] = {0, 1, 4, 5}, listed[] = {4, 1, 0, 5};

		assert_int_equal(m.w->flows[i].src, red[i]);
		assert_int_equal(m.w->flows[i].dst, red[(i + 1) % 4]);
		assert_int_equal(m.w->flows[i].bytes, 7);
		assert_int_equal(m.w->flows[4 + i].src, listed[i]);
		assert_int_equal(m.w->flows[4 + i].dst, listed[(i + 3) % 4]);
	}
	drop(&m);
	assert_refused(FIXTURE_DEMO, "  - {kind: shift, size: 7B, tenant: red, by: 4}\n",
		       "t.yaml:15:5: workload: h1 would send to itself");
	assert_refused(FIXTURE_DEMO, "  - {kind: shift, size: 7B, tenant: red, hosts: [h1, h3]}\n",
		       "t.yaml:15:54: workload.hosts: h3 is not in tenant red");
}

static void
test_refused(void **state)
{
	(void)state;
	assert_refused(
		FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h3, size: 1B}\n",
		"t.yaml:15:5: workload: traffic between tenants that no route joins: h1 (red) to "
		"h3 (blue)");
	assert_refused(FIXTURE_DEMO, "  - {kind: stream, from: h1, to: h3, rate: 1G}\n",
		       "h1 (red) to h3 (blue)");
	assert_refused(FIXTURE_DEMO, "  - {kind: permutation, size: 1B}\n", "no route joins");
	assert_refused(FIXTURE_DEMO, "  - {kind: all-to-all, size: 1KB}\n", "no route joins");
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h1, size: 1B}\n",
		       "h1 would send to itself");
	assert_refused(FIXTURE_DEMO, "  - {kind: incast, to: h1, from: [h2, h1], size: 1B}\n",
		       "t.yaml:15:39: workload: h1 would send to itself");
	assert_refused(FIXTURE_DEMO, "  - {kind: incast, to: h1, from: [h2, h22], size: 1B}\n",
		       "t.yaml:15:39: workload.from: there is no host h22; did you mean h2?");
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: spine1, size: 1B}\n",
		       "spine1 is a spine, not a host");
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h2, size: 1B, tenant: rde}\n",
		       "workload.tenant: there is no tenant rde; did you mean red?");
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h2, size: 1B, tenant: gold}\n",
		       "workload.tenant: there is no tenant gold; there are red, blue and rest");
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h2, size: 1B, tenant: blue}\n",
		       "h1 is not in tenant blue");
	assert_refused(
		"fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: "
		"1}\n",
		"  - {kind: permutation, size: 1B}\n", "1 host; at least two are needed");
	assert_refused(
		"fabric:\n  topology:\n    kind: explicit\n    nodes: [leaf1, leaf2, h1, h2]\n"
		"    links: [{a: h1, b: leaf1.swp1}, {a: h2, b: leaf2.swp1}]\n",
		"  - {kind: flow, from: h1, to: h2, size: 1B}\n", "no route leads from h1 to h2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_permutation),
		cmocka_unit_test(test_permutation_is_fair),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_flows_file),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_what_a_fabric_ran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
