// SPDX-License-Identifier: BSD-3-Clause
// Pool sizes to the cell, what is taken off them, tenants' parts, and buffers that cannot hold.
#include "control/tables/build.h"
#include "tests/unit/control/topology/fixture.h"

static int
build(struct fixture *f, const char *text, const char *node_name, struct tables **t)
{
	struct switch_config settings;
	uint32_t node;

	fixture_load(f, text);
	node = topology_find_node(f->topology, node_name);
	assert_int_equal(
		config_switch(f->config, node_name, f->topology->nodes[node].role, &settings), 0);
	return tables_build(t, f->topology, node, &settings, &f->routes->nodes[node], &f->diag);
}

#define DUT(settings)                     \
	"switch:\n  name: dut\n" settings \
	"  ports: {swp1: {rate: 100G, cable: 40m}, swp2: {rate: 100G, cable: 40m}}\n"

static void
test_sizes(void **state)
{
	struct fixture f;
	struct tables *t;

	(void)state;
	assert_int_equal(
		build(&f,
		      DUT("  buffer: {size: 1000000B, cell: 192, pools: {ingress-lossy: "
			  "{size: 100KB}}}\n"
			  "  qos:\n    pg: {3: {lossless: true, headroom: 10000B, reserved: "
			  "1000B}, 0: {reserved: 193B}}\n"
			  "    tc: {6: {reserved: 400B}, 3: {reserved: 1B}}\n"),
		      "dut", &t),
		0);
	// Headroom: 53 cells (10176 B) a port, 2 ports. 50 % of 1000000 - 20352 = 489824 B: 2551 cells.
	assert_int_equal(t->pools[POOL_HEADROOM].size, 106);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].size, 2551);
	// Reserved: 6 cells a port.
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].shared, 2551 - 12);
	// 100000 B: 520 cells; 2 reserved a port.
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].size, 520);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].shared, 520 - 4);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSLESS].size, POOL_UNLIMITED);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSLESS].shared, POOL_UNLIMITED);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSY].size, 2551);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSY].shared, 2551 - 6); // 400 B: 3 cells a port
	assert_false(t->tenant_buffers);
	assert_int_equal(f.diag.count, 0);
	tables_destroy(t);
	fixture_free(&f);
}

// Everything set aside and everything shared is the buffer, to a cell for each pool.
static void
test_demo(void **state)
{
	const struct tenant_profile *red;
	uint32_t headroom, half;
	struct fixture f;
	struct tables *t;

	(void)state;
	assert_int_equal(build(&f, FIXTURE_DEMO, "leaf1", &t), 0);
	headroom = t->pools[POOL_HEADROOM].size;
	assert_int_equal(headroom, 6 * t->ports[0].profile->pg[3].headroom);
	half = (uint32_t)((4000000 - UINT64_C(192) * headroom) / 2 / 192);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].size, half);
	// Two tenants of 256 KB (1334 cells) in every pool that has an end.
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].shared, half - 2 * 1334);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSY].shared, half - 2 * 1334);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSLESS].shared, POOL_UNLIMITED);
	assert_true(t->tenant_buffers);
	assert_int_equal(t->tenant_count, 2);
	red = &t->tenants[topology_find_tenant(f.topology, "red")];
	assert_int_equal(red->guaranteed[POOL_INGRESS_LOSSY], 1334);
	assert_int_equal(red->guaranteed[POOL_EGRESS_LOSSLESS], 0);
	assert_int_equal(red->guaranteed[POOL_HEADROOM], 0);
	assert_int_equal(red->share[POOL_INGRESS_LOSSLESS].fixed, (half - 2 * 1334) / 2);
	assert_int_equal(red->share[POOL_INGRESS_LOSSLESS].down, 63);
	assert_int_equal(red->share[POOL_EGRESS_LOSSLESS].fixed, THRESHOLD_UNLIMITED);
	tables_destroy(t);
	fixture_free(&f);
	// A spine knows no tenants.
	assert_int_equal(build(&f, FIXTURE_DEMO, "spine1", &t), 0);
	assert_false(t->tenant_buffers);
	assert_int_equal(t->tenant_count, 0);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].shared, t->pools[POOL_INGRESS_LOSSY].size);
	tables_destroy(t);
	fixture_free(&f);
}

