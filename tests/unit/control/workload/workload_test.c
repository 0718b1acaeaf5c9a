// SPDX-License-Identifier: BSD-3-Clause
// Workload items as lists of flows and streams.
#include "control/workload/workload.h"
#include "tests/unit/control/topology/fixture.h"

#include <unistd.h>

struct made {
	struct fixture f;
	struct host_config *hosts;
	struct workload *w;
	int error;
};

static void
make(struct made *m, const char *fabric, const char *items)
{
	char text[4096];

	assert_true((size_t)snprintf(text, sizeof(text), "%sworkload:\n%s", fabric, items) <
		    sizeof(text));
	*m = (struct made){0};
	fixture_load(&m->f, text);
	m->hosts = calloc(m->f.topology->host_count, sizeof(*m->hosts));
	for (uint32_t h = 0; h < m->f.topology->host_count; h++)
		assert_int_equal(config_host(m->f.config, topology_host(m->f.topology, h)->name,
					     &m->hosts[h]),
				 0);
	m->error = workload_create(&m->w, m->f.topology, m->f.routes, m->hosts, &m->f.diag);
}

static void
drop(struct made *m)
{
	workload_destroy(m->w);
	free(m->hosts);
	fixture_free(&m->f);
}

#define PLAIN "fabric:\n  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4}\n"

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
	assert_int_equal(m.w->flows[0].collective, WORKLOAD_NO_COLLECTIVE);
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
			 "hosts_per_leaf: 4}\n  seed: %u\n",
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

static void
test_all_to_all(void **state)
{
	const struct collective_spec *c;
	uint64_t sent[8] = {0}, received[8] = {0};
	struct made m;

	(void)state;
	// 10 bytes a rank over 4 ranks: chunks of 3, 3, 2, 2.
	make(&m, FIXTURE_DEMO,
	     "  - {kind: flow, from: h1, to: h2, size: 1B}\n"
	     "  - {kind: all-to-all, algorithm: direct, size: 10B, tenant: blue, name: step}\n"
	     "  - {kind: all-to-all, size: 64MB, tenant: red}\n");
	assert_int_equal(m.error, 0);
	assert_int_equal(m.w->collective_count, 2);
	c = &m.w->collectives[0];
	assert_string_equal(c->name, "step");
	assert_string_equal(c->kind, "all-to-all");
	assert_int_equal(c->ranks, 4);
	assert_int_equal(c->bytes, 10);
	assert_int_equal(c->first_flow, 1);
	assert_int_equal(c->flow_count, 12);
	assert_int_equal(c->bus_factor_num, 3);
	assert_int_equal(c->bus_factor_den, 4);
	for (uint32_t i = 1; i < 13; i++) {
		const struct flow_spec *flow = &m.w->flows[i];

		assert_int_equal(flow->collective, 0);
		assert_int_equal(flow->tenant, topology_find_tenant(m.f.topology, "blue"));
		sent[flow->src] += flow->bytes;
		received[flow->dst] += flow->bytes;
	}
	assert_int_equal(received[2], 3 * 3); // h3 is rank 0
	assert_int_equal(received[7], 3 * 2);
	assert_int_equal(sent[2], 10 - 3); // all but what it keeps
	assert_int_equal(sent[7], 10 - 2);
	assert_int_equal(m.w->collectives[1].first_flow, 13);
	assert_int_equal(m.w->flows[13].bytes, 16000000);
	drop(&m);
	// Chunks of no byte are not sent.
	make(&m, PLAIN, "  - {kind: all-to-all, size: 2B}\n");
	assert_int_equal(m.w->flow_count, 2 * 15);
	assert_int_equal(m.w->collectives[0].ranks, 16);
	drop(&m);
}

static void
test_jitter(void **state)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct made m, again;

	(void)state;
	make(&m, PLAIN "hosts: {start-jitter: 10us}\n",
	     "  - {kind: all-to-all, size: 1KB, at: 1us}\n");
	make(&again, PLAIN "hosts: {start-jitter: 10us}\n",
	     "  - {kind: all-to-all, size: 1KB, at: 1us}\n");
	for (uint32_t i = 0; i < m.w->flow_count; i++) {
		uint64_t start = m.w->flows[i].start_ps;

		assert_in_range(start, 1000000, 11000000);
		assert_int_equal(start, again.w->flows[i].start_ps);
		least = start < least ? start : least;
		most = start > most ? start : most;
	}
	assert_true(least < 2000000 && most > 10000000); // of 240 draws
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
	assert_true(fixture_says(&m.f, "x.flow: cannot open: No such file"));
	free(m.f.config->file);
	snprintf(items, sizeof(items), "%s/t.yaml", folder);
	m.f.config->file = strdup(items);
	assert_int_equal(workload_create(&m.w, m.f.topology, m.f.routes, m.hosts, &m.f.diag),
			 -EINVAL);
	assert_true(fixture_says(&m.f, "x.flow:2:1: workload: traffic between tenants"));
	drop(&m);
	unlink(path);
	rmdir(folder);
}

static void
assert_refused(const char *fabric, const char *item, const char *message)
{
	struct made m;

	make(&m, fabric, item);
	assert_int_equal(m.error, -EINVAL);
	assert_true(fixture_says(&m.f, message));
	assert_int_equal(m.f.diag.errors, 1);
	drop(&m);
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
	assert_refused(FIXTURE_DEMO, "  - {kind: flow, from: h1, to: h2, size: 1B, tenant: blue}\n",
		       "h1 is not in tenant blue");
	assert_refused(
		"fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts_per_leaf: "
		"1}\n",
		"  - {kind: permutation, size: 1B}\n", "1 host; it takes two");
	assert_refused(
		"fabric:\n  topology:\n    kind: explicit\n    nodes: [leaf1, leaf2, h1, h2]\n"
		"    links: [{a: h1, b: leaf1.swp1}, {a: h2, b: leaf2.swp1}]\n",
		"  - {kind: flow, from: h1, to: h2, size: 1B}\n", "no route leads from h1 to h2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),        cmocka_unit_test(test_incast),
		cmocka_unit_test(test_permutation), cmocka_unit_test(test_permutation_is_fair),
		cmocka_unit_test(test_all_to_all),  cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_flows_file),  cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
