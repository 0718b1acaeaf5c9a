// SPDX-License-Identifier: BSD-3-Clause
// Pool sizes to the cell, what is taken off them, tenants' parts, and buffers that cannot hold.
#include "built.h"

static int
make(struct fixture *f, const char *text, const char *node_name, struct tables **t)
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
		make(&f,
		     DUT("  buffer: {size: 1000000B, cell: 192, pools: {ingress-lossy: "
			 "{size: 100KB}}}\n"
			 "  qos:\n    pg: {3: {lossless: true, headroom: 10000B, reserved: "
			 "1000B}, 0: {reserved: 193B}}\n"
			 "    tc: {6: {reserved: 400B}, 3: {reserved: 1B}}\n"),
		     "dut", &t),
		0);
	// Headroom: 53 cells (10176 B) a port, 2 ports. 50 % of 1000000 - 20352 = 489824 B: 2551
	// cells.
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
	assert_int_equal(make(&f, FIXTURE_DEMO, "leaf1", &t), 0);
	headroom = t->pools[POOL_HEADROOM].size;
	assert_int_equal(headroom, 6 * t->ports[0].profile->pg[3].headroom);
	half = (uint32_t)((4000000 - UINT64_C(192) * headroom) / 2 / 192);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].size, half);
	// Two tenants of 256 KB (1334 cells) in every pool that has an end.
	assert_int_equal(t->pools[POOL_INGRESS_LOSSLESS].shared, half - 2 * 1334);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSY].shared, half - 2 * 1334);
	assert_int_equal(t->pools[POOL_EGRESS_LOSSLESS].shared, POOL_UNLIMITED);
	assert_true(t->tenant_buffers);
	assert_int_equal(t->tenant_count, 3); // and `rest`
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
	assert_int_equal(make(&f, FIXTURE_DEMO, "spine1", &t), 0);
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
		"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"
		"tenants:\n  red: {hosts: [h1], buffer: {guaranteed: 192KB, share: 1/4}}\n"
		"  blue: {hosts: [h2, h3]}\n";
	struct fixture f;
	struct tables *t;

	(void)state;
	assert_int_equal(make(&f, text, "leaf1", &t), 0);
	assert_true(t->tenant_buffers);
	assert_int_equal(t->pools[POOL_INGRESS_LOSSY].size - t->pools[POOL_INGRESS_LOSSY].shared,
			 1000);
	assert_int_equal(t->tenants[0].share[POOL_INGRESS_LOSSY].down, 2);
	assert_int_equal(t->tenants[0].share[POOL_INGRESS_LOSSY].fixed, 0);
	assert_int_equal(t->tenants[1].share[POOL_INGRESS_LOSSY].fixed, THRESHOLD_UNLIMITED);
	assert_int_equal(t->tenants[1].guaranteed[POOL_INGRESS_LOSSY], 0);
	tables_destroy(t);
	fixture_free(&f);
	assert_int_equal(make(&f, text, "leaf2", &t), 0);
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

	assert_int_equal(make(&f, text, node, &t), -EINVAL);
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
		"t.yaml:4:18: buffer.size: on dut the buffer's 250000 B do not hold the 254208 B "
		"of headroom and 0 B reserved for the priority groups of 2 ports");
	assert_refused(
		DUT("  mtu: 9100\n  buffer: {size: 300KB}\n"
		    "  qos: {ports: {swp2: {pg: {0: {reserved: 46KB}}}}}\n"),
		"dut",
		"t.yaml:5:43: qos.ports.swp2.pg.0.reserved: on dut the buffer's 300000 B do not "
		"hold the 254208 B of headroom and 46080 B reserved for the priority groups of 2 "
		"ports");
	assert_refused(DUT("  buffer: {size: 500KB}\n  qos: {tc: {0: {reserved: 250KB}}}\n"), "dut",
		       "t.yaml:4:28: qos.tc.0.reserved: on dut the buffer's 500000 B do not hold "
		       "the 500352 B reserved for the queues of 2 ports");
	// What was written last is to blame, and never a default.
	assert_refused(DUT("  qos: {pg: {3: {headroom: 40MB}}}\n"), "dut",
		       "t.yaml:3:28: qos.pg.3.headroom: on dut the buffer's 64000000 B do not hold "
		       "the 80000256 B of headroom and 0 B reserved");
	assert_refused(DUT("  qos: {pg: {0: {reserved: 40MB}}}\n"), "dut",
		       "t.yaml:3:28: qos.pg.0.reserved: on dut the buffer's 64000000 B do not");
	assert_refused(DUT("  qos: {pg: {3: {headroom: 600KB}}}\n  buffer: {size: 1MB}\n"), "dut",
		       "t.yaml:4:18: buffer.size: on dut the buffer's 1000000 B do not hold");
	assert_refused(
		DUT("  buffer: {pools: {ingress-lossy: {size: 1KB}}}\n"
		    "  qos: {pg: {0: {reserved: 600B}}}\n"),
		"dut",
		"t.yaml:4:28: qos.pg.0.reserved: on dut pool ingress-lossy of 960 B does not hold "
		"the 1536 B reserved in it");
	// Pools that the file makes larger than what headroom leaves, to the byte.
	assert_refused(
		DUT("  mtu: 9100\n  buffer: {size: 1MB, pools: {ingress-lossless: {size: "
		    "744792B}, ingress-lossy: {size: 1001B}}}\n"),
		"dut",
		"t.yaml:4:88: buffer.pools.ingress-lossy.size: on dut the ingress pools are 745793 "
		"B together "
		"(744792 B lossless, 1001 B lossy) where headroom leaves 745792 B of 1000000 B: "
		"the buffer is oversubscribed");
	assert_int_equal(make(&f,
			      DUT("  mtu: 9100\n  buffer: {size: 1MB, pools: {ingress-lossless: "
				  "{size: 744792B}, ingress-lossy: {size: 1000B}}}\n"),
			      "dut", &t),
			 0);
	assert_int_equal(f.diag.count, 0);
	tables_destroy(t);
	fixture_free(&f);
}

