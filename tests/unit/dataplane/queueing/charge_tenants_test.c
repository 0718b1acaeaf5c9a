// SPDX-License-Identifier: BSD-3-Clause
// The charging rule where tenants have guarantees and shares, and what new tables make of what is
// held.
#include "charged.h"
#include "dataplane/node/adopt.h"

#include <stdlib.h>

// Two tenants on ports 1 (tenant 0) and 2 (tenant 1), 3 has none. Ingress lossy pool of 10,000
// cells, of which tenant 1 has 1,000 set aside; shared 9,000; tenant 0 may share 3,000.
static struct tables *
tenant_tables(void)
{
	struct tables *t = ingress_tables(4);

	t->tenant_buffers = true;
	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int k = 0; k < POOL_COUNT; k++)
			t->tenants[i].share[k] = fixed(THRESHOLD_UNLIMITED, k);
	t->pools[POOL_INGRESS_LOSSY] = (struct pool_profile){.size = 10000, .shared = 9000};
	t->tenants[0].share[POOL_INGRESS_LOSSY] = fixed(3000, POOL_INGRESS_LOSSY);
	t->tenants[1].guaranteed[POOL_INGRESS_LOSSY] = 1000;
	t->ports[1].tenant = 0;
	t->ports[2].tenant = 1;
	return t;
}

static void
test_tenants(void **state)
{
	struct harness h;
	const struct tenant_use *use;
	struct tables *t = tenant_tables();

	(void)state;
	harness_profile(t)->pg[0].threshold = fixed(THRESHOLD_UNLIMITED, POOL_INGRESS_LOSSY);
	open_frozen(&h, t);
	use = h.node->buffer.tenants;
	// Tenant 0: 6 of 500, then its share is used up.
	for (unsigned int i = 0; i < 6; i++)
		assert_true(send(&h, 1, 0, 500));
	assert_false(send(&h, 1, 0, 500));
	assert_int_equal(harness_drops(&h, 1, DROP_TENANT_SHARE), 1);
	assert_int_equal(use[0].dropped, 1);
	assert_int_equal(use[0].packets, 7);
	assert_int_equal(use[0].pool_used[POOL_INGRESS_LOSSY], 3000);
	assert_int_equal(use[0].used, 3000);
	assert_int_equal(use[0].used_max, 3000);
	// No tenant: takes the rest of the shared size, 12 of 500.
	for (unsigned int i = 0; i < 12; i++)
		assert_true(send(&h, 3, 0, 500));
	assert_false(send(&h, 3, 0, 500));
	assert_int_equal(harness_drops(&h, 3, DROP_INGRESS_POOL), 1);
	// Tenant 1: its guarantee is still there, no threshold asked; beyond it the pool is full.
	assert_true(send(&h, 2, 0, 500));
	assert_true(send(&h, 2, 0, 500));
	assert_false(send(&h, 2, 0, 60));
	assert_int_equal(harness_drops(&h, 2, DROP_INGRESS_POOL), 1);
	assert_int_equal(use[1].guarantee[POOL_INGRESS_LOSSY], 1000);
	assert_int_equal(group(&h, 2, 0)->usage.guaranteed, 1000);
	assert_int_equal(group(&h, 2, 0)->usage.own, 0);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSY].used, 10000);
	for (unsigned int i = 0; i < 6 + 12; i++)
		release_one(&h);
	assert_int_equal(use[0].pool_used[POOL_INGRESS_LOSSY], 0);
	assert_true(send(&h, 2, 0, 500)); // own: the guarantee is in use
	assert_int_equal(group(&h, 2, 0)->usage.own, 500);
	release_one(&h); // a guaranteed one, and it gives that back
	assert_int_equal(use[1].guarantee[POOL_INGRESS_LOSSY], 500);
	assert_int_equal(group(&h, 2, 0)->usage.own, 500);
	release_one(&h);
	release_one(&h);
	assert_int_equal(use[1].guarantee[POOL_INGRESS_LOSSY], 0);
	assert_int_equal(use[1].pool_used[POOL_INGRESS_LOSSY], 0);
	harness_close(&h);
}

// Within a group's reservation a tenant's share is not asked; a lossless group refused by a share
// sends XOFF and takes headroom.
static void
test_tenant_share_and_reservation(void **state)
{
	struct tables *t = tenant_tables();
	struct harness h;

	(void)state;
	t->tenants[0].share[POOL_INGRESS_LOSSY] = fixed(0, POOL_INGRESS_LOSSY);
	t->tenants[0].share[POOL_INGRESS_LOSSLESS] = fixed(500, POOL_INGRESS_LOSSLESS);
	harness_profile(t)->pg[0].threshold.reserved = 600;
	open_frozen(&h, t);
	assert_true(send(&h, 1, 0, 300));
	assert_true(send(&h, 1, 0, 300));
	assert_false(send(&h, 1, 0, 300));
	assert_int_equal(harness_drops(&h, 1, DROP_TENANT_SHARE), 1);
	assert_true(send(&h, 1, 3, 300));
	assert_int_equal(h.node->ports[1].pfc_tx[3], 0);
	assert_true(send(&h, 1, 3, 300));
	assert_int_equal(h.node->ports[1].pfc_tx[3], 1);
	assert_int_equal(group(&h, 1, 3)->headroom, 300);
	harness_close(&h);
}

// New tables: what is held counts by the new thresholds, pools and tenants, and all can be given
// back.
static void
test_tables_change(void **state)
{
	struct tables *before = ingress_tables(4), *after;
	struct harness h;

	(void)state;
	open_frozen(&h, before);
	assert_true(send(&h, 1, 0, 300));
	assert_true(send(&h, 2, 3, 300));
	// Tenants appear; group 0 moves to the lossless pool and has 100 cells reserved; queue 3
	// changes pools.
	after = tenant_tables();
	harness_profile(after)->pg[0].threshold = alpha(0, 0, POOL_INGRESS_LOSSLESS);
	harness_profile(after)->pg[0].threshold.reserved = 100;
	harness_profile(after)->tc[3].threshold = alpha(0, 0, POOL_EGRESS_LOSSLESS);
	assert_ptr_equal(node_set_tables(h.node, after), before);
	h.tables = after;
	harness_run(&h, h.now + 1);
	harness_check(&h);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used, 600);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].shared_use, 500);
	tables_destroy(before);
	assert_true(send(&h, 2, 0, 300)); // of tenant 1, which has no guarantee in that pool
	assert_int_equal(h.node->buffer.tenants[1].pool_used[POOL_INGRESS_LOSSLESS], 300);
	// And back to tables without tenants while that packet is held.
	before = ingress_tables(4);
	after = h.tables;
	assert_ptr_equal(node_set_tables(h.node, before), after);
	h.tables = before;
	for (unsigned int i = 0; i < 3; i++)
		release_one(&h);
	tables_destroy(after);
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		assert_int_equal(h.node->buffer.pools[i].used, 0);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tenants),
		cmocka_unit_test(test_tenant_share_and_reservation),
		cmocka_unit_test(test_tables_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