// What a tenant is guaranteed is set aside where it has hosts.
static void
test_tenant_elsewhere(void **state)
{
	static const char *const text =
		"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2}\n"
		"tenants:\n  red: {hosts: [h1], buffer: {guaranteed: 192KB, share: 1/4}}\n"
		"  blue: {hosts: [h2, h3]}\n";
	struct fixture f;
	struct tables *t;

	(void)state;
	assert_int_equal(build(&f, text, "leaf1", &t), 0);
	assert_true(t->tenant_buffers);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].size - t->pools[POOL_INGRESS_LOSSY].shared,
			 1000);
	assert_int_equal(t->tenants[0].share[POOL_INGRESS_LOSSY].down, 2);
	assert_int_equal(t->tenants[0].share[POOL_INGRESS_LOSSY].fixed, 0);
	assert_int_equal(t->tenants[1].share[POOL_INGRESS_LOSSY].fixed, THRESHOLD_UNLIMITED);
	assert_int_equal(t->tenants[1].guaranteed[POOL_INGRESS_LOSSY], 0);
	tables_destroy(t);
	fixture_free(&f);
	assert_int_equal(build(&f, text, "leaf2", &t), 0);
	assert_false(t->tenant_buffers);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].size, t->pools[POOL_INGRESS_LOSSY].shared);
	tables_destroy(t);
	fixture_free(&f);
}

static void
assert_refused(const char *text, const char *node, const char *message)
{
	struct fixture f;
	struct tables *t;

	assert_int_equal(build(&f, text, node, &t), -EINVAL);
	assert_true(fixture_says(&f, message));
	fixture_free(&f);
}

static void
test_cannot_hold(void **state)
{
	struct fixture f;
	struct tables *t;

	(void)state;
	// 661.33 cells of headroom a port, 2 ports, are 254208 B.
	assert_refused(
		DUT("  mtu: 9100\n  buffer: {size: 250KB}\n"), "dut",
		"t.yaml:4:18: buffer.size: on dut 250000 B do not hold the 254208 B of headroom "
		"and 0 B reserved for the priority groups of 2 ports");
	assert_refused(DUT("  buffer: {size: 500KB}\n  qos: {tc: {0: {reserved: 250KB}}}\n"), "dut",
		       "500000 B do not hold the 500352 B reserved for the queues of 2 ports");
	assert_refused(
		DUT("  buffer: {pools: {ingress-lossy: {size: 1KB}}}\n"
		    "  qos: {pg: {0: {reserved: 600B}}}\n"),
		"dut",
		"t.yaml:3:42: buffer.pools.ingress-lossy: on dut 960 B do not hold the 1536 B "
		"reserved and guaranteed from it");
	assert_refused(FIXTURE_DEMO "leaf: {buffer: {size: 1MB}}\n", "leaf1", "buffer.pools.");
	// More than the buffer, but only by pools: told, not refused.
	assert_int_equal(
		build(&f,
		      DUT("  mtu: 9100\n  buffer: {size: 1MB, pools: {ingress-lossless: {size: "
			  "900KB}, ingress-lossy: {size: 1KB}}}\n"),
		      "dut", &t),
		0);
	assert_int_equal(f.diag.warnings, 1);
	assert_true(fixture_says(&f,
				 "the ingress pools are 901000 B together where headroom leaves "
				 "745792 B"));
	tables_destroy(t);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_demo),
		cmocka_unit_test(test_tenant_elsewhere),
		cmocka_unit_test(test_cannot_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