// What a tenant is guaranteed is set aside in every pool that is there, whatever the preset's mode.
static void
test_guarantees_in_every_mode(void **state)
{
	static const struct {
		const char *preset;
		unsigned none; // bits: pools without a guarantee
	} modes[] = {
		{"preset: spectrum-x", 1 << POOL_EGRESS_LOSSLESS},
		{"preset: spectrum-x, preset-mode: lossy",
		 1 << POOL_INGRESS_LOSSLESS | 1 << POOL_EGRESS_LOSSLESS},
		{"preset: lossy", 1 << POOL_INGRESS_LOSSLESS | 1 << POOL_EGRESS_LOSSLESS},
		{"preset: spectrum-x, preset-mode: lossless-single-pool",
		 1 << POOL_INGRESS_LOSSY | 1 << POOL_EGRESS_LOSSLESS},
		{"preset: sonic", 1 << POOL_INGRESS_LOSSY | 1 << POOL_EGRESS_LOSSLESS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct fixture f;
		struct tables *t;
		char text[400];

		snprintf(text, sizeof(text),
			 "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, "
			 "hosts-per-leaf: "
			 "2}}\nswitch: {%s, buffer: {size: 4MB}}\n"
			 "tenants: {red: {hosts: [h1, h3], buffer: {guaranteed: 192KB, share: "
			 "50%%}}}\n",
			 modes[i].preset);
		assert_int_equal(make(&f, text, "leaf1", &t), 0);
		assert_int_equal(f.diag.count, 0);
		for (unsigned pool = 0; pool < POOL_HEADROOM; pool++) {
			const struct pool_profile *p = &t->pools[pool];
			bool none = modes[i].none & 1u << pool;

			assert_int_equal(t->tenants[0].guaranteed[pool], none ? 0 : 1000);
			if (p->size != POOL_UNLIMITED)
				assert_int_equal(p->size - p->shared, none ? 0 : 1000);
		}
		tables_destroy(t);
		fixture_free(&f);
	}
}

// What does not fit is told once, where the tenant's buffer stands.
static void
test_guarantees_too_large(void **state)
{
	struct fixture f;
	struct tables *t;

	(void)state;
	assert_int_equal(make(&f, FIXTURE_DEMO "leaf: {buffer: {size: 1MB}}\n", "leaf1", &t),
			 -EINVAL);
	assert_int_equal(f.diag.count, 1);
	assert_true(fixture_says(&f, "t.yaml:13:43: tenants: on leaf1 pool ingress-"));
	assert_true(fixture_says(&f, " B does not hold the 512256 B guaranteed to tenants and 0 B "
				     "reserved in it"));
	fixture_free(&f);
	// One that is merely small is none that is not there.
	assert_int_equal(
		make(&f, FIXTURE_DEMO "leaf: {buffer: {pools: {ingress-lossy: {size: 100B}}}}\n",
		     "leaf1", &t),
		-EINVAL);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(&f, "tenants: on leaf1 pool ingress-lossy of 0 B does not hold"));
	fixture_free(&f);
}

// Where a default shows through it is told, not refused; a change is measured by the excess.
static void
test_oversubscribed(void **state)
{
	struct switch_config settings;
	struct fixture f;
	struct tables *t;

	(void)state;
	// Headroom in cells of 1 B: 41984 B a port. Together with 50 % the pool fits the buffer,
	// not what headroom leaves of it.
	assert_int_equal(make(&f,
			      DUT("  mtu: 9100\n  buffer: {size: 1MB, cell: 1, pools: "
				  "{ingress-lossless: {size: 490KB}}}\n"),
			      "dut", &t),
			 0);
	assert_int_equal(f.diag.warnings, 1);
	assert_true(fixture_says(
		&f, "t.yaml:4:65: buffer.pools.ingress-lossless.size: on dut the ingress pools are "
		    "948016 B together (490000 B lossless, 458016 B lossy) where headroom "
		    "leaves 916032 B of 1000000 B"));
	assert_int_equal(config_switch(f.config, "dut", CONFIG_ROLE_LEAF, &settings), 0);
	assert_int_equal(tables_excess_bytes(t, &settings), 948016 - 916032);
	tables_destroy(t);
	fixture_free(&f);
	assert_int_equal(make(&f, DUT("  mtu: 9100\n"), "dut", &t), 0);
	assert_int_equal(config_switch(f.config, "dut", CONFIG_ROLE_LEAF, &settings), 0);
	assert_int_equal(tables_excess_bytes(t, &settings), 0);
	tables_destroy(t);
	fixture_free(&f);
}

// Headroom that groups share is set aside once, whatever each may take of it.
static void
test_headroom_pool(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, DUT("  mtu: 9100\n  buffer: {size: 200KB, cell: 192}\n"), "dut");
	b.settings.headroom_pool_bytes = 50000;
	built_good(&b);
	assert_int_equal(b.t->ports[0].profile->pg[3].headroom, 662);
	assert_int_equal(b.t->pools[POOL_HEADROOM].size, 260); // 260.4
	assert_int_equal(b.t->pools[POOL_HEADROOM].shared, 260);
	// Half of 200000 - 50000.
	assert_int_equal(b.t->pools[POOL_INGRESS_LOSSLESS].size, 75000 / 192);
	built_drop(&b);
	built_load(&b, DUT("  mtu: 9100\n  buffer: {size: 200KB, cell: 192}\n"), "dut");
	b.settings.headroom_pool_bytes = 200001;
	built_refused(&b, "the buffer's 200000 B do not hold the 200001 B of headroom pool and 0 B "
			  "reserved");
	built_load(&b, DUT("  mtu: 9100\n"), "dut");
	built_good(&b);
	assert_int_equal(b.t->pools[POOL_HEADROOM].size, 2 * 662);
	assert_int_equal(b.t->pools[POOL_HEADROOM].shared, POOL_UNLIMITED);
	built_drop(&b);
}

static void
test_port_levels(void **state)
{
	struct built b;

	(void)state;
	built_load(&b, DUT(""), "dut");
	built_good(&b);
	assert_false(b.t->port_levels);
	built_drop(&b);
	built_load(&b, DUT(""), "dut");
	b.settings.port_alpha[CONFIG_POOL_INGRESS_LOSSLESS] =
		(struct config_amount){CONFIG_AMOUNT_ALPHA, 10}; // 8
	b.settings.port_alpha[CONFIG_POOL_EGRESS_LOSSY] =
		(struct config_amount){CONFIG_AMOUNT_ALPHA, 5}; // 1/4
	// Of a pool without an end every port's part has none either.
	b.settings.port_alpha[CONFIG_POOL_EGRESS_LOSSLESS] =
		(struct config_amount){CONFIG_AMOUNT_ALPHA, 7};
	built_good(&b);
	assert_true(b.t->port_levels);
	assert_true(b.t->pools[POOL_INGRESS_LOSSLESS].port_level);
	assert_int_equal(b.t->pools[POOL_INGRESS_LOSSLESS].port_up, 3);
	assert_int_equal(b.t->pools[POOL_INGRESS_LOSSLESS].port_down, 0);
	assert_int_equal(b.t->pools[POOL_EGRESS_LOSSY].port_up, 0);
	assert_int_equal(b.t->pools[POOL_EGRESS_LOSSY].port_down, 2);
	assert_false(b.t->pools[POOL_EGRESS_LOSSLESS].port_level);
	assert_false(b.t->pools[POOL_INGRESS_LOSSY].port_level);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_demo),
		cmocka_unit_test(test_tenant_elsewhere),
		cmocka_unit_test(test_cannot_hold),
		cmocka_unit_test(test_guarantees_in_every_mode),
		cmocka_unit_test(test_guarantees_too_large),
		cmocka_unit_test(test_oversubscribed),
		cmocka_unit_test(test_headroom_pool),
		cmocka_unit_test(test_port_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
